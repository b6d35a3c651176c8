//! What was installed where, so that uninstalling restores the exact bytes.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use toolgate_core::digest_of;
use toolgate_runtime::{Broken, Dirs, make_private_folder, write_private};

/// One changed settings file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Install {
    /// The host.
    pub host: String,
    /// The file.
    pub file: PathBuf,
    /// Its text before; `None` if there was no file.
    pub before: Option<String>,
    /// Digest of the bytes we wrote.
    pub after: String,
    /// Folders we made for it, outermost first.
    pub made: Vec<PathBuf>,
}

fn path(dirs: &Dirs) -> PathBuf {
    dirs.state.join("installs.json")
}

/// Every install of this user.
pub fn all(dirs: &Dirs) -> Vec<Install> {
    let text = std::fs::read(path(dirs)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Whether the gate's hook was installed in `file`.
pub fn holds(dirs: &Dirs, file: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    all(dirs).iter().any(|install| install.file == file || real(&install.file) == real(file))
}

/// The install in `file`.
pub fn find(dirs: &Dirs, file: &Path) -> Option<Install> {
    all(dirs).into_iter().find(|install| install.file == file)
}

/// Remembers an install into a file that was `seen` just before. A second
/// install of the same file keeps what the file was before the first – unless
/// someone changed it in between: then its old bytes are no longer what the
/// person wants back, and only the hook will be taken out.
pub fn remember(dirs: &Dirs, install: Install, seen: &[u8]) -> Result<(), Broken> {
    let mut installs = all(dirs);
    match installs.iter_mut().find(|known| known.file == install.file) {
        Some(known) if known.after == mark(seen) => known.after = install.after,
        Some(_) => {}
        None => installs.push(install),
    }
    save(dirs, &installs)
}

/// Forgets an install. Folders made for it that are still needed go with the
/// last install in them.
pub fn forget(dirs: &Dirs, file: &Path) -> Result<(), Broken> {
    let (gone, mut rest): (Vec<Install>, Vec<Install>) =
        all(dirs).into_iter().partition(|install| install.file == file);
    for folder in
        gone.into_iter().flat_map(|install| install.made.into_iter().rev()).filter(|folder| folder.exists())
    {
        if let Some(heir) = rest.iter_mut().find(|install| install.file.starts_with(&folder)) {
            heir.made.insert(0, folder);
        }
    }
    save(dirs, &rest)
}

fn save(dirs: &Dirs, installs: &[Install]) -> Result<(), Broken> {
    make_private_folder(&dirs.state)?;
    let text = serde_json::to_vec_pretty(installs).unwrap_or_default();
    write_private(&path(dirs), &text)
}

/// Digest for [`Install::after`].
pub fn mark(bytes: &[u8]) -> String {
    digest_of(bytes)
}
