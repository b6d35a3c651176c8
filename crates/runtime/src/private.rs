//! Files and folders nobody else may touch.

use crate::broken::Broken;
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

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
        .map_err(|error| Broken::io("make the folder", folder, &error))
}

/// Writes a file for the user only, whole or not at all: a reader sees the old
/// bytes or the new ones.
///
/// # Errors
/// If it cannot be written.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), Broken> {
    let unique = format!("tmp.{}", std::process::id());
    let temporary = path.with_extension(unique);
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
