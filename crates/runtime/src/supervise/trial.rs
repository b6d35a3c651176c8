//! A trial question to one supervisor, and whether each can be reached at all:
//! for people who set them up.

use crate::broken::Broken;
use crate::checks::within;
use crate::gate::Gate;
use crate::supervise::client::Asking;
use crate::supervise::random;
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};
use toolgate_core::{
    Address, Call, Category, Decision, Event, EventKind, Facts, Finding, Kind, Opinion, Outcome, Session,
    Severity, Source, Supervisor, Verdict, read_opinion,
};

/// What came of a trial question.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The answer, or why there is none.
    pub answer: Result<Opinion, String>,
    /// How long it took.
    pub duration_ms: u64,
}

impl Gate {
    /// Asks a supervisor about a harmless call no one makes. Nothing is
    /// recorded; `None` if there is no such supervisor.
    ///
    /// # Errors
    /// If there is no randomness.
    pub fn try_supervisor(&self, name: &str) -> Result<Option<Trial>, Broken> {
        let Some(supervisor) = self.policy().settings().supervision.named(name) else { return Ok(None) };
        let key = supervisor.key_env.as_deref().map(|variable| (variable, std::env::var(variable).ok()));
        if let Some((variable, None)) = key {
            let answer = Err(format!("the environment variable `{variable}` is not set"));
            return Ok(Some(Trial { answer, duration_ms: 0 }));
        }
        let dice = (random(16)?, random(8)?);
        let session = Session::new("trial");
        let brief = toolgate_core::Brief::of("r-trial", (&dice.0, &dice.1), &trial(), &session, &[])
            .map(|brief| brief.for_role(supervisor.role));
        let Some(brief) = brief else { return Ok(None) };
        let question = brief.question.clone();
        let limit = Duration::from_secs(u64::from(supervisor.seconds));
        let key = key.and_then(|(_, key)| key);
        let asking = Asking { name: name.to_owned(), supervisor: supervisor.clone(), brief, key, limit };
        let started = Instant::now();
        let answer =
            asking.ask().and_then(|text| read_opinion(&question, &text).map_err(|why| why.text().to_owned()));
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(Some(Trial { answer, duration_ms }))
    }
}

/// How long a supervisor may take to be reached.
const REACH_MAX: Duration = Duration::from_secs(2);

impl Gate {
    /// Whether each supervisor can be reached; nothing is asked.
    #[must_use]
    pub fn reach_supervisors(&self) -> Vec<(String, Result<(), String>)> {
        let entries = self.policy().settings().supervision.supervisors.iter();
        entries.map(|entry| (entry.name.clone(), reach(&entry.supervisor))).collect()
    }
}

fn reach(supervisor: &Supervisor) -> Result<(), String> {
    if let Some(variable) = &supervisor.key_env
        && std::env::var_os(variable).is_none()
    {
        return Err(format!("the environment variable `{variable}` is not set"));
    }
    let Some(url) = supervisor.proxy.as_ref().or(supervisor.url.as_ref()) else {
        let program = supervisor.command.iter().next().unwrap_or_default();
        let there = std::path::Path::new(program).is_file();
        return if there { Ok(()) } else { Err(format!("there is no program `{program}`")) };
    };
    let address = Address::parse(url).ok_or("no address is configured")?;
    let (host, port, until) = (address.host, address.port, Instant::now() + REACH_MAX);
    let connect = move || {
        let all = (host.as_str(), port)
            .to_socket_addrs()
            .map_err(|_| "its host name does not resolve".to_owned())?;
        let mut tried = all.take(4).map(|one| TcpStream::connect_timeout(&one, REACH_MAX));
        if tried.any(|one| one.is_ok()) { Ok(()) } else { Err("nothing listens there".to_owned()) }
    };
    within(until, connect).unwrap_or_else(|| Err("connection timed out".to_owned()))
}

/// A question no one has.
fn trial() -> Decision {
    let command = "git status --short".to_owned();
    let call = Call {
        host: "toolgate".to_owned(),
        session: "trial".to_owned(),
        agent: "main".to_owned(),
        role: None,
        task: None,
        id: None,
        tool: "shell".to_owned(),
        kind: Kind::Shell { command: command.clone(), field: "command".to_owned() },
        input: serde_json::json!({ "command": command }),
        dir: "/".to_owned(),
        scripts: Vec::new(),
        salt: None,
        standing: None,
    };
    let finding = Finding {
        guard: "trial".to_owned(),
        source: Source::built_in(),
        category: Category::Safety,
        severity: Severity::Low,
        outcome: Outcome::Ask,
        message: "this is a test request".to_owned(),
        remediation: None,
        alternatives: Vec::new(),
        evidence: Vec::new(),
        confidence: 1.0,
        duration_us: 0,
    };
    Decision {
        verdict: Verdict::Ask,
        findings: vec![finding],
        event: Event { kind: EventKind::PreExecution, call, log: None, output: None },
        facts: Facts::default(),
        autonomy: None,
        locks: Vec::new(),
        outward: false,
        bypasses: Vec::new(),
    }
}
