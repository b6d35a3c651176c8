//! Puts the hook into a host's settings and takes it out again: what would
//! change is said in one line, shown, and asked about; then the file is written
//! whole or not at all.

mod beside;
mod diff;
mod level;
pub mod mcp_config;
mod trust;

pub use level::{LevelArgs, chosen, guarded_levels, settings_file};

use crate::installs::{self, Install};
use crate::screen::{BOLD, YELLOW, can_ask, confirm, count, styled, talk, visible};
use crate::verbs::Failure;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use toolgate_adapters::{Host, Level, Ours, SettingsFault};
use toolgate_runtime::{Broken, Setup};

/// How a change is agreed to and how much of it is shown.
#[derive(Debug, Clone, Copy)]
pub struct Manner {
    /// No one is asked.
    pub yes: bool,
    /// A program reads the result: nothing is shown, and no one can be asked.
    pub quiet: bool,
    /// Every line of the change, also the repeated ones.
    pub whole_diff: bool,
}

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The file was written.
    Made,
    /// There was nothing to do.
    None,
    /// The person said no.
    Declined,
}

impl Manner {
    /// Something a person reads, unless a program does.
    pub fn tell(&self, text: &str) {
        if !self.quiet {
            talk(text);
        }
    }

    /// Whether to go on.
    ///
    /// # Errors
    /// If no one can be asked.
    pub fn agree(&self, question: &str) -> Result<bool, Failure> {
        if self.yes {
            return Ok(true);
        }
        if self.quiet {
            return Err(Failure::new("`--json` asks no questions", "add `--yes` to agree to the change"));
        }
        if !can_ask() {
            let what = "this is not a terminal, so the change cannot be confirmed; nothing was changed";
            return Err(Failure::new(what, "add `--yes` to agree to the change"));
        }
        Ok(confirm(&styled(BOLD, question)))
    }
}

/// One settings file of a host.
pub struct Place<'a> {
    /// The host.
    pub host: &'a dyn Host,
    /// Whose settings they are.
    pub level: Level,
    /// The file.
    pub file: PathBuf,
}

