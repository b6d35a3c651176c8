//! Runs a command of the person's own policy in the project and says how it
//! ended, within its time (quality-003, quality-004).

use crate::checks::CheckOutcome;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Runs it; its output goes nowhere, because it may be endless.
pub(crate) fn succeeds(project: &Path, command: &str, until: Instant) -> CheckOutcome {
    let cure = || format!("run `{command}` and fix what it reports");
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).current_dir(project).process_group(0);
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child =
        shell.spawn().map_err(|error| (format!("`{command}` cannot be started: {error}"), cure()))?;
    match wait(&mut child, until) {
        Some(status) if status.success() => Ok(format!("`{command}` succeeded")),
        Some(status) => {
            let how = status
                .code()
                .map_or_else(|| "was killed by a signal".to_owned(), |code| format!("exited with {code}"));
            Err((format!("`{command}` {how}"), cure()))
        }
        None => Err((format!("`{command}` timed out"), cure())),
    }
}

/// Most of an answer that is read.
const ANSWER_MAX: u64 = 16 << 10;

/// Runs a command that is told something on its stdin and says something on its stdout: whether it
/// succeeded, and what it said. `None` if it does not start or end.
pub(crate) fn answer_of(project: &Path, command: &str, told: &str, until: Instant) -> Option<(bool, String)> {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).current_dir(project).process_group(0);
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = shell.spawn().ok()?;
    let (mut stdin, stdout) = (child.stdin.take()?, child.stdout.take()?);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // A command that does not read is a command, too.
            let _ = stdin.write_all(told.as_bytes());
        });
        let said = scope.spawn(move || {
            let mut text = String::new();
            let _ = stdout.take(ANSWER_MAX).read_to_string(&mut text);
            text
        });
        let status = wait(&mut child, until);
        let text = said.join().unwrap_or_default();
        Some((status?.success(), text))
    })
}

/// How it ended; `None` if it did not in time, and then it is ended with all
/// it started.
fn wait(child: &mut Child, until: Instant) -> Option<ExitStatus> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= until {
            if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
                let _ = kill_process_group(group, Signal::KILL);
            }
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(LOOK);
    }
}
