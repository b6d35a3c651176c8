//! Processes of a stage: started in a group of their own, waited for, and never left behind.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// An agent takes some 300 MB a process; more than two at once only slow each other down.
const RUNS_AT_ONCE_MAX: usize = 2;
const RUN_WAIT_MAX: Duration = Duration::from_secs(90);
/// From the kind signal to the unkind one.
const END_WAIT_MAX: Duration = Duration::from_secs(5);
const SLOT_WAIT_MAX: Duration = Duration::from_secs(1200);
const POLL_PAUSE: Duration = Duration::from_millis(20);

/// Asks `ready` again and again until it has an answer or `wait_max` is over.
pub fn poll<T>(wait_max: Duration, mut ready: impl FnMut() -> Option<T>) -> Option<T> {
    let until = Instant::now() + wait_max;
    loop {
        if let Some(found) = ready() {
            return Some(found);
        }
        if Instant::now() >= until {
            return None;
        }
        thread::sleep(POLL_PAUSE);
    }
}

/// One of the few places for a running agent, across threads and processes. Freed when dropped.
pub struct Slot(File);

impl Drop for Slot {
    fn drop(&mut self) {
        drop(self.0.unlock());
    }
}

impl Slot {
    pub fn take(cache: &Path) -> Slot {
        let free = || {
            (0..RUNS_AT_ONCE_MAX).find_map(|n| {
                let file = File::create(cache.join(format!("slot-{n}.lock"))).ok()?;
                file.try_lock().ok()?;
                Some(Slot(file))
            })
        };
        poll(SLOT_WAIT_MAX, free).expect("a free slot for an agent")
    }
}

/// A started process, its own process group. Killed when dropped before its end.
pub struct Running {
    child: Child,
    log: PathBuf,
    wait_max: Duration,
    started: Instant,
    ended: bool,
    _slot: Option<Slot>,
}

impl Running {
    pub fn start(mut command: Command, log: PathBuf, input: Option<&str>, slot: Option<Slot>) -> Running {
        command.process_group(0);
        command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
        command.stdout(File::create(log.with_extension("stdout")).expect("a log file"));
        command.stderr(File::create(log.with_extension("stderr")).expect("a log file"));
        let mut child = command.spawn().unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
            // A program that does not read its input closes it early.
            drop(stdin.write_all(input.as_bytes()));
        }
        Running { child, log, wait_max: RUN_WAIT_MAX, started: Instant::now(), ended: false, _slot: slot }
    }

    /// After this time the whole process group is killed.
    pub fn wait_max(mut self, wait_max: Duration) -> Running {
        self.wait_max = wait_max;
        self
    }

    /// Waits for the end; a process that takes too long is killed with all its children and fails the test.
    #[track_caller]
    pub fn finish(mut self) -> Outcome {
        let wait_max = self.wait_max;
        let left = wait_max.saturating_sub(self.started.elapsed());
        let status = poll(left, || self.child.try_wait().expect("a child of this process"));
        let Some(status) = status else {
            panic!("still running after {wait_max:?}: {}", self.log.display());
        };
        self.ended = true;
        let text = |end: &str| {
            let bytes = fs::read(self.log.with_extension(end)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Outcome { status, stdout: text("stdout"), stderr: text("stderr") }
    }
}

impl Running {
    fn signal(&self, name: &str) {
        let group = format!("-{}", self.child.id());
        drop(Command::new("kill").args([name, "--", &group]).status());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        // Claude Code starts its commands in groups of their own; asked kindly, it ends them itself.
        self.signal("-TERM");
        let ended = poll(END_WAIT_MAX, || self.child.try_wait().ok().flatten());
        if ended.is_none() {
            self.signal("-KILL");
            drop(self.child.wait());
        }
    }
}

/// How a process ended and what it said.
#[derive(Debug)]
pub struct Outcome {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}
