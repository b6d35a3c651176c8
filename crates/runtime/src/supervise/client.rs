//! Asks one supervisor and comes back in time: a service over HTTP, or a
//! program.
//!
//! Each runs in a thread of its own, so that whatever the other side does – no
//! word, one byte a second, bytes without end – the gate goes on when the time
//! is over. Redirects are not followed, and no proxy is used that is not named.

use crate::supervise::wire::{Post, answer_in, on_stdin, post};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use toolgate_core::{Brief, Endpoint, Supervisor};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

/// Most bytes of an answer.
const ANSWER_MAX: u64 = 64 << 10;

/// Why nothing is said to a third party.
const UNSAFE: &str = "untrusted TLS certificate (set `ca_file` to trust your CA)";

/// What came of asking: the text that should be an answer, or why there is none.
pub(crate) type Heard = Result<String, String>;

/// One answer with who gave it and how long it took.
#[derive(Debug)]
pub(crate) struct Reply {
    pub name: String,
    pub heard: Heard,
    pub duration_ms: u64,
}

/// Everything needed to ask one supervisor.
#[derive(Debug, Clone)]
pub(crate) struct Asking {
    pub name: String,
    pub supervisor: Supervisor,
    pub brief: Brief,
    /// Its key, where it needs one.
    pub key: Option<String>,
    pub limit: Duration,
}

impl Asking {
    /// Asks in a thread; the reply comes through `sender`, or no one waits for
    /// it any more.
    pub(crate) fn start(self, sender: Sender<Reply>) -> std::io::Result<()> {
        let work = move || {
            let started = Instant::now();
            let heard = self.ask();
            let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
            let _ = sender.send(Reply { name: self.name.clone(), heard, duration_ms });
        };
        std::thread::Builder::new().spawn(work).map(drop)
    }

    /// Asks and waits for the answer.
    pub(crate) fn ask(&self) -> Heard {
        let bytes = match self.supervisor.endpoint {
            Endpoint::Command => self.run()?,
            Endpoint::Openai | Endpoint::Anthropic => {
                let post = post(&self.supervisor, &self.brief, self.key.as_deref());
                self.send(&post.ok_or("no address is configured")?)?
            }
        };
        answer_in(self.supervisor.endpoint, &bytes).map_err(str::to_owned)
    }

    fn send(&self, post: &Post) -> Result<Vec<u8>, String> {
        let proxy = self.supervisor.proxy.as_deref().map(ureq::Proxy::new).transpose();
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(self.limit))
            .max_redirects(0)
            .http_status_as_error(false)
            .proxy(proxy.map_err(|_| "the proxy is not an address")?)
            .tls_config(self.tls()?)
            .user_agent("toolgate")
            .max_idle_connections(0)
            .build()
            .new_agent();
        let mut asked = agent.post(&post.url);
        for (name, value) in &post.headers {
            asked = asked.header(*name, value);
        }
        let mut reply = asked.send(&post.body).map_err(|error| plain(&error))?;
        if reply.status().as_u16() != 200 {
            return Err(format!("the service answered {}", reply.status().as_u16()));
        }
        reply.body_mut().with_config().limit(ANSWER_MAX).read_to_vec().map_err(|error| plain(&error))
    }

    /// Who vouches for a service: the public certificates, or those of the file and no others.
    fn tls(&self) -> Result<TlsConfig, String> {
        let Some(path) = self.supervisor.ca_file.as_deref() else { return Ok(TlsConfig::default()) };
        let pem = std::fs::read(path).map_err(|error| format!("`{path}` cannot be read: {error}"))?;
        let own: Vec<_> = parse_pem(&pem)
            .filter_map(|item| match item {
                Ok(PemItem::Certificate(one)) => Some(one),
                _ => None,
            })
            .collect();
        if own.is_empty() {
            return Err(format!("`{path}` contains no certificate"));
        }
        Ok(TlsConfig::builder().root_certs(RootCerts::from(own)).build())
    }

    fn run(&self) -> Result<Vec<u8>, String> {
        let until = Instant::now() + self.limit;
        let mut words = self.supervisor.command.iter();
        let program = words.next().ok_or("no command is configured")?;
        let mut command = Command::new(program);
        command.args(words).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("it cannot be started: {error}"))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let given = on_stdin(&self.brief);
        // A program that does not read must not hold us up either.
        std::thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(given.as_bytes())));
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.map(|pipe| pipe.take(ANSWER_MAX + 1).read_to_end(&mut bytes));
            let _ = sender.send(matches!(read, Some(Ok(_))).then_some(bytes));
        });
        let bytes = receiver.recv_timeout(until.saturating_duration_since(Instant::now()));
        let well = ended_well(&mut child, until);
        match bytes {
            Ok(Some(bytes)) if u64::try_from(bytes.len()).is_ok_and(|length| length > ANSWER_MAX) => {
                Err("the answer is too long".to_owned())
            }
            Ok(Some(bytes)) if well => Ok(bytes),
            Ok(_) => Err("the program failed".to_owned()),
            Err(_) => Err("no answer in time".to_owned()),
        }
    }
}

/// Whether it ended well by then; if it did not end, it is ended with all it
/// started.
fn ended_well(child: &mut Child, until: Instant) -> bool {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
                    let _ = kill_process_group(group, Signal::KILL);
                }
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

/// An error without anything the other side wrote.
fn plain(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Timeout(_) => "no answer in time".to_owned(),
        ureq::Error::HostNotFound => "its host name does not resolve".to_owned(),
        ureq::Error::ConnectionFailed => "nothing listens there".to_owned(),
        ureq::Error::BodyExceedsLimit(_) => "the answer is too long".to_owned(),
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
            "connection refused".to_owned()
        }
        // What fails while hands are shaken comes as a fault of reading.
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => UNSAFE.to_owned(),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => UNSAFE.to_owned(),
        _ => "the connection was closed".to_owned(),
    }
}
