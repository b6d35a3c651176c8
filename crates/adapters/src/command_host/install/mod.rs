//! Puts the hook of a host into its settings and takes it out again. A file
//! others write, too, keeps every byte that is not about the hook.

mod lists;
mod tables;
mod whole;
mod yaml;

use crate::command_host::CommandHost;
use crate::settings::{SettingsFault, value_of};
use crate::{Level, Ours};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How a host is told about the hook.
#[derive(Debug)]
pub(crate) struct Registration {
    /// The file of the user, `~/…`.
    pub user: &'static str,
    /// The file of a project, where the host reads one.
    pub project: Option<&'static str>,
    /// What is written there.
    pub form: Form,
    /// Events it is registered for, with the matcher where the event has one.
    pub events: &'static [(&'static str, Option<&'static str>)],
    /// The host's time limit as it is written, in the host's own unit.
    pub timeout: u64,
    /// A setting that switches all hooks off, as a JSON pointer, with the value that does not.
    pub off_switch: Option<(&'static str, bool)>,
}

/// The layout of a settings file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    /// JSON: `hooks.EVENT` lists groups of hooks; more fields of each hook.
    Groups(&'static [(&'static str, &'static str)]),
    /// The same below `toolgate.EVENT`.
    Named,
    /// JSON: `hooks.EVENT` lists hooks.
    Flat(&'static Flat),
    /// TOML: one `[[hooks]]` table an event, behind what is there; the names of its fields
    /// and more lines of each.
    Tables {
        /// The field that holds the event.
        event: &'static str,
        /// The field that holds the matcher.
        matcher: &'static str,
        /// More lines of every table; `EVENT` in them is the event.
        more: &'static str,
        /// More lines of tables that have a matcher.
        more_with_matcher: &'static str,
    },
    /// YAML: `hooks.EVENT` lists hooks; a file next to it lists those the person agreed to.
    Yaml(&'static Yaml),
    /// A file of code that is all the gate's.
    Whole(&'static Whole),
    /// A file of JSON that is all the gate's, for a command.
    Own(fn(&str) -> Value),
}

/// How one hook in a flat list is written.
#[derive(Debug)]
pub(crate) struct Flat {
    /// Whether the file says `version: 1`.
    pub version: bool,
    /// Fields in front of the command.
    pub first: &'static [(&'static str, &'static str)],
    /// The field that holds the command.
    pub command: &'static str,
    /// The field that holds the time limit; empty where there is none.
    pub timeout: &'static str,
    /// Fields that are `true`.
    pub yes: &'static [&'static str],
}

/// What a YAML file needs for a command, with `COMMAND` where it is.
#[derive(Debug)]
pub(crate) struct Yaml {
    /// The line for calls about to run.
    pub before: &'static str,
    /// The line for everything else.
    pub other: &'static str,
    /// The file of consents, in the same folder.
    pub consents: &'static str,
}

/// Files of code, with `COMMAND` for the command and `JSON_OF_IT` for the same as a JSON string.
#[derive(Debug)]
pub(crate) struct Whole {
    /// The text of the file.
    pub text: &'static str,
    /// More files in the same folder.
    pub more: &'static [(&'static str, &'static str)],
    /// Whether the host starts them as programs.
    pub are_programs: bool,
}

impl Registration {
    pub(super) fn file(&self, level: Level) -> &'static str {
        match (level, self.project) {
            (Level::Project | Level::Local, Some(file)) => file,
            _ => self.user,
        }
    }

    pub(super) fn levels(&self) -> &'static [Level] {
        if self.project.is_some() { &[Level::User, Level::Project] } else { &[Level::User] }
    }
}

/// Between these lines is what the gate wrote.
const BEGIN: &str = "# begin toolgate";
const END: &str = "# end toolgate";

pub(super) fn install(
    host: &CommandHost,
    settings: Option<&[u8]>,
    program: &str,
) -> Result<Vec<u8>, SettingsFault> {
    let command = format!("{program} hook {}", host.name);
    let before = settings.unwrap_or_default();
    match host.registration.form {
        Form::Tables { .. } => tables::install(host, before, &command),
        Form::Groups(_) | Form::Named | Form::Flat(_) => lists::install(host, before, &command),
        Form::Yaml(form) => yaml::install(host, form, before, &command),
        Form::Whole(form) => whole::install(host.name, form.text, before, &command),
        Form::Own(render) => whole::install_json(host.name, render, before, &command),
    }
}

pub(super) fn uninstall(host: &CommandHost, settings: &[u8]) -> Result<Option<Vec<u8>>, SettingsFault> {
    match host.registration.form {
        Form::Tables { .. } => tables::uninstall(settings),
        Form::Groups(_) | Form::Named | Form::Flat(_) => lists::uninstall(host, settings),
        Form::Yaml(_) => yaml::uninstall(settings),
        Form::Whole(_) | Form::Own(_) => Ok(installed(host, settings).is_none().then(|| settings.to_vec())),
    }
}

pub(super) fn events(host: &CommandHost, settings: &[u8]) -> Vec<String> {
    match host.registration.form {
        Form::Groups(_) | Form::Named | Form::Flat(_) => lists::events(host, settings),
        Form::Yaml(_) => yaml::events(&String::from_utf8_lossy(settings)),
        // What is written is written whole.
        Form::Tables { .. } | Form::Whole(_) | Form::Own(_) => match installed(host, settings) {
            Some(_) => host.registration.events.iter().map(|(event, _)| (*event).to_owned()).collect(),
            None => Vec::new(),
        },
    }
}

pub(super) fn installed(host: &CommandHost, settings: &[u8]) -> Option<String> {
    match host.registration.form {
        Form::Tables { .. } => tables::command(host, &String::from_utf8_lossy(settings)),
        Form::Groups(_) | Form::Named | Form::Flat(_) => lists::command(host, settings),
        Form::Yaml(_) => yaml::command(host.name, &String::from_utf8_lossy(settings)),
        Form::Whole(_) => whole::command(host.name, &String::from_utf8_lossy(settings)),
        Form::Own(_) => whole::command_in_json(host.name, settings),
    }
}

/// The files the hook needs next to its settings.
pub(super) fn companions(host: &CommandHost, settings: &Path) -> Vec<Companion> {
    let beside = |name: &str, part| Companion { file: settings.with_file_name(name), host: host.name, part };
    match host.registration.form {
        Form::Yaml(form) => {
            vec![beside(form.consents, Part::Consents(form, host.registration.events))]
        }
        Form::Whole(form) => {
            form.more.iter().map(|(name, text)| beside(name, Part::Code(text, form.are_programs))).collect()
        }
        _ => Vec::new(),
    }
}

/// A file the hook needs next to the settings of a host: written and removed with them.
#[derive(Debug)]
pub struct Companion {
    /// The file.
    pub file: PathBuf,
    host: &'static str,
    part: Part,
}

#[derive(Debug)]
enum Part {
    Consents(&'static Yaml, &'static [(&'static str, Option<&'static str>)]),
    Code(&'static str, bool),
}

impl Companion {
    /// Its bytes with what the hook needs, and no other byte changed.
    ///
    /// # Errors
    /// If the file cannot be read, or is not the gate's.
    pub fn install(&self, before: Option<&[u8]>, program: &str) -> Result<Vec<u8>, SettingsFault> {
        let command = format!("{program} hook {}", self.host);
        let before = before.unwrap_or_default();
        match self.part {
            Part::Consents(form, events) => yaml::consent(form, events, before, &command),
            Part::Code(text, _) => whole::install(self.host, text, before, &command),
        }
    }

