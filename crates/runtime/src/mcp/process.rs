//! An MCP server as a child process: what it inherits, and how its pipes are read
//! and written without waiting for either side.

use crate::broken::Broken;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Variables a server gets: what programs need to run at all, and where this machine keeps
/// things. Keys and tokens are none of them; a configuration names those it means.
const PASSED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "PWD",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "JAVA_HOME",
    "GOPATH",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "DOCKER_HOST",
    "PLAYWRIGHT_BROWSERS_PATH",
];
/// The same by how they begin.
const PASSED_AS: &[&str] = &["LC_", "XDG_", "NVM_", "VOLTA_", "PYENV_", "UV_", "npm_config_"];

/// How often a child is looked at while its end is waited for.
const LOOK: Duration = Duration::from_millis(10);

/// The variables a server gets, with those a configuration names; `*` names all.
#[must_use]
pub fn environment(
    all: impl Iterator<Item = (OsString, OsString)>,
    named: &[String],
) -> Vec<(OsString, OsString)> {
    let passes = |name: &str| {
        PASSED.contains(&name)
            || PASSED_AS.iter().any(|start| name.starts_with(start))
            || named.iter().any(|one| one == name || one == "*")
    };
    all.filter(|(name, _)| name.to_str().is_some_and(passes)).collect()
}

/// A running server.
#[derive(Debug)]
pub struct ServerProcess {
    child: Child,
    /// Closed once the client is gone.
    input: Option<ChildStdin>,
    output: ChildStdout,
}

impl ServerProcess {
    /// Starts it, with the very words of the command line: a program that is found through a
    /// link keeps the name it was given.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(
        command: &[OsString],
        environment: Vec<(OsString, OsString)>,
    ) -> Result<ServerProcess, Broken> {
        let shown = command.first().map(|program| program.to_string_lossy().into_owned()).unwrap_or_default();
        let cannot = |error: std::io::Error| {
            Broken::new(
                format!("cannot start the MCP server `{shown}`: {error}"),
                "correct the command after `toolgate mcp --`",
            )
        };
        let (program, arguments) =
            command.split_first().ok_or_else(|| cannot(std::io::ErrorKind::InvalidInput.into()))?;
        let mut child = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(cannot)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(cannot(std::io::ErrorKind::BrokenPipe.into()));
        };
        let plain = |error: Errno| cannot(error.into());
        fcntl_setfl(&input, OFlags::NONBLOCK).map_err(plain)?;
        fcntl_setfl(&output, OFlags::NONBLOCK).map_err(plain)?;
        Ok(ServerProcess { child, input: Some(input), output })
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it reads; none once it was closed.
    #[must_use]
    pub fn input(&self) -> Option<BorrowedFd<'_>> {
        self.input.as_ref().map(AsFd::as_fd)
    }

    /// What it writes.
    #[must_use]
    pub fn output(&self) -> BorrowedFd<'_> {
        self.output.as_fd()
    }

    /// Tells it that there is nothing more to come.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for its end, first for it to go by itself, then less patiently.
    pub fn end(&mut self, patience: Duration) -> Option<ExitStatus> {
        self.close_input();
        if let Some(status) = self.wait(patience) {
            return Some(status);
        }
        if let Some(id) = rustix::process::Pid::from_raw(i32::try_from(self.child.id()).unwrap_or(0)) {
            let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
        }
        self.wait(patience).or_else(|| {
            let _ = self.child.kill();
            self.child.wait().ok()
        })
    }

    fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + patience;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => std::thread::sleep(LOOK),
                _ => return None,
            }
        }
    }
}

/// Reads what is there: `None` if nothing is yet, nothing at the end of the stream.
///
/// # Errors
/// If the stream is broken.
pub fn read_some<'a>(from: BorrowedFd<'_>, room: &'a mut [u8]) -> std::io::Result<Option<&'a [u8]>> {
    match rustix::io::read(from, &mut *room) {
        Ok(length) => Ok(Some(room.get(..length).unwrap_or_default())),
        Err(Errno::AGAIN | Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What a pipe surely takes at once when it takes anything.
const PIPE_PIECE: usize = 4096;

/// Writes as much as the other side takes without waiting, and takes it out of `bytes`.
/// A stream that is shared with other programs (`is_shared`) cannot be told not to wait, so it gets
/// what it surely takes.
///
/// # Errors
/// If the other side is gone.
pub fn write_some(to: BorrowedFd<'_>, bytes: &mut Vec<u8>, is_shared: bool) -> std::io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        let rest = bytes.get(done..).unwrap_or_default();
        let piece = if is_shared { rest.get(..PIPE_PIECE).unwrap_or(rest) } else { rest };
        if is_shared && !takes(to) {
            break;
        }
        match rustix::io::write(to, piece) {
            Ok(0) | Err(Errno::AGAIN) => break,
            Ok(length) => done += length,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    bytes.drain(..done);
    Ok(())
}

fn takes(to: BorrowedFd<'_>) -> bool {
    let mut asked = [PollFd::from_borrowed_fd(to, PollFlags::OUT)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut asked, Some(&at_once)).is_ok_and(|ready| ready > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_reach_a_server_only_by_name() {
        let all = ["PATH", "LC_ALL", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "TOOLGATE_STORE"];
        let given = |named: &[&str]| {
            let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
            let found = environment(all.iter().map(|name| (OsString::from(name), OsString::new())), &named);
            found.iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(given(&[]), "PATH LC_ALL");
        assert_eq!(given(&["GITHUB_TOKEN"]), "PATH LC_ALL GITHUB_TOKEN");
        assert_eq!(given(&["*"]), all.join(" "));
    }
}
