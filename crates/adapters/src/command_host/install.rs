//! Puts the hook of a host into its settings and takes it out again. A file
//! others write, too, keeps every byte that is not about the hook.

use crate::command_host::CommandHost;
use crate::settings::{Node, Settings, SettingsFault, Shape, value_of};
use crate::{Level, Ours};
use serde_json::{Map, Value, json};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// JSON: `hooks.EVENT` lists groups of hooks; more fields of each hook.
    Groups(&'static [(&'static str, &'static str)]),
    /// JSON with `version: 1`: `hooks.EVENT` lists hooks with `bash` and `timeoutSec`.
    Flat,
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
        Form::Groups(_) | Form::Flat => lists::install(host, before, &command),
    }
}

pub(super) fn uninstall(host: &CommandHost, settings: &[u8]) -> Result<Option<Vec<u8>>, SettingsFault> {
    match host.registration.form {
        Form::Tables { .. } => tables::uninstall(settings),
        Form::Groups(_) | Form::Flat => lists::uninstall(host, settings),
    }
}

pub(super) fn events(host: &CommandHost, settings: &[u8]) -> Vec<String> {
    match host.registration.form {
        Form::Tables { .. } => match tables::own(&String::from_utf8_lossy(settings)) {
            Some(_) => host.registration.events.iter().map(|(event, _)| (*event).to_owned()).collect(),
            None => Vec::new(),
        },
        Form::Groups(_) | Form::Flat => lists::events(host, settings),
    }
}

