//! Makes the checks a guard asks for before something invasive.
//!
//! All of them together take a few seconds at most, far below what a host
//! waits. Nothing is changed anywhere, and no one is contacted but this machine
//! and the hosts the project's knowledge names: otherwise an agent could have
//! the gate carry its words to any address by writing it into a setting.

use crate::config::{Config, Found};
use crate::run_check;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use toolgate_core::{Address, CheckResult, Method, Prerequisite, Settings};

/// For all checks of one call.
const ALL_MAX: Duration = Duration::from_secs(6);

/// For all commands of the person's own, below every host's limit.
const COMMANDS_MAX: Duration = Duration::from_secs(95);

/// For one check.
const EACH_MAX: Duration = Duration::from_secs(2);

/// So much of an answer is read.
const ANSWER_MAX: usize = 512;

/// How a check came out: what was found, or what was found and what to do.
pub(crate) type CheckOutcome = Result<String, (String, String)>;

/// Makes the checks in order; the first that fails is the last one made.
pub(crate) fn run(project: &Path, settings: &Settings, checks: &[Prerequisite]) -> Vec<CheckResult> {
    let variable = |name: &str| std::env::var(name).ok();
    let config = Config { project, settings, variable: &variable };
    let (all, ended) = (Instant::now() + ALL_MAX, Instant::now() + COMMANDS_MAX);
    let mut results: Vec<CheckResult> = Vec::new();
    for check in checks.iter().filter(|check| !check.method.is_for_a_person()) {
        let started = Instant::now();
        // A command of the person's own has the time they gave it.
        let until = match &check.method {
            Method::CommandSucceeds { seconds, .. } => {
                ended.min(started + Duration::from_secs(u64::from(*seconds)))
            }
            _ => all.min(started + EACH_MAX),
        };
        let checker = Checker { config: &config, until };
        let came = checker.check(&check.method);
        let passed = came.is_ok();
        let (found, cure) = came.map_or_else(|(found, cure)| (found, cure), |found| (found, String::new()));
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        results.push(CheckResult { check: check.clone(), passed, found, cure, duration_ms });
        if !passed {
            break;
        }
    }
    results
}

struct Checker<'a> {
    config: &'a Config<'a>,
    until: Instant,
}

