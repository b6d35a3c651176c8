//! The compatibility kit: every agent that can be had, really run, with the same policy and the same script.
//!
//! An agent is a row of data in `agents/`, a call a row in `calls.rs`, a way for the hook to fail a row in
//! `failures.rs`. The model is scripted, the hook is put in by `toolgate install`, and what was seen is compared
//! with `observed/HOST.json`, from which the pages in `docs/hosts/` are written.
//!
//! `TOOLGATE_HOSTS` names the agents to run, with commas, or `all`; without it, Claude Code and Codex run.
//! `TOOLGATE_HOSTS_RECORD=1` writes down what was seen. One agent runs at a time.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "helpers of tests fail by panicking, and talk to the person at the terminal"
)]

mod agents;
mod calls;
mod failures;
mod install;
#[path = "../model/mod.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod model;
#[path = "../claude_code/npm.rs"]
mod npm;
mod observed;
mod pages;
#[path = "../claude_code/process.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod process;
mod prove;
mod stage;

use agents::agents;
use std::env;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Run where nothing else is asked for.
const ALWAYS: &str = "claude-code,codex";

#[test]
fn every_host_keeps_the_policy() {
    let wanted = env::var("TOOLGATE_HOSTS").unwrap_or_else(|_| ALWAYS.to_string());
    let is_wanted = |name: &str| wanted == "all" || wanted.split(',').any(|one| one == name);
    let mut failed = Vec::new();
    for agent in agents().filter(|agent| is_wanted(agent.host)) {
        let Some(host) = toolgate_adapters::host(agent.host) else {
            say(&format!("SKIPPED {}: there is no adapter for it", agent.host));
            continue;
        };
        match install::installed(agent) {
            Ok(program) => match catch_unwind(AssertUnwindSafe(|| prove::prove(agent, host, &program))) {
                Ok(faults) if faults.is_empty() => say(&format!("{} {} holds", agent.host, agent.version)),
                Ok(faults) => failed.push(format!("{}:\n  {}", agent.host, faults.join("\n  "))),
                Err(_) => failed.push(format!("{}: ended early, see above", agent.host)),
            },
            Err(why) if env::var_os("TOOLGATE_E2E_REQUIRED").is_some_and(|value| value == "1") => {
                failed.push(format!("{}: {why}", agent.host));
            }
            Err(why) => say(&format!("SKIPPED {}: {why}", agent.host)),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Past the capture of the test runner: a skipped agent must not look like a proven one.
fn say(line: &str) {
    drop(writeln!(std::io::stderr(), "hosts: {line}"));
}

/// Hosts that people drove with this kit or another, and whose run is not written down yet.
const NOT_WRITTEN_DOWN: &[&str] = &["opencode", "kilo", "pi", "cline", "hermes"];

/// A version is called tested only where this kit drives it and has written down what it saw.
#[test]
fn what_is_called_tested_was_seen() {
    for host in toolgate_adapters::HOSTS {
        let seen = observed::recorded(host.name()).map(|seen| seen.version);
        if seen.is_none() && NOT_WRITTEN_DOWN.contains(&host.name()) {
            continue;
        }
        let agent = agents().find(|agent| agent.host == host.name());
        assert_eq!(host.can().proven, seen.as_deref(), "{}", host.name());
        assert!(seen.is_none() || agent.is_some_and(|agent| Some(agent.version) == seen.as_deref()));
    }
}
