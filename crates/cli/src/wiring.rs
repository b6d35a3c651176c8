//! Whether the hook of a host is in the path of its sessions: in which settings it
//! is, what in this folder switches it off, and when the host was heard last.
//!
//! Everything here is looked up on this machine; what it means is data of the hosts.

use crate::installer::{guarded_levels, settings_file};
use crate::project;
use std::path::{Path, PathBuf};
use toolgate_adapters::{Host, Level};
use toolgate_core::Unguarded;
use toolgate_runtime::{Setup, why_unguarded};

/// Larger settings are not read; no host writes them.
const SETTINGS_MAX: u64 = 4 << 20;

/// The wiring of one host.
pub struct Wiring {
    /// The host.
    pub host: &'static dyn Host,
    /// The settings that hold the hook.
    pub places: Vec<(Level, PathBuf)>,
    /// What keeps the hook from running in the current folder.
    pub off: Option<Unguarded>,
    /// Files of this repository that switch hooks of this host off.
    pub brought: Vec<Unguarded>,
}

/// How a host is wired in the current folder.
pub fn of(host: &'static dyn Host, setup: &Setup) -> Wiring {
    let levels = guarded_levels(host, setup);
    let file = |level: Level| Some((level, settings_file(host, setup, level).ok()?));
    let places: Vec<(Level, PathBuf)> = levels.into_iter().filter_map(file).collect();
    let off = if places.is_empty() { None } else { off_here(host, setup) };
    Wiring { host, places, off, brought: brought(host, setup) }
}

/// Why a session the host starts in this folder, or at the top of the project, is not guarded.
pub fn off_here(host: &dyn Host, setup: &Setup) -> Option<Unguarded> {
    let home = setup.dirs.home.as_deref();
    folders(setup).iter().find_map(|folder| why_unguarded(host.program(), home, folder))
}

/// What files of this repository would switch off.
pub fn brought(host: &dyn Host, setup: &Setup) -> Vec<Unguarded> {
    let is_home = |folder: &&PathBuf| Some(folder.as_path()) == setup.dirs.home.as_deref();
    let mut all: Vec<Unguarded> = Vec::new();
    for folder in folders(setup).iter().filter(|folder| !is_home(folder)) {
        let found = (host.program().brought)(folder, &bytes_of);
        for (_, off) in found {
            if !all.contains(&off) {
                all.push(off);
            }
        }
    }
    all
}

/// Where a session would be started, and the top of what it would work on.
fn folders(setup: &Setup) -> Vec<PathBuf> {
    let here = project::current_dir();
    if here == setup.project { vec![here] } else { vec![here, setup.project.clone()] }
}

fn bytes_of(path: &Path) -> Option<Vec<u8>> {
    let about = std::fs::metadata(path).ok()?;
    (about.is_file() && about.len() <= SETTINGS_MAX).then(|| std::fs::read(path).ok()).flatten()
}

/// The program of a host, where it is installed.
pub fn program(host: &dyn Host) -> Option<PathBuf> {
    host.program().programs.iter().find_map(|name| on_path(name))
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// A host is here if its settings folder or its program is.
pub fn is_here(host: &dyn Host, setup: &Setup) -> bool {
    let home = setup.dirs.home.clone().unwrap_or_default();
    host.traces(&home, &setup.project).iter().any(|folder| folder.is_dir()) || program(host).is_some()
}
