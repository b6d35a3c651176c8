//! The API against its own document: schemathesis makes requests from it, and none may break the server.
//!
//! pip installs it once below target/; a machine without it skips this loudly, see `chromium`.

use crate::house::{House, TICKET};
use crate::server::Server;
use std::env;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGE: &str = "schemathesis==4.32.5";

fn install() -> Result<PathBuf, String> {
    let cache = match env::var_os("TOOLGATE_E2E_CACHE").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_TARGET_TMPDIR")).join("schemathesis-e2e"),
    };
    fs::create_dir_all(&cache).map_err(|error| error.to_string())?;
    let lock = File::create(cache.join("pip.lock")).map_err(|error| error.to_string())?;
    lock.lock().map_err(|error| error.to_string())?;
    let folder = cache.join("venv");
    let done = folder.join("installed");
    if !done.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        run(Command::new(folder.join("bin/pip")).args(["install", "--quiet", PACKAGE]))?;
        fs::write(&done, "").map_err(|error| error.to_string())?;
    }
    Ok(folder.join("bin/schemathesis"))
}

fn run(command: &mut Command) -> Result<(), String> {
    let ended = command.output().map_err(|error| format!("{command:?} cannot be started: {error}"))?;
    if ended.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {}", String::from_utf8_lossy(&ended.stderr).trim()))
}

#[test]
fn nothing_made_from_the_document_breaks_the_server() {
    let program = match install() {
        Ok(program) => program,
        Err(why) if env::var_os("TOOLGATE_E2E_REQUIRED").is_some_and(|value| value == "1") => {
            panic!("schemathesis is required: {why}")
        }
        Err(why) => {
            drop(writeln!(std::io::stderr(), "SKIPPED schemathesis: {why}"));
            return;
        }
    };
    let house = House::with_policy(TICKET);
    for branch in ["one", "two", "three"] {
        house.ask(&format!("git push --force origin {branch}"));
    }
    let mut command = house.toolgate(&Server::WORDS);
    command.arg("--api-token");
    let server = Server::run(command);
    let token = server.api.clone().unwrap();
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let mut command = Command::new(program);
    command
        .current_dir(house.root())
        .args(["run", document, "--url"])
        .arg(format!("http://{}", server.address));
    command.arg("-H").arg(format!("Authorization: Bearer {token}"));
    // The same requests every time; more of them on request.
    let examples = env::var("TOOLGATE_API_EXAMPLES").unwrap_or_else(|_| "40".to_owned());
    command.args(["--checks", "not_a_server_error,response_schema_conformance,content_type_conformance"]);
    command.args(["--seed", "20261115", "--generation-deterministic"]);
    command.args(["--max-examples", &examples, "--no-color"]);
    let ended = command.output().expect("schemathesis");
    let text = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{text}\n{}", String::from_utf8_lossy(&ended.stderr));
    let said = house.run(&["ledger", "verify"]).ended(0);
    assert!(!said.text().is_empty());
}
