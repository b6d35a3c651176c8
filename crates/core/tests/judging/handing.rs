//! Work handed to another agent (S2-06), what follows a failed call (S2-08, C-31).

use crate::stage::{call, decide_in, layer, shell, summary};
use serde_json::{Value, json};
use toolgate_core::{
    Context, Digest, Entry, Event, EventKind, Kind, Layer, Lock, Policy, Record, Resulted, Session, compile,
    merge, recovery,
};

fn policy(said: &Value) -> Policy {
    compile(&merge(&[layer(Layer::User, "test.yaml", said)])).unwrap()
}

fn task(to: &str, prompt: &str) -> Event {
    call("Task", Kind::Handoff, json!({ "subagent_type": to, "description": "a step", "prompt": prompt }))
}

#[track_caller]
fn check(said: &Value, event: &Event, session: &Session, expected: &str) {
    let decision = decide_in(&policy(said), event, session);
    let first = decision.findings.first().map_or("", |finding| finding.message.as_str());
    assert_eq!(format!("{} {first}", decision.verdict.name()).trim_end(), expected, "{}", event.call.title());
}

#[test]
fn work_handed_over_is_complete() {
    let said = json!({ "handoff": { "payload": ["context", "artefacts", "rationale"] } });
    let empty = Session::new("s");
    let whole = "Context: the parser\nArtefacts: src/a.rs\nRationale: it is slow";
    check(&said, &task("x", whole), &empty, "allow");
    check(
        &said,
        &task("x", "## Context\nthe parser\n\n## Files\n- src/a.rs\n\n**Why:** slow"),
        &empty,
        "allow",
    );
    check(&said, &task("x", "do it"), &empty, "block the handoff lacks its context");
    check(
        &said,
        &task("x", "Context:\nArtefacts: a\nRationale: b"),
        &empty,
        "block the handoff lacks its context",
    );
    check(&said, &task("x", "Context: a\nRationale: b"), &empty, "block the handoff lacks its artefacts");
    check(&json!({}), &task("x", "do it"), &empty, "allow");
    check(&said, &shell("ls"), &empty, "allow");
}

#[test]
fn the_receiver_can_do_it() {
    let said = json!({
        "handoff": { "known_receivers": true },
        "agents": { "reviewer": { "capabilities": ["read"], "budget": { "calls": 10 } } }
    });
    let at = |calls: u64| Session { calls, ..Session::new("s") };
    check(&said, &task("reviewer", "look"), &at(0), "allow");
    check(&said, &task("reviewer", "Needs: read"), &at(0), "allow");
    check(
        &said,
        &task("reviewer", "Needs: read, write"),
        &at(0),
        "block `reviewer` does not have the capability `write` that this work needs",
    );
    check(&said, &task("stranger", "look"), &at(0), "block the policy has no agent `stranger`");
    check(&said, &task("reviewer", "look"), &at(10), "block the budget of `reviewer` is used up");
}

#[test]
fn no_file_handed_over_is_locked_by_somebody_else() {
    let said = json!({ "category_guardrails": { "on": "compliance-001" } });
    let event = task("x", "Artefacts: `src/a.rs`, docs/b.md");
    let asked =
        policy(&said).asks_locks(&event.call, &toolgate_core::Facts::default(), &crate::stage::places());
    assert_eq!(asked, ["/project/src/a.rs", "/project/docs/b.md"]);
    let lock = |session: &str| Lock {
        path: "/project/src/a.rs".to_owned(),
        session: session.to_owned(),
        agent: "main".to_owned(),
        time_ms: 0,
    };
    let held = |by: &str| Session { locks: vec![lock(by)], ..Session::new("s") };
    check(&said, &event, &held("s"), "allow");
    check(
        &said,
        &event,
        &held("other"),
        "block `/project/src/a.rs`, which this handoff names, is being written by the agent `main` of session `other`",
    );
}

