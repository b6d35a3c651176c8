//! Files and folders no one else may touch.

use crate::broken::Broken;
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes a folder (and those above it) for the user only.
///
/// # Errors
/// If it cannot be made.
pub fn make_private_folder(folder: &Path) -> Result<(), Broken> {
    if folder.is_dir() {
        return Ok(());
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| Broken::io("create the folder", folder, &error))
}

/// A name next to `path` that no other process and no other thread of this one
/// writes to: gates of one program may be opened side by side.
pub(crate) fn temp_name_near(path: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    path.with_extension(format!("tmp.{}.{number}", std::process::id()))
}

/// Writes a file for the user only, whole or not at all: a reader sees the old
/// bytes or the new ones.
///
/// # Errors
/// If it cannot be written.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), Broken> {
    let temporary = temp_name_near(path);
    let written =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&temporary).and_then(
            |mut file| {
                file.write_all(bytes)?;
                std::fs::rename(&temporary, path)
            },
        );
    written.map_err(|error| {
        // Best effort: what is left over is harmless.
        let _ = std::fs::remove_file(&temporary);
        Broken::io("write", path, &error)
    })
}
