//! Runs a command of the person's own policy in the project and says how it
//! ended, within its time (quality-003, quality-004).

use crate::checks::CheckOutcome;
use rustix::process::{Pid, Signal, kill_process_group};
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
