//! A project at `/project`, a home at `/home/dev`, and a policy from JSON.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use toolgate_core::{
    Access, Call, Decision, Disk, Event, EventKind, Facts, Kind, Layer, Layered, Pass, Places, Policy,
    PolicyFile, Session, compile, judge, merge,
};

pub fn places() -> Places {
    Places {
        home: Some("/home/dev".to_owned()),
        workspace: vec!["/project".to_owned()],
        temp: vec!["/tmp".to_owned()],
        gate: vec!["/home/dev/.config/toolgate".to_owned(), "/project/.claude/settings.json".to_owned()],
        settings: vec![".claude/settings.json".to_owned()],
    }
}

pub fn layer(layer: Layer, file: &str, text: &Value) -> Layered {
    let mut text = text.clone();
    text["version"] = json!(1);
    let policy: PolicyFile = serde_json::from_value(text).unwrap();
    let lines = (1..).take(policy.rules.len()).collect();
    Layered {
        layer,
        by: layer,
        file: file.to_owned(),
        policy,
        lines,
        agent_lines: BTreeMap::new(),
        guardrail_lines: Vec::new(),
    }
}

pub fn policy(rules: &Value) -> Policy {
    compile(&merge(&[layer(Layer::User, "test.yaml", &json!({ "rules": rules }))])).unwrap()
}

pub fn call(tool: &str, kind: Kind, input: Value) -> Event {
    let call = Call {
        host: "test".to_owned(),
        session: "s".to_owned(),
        agent: "main".to_owned(),
        role: None,
        task: None,
        id: None,
        tool: tool.to_owned(),
        kind,
        input,
        dir: "/project".to_owned(),
        scripts: Vec::new(),
        salt: None,
        standing: None,
    };
    Event { kind: EventKind::PreExecution, call, log: None, output: None }
}

pub fn shell(command: &str) -> Event {
    let kind = Kind::Shell { command: command.to_owned(), field: "command".to_owned() };
    call("Bash", kind, json!({ "command": command }))
}

pub fn file(access: Access, path: &str) -> Event {
    call("Write", Kind::File { access, paths: vec![path.to_owned()] }, json!({ "file_path": path }))
}

pub fn decide(policy: &Policy, event: &Event) -> Decision {
    decide_in(policy, event, &Session::new("s"))
}

/// The same with facts only the disk knows.
pub fn decide_with(policy: &Policy, event: &Event, seen: impl Fn(&mut Facts)) -> Decision {
    let places = places();
    let facts_of = |call: &Call| {
        let mut facts = Facts::of(call, &places);
        seen(&mut facts);
        facts
    };
    judge(
        policy,
        event,
        &Session::new("s"),
        &places,
        &Pass { facts_of: &facts_of, disk: Disk::BLIND, now_ms: 0, clock_us: &|| 0, suspended: &[] },
    )
}

pub fn decide_in(policy: &Policy, event: &Event, session: &Session) -> Decision {
    let places = places();
    let facts_of = |call: &Call| Facts::of(call, &places);
    judge(
        policy,
        event,
        session,
        &places,
        &Pass { facts_of: &facts_of, disk: Disk::BLIND, now_ms: 0, clock_us: &|| 0, suspended: &[] },
    )
}

/// `verdict guard,guard`, and ` => command` if it was rewritten.
pub fn summary(event: &Event, decision: &Decision) -> String {
    let guards: Vec<&str> = decision.findings.iter().map(|finding| finding.guard.as_str()).collect();
    let mut text = format!("{} {}", decision.verdict.name(), guards.join(","));
    if decision.event != *event {
        text.push_str(&format!(" => {}", decision.event.call.title()));
    }
    text.trim_end().to_owned()
}

#[track_caller]
pub fn check(policy: &Policy, event: &Event, expected: &str) {
    let decision = decide(policy, event);
    assert_eq!(summary(event, &decision), expected, "{}", event.call.title());
}
