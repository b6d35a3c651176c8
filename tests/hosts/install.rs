//! The agents, installed once below a folder of our own: by npm, or into a Python environment.

use crate::agents::{Agent, Source};
use crate::npm::{node_major, package};
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

const NODE_MAJOR_MIN: u32 = 22;
/// From the newest that all agents from PyPI run on.
const PYTHONS: &[&str] = &["python3.12", "python3.13", "python3"];

/// An agent on this machine.
pub struct Program {
    pub path: PathBuf,
    /// Folder of a Node new enough for agents, when the one on `PATH` is not.
    pub node: Option<PathBuf>,
    pub cache: PathBuf,
}

/// Installs the agent, if it is not there yet.
pub fn installed(agent: &Agent) -> Result<Program, String> {
    let cache = match env::var_os("TOOLGATE_E2E_CACHE").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_TARGET_TMPDIR")).join("agents-e2e"),
    };
    fs::create_dir_all(&cache).map_err(|error| format!("cannot create {}: {error}", cache.display()))?;
    let lock = File::create(cache.join("install.lock")).map_err(|error| error.to_string())?;
    lock.lock().map_err(|error| error.to_string())?;
    let node = match node_major() {
        Some(major) if major >= NODE_MAJOR_MIN => None,
        _ => Some(package(&cache, None, "node", &NODE_MAJOR_MIN.to_string())?),
    };
    let folder = match agent.source {
        Source::Npm(name) => package(&cache, node.as_deref(), name, agent.version)?.join(".."),
        Source::PyPi(name) => environment(&cache, name, agent.version)?,
    };
    let path = folder.join(agent.program);
    match path.exists() {
        true => Ok(Program { path, node, cache }),
        false => Err(format!("{} is not part of the package on this system", path.display())),
    }
}

/// A Python environment with one package in it.
fn environment(cache: &Path, name: &str, version: &str) -> Result<PathBuf, String> {
    let folder = cache.join(format!("{name}-{version}"));
    let done = folder.join("installed");
    if done.exists() {
        return Ok(folder);
    }
    drop(fs::remove_dir_all(&folder));
    run(Command::new(python()?).args(["-m", "venv"]).arg(&folder))?;
    let pip = folder.join("bin/pip");
    run(Command::new(pip)
        .args(["install", "--quiet", "--disable-pip-version-check"])
        .arg(format!("{name}=={version}")))?;
    fs::write(&done, "").map_err(|error| error.to_string())?;
    Ok(folder)
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// A Python of 3.12 or newer; `TOOLGATE_E2E_PYTHON` names one.
fn python() -> Result<String, String> {
    let named = env::var("TOOLGATE_E2E_PYTHON").ok();
    let check = "import sys; sys.exit(sys.version_info < (3, 12))";
    let fits = |python: &String| {
        Command::new(python).args(["-c", check]).output().is_ok_and(|output| output.status.success())
    };
    let all = named.into_iter().chain(PYTHONS.iter().map(|python| (*python).to_string()));
    all.into_iter()
        .find(fits)
        .ok_or_else(|| "no Python 3.12 or newer (TOOLGATE_E2E_PYTHON names one)".to_string())
}
