//! Packages npm installs once below a folder of our own, for tests that need a real program.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of the Node on `PATH`.
pub fn node_major() -> Option<u32> {
    let output = Command::new("node").arg("--version").output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().trim_start_matches('v').split('.').next()?.parse().ok()
}

/// The folder of the package's programs, after installing it if this never ended well before.
pub fn package(cache: &Path, node: Option<&Path>, name: &str, version: &str) -> Result<PathBuf, String> {
    let folder = cache.join(format!("{}-{version}", name.rsplit('/').next().unwrap_or(name)));
    let done = folder.join("installed");
    if !done.exists() {
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        fs::write(folder.join("package.json"), r#"{"private":true}"#).map_err(|error| error.to_string())?;
        npm_install(&folder, node, &format!("{name}@{version}"))?;
        fs::write(&done, "").map_err(|error| error.to_string())?;
    }
    Ok(folder.join("node_modules").join(".bin"))
}

fn npm_install(folder: &Path, node: Option<&Path>, package: &str) -> Result<(), String> {
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error", package]).current_dir(folder);
    npm.env("PATH", path_with(node.into_iter()));
    let output = npm.output().map_err(|error| format!("npm cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("npm cannot install {package}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// The caller's `PATH` with these folders in front.
pub fn path_with<'a>(first: impl Iterator<Item = &'a Path>) -> std::ffi::OsString {
    let rest = env::var_os("PATH").unwrap_or_default();
    let folders = first.map(Path::to_path_buf).chain(env::split_paths(&rest));
    env::join_paths(folders).expect("folders without a colon in their name")
}