impl Checker<'_> {
    fn check(&self, method: &Method) -> CheckOutcome {
        match method {
            Method::NetworkPing { host, port } => self.ping(host, *port),
            Method::ServiceStatus { service_name } => self.service(service_name),
            Method::ConfigCheck { key, expected } => self.setting(key, expected.as_deref()),
            Method::EndpointTest { url } => self.endpoint(url),
            Method::CommandSucceeds { command, .. } => {
                run_check::succeeds(self.config.project, command, self.until)
            }
            // Asked in the inbox, never here.
            Method::UserConfirmation { question } => Err((question.clone(), "ask the user".to_owned())),
        }
    }

    fn setting(&self, key: &str, expected: Option<&str>) -> CheckOutcome {
        let Some(found) = self.config.find(key) else {
            let cure = format!("set `{key}` in the environment or in `.env`");
            return Err((format!("`{key}` is not set anywhere"), cure));
        };
        match expected {
            Some(wanted) if wanted != found.value => Err((
                format!("`{key}` in {} is not `{wanted}`", found.place),
                format!("set `{key}` to `{wanted}`"),
            )),
            _ => Ok(said(&found)),
        }
    }

    fn ping(&self, host: &str, port: u16) -> CheckOutcome {
        let address = Address { scheme: "tcp".to_owned(), host: host.to_owned(), port, path: String::new() };
        let cure =
            || format!("start the service that should listen at {host}:{port}, or correct the address");
        self.may_reach(&address).map_err(|found| (found, cure()))?;
        match self.connect(&address) {
            Ok(_) => Ok(format!("{host}:{port} is listening")),
            Err(why) => Err((format!("nothing answers at {host}:{port} ({why})"), cure())),
        }
    }

    fn endpoint(&self, url: &str) -> CheckOutcome {
        let (text, from) = self.config.filled(url).map_err(|key| {
            (format!("`{key}` is not set anywhere"), format!("set `{key}` in the environment or in `.env`"))
        })?;
        let cure = || self.cure(from.as_ref());
        let Some(address) = Address::parse(&text) else {
            let named = from
                .as_ref()
                .map_or_else(|| format!("`{url}`"), |one| format!("`{}` in {}", one.key, one.place));
            return Err((format!("{named} is not an address"), cure()));
        };
        let wrong = |why: String| (format!("{why}{}", self.setting_note(from.as_ref(), &address)), cure());
        self.may_reach(&address).map_err(wrong)?;
        let origin = address.origin();
        let stream =
            self.connect(&address).map_err(|why| wrong(format!("nothing answers at {origin} ({why})")))?;
        if !matches!(address.scheme.as_str(), "http" | "ws") {
            return Ok(format!("{origin} is listening"));
        }
        let status = self.ask(stream, &address);
        let status =
            status.map_err(|why| wrong(format!("{origin} is listening but does not speak HTTP ({why})")))?;
        // Without a path that is known to answer, any answer shows the service.
        let plain = matches!(address.path.as_str(), "" | "/");
        let well = if plain { status < 500 } else { (200..400).contains(&status) };
        if well {
            Ok(format!("{origin} answers ({status})"))
        } else {
            Err(wrong(format!("{origin} answers {status} to `{}`", address.path)))
        }
    }

    /// This machine, and what the project's knowledge names.
    fn may_reach(&self, address: &Address) -> Result<(), String> {
        let mut known =
            self.config.settings.endpoints().filter_map(|(_, one)| Address::parse(&one.default_url));
        if address.is_loopback() || known.any(|one| one.host == address.host) {
            return Ok(());
        }
        Err(format!(
            "{} is not listed in `.toolgate/knowledge.toml`, so it was not contacted",
            address.origin()
        ))
    }

    /// Which setting sent us there, and where the project knows the service to be.
    fn setting_note(&self, from: Option<&Found>, address: &Address) -> String {
        let Some(from) = from else { return String::new() };
        let mut text = format!("; `{}` in {} says so", from.key, from.place);
        let known = self.config.settings.endpoints().find(|(_, one)| one.config_key == from.key);
        let differs = |url: &str| Address::parse(url).is_some_and(|own| !own.is_same_service(address));
        if let Some((_, one)) = known.filter(|(_, one)| differs(&one.default_url)) {
            text.push_str(&format!(
                ", but `.toolgate/knowledge.toml` lists {} at {}",
                one.name, one.default_url
            ));
        }
        text
    }

    fn cure(&self, from: Option<&Found>) -> String {
        let Some(from) = from else { return "start the service, or correct the address".to_owned() };
        let known = self.config.settings.endpoints().find(|(_, one)| one.config_key == from.key);
        match known {
            Some((_, one)) => format!(
                "correct `{}`, or start {} at that address; the default is {}",
                from.key, one.name, one.default_url
            ),
            None => format!("correct `{}`, or start the service at that address", from.key),
        }
    }

    fn connect(&self, address: &Address) -> Result<TcpStream, String> {
        let (host, port, until) = (address.host.clone(), address.port, self.until);
        // Resolving a name has no time limit of its own.
        let connected = within(until, move || {
            let all = (host.as_str(), port).to_socket_addrs().map_err(|error| error.to_string())?;
            let mut last = "the host name does not resolve".to_owned();
            for one in all.take(4) {
                let left = until.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                match TcpStream::connect_timeout(&one, left) {
                    Ok(stream) => return Ok(stream),
                    Err(error) => last = plain(&error),
                }
            }
            Err(last)
        });
        connected.unwrap_or_else(|| Err("no answer in time".to_owned()))
    }

    /// The status of a GET.
    fn ask(&self, mut stream: TcpStream, address: &Address) -> Result<u16, String> {
        let path =
            if address.path.starts_with('/') { address.path.clone() } else { format!("/{}", address.path) };
        let asked = format!(
            "GET {path} HTTP/1.1\r\nHost: {}:{}\r\nUser-Agent: toolgate\r\nAccept: */*\r\nConnection: close\r\n\r\n",
            address.host, address.port
        );
        let mut answer: Vec<u8> = Vec::new();
        let mut piece = [0; 128];
        stream.set_write_timeout(Some(self.left())).map_err(|error| plain(&error))?;
        stream.write_all(asked.as_bytes()).map_err(|error| plain(&error))?;
        while answer.len() < ANSWER_MAX && !answer.contains(&b'\n') && Instant::now() < self.until {
            stream.set_read_timeout(Some(self.left())).map_err(|error| plain(&error))?;
            match stream.read(&mut piece).map_err(|error| plain(&error))? {
                0 => break,
                length => answer.extend(piece.iter().take(length)),
            }
        }
        let line = String::from_utf8_lossy(&answer);
        let status =
            line.strip_prefix("HTTP/").and_then(|rest| rest.split(' ').nth(1)?.get(..3)?.parse().ok());
        status.ok_or_else(|| "the response is not valid".to_owned())
    }

    /// A time limit of nothing means none at all.
    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
    }

    /// By the system's own word, else by a process of that name, else by the
    /// port the project's knowledge gives it.
    fn service(&self, name: &str) -> CheckOutcome {
        let cure = || format!("start the service `{name}`");
        if Path::new("/run/systemd/system").is_dir() {
            for scope in [&["is-active", "--quiet"][..], &["--user", "is-active", "--quiet"][..]] {
                if self.is_active(scope, name) {
                    return Ok(format!("the service `{name}` is running"));
                }
            }
        }
        if has_process(name) {
            return Ok(format!("a process `{name}` is running"));
        }
        let known = self.config.settings.endpoints();
        let at = known.into_iter().find(|(key, one)| *key == name || one.service.as_deref() == Some(name));
        if let Some(address) = at.and_then(|(_, one)| Address::parse(&one.default_url))
            && self.connect(&address).is_ok()
        {
            return Ok(format!("{} listens", address.origin()));
        }
        Err((format!("the service `{name}` is not running"), cure()))
    }

    fn is_active(&self, scope: &[&str], name: &str) -> bool {
        let mut command = Command::new("systemctl");
        command.args(scope).arg("--").arg(name);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        within(self.until, move || command.status().is_ok_and(|status| status.success())).unwrap_or(false)
    }
}

