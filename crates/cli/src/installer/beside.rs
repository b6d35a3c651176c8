//! Files a hook needs next to the host's settings: consents, more programs. They are
//! written and removed with the settings, after the same yes.

use super::{behind, missing_folders, read, short_name, write, write_as};
use crate::installer::{Manner, Place};
use crate::installs::{self, Install};
use crate::verbs::Failure;
use toolgate_adapters::{Companion, SettingsFault};
use toolgate_runtime::Setup;

/// A file to write.
pub struct Pending {
    companion: Companion,
    before: Option<Vec<u8>>,
    after: Vec<u8>,
}

fn unreadable(setup: &Setup, companion: &Companion, fault: &SettingsFault) -> Failure {
    let what = format!("`{}` {fault}; nothing was changed", short_name(setup, &companion.file));
    Failure::at(&companion.file.display().to_string(), fault.place, what, &fault.help)
}

/// What is not as the hook needs it.
pub fn pending(place: &Place<'_>, setup: &Setup, program: &str) -> Result<Vec<Pending>, Failure> {
    let mut all = Vec::new();
    for companion in place.host.companions(&place.file) {
        let before = read(&companion.file)?;
        let after = companion
            .install(before.as_deref(), program)
            .map_err(|fault| unreadable(setup, &companion, &fault))?;
        if before.as_deref() != Some(after.as_slice()) {
            all.push(Pending { companion, before, after });
        }
    }
    Ok(all)
}

/// Says what else is written.
pub fn tell(pending: &[Pending], setup: &Setup, manner: Manner) {
    for one in pending {
        let verb = if one.before.is_some() { "adds to" } else { "creates" };
        manner.tell(&format!("Also {verb} {}.", short_name(setup, &one.companion.file)));
    }
}

/// Writes all of it.
pub fn put(pending: Vec<Pending>, place: &Place<'_>, setup: &Setup) -> Result<(), Failure> {
    for Pending { companion, before, after } in pending {
        let made = missing_folders(&companion.file);
        write_as(&companion.file, &after, companion.is_program())?;
        let seen = before.clone().unwrap_or_default();
        let before = before.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let host = place.host.name().to_owned();
        let install = Install { host, file: companion.file, before, after: installs::mark(&after), made };
        installs::remember(&setup.dirs, install, &seen)?;
    }
    Ok(())
}

/// Takes all of it out.
pub fn take(place: &Place<'_>, setup: &Setup, manner: Manner) -> Result<(), Failure> {
    for companion in place.host.companions(&place.file) {
        let Some(now) = read(&companion.file)? else { continue };
        let known = installs::find(&setup.dirs, &companion.file);
        let restored = match known.filter(|install| install.after == installs::mark(&now)) {
            Some(install) => install.before.map(String::into_bytes),
            None => companion.uninstall(&now).map_err(|fault| unreadable(setup, &companion, &fault))?,
        };
        let name = short_name(setup, &companion.file);
        match restored {
            Some(bytes) if bytes == now => continue,
            Some(bytes) => {
                write(&companion.file, &bytes)?;
                manner.tell(&format!("Removed Toolgate's part from {name}."));
            }
            None => {
                std::fs::remove_file(behind(&companion.file))?;
                manner.tell(&format!("Deleted {name}."));
            }
        }
        installs::forget(&setup.dirs, &companion.file)?;
    }
    Ok(())
}
