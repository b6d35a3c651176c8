//! The file in which a host keeps which hooks it trusts: hooks that are not in it
//! are skipped without a word. And what else a person must know about a host
//! before they rely on its hooks.

use super::{
    Change, Manner, Place, diff, guarded_levels, missing_folders, read, remove_made, short_name, write,
};
use crate::installs::{self, Install};
use crate::screen::{YELLOW, styled};
use crate::verbs::Failure;
use std::path::{Path, PathBuf};
use toolgate_adapters::SettingsFault;
use toolgate_runtime::Setup;

fn file_of(place: &Place<'_>, setup: &Setup) -> Option<PathBuf> {
    place.host.trust_file(setup.dirs.home.as_deref()?)
}

/// Makes the host trust the hooks of the settings that were just written.
pub fn put(place: &Place<'_>, setup: &Setup, settings: &[u8], manner: Manner) -> Result<Change, Failure> {
    let Some(file) = file_of(place, setup) else { return Ok(Change::None) };
    let (name, title) = (short_name(setup, &file), place.host.title());
    let before = read(&file)?;
    let old = before.as_deref().unwrap_or_default();
    let after = match place.host.trusted(old, &place.file, settings) {
        Ok(after) => after,
        Err(fault) => {
            tell_to_trust(title, &name, &fault, manner);
            return Ok(Change::None);
        }
    };
    if after == old {
        return Ok(Change::None);
    }
    manner.tell(&format!(
        "Adds the hashes of these hooks to {name} and changes nothing else: {title} skips hooks it does not trust."
    ));
    if !manner.quiet {
        diff::show(&name, old, &after, &[]);
    }
    if !manner.agree(&format!("Write {name}?"))? {
        manner.tell(&format!(
            "{title} asks whether to trust the hooks when it starts. Until then it skips them."
        ));
        return Ok(Change::Declined);
    }
    let made = missing_folders(&file);
    write(&file, &after)?;
    let seen = before.clone().unwrap_or_default();
    let before = before.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let host = place.host.name().to_owned();
    let install = Install { host, file, before, after: installs::mark(&after), made };
    installs::remember(&setup.dirs, install, &seen)?;
    Ok(Change::Made)
}

fn tell_to_trust(title: &str, name: &str, fault: &SettingsFault, manner: Manner) {
    let mark = styled(YELLOW, "warning:");
    manner.tell(&format!("{mark} {name} {fault}, so the hooks could not be trusted there."));
    manner.tell(&format!("  Start {title} and trust the hooks when it asks. Until then it skips them."));
}

/// Takes the trust of the hooks back that were in a settings file.
pub fn take(place: &Place<'_>, setup: &Setup, manner: Manner) -> Result<(), Failure> {
    let Some(file) = file_of(place, setup) else { return Ok(()) };
    let Some(now) = read(&file)? else { return Ok(()) };
    let known = installs::find(&setup.dirs, &file);
    let unchanged = known.as_ref().filter(|install| install.after == installs::mark(&now));
    let name = short_name(setup, &file);
    // The hooks of another level may be trusted in the same file.
    let is_shared = !guarded_levels(place.host, setup).is_empty();
    let restored = match unchanged.filter(|_| !is_shared) {
        Some(install) => install.before.clone().map(String::into_bytes),
        None => match place.host.untrusted(&now, &place.file) {
            Ok(restored) => restored,
            Err(fault) => {
                manner.tell(&format!("{} {name} {fault}; it was left as it is.", styled(YELLOW, "warning:")));
                return Ok(());
            }
        },
    };
    if restored.as_deref() == Some(now.as_slice()) {
        return Ok(());
    }
    match (is_shared, restored, known) {
        (true, Some(rest), Some(known)) => {
            write(&file, &rest)?;
            let install = Install { after: installs::mark(&rest), ..known };
            installs::remember(&setup.dirs, install, &now)?;
        }
        (_, restored, known) => {
            restore(&file, restored.as_deref(), known.as_ref())?;
            installs::forget(&setup.dirs, &file)?;
        }
    }
    manner.tell(&format!("Removed the hashes of these hooks from {name}."));
    Ok(())
}

fn restore(file: &Path, bytes: Option<&[u8]>, known: Option<&Install>) -> Result<(), Failure> {
    match bytes {
        Some(bytes) => write(file, bytes)?,
        None => {
            std::fs::remove_file(super::behind(file))?;
            remove_made(known);
        }
    }
    Ok(())
}

/// What a person must know about the hooks of this host.
pub fn explain(place: &Place<'_>, setup: &Setup, manner: Manner) {
    let (surface, title) = (place.host.surface(), place.host.title());
    if !surface.trust.is_empty() && file_of(place, setup).is_none() {
        manner.tell(&format!("Note: {}.", surface.trust));
    }
    if !surface.trusts_repositories() {
        return;
    }
    manner.tell(&format!(
        "Note: a file in a repository can switch hooks of {title} off. `toolgate status` shows it, and\n\
         `toolgate run {}` starts {title} only where the hook works.",
        place.host.name()
    ));
    if !surface.machine.is_empty() {
        manner.tell(&format!("  Hooks in {} cannot be switched off that way.", surface.machine));
    }
}