impl<'a> Place<'a> {
    /// The settings of a level.
    ///
    /// # Errors
    /// If there is no home folder.
    pub fn new(host: &'a dyn Host, setup: &Setup, level: Level) -> Result<Place<'a>, Failure> {
        Ok(Place { host, level, file: settings_file(host, setup, level)? })
    }

    fn unreadable(&self, setup: &Setup, fault: &SettingsFault) -> Failure {
        let name = short_name(setup, &self.file);
        let what = format!("{}; nothing was changed", fault.of(&name));
        Failure::at(&self.file.display().to_string(), fault.place, what, &fault.help)
    }
}

/// A file as a person would write it: from the project, or from home.
pub fn short_name(setup: &Setup, file: &Path) -> String {
    let home = setup.dirs.home.as_deref();
    let in_project = file.strip_prefix(&setup.project).ok().filter(|_| Some(setup.project.as_path()) != home);
    let name = match (in_project, home.and_then(|home| file.strip_prefix(home).ok())) {
        (Some(rest), _) => rest.display().to_string(),
        (None, Some(rest)) => format!("~/{}", rest.display()),
        (None, None) => file.display().to_string(),
    };
    visible(&name)
}

/// Puts the hook in.
pub fn put(place: &Place<'_>, setup: &Setup, manner: Manner) -> Result<Change, Failure> {
    let Place { host, file, .. } = place;
    let name = short_name(setup, file);
    let before = read(file)?;
    let program = program(setup)?;
    let after = host.install(before.as_deref(), &program).map_err(|fault| place.unreadable(setup, &fault))?;
    let beside = beside::pending(place, setup, &program)?;
    if before.as_deref() == Some(after.as_slice()) && beside.is_empty() {
        let change = trust::put(place, setup, &after, manner)?;
        if !tell_if_unguarded(place, &name, &after, manner) {
            manner.tell(&format!("{} is already guarded through {name}.", host.title()));
        }
        return Ok(change);
    }
    let old = before.as_deref().unwrap_or_default();
    let (had, has) = (host.events(old), host.events(&after));
    let hooks = count(u64::try_from(has.len()).unwrap_or(u64::MAX), "hook");
    manner.tell(&match (&before, had.is_empty()) {
        (None, _) => format!("Creates {name} with {hooks}."),
        (Some(_), true) => format!("Adds {hooks} to {name}; no other setting changes."),
        (Some(_), false) => format!("Updates Toolgate's {hooks} in {name}; no other setting changes."),
    });
    beside::tell(&beside, setup, manner);
    level::warn(place, setup, manner);
    if !manner.quiet {
        diff::show(&name, old, &after, if manner.whole_diff { &[] } else { &has });
    }
    if !manner.agree(&format!("Write {name}?"))? {
        return Ok(Change::Declined);
    }
    let made = missing_folders(file);
    beside::put(beside, place, setup)?;
    write_as(file, &after, host.starts_settings())?;
    let seen = before.clone().unwrap_or_default();
    let before = before.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let (host_name, file) = (host.name().to_owned(), file.clone());
    let install = Install { host: host_name, file, before, after: installs::mark(&after), made };
    installs::remember(&setup.dirs, install, &seen)?;
    trust::put(place, setup, &after, manner)?;
    if !tell_if_unguarded(place, &name, &after, manner) {
        manner.tell(&format!("{} is now guarded through {name}.", host.title()));
        trust::explain(place, setup, manner);
    }
    Ok(Change::Made)
}

/// The hook is there and something else in the settings keeps it from running.
fn tell_if_unguarded(place: &Place<'_>, name: &str, settings: &[u8], manner: Manner) -> bool {
    let Some(why) = place.host.objection(Some(settings), Ours::Yes) else { return false };
    let title = place.host.title();
    manner.tell(&format!("{} {title} is NOT guarded through {name}: {why}.", styled(YELLOW, "warning:")));
    manner.tell("Remove that setting, then run `toolgate doctor`.");
    true
}

/// Takes the hook out.
pub fn take(place: &Place<'_>, setup: &Setup, manner: Manner) -> Result<Change, Failure> {
    let Place { host, file, .. } = place;
    let name = short_name(setup, file);
    let Some(now) = read(file)? else { return Ok(Change::None) };
    let known = installs::find(&setup.dirs, file);
    let unchanged = known.as_ref().filter(|install| install.after == installs::mark(&now));
    let restored = match unchanged {
        Some(install) => install.before.clone().map(String::into_bytes),
        None => host.uninstall(&now).map_err(|fault| place.unreadable(setup, &fault))?,
    };
    if restored.as_deref() == Some(now.as_slice()) {
        return Ok(Change::None);
    }
    manner.tell(&match (&restored, unchanged, &known) {
        (None, _, _) => format!("Deletes {name}: Toolgate's hook is all it holds."),
        (Some(_), Some(_), _) => format!("Restores {name} to what it was before Toolgate was installed."),
        (Some(_), None, Some(_)) => {
            format!("Removes Toolgate's hook from {name} and keeps what was changed there since.")
        }
        (Some(_), None, None) => format!("Removes Toolgate's hook from {name}; no other setting changes."),
    });
    if !manner.quiet {
        let events = if manner.whole_diff { Vec::new() } else { host.events(&now) };
        diff::show(&name, &now, restored.as_deref().unwrap_or_default(), &events);
    }
    let question = if restored.is_some() { format!("Write {name}?") } else { format!("Delete {name}?") };
    if !manner.agree(&question)? {
        return Ok(Change::Declined);
    }
    beside::take(place, setup, manner)?;
    match &restored {
        Some(bytes) => write(file, bytes)?,
        None => {
            std::fs::remove_file(behind(file))?;
            remove_made(known.as_ref());
        }
    }
    installs::forget(&setup.dirs, file)?;
    trust::take(place, setup, manner)?;
    manner.tell(&format!("Toolgate no longer guards {} through {name}.", host.title()));
    Ok(Change::Made)
}

/// How hosts call this program. Below the home folder it is written as
/// `"$HOME/…"`, so that shared settings fit every member of a team.
fn program(setup: &Setup) -> Result<String, Failure> {
    let path = std::env::current_exe()?;
    let below_home = setup.dirs.home.as_ref().and_then(|home| path.strip_prefix(home).ok());
    let text = match below_home {
        Some(rest) => format!("$HOME/{}", rest.display()),
        None => path.display().to_string(),
    };
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-$ ".contains(c));
    if !plain {
        return Err(Failure::new(
            format!("the path of this program, `{}`, needs quoting in a hook command", path.display()),
            "install Toolgate in a folder whose path has only letters, digits, spaces and `/._-`",
        ));
    }
    Ok(format!("\"{text}\""))
}

fn read(file: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match std::fs::read(file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::new(
            format!("cannot read `{}`: {error}", file.display()),
            "check the permissions of the file",
        )),
    }
}

fn missing_folders(file: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        file.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect();
    folders.reverse();
    folders
}

/// Whole or not at all, keeping the file's own rights.
fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_as(file, bytes, false)
}

/// The same; a new file can be one the host starts.
fn write_as(file: &Path, bytes: &[u8], is_program: bool) -> Result<(), Failure> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Broken::io("create the folder", folder, &error))?;
    }
    // A settings file may be a link into a dotfiles folder: write where it leads.
    let target = behind(file);
    let temporary = target.with_extension("toolgate-new");
    let written = std::fs::write(&temporary, bytes).and_then(|()| {
        if let Ok(about) = std::fs::metadata(&target) {
            std::fs::set_permissions(&temporary, about.permissions())?;
        } else if is_program {
            std::fs::set_permissions(&temporary, std::fs::Permissions::from_mode(0o755))?;
        }
        std::fs::rename(&temporary, &target)
    });
    Ok(written.map_err(|error| Broken::io("write", &target, &error))?)
}

/// The file a link leads to, even if it is not there yet.
fn behind(file: &Path) -> PathBuf {
    let link = || Some(file.parent()?.join(std::fs::read_link(file).ok()?));
    std::fs::canonicalize(file).ok().or_else(link).unwrap_or_else(|| file.to_path_buf())
}

/// Folders made for the install go too, if nothing else is in them.
fn remove_made(known: Option<&Install>) {
    for folder in known.into_iter().flat_map(|install| install.made.iter().rev()) {
        let _ = std::fs::remove_dir(folder);
    }
}