fn said(found: &Found) -> String {
    // Only an address is shown, and of it not who logs in: a setting may hold a secret.
    match Address::parse(&found.value).filter(|_| found.value.contains("://")) {
        Some(address) => format!("`{}` is {} in {}", found.key, address.origin(), found.place),
        None => format!("`{}` is set in {}", found.key, found.place),
    }
}

fn plain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock => "no answer in time".to_owned(),
        _ => error.to_string(),
    }
}

fn has_process(name: &str) -> bool {
    let Ok(entries) = std::fs::read_dir("/proc") else { return false };
    entries.flatten().any(|entry| {
        let is_number = entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit());
        is_number
            && std::fs::read_to_string(entry.path().join("comm")).is_ok_and(|comm| comm.trim_end() == name)
    })
}

/// Does something that may hang, and goes on without it when the time is over.
/// The thread that hangs ends with the process.
pub(crate) fn within<T: Send + 'static>(
    until: Instant,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = channel();
    std::thread::Builder::new()
        .spawn(move || {
            // No one waits any more when the time was over.
            let _ = sender.send(work());
        })
        .ok()?;
    receiver.recv_timeout(until.saturating_duration_since(Instant::now())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn run_one(method: Method) -> CheckResult {
        let check = Prerequisite {
            description: "d".to_owned(),
            method,
            success_criteria: String::new(),
            priority: 1,
        };
        let dir = tempfile::tempdir().unwrap();
        let mut results = run(dir.path(), &Settings::default(), std::slice::from_ref(&check));
        results.remove(0)
    }

    /// Answers each connection with these bytes, once a connection.
    fn serve(answer: &'static str) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut asked = [0; 1024];
                let _ = stream.read(&mut asked);
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        port
    }

    fn unused() -> u16 {
        TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
    }

    /// An address that answers, one that does not, one that is unwell, one that says nothing.
    #[test]
    fn an_endpoint_is_tested() {
        let test = |port: u16, path: &str| {
            run_one(Method::EndpointTest { url: format!("http://127.0.0.1:{port}{path}") })
        };
        let well = serve("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        assert!(test(well, "/health").passed);
        let lost = serve("HTTP/1.1 404 Not Found\r\n\r\n");
        assert!(test(lost, "").passed, "it answers");
        assert!(!test(lost, "/health").passed, "it is another service");
        let ill = test(serve("HTTP/1.1 503 No\r\n\r\n"), "");
        assert_eq!((ill.passed, ill.found.contains("503")), (false, true), "{ill:?}");
        let other = test(serve("SSH-2.0-x\r\n"), "");
        assert!(other.found.contains("does not speak HTTP"), "{other:?}");
        let gone = test(unused(), "");
        assert!(!gone.passed && gone.found.contains("connection refused"), "{gone:?}");
    }

    #[test]
    fn a_silent_server_costs_no_more_than_its_time() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let started = Instant::now();
        let silent = run_one(Method::EndpointTest { url: format!("http://127.0.0.1:{port}/") });
        assert!(!silent.passed && silent.found.contains("no answer in time"), "{silent:?}");
        assert!(started.elapsed() < EACH_MAX + Duration::from_secs(1));
        drop(listener);
    }

    #[test]
    fn only_known_hosts_are_contacted() {
        for url in ["http://192.0.2.7/secret", "http://gate-test.invalid/x", "http://169.254.169.254/latest"]
        {
            let result = run_one(Method::EndpointTest { url: url.to_owned() });
            assert!(!result.passed && result.found.contains("was not contacted"), "{result:?}");
            assert!(result.duration_ms < 100, "{result:?}");
        }
    }

    /// The other methods.
    #[test]
    fn ports_services_and_settings_are_looked_at() {
        let port = serve("");
        let ping = |port| run_one(Method::NetworkPing { host: "localhost".to_owned(), port }).passed;
        assert_eq!((ping(port), ping(unused())), (true, false));
        let service = |name: &str| run_one(Method::ServiceStatus { service_name: name.to_owned() });
        assert!(!service("toolgate-no-such-service").passed);
        let own = std::fs::read_to_string("/proc/self/comm").unwrap_or_default();
        assert!(own.is_empty() || service(own.trim()).passed, "{own}");
        let setting = |key: &str, expected: Option<&str>| {
            run_one(Method::ConfigCheck { key: key.to_owned(), expected: expected.map(str::to_owned) })
        };
        let home = std::env::var("HOME").unwrap_or_default();
        assert!(setting("HOME", Some(&home)).passed);
        let other = setting("HOME", Some("/nowhere/else"));
        assert!(!other.passed && !other.found.contains(&home), "the value is not told: {other:?}");
        assert!(!setting("TOOLGATE_NO_SUCH_SETTING", None).passed);
    }
}