/// A hand-over is a tool call, too: guardrails and rules of both moments see it.
#[test]
fn a_hand_over_is_both_moments() {
    let own = |kind: &str| json!({ "guardrails": [{ "id": "custom-x-001", "type": kind, "validation": { "check": "false" } }] });
    let event = task("x", "go");
    let empty = Session::new("s");
    for kind in ["pre_execution", "pre_handoff"] {
        assert_eq!(
            summary(&event, &decide_in(&policy(&own(kind)), &event, &empty)),
            "block custom-x-001",
            "{kind}"
        );
    }
    assert_eq!(
        summary(&shell("ls"), &decide_in(&policy(&own("pre_handoff")), &shell("ls"), &empty)),
        "allow"
    );
    let rule = json!({ "rules": [{ "id": "r", "kind": "block", "match": { "event": "pre_handoff", "tool": "Task" }, "reason": "no" }] });
    assert_eq!(summary(&event, &decide_in(&policy(&rule), &event, &empty)), "block r");
}

fn failed(agent: &str, command: &str, message: Option<&str>) -> Record {
    let event = if message.is_some() { EventKind::OnError } else { EventKind::PostExecution };
    let entry = Entry::Resulted(Resulted {
        event,
        call: None,
        tool: "Bash".to_owned(),
        ran: vec![command.to_owned()],
        touched: Vec::new(),
        changed: false,
        lines: 0,
        message: message.map(str::to_owned),
        to: None,
        arguments: message.map(|_| shell(command).call.arguments_digest()),
        files: None,
    });
    let context = Context { session: "s".to_owned(), agent: agent.to_owned(), ..Context::default() };
    Record { seq: 1, time_ms: 0, prev: Digest::default(), context, entry }
}

fn after(records: &[Record]) -> Session {
    records.iter().fold(Session::new("s"), |session, record| session.after(record))
}

#[test]
fn what_fails_the_same_way_three_times_is_set_aside() {
    let said = json!({ "errors": {} });
    let fail = || failed("main", "make", Some("Exit code 2"));
    let row = |count: usize| (0..count).map(|_| fail()).collect::<Vec<_>>();
    check(&said, &shell("make"), &after(&row(2)), "allow");
    check(
        &said,
        &shell("make"),
        &after(&row(3)),
        "block this exact call has failed 3 times in a row in the same way",
    );
    check(&said, &shell("make -k"), &after(&row(3)), "allow");
    check(&json!({}), &shell("make"), &after(&row(3)), "allow");
    // Another message, another agent or a success: no row.
    let mut records = row(2);
    records.push(failed("main", "make", Some("Exit code 3")));
    check(&said, &shell("make"), &after(&records), "allow");
    let mut records = row(2);
    records.push(failed("a-1", "make", Some("Exit code 2")));
    check(&said, &shell("make"), &after(&records), "allow");
    let mut records = row(3);
    records.push(failed("main", "ls", None));
    check(&said, &shell("make"), &after(&records), "allow");
    // The whole agent.
    let said = json!({ "errors": { "quarantine": "agent", "retries": 2 } });
    check(
        &said,
        &shell("ls"),
        &after(&row(2)),
        "ask `main` is quarantined: one of its calls failed 2 times in a row in the same way",
    );
}

#[test]
fn the_agent_is_told_whether_to_try_again() {
    let policy = policy(&json!({ "errors": {} }));
    let told = |count: usize, said: &str| {
        let records: Vec<Record> = (0..count).map(|_| failed("main", "make", Some(said))).collect();
        let advice = recovery(policy.settings(), &after(&records), "main", said).unwrap();
        format!("{} → {}", advice.text, advice.suggestions.join(", "))
    };
    assert_eq!(told(1, "database is locked"), "recoverable: attempt 1 of 3 failed → try again after 100 ms");
    assert_eq!(told(2, "database is locked"), "recoverable: attempt 2 of 3 failed → try again after 200 ms");
    assert!(told(1, "make: command not found").starts_with("fatal: repeating the same call will not help"));
    assert!(told(1, "Exit code 2").starts_with("unknown: attempt 1 of 3 failed"));
    assert!(told(3, "Exit code 2").contains("this call is quarantined"));
    assert!(recovery(&toolgate_core::Settings::default(), &Session::new("s"), "main", "x").is_none());
}
