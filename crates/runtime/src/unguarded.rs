//! Reads the settings a session of a host would read in a folder.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use toolgate_core::{AgentProgram, SettingsFile, Unguarded};

/// More of a settings file is not read; what is cut off is not valid any more.
const SETTINGS_MAX: u64 = 4 << 20;

/// Why a session of the program, started in the folder, would not be guarded.
#[must_use]
pub fn why_unguarded(agent: &AgentProgram, home: Option<&Path>, folder: &Path) -> Option<Unguarded> {
    let Some(home) = home else {
        let why = "there is no home folder with its settings".to_owned();
        return Some(Unguarded { why, fix: "set `HOME` to your home folder".to_owned() });
    };
    let files = (agent.settings)(home, folder);
    let files: Vec<SettingsFile> =
        files.into_iter().map(|path| SettingsFile { bytes: bytes_of(&path), path }).collect();
    (agent.unguarded)(&files)
}

/// What is in a file; nothing for a pipe, which would have to be waited for.
pub(crate) fn bytes_of(path: &Path) -> Option<Vec<u8>> {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(SETTINGS_MAX).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
