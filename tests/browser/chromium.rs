//! A Chromium without a window: the machine's own, or the one in an npm package, unpacked once below target/.
//!
//! A machine without either skips these tests loudly; with `TOOLGATE_E2E_REQUIRED=1` it fails instead.
//! `TOOLGATE_E2E_CACHE` moves the folder of the package out of cargo's target folder.

use crate::npm::package;
use std::env;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The package holds the browser itself, so nothing is fetched from anywhere else.
const PACKAGE: (&str, &str) = ("@sparticuz/chromium", "147.0.0");

/// Names under which a machine may have one.
const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Unpacks the browser; Node reads brotli, most systems do not.
const UNPACK: &str = "const z = require('zlib'), fs = require('fs'); \
    fs.writeFileSync(process.argv[2], z.brotliDecompressSync(fs.readFileSync(process.argv[1])), { mode: 0o755 });";

/// The program, or `None` after saying why not.
#[track_caller]
pub fn chromium() -> Option<&'static Path> {
    static FOUND: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match FOUND.get_or_init(|| own().map_or_else(install, Ok)) {
        Ok(path) => Some(path),
        Err(why) if env::var_os("TOOLGATE_E2E_REQUIRED").is_some_and(|value| value == "1") => {
            panic!("browser tests are required: {why}")
        }
        Err(why) => {
            // Past the capture of the test runner: a skipped test must not look like a passed one.
            drop(writeln!(std::io::stderr(), "SKIPPED browser tests: {why}"));
            None
        }
    }
}

fn own() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    let all = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.into_iter().find(|path| path.is_file())
}

fn install() -> Result<PathBuf, String> {
    let cache = match env::var_os("TOOLGATE_E2E_CACHE").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser-e2e"),
    };
    fs::create_dir_all(&cache).map_err(|error| format!("cannot create {}: {error}", cache.display()))?;
    let lock = File::create(cache.join("install.lock")).map_err(|error| error.to_string())?;
    lock.lock().map_err(|error| error.to_string())?;
    let (name, version) = PACKAGE;
    let programs = package(&cache, None, name, version)?;
    let browser = cache.join(format!("chromium-{version}-unpacked"));
    if !browser.is_file() {
        let packed = programs.with_file_name("@sparticuz").join("chromium/bin/chromium.br");
        let unfinished = cache.join("chromium-unfinished");
        let mut node = Command::new("node");
        node.args(["-e", UNPACK]).args([&packed, &unfinished]);
        let ended = node.output().map_err(|error| format!("node cannot be started: {error}"))?;
        if !ended.status.success() {
            return Err(format!(
                "the browser cannot be unpacked: {}",
                String::from_utf8_lossy(&ended.stderr)
            ));
        }
        fs::rename(&unfinished, &browser).map_err(|error| error.to_string())?;
    }
    let ended = Command::new(&browser).arg("--version").output();
    match ended {
        Ok(ended) if ended.status.success() => Ok(browser),
        Ok(ended) => {
            Err(format!("the browser does not run here: {}", String::from_utf8_lossy(&ended.stderr).trim()))
        }
        Err(error) => Err(format!("the browser does not run here: {error}")),
    }
}