    /// Its bytes without it; `None` if nothing else is in them.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn uninstall(&self, bytes: &[u8]) -> Result<Option<Vec<u8>>, SettingsFault> {
        match self.part {
            Part::Consents(..) => yaml::withdraw(self.host, bytes),
            Part::Code(..) => Ok((!whole::is_own(self.host, bytes)).then(|| bytes.to_vec())),
        }
    }

    /// Whether the host starts it as a program.
    #[must_use]
    pub fn is_program(&self) -> bool {
        matches!(self.part, Part::Code(_, true))
    }
}

/// Why settings take the gate out of the path, if they do.
pub(super) fn objection(host: &CommandHost, settings: Option<&[u8]>, ours: Ours) -> Option<String> {
    let Some(bytes) = settings else {
        return (ours == Ours::Yes).then(|| "the settings that hold the gate's hook were deleted".to_owned());
    };
    if let Some(switch) = switched_off(host, bytes) {
        return Some(format!("the settings switch all hooks off (`{switch}`)"));
    }
    if is_beside(host, bytes) {
        return None;
    }
    let lost = ours == Ours::Yes && events(host, bytes).len() < host.registration.events.len();
    lost.then(|| "the settings no longer hold the gate's hook as it was installed".to_owned())
}

/// The setting that switches all hooks off, if these settings do.
pub(super) fn switched_off(host: &CommandHost, bytes: &[u8]) -> Option<String> {
    let (pointer, harmless) = host.registration.off_switch?;
    let value = value_of(bytes).ok()?;
    let is_off = value.pointer(pointer).is_some_and(|switch| *switch != Value::Bool(harmless));
    is_off.then(|| pointer.trim_start_matches('/').replace('/', "."))
}

/// Whether this is a file next to the settings.
fn is_beside(host: &CommandHost, bytes: &[u8]) -> bool {
    match host.registration.form {
        Form::Whole(_) => whole::is_own(host.name, bytes) && installed(host, bytes).is_none(),
        Form::Yaml(_) => yaml::holds_consent(host.name, bytes),
        _ => false,
    }
}

/// Whether the consents of a host that asks for them hold the hook for calls about to run.
pub(super) fn is_agreed_to(host: &CommandHost, settings: &[u8], consents: Option<&[u8]>) -> bool {
    match host.registration.form {
        Form::Yaml(_) => yaml::is_agreed_to(host, settings, consents.unwrap_or_default()),
        _ => true,
    }
}

pub(super) fn is_ours(name: &str, command: &str) -> bool {
    command.contains("toolgate") && command.ends_with(&format!(" hook {name}"))
}
