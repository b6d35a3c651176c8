//! The whole chain in process: the default pack, every built-in guard at work,
//! none or 100 guardrails, and sessions of 10 or 1,000 calls. What a session
//! has behind it must cost nothing.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use toolgate_bench::{Dice, decide, median, places, ratio, shell_call};
use toolgate_core::{
    Context, Decided, Digest, Entry, EventKind, Facts, Policy, Record, Resulted, Session, Verdict,
};
use toolgate_runtime::{Dirs, load_uncached};

const ROUNDS: usize = 2_000;
const MICROSECONDS_MAX: f64 = 60.0;

/// What agents do all day, and one call that meets a rule.
const COMMANDS: [&str; 5] = [
    "git status --short",
    "cargo test --workspace 2>&1 | tail -20",
    "sed -n 1,80p src/main.rs",
    "git add -A && git commit -m 'fix the parser'",
    "git push --force origin main",
];

/// Every section a built-in guard acts on.
const SETTINGS: &str = "version: 1
agents:
  main:
    role: implementer
    tools: [Bash, Read, Write, Edit]
    after: { Write: [Read] }
    read_before_write: true
    deadline_minutes: 600
    budget: { tokens: 5000000, minutes: 600, calls: 100000, api_calls: 100000, lines: 1000000 }
    scope: { write: ['src/**', 'docs/**', 'tests/**'], deny: ['src/vendor/**'] }
verification: { mode: permissive }
guardrails:
";

struct Case {
    guardrails: usize,
    calls: u64,
    policy: Policy,
    session: Session,
    samples: Vec<Duration>,
}

fn main() -> ExitCode {
    let mut cases = Vec::new();
    for guardrails in [0, 100] {
        for calls in [10, 1_000] {
            match policy(guardrails) {
                Ok(policy) => {
                    let session = session(calls, &policy);
                    cases.push(Case { guardrails, calls, policy, session, samples: Vec::new() });
                }
                Err(why) => {
                    eprintln!("{why}");
                    return ExitCode::FAILURE;
                }
            }
        }
    }
    measure(&mut cases);
    if show(&cases) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn measure(cases: &mut [Case]) {
    let mut dice = Dice::new(7);
    for round in 0..=ROUNDS {
        let mut order: Vec<usize> = (0..cases.len()).collect();
        dice.shuffle(&mut order);
        let Some(command) = COMMANDS.get(round % COMMANDS.len()) else { continue };
        for at in order {
            let Some(case) = cases.get_mut(at) else { continue };
            let call = shell_call(command);
            let started = Instant::now();
            let decision = decide(&case.policy, call, &case.session);
            let took = started.elapsed();
            // The first round of each command reads the rules it needs.
            if round >= COMMANDS.len() && decision.findings.len() < 200 {
                case.samples.push(took);
            }
        }
    }
}

/// Prints the table; false if a goal is missed.
fn show(cases: &[Case]) -> bool {
    let base = cases.first().map(|case| median(&case.samples)).unwrap_or_default();
    println!("{:>10} {:>14} {:>10} {:>8}", "guardrails", "calls behind", "median µs", "ratio");
    let mut well = true;
    for case in cases {
        let took = median(&case.samples);
        let micros = took.as_secs_f64() * 1e6;
        println!("{:>10} {:>14} {micros:>10.1} {:>8.2}", case.guardrails, case.calls, ratio(took, base));
        well &= micros <= MICROSECONDS_MAX;
    }
    if !well {
        println!("over the limit: {MICROSECONDS_MAX} µs");
    }
    well
}

fn policy(guardrails: usize) -> Result<Policy, String> {
    let mut text = SETTINGS.to_owned();
    for number in 0..guardrails {
        let _ = write!(text, "{}", guardrail(number));
    }
    if guardrails == 0 {
        text.push_str("  []\n");
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let own = folder.path().join(".toolgate");
    std::fs::create_dir(&own).map_err(|error| error.to_string())?;
    std::fs::write(own.join("policy.yaml"), text).map_err(|error| error.to_string())?;
    let loaded = load_uncached(&nowhere(folder.path()), folder.path());
    let wrong =
        |faults: Vec<toolgate_runtime::PolicyFault>| faults.iter().map(|fault| fault.render()).collect();
    loaded.map(|loaded| loaded.policy).map_err(wrong)
}

/// Guardrails as teams write them; one in four has a condition that holds.
fn guardrail(number: usize) -> String {
    let (condition, check) = match number % 4 {
        0 => ("agent.role == 'implementer'", format!("action.command does not contain 'deploy-{number}'")),
        1 => ("action.type == 'file_write'", format!("action.target does not match 'gen-{number}/**'")),
        2 => ("action.tool == 'Write'", "session.calls < 100000".to_owned()),
        _ => ("agent.role == 'reviewer'", "false".to_owned()),
    };
    format!(
        "  - id: custom-scope-{number}
    type: pre_execution
    priority: {}
    category: scope
    condition: {{ expression: \"{condition}\" }}
    validation: {{ check: \"{check}\", action_on_fail: warn }}
",
        100 + number
    )
}

fn nowhere(folder: &Path) -> Dirs {
    let folder = folder.to_string_lossy().into_owned();
    Dirs::from_env(&|name| (name == "HOME").then(|| folder.clone()))
}

/// A session with so many calls behind it, folded from its records.
fn session(calls: u64, policy: &Policy) -> Session {
    let mut session = Session::new("bench");
    for number in 0..calls {
        for entry in [decided(), resulted(number)] {
            session = session.after(&Record {
                seq: number + 1,
                time_ms: 0,
                prev: Digest::default(),
                context: Context {
                    host: "bench".to_owned(),
                    session: "bench".to_owned(),
                    agent: "main".to_owned(),
                    policy: String::new(),
                },
                entry,
            });
        }
    }
    let call = shell_call("true");
    let asked = policy.asks(&call, &Facts::of(&call, &places()));
    session.marks = asked.into_iter().map(|key| (key, Default::default())).collect();
    session
}

fn decided() -> Entry {
    Entry::Decided(Decided {
        decision: "d".to_owned(),
        event: EventKind::PreExecution,
        call: None,
        tool: "Bash".to_owned(),
        title: "t".to_owned(),
        dir: "/project".to_owned(),
        arguments: "a".to_owned(),
        verdict: Verdict::Allow,
        delivered: Verdict::Allow,
        findings: Vec::new(),
        modified: None,
        request: None,
        input: None,
        locks: Vec::new(),
        outward: false,
        before: Vec::new(),
        reserved: None,
    })
}

fn resulted(number: u64) -> Entry {
    Entry::Resulted(Resulted {
        event: EventKind::PostExecution,
        call: None,
        tool: "Bash".to_owned(),
        ran: vec![format!("make target-{number}")],
        touched: Vec::new(),
        changed: false,
        lines: 1,
        message: None,
        to: None,
        arguments: None,
        files: None,
    })
}
