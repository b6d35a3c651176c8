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

mod service;

use answer::Answer;
use house::{ASKED, House};
use serde_json::Value;
use service::{packages, serve};

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
            assert!(answer.is_no() && answer.text().contains("is waiting for a person"), "{answer:?}");
            assert_eq!(entry("answered"), Value::Null, "nobody answered");
        }
    }
    house.run(&["ledger", "verify"]).ended(0);
}
