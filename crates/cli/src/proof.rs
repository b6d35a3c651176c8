//! Proves that an installed hook works: a harmless call that must be blocked goes
//! through the very command the host would run.

use crate::screen::one_line;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use toolgate_adapters::Host;
use toolgate_core::guards::{CANARY, CANARY_ID};

/// Why a hook is not proven to work.
#[derive(Debug)]
pub struct Unproven {
    /// What happened instead.
    pub why: String,
    /// What to do.
    pub fix: String,
}

/// Sends the canary through a hook command.
///
/// # Errors
/// If it was not blocked, or not by the gate.
pub fn fire(host: &dyn Host, command: &str, project: &Path) -> Result<(), Unproven> {
    let event = host.probe(CANARY, &project.to_string_lossy());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(project);
    if !host.project_variable().is_empty() {
        shell.env(host.project_variable(), project);
    }
    let child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let ended = child.and_then(|mut child| {
        if let Some(mut stdin) = child.stdin.take() {
            // A hook that does not read its input shows in its answer.
            let _ = stdin.write_all(event.as_bytes());
        }
        child.wait_with_output()
    });
    let fix = format!("run `toolgate install {}` again", host.name());
    let unproven = |why: String, fix: String| Err(Unproven { why, fix });
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => return unproven(format!("the hook cannot be started: {error}"), fix),
    };
    let said = String::from_utf8_lossy(&ended.stdout);
    match (host.is_denial(&said, ended.status.code()), said.contains(CANARY_ID)) {
        (true, true) => Ok(()),
        (true, false) => unproven(
            "the hook blocks every call, because Toolgate is broken".to_owned(),
            "fix what `toolgate doctor` says about the policy or the ledger".to_owned(),
        ),
        (false, _) if matches!(ended.status.code(), Some(126 | 127)) => unproven(
            format!("`{}` cannot be started, so the host stops every call", one_line(command, 200)),
            format!("restore the program, or {fix}"),
        ),
        (false, _) => unproven("the hook did not block a test call".to_owned(), fix),
    }
}
