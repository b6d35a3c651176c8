//! Which project a command is about, and the gate's folders.

use std::path::{Path, PathBuf};
use toolgate_adapters::{AGENTS, HOSTS};
use toolgate_runtime::{Dirs, HostLimits, Setup, find_project};

/// The folders of this user.
pub fn dirs() -> Dirs {
    Dirs::from_env(&|name| std::env::var(name).ok())
}

/// The setup of the project `dir` belongs to.
pub fn setup(dir: &Path) -> Setup {
    let dirs = dirs();
    let project = find_project(dir);
    let home = dirs.home.clone().unwrap_or_default();
    let host_files = HOSTS.iter().flat_map(|host| host.own_files(&home, &project)).collect();
    // Anyone who started this program.
    let asked_by = Some(std::os::unix::process::parent_id());
    let host = HostLimits::default();
    Setup { dirs, project, host_files, agents: AGENTS, usage: None, host, asked_by }
}

/// The setup of the current folder.
pub fn here() -> Setup {
    setup(&current_dir())
}

/// The current folder; `/` if it is gone.
pub fn current_dir() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"))
}
