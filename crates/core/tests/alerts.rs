//! What is worth somebody's look, by the numbers of S2-61.

#![allow(clippy::unwrap_used, missing_docs)]

use serde_json::json;
use toolgate_core::{Record, alerts};

const NOW: i64 = 100_000_000;

fn record(ago_ms: i64, entry: serde_json::Value) -> Record {
    let context = json!({ "host": "h", "session": "s", "agent": "main", "policy": "p" });
    let record = json!({ "seq": 1, "time_ms": NOW - ago_ms, "prev": "", "context": context, "entry": entry });
    serde_json::from_value(record).unwrap()
}

fn decided(ago_ms: i64, verdict: &str, took_us: u64) -> Record {
    let finding = json!({ "guard": "g", "source": { "file": "f", "line": 1 }, "category": "safety", "severity": "low",
        "outcome": "warn", "message": "m", "confidence": 1.0, "duration_us": took_us });
    record(
        ago_ms,
        json!({ "entry": "decided", "decision": "d", "event": "pre_execution", "tool": "Bash", "title": "t", "dir": "/",
        "arguments": "a", "verdict": verdict, "delivered": verdict, "findings": [finding] }),
    )
}

fn bypass(ago_ms: i64) -> Record {
    let asked = json!({ "guardrail": "g", "role": "architect", "reason": "r", "urgency": "normal" });
    record(
        ago_ms,
        json!({ "entry": "requested", "id": "r-1", "session": "s", "agent": "main", "arguments": "a", "tool": "Bash",
        "title": "t", "dir": "/", "why": [], "made_ms": 0, "expires_ms": 1, "bypass": asked, "state": "pending" }),
    )
}

fn names(records: &[Record]) -> Vec<&'static str> {
    alerts(records, NOW).into_iter().map(|alert| alert.name).collect()
}

fn blocked_of(blocked: usize, all: usize, ago_ms: i64) -> Vec<Record> {
    (0..all).map(|at| decided(ago_ms, if at < blocked { "block" } else { "allow" }, 1)).collect()
}

#[test]
fn many_blocks_of_late() {
    assert_eq!(names(&blocked_of(4, 10, 1000)), ["high_block_rate"]);
    assert!(names(&blocked_of(3, 10, 1000)).is_empty(), "30 % is not more than 30 %");
    assert!(names(&blocked_of(9, 9, 1000)).is_empty(), "too few to tell");
    assert!(names(&blocked_of(10, 10, 11 * 60_000)).is_empty(), "long ago");
}

#[test]
fn many_bypasses_within_an_hour() {
    let asked = |count: usize, ago_ms| (0..count).map(|_| bypass(ago_ms)).collect::<Vec<_>>();
    assert_eq!(names(&asked(6, 1000)), ["bypass_abuse"]);
    assert!(names(&asked(5, 1000)).is_empty());
    assert!(names(&asked(6, 61 * 60_000)).is_empty());
}

#[test]
fn a_guard_that_is_slow() {
    assert_eq!(
        names(&[decided(1000, "allow", 900_000), decided(1000, "allow", 200_000)]),
        ["guardrail_slow"]
    );
    assert!(names(&[decided(1000, "allow", 900_000), decided(1000, "allow", 1)]).is_empty());
}