pub(super) fn installed(host: &CommandHost, settings: &[u8]) -> Option<String> {
    match host.registration.form {
        Form::Tables { .. } => tables::command(host, &String::from_utf8_lossy(settings)),
        Form::Groups(_) | Form::Flat => lists::command(host, settings),
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

pub(super) fn is_ours(host: &CommandHost, command: &str) -> bool {
    command.contains("toolgate") && command.ends_with(&format!(" hook {}", host.name))
}

/// Settings whose `hooks` hold a list for each event.
mod lists {
    use super::{
        CommandHost, Form, Map, Node, Settings, SettingsFault, Shape, Value, is_ours, json, value_of,
    };

    pub(super) fn install(
        host: &CommandHost,
        before: &[u8],
        command: &str,
    ) -> Result<Vec<u8>, SettingsFault> {
        let mut settings = Settings::read(before)?;
        settings.begin();
        if host.registration.form == Form::Flat && settings.root().get("version").is_none() {
            let root = settings.root();
            settings.add(&root, Some("version"), &json!(1));
        }
        if settings.root().get("hooks").is_none() {
            let events = host.registration.events.iter();
            let item = |event: &str, matcher: Option<&str>| json!([item(host, event, matcher, command)]);
            let all = events.map(|(event, matcher)| ((*event).to_owned(), item(event, *matcher)));
            let root = settings.root();
            settings.add(&root, Some("hooks"), &Value::Object(all.collect::<Map<_, _>>()));
            return Ok(settings.into_bytes());
        }
        for (event, matcher) in host.registration.events {
            put(&mut settings, host, event, &item(host, event, *matcher, command))?;
        }
        Ok(settings.into_bytes())
    }

    /// One item of the list of an event.
    fn item(host: &CommandHost, event: &str, matcher: Option<&str>, command: &str) -> Value {
        let limits = host.trust.as_ref().map_or(&[][..], |trust| trust.at_most);
        let limit = limits.iter().find(|(limited, _)| *limited == event).map(|(_, seconds)| *seconds);
        let timeout = limit.unwrap_or(host.registration.timeout);
        let Form::Groups(more) = host.registration.form else {
            return json!({ "type": "command", "bash": command, "timeoutSec": timeout });
        };
        let mut hook = json!({ "type": "command", "command": command, "timeout": timeout });
        for (name, value) in more {
            if let Some(fields) = hook.as_object_mut() {
                fields.insert((*name).to_owned(), json!(value));
            }
        }
        match matcher {
            Some(matcher) => json!({ "matcher": matcher, "hooks": [hook] }),
            None => json!({ "hooks": [hook] }),
        }
    }

    fn put(
        settings: &mut Settings,
        host: &CommandHost,
        event: &str,
        item: &Value,
    ) -> Result<(), SettingsFault> {
        let root = settings.root();
        let Some(hooks) = root.get("hooks") else { return Ok(()) };
        if !matches!(hooks.shape, Shape::Object(_)) {
            return Err(settings.fault(hooks, "`hooks` is not an object", "make it an object"));
        }
        let Some(list) = hooks.get(event) else {
            settings.add(hooks, Some(event), &json!([item]));
            return Ok(());
        };
        if !matches!(list.shape, Shape::List(_)) {
            let why = format!("`hooks.{event}` is not a list");
            return Err(settings.fault(list, &why, "make it a list"));
        }
        match own(settings, host, list) {
            Some(at) => {
                let Some(node) = list.list().get(at) else { return Ok(()) };
                if settings.value_at(node) != *item {
                    settings.replace(node, item);
                }
            }
            None => settings.add(list, None, item),
        }
        Ok(())
    }

    /// Which item of an event's list is ours and nothing else.
    fn own(settings: &Settings, host: &CommandHost, list: &Node) -> Option<usize> {
        list.list().iter().position(|node| {
            command_of(&settings.value_at(node)).is_some_and(|command| is_ours(host, command))
        })
    }

    fn command_of(item: &Value) -> Option<&str> {
        let hook = match item.get("hooks").and_then(Value::as_array).map(Vec::as_slice) {
            Some([hook]) => hook,
            Some(_) => return None,
            None => item,
        };
        ["command", "bash"].iter().find_map(|name| hook.get(*name)?.as_str())
    }

    pub(super) fn uninstall(host: &CommandHost, before: &[u8]) -> Result<Option<Vec<u8>>, SettingsFault> {
        let mut settings = Settings::read(before)?;
        if events(host, before).is_empty() {
            return Ok(Some(before.to_vec()));
        }
        while remove_one(&mut settings, host) {}
        let left = settings.root();
        let is_empty = left
            .members()
            .iter()
            .all(|(name, _, _)| name == "version" && host.registration.form == Form::Flat);
        Ok((!is_empty).then(|| settings.into_bytes()))
    }

    /// Takes one hook out, and what would be empty without it.
    fn remove_one(settings: &mut Settings, host: &CommandHost) -> bool {
        let root = settings.root();
        let Some(hooks) = root.get("hooks") else { return false };
        for (at, (_, _, list)) in hooks.members().iter().enumerate() {
            let Some(own) = own(settings, host, list) else { continue };
            match (list.list().len(), hooks.members().len()) {
                (1, 1) => settings.remove(&root, root.position("hooks").unwrap_or_default()),
                (1, _) => settings.remove(hooks, at),
                _ => settings.remove(list, own),
            }
            return true;
        }
        false
    }

    pub(super) fn events(host: &CommandHost, bytes: &[u8]) -> Vec<String> {
        let Ok(value) = value_of(bytes) else { return Vec::new() };
        let lists = value.get("hooks").and_then(Value::as_object).into_iter().flatten();
        let is_own = |list: &Value| {
            let mut items = list.as_array().into_iter().flatten();
            items.any(|item| command_of(item).is_some_and(|command| is_ours(host, command)))
        };
        lists.filter(|(_, list)| is_own(list)).map(|(event, _)| event.clone()).collect()
    }

    pub(super) fn command(host: &CommandHost, bytes: &[u8]) -> Option<String> {
        let value = value_of(bytes).ok()?;
        let (event, _) = host.registration.events.first()?;
        let list = value.get("hooks")?.get(*event)?.as_array()?;
        list.iter().filter_map(command_of).find(|command| is_ours(host, command)).map(str::to_owned)
    }
}

/// Settings that are added to at their end, between two lines that are ours.
mod tables {
    use super::{BEGIN, CommandHost, END, Form, SettingsFault, is_ours};
    use std::ops::Range;

    pub(super) fn install(
        host: &CommandHost,
        before: &[u8],
        command: &str,
    ) -> Result<Vec<u8>, SettingsFault> {
        let mut text = read(before)?;
        if let Some(own) = own(&text) {
            text.replace_range(own, "");
        }
        if text.lines().any(|line| line.trim_start().starts_with("hooks") && line.contains("= [")) {
            return Err(SettingsFault {
                why: "lists its hooks in one line, which cannot be added to".to_owned(),
                place: None,
                help: "write each hook as a `[[hooks]]` table".to_owned(),
            });
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&block(host, command));
        Ok(text.into_bytes())
    }

    fn block(host: &CommandHost, command: &str) -> String {
        let Form::Tables { event, matcher, more, more_with_matcher } = host.registration.form else {
            return String::new();
        };
        let mut text = format!("{BEGIN}\n");
        for (name, pattern_of) in host.registration.events {
            let pattern = |pattern| format!("{matcher} = {pattern:?}\n{more_with_matcher}");
            let pattern = pattern_of.map(pattern).unwrap_or_default();
            let more = more.replace("EVENT", name);
            text.push_str(&format!(
                "[[hooks]]\n{event} = {name:?}\n{pattern}command = {command:?}\ntimeout = {}\n{more}\n",
                host.registration.timeout
            ));
        }
        text.truncate(text.trim_end().len());
        format!("{text}\n{END}\n")
    }

    /// Where our lines are.
    pub(super) fn own(text: &str) -> Option<Range<usize>> {
        let start = text.find(&format!("{BEGIN}\n"))?;
        let length = text.get(start..)?.find(&format!("{END}\n"))? + END.len() + 1;
        Some(start..start + length)
    }

    pub(super) fn uninstall(before: &[u8]) -> Result<Option<Vec<u8>>, SettingsFault> {
        let mut text = read(before)?;
        let Some(own) = own(&text) else { return Ok(Some(before.to_vec())) };
        text.replace_range(own, "");
        Ok((!text.is_empty()).then(|| text.into_bytes()))
    }

    pub(super) fn command(host: &CommandHost, text: &str) -> Option<String> {
        let own = text.get(own(text)?)?;
        let line = own.lines().find_map(|line| line.strip_prefix("command = "))?;
        let command: String = serde_json::from_str(line).ok()?;
        is_ours(host, &command).then_some(command)
    }

    fn read(bytes: &[u8]) -> Result<String, SettingsFault> {
        let text = std::str::from_utf8(bytes).map_err(|_| SettingsFault {
            why: "is not UTF-8 text".to_owned(),
            place: None,
            help: "save the file as UTF-8".to_owned(),
        })?;
        Ok(text.to_owned())
    }
}
