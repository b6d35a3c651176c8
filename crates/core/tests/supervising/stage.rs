//! A question to try supervisors on.

use serde_json::json;
use std::collections::BTreeMap;
use toolgate_core::{
    Call, Decision, Event, EventKind, Evidence, Facts, Finding, Kind, Layer, Layered, Merged, Opinion,
    Outcome, Places, PolicyFile, Question, Reason, Severity, Source, Supervision, Verdict, merge,
};

pub fn finding(guard: &str, severity: Severity, outcome: Outcome) -> Finding {
    Finding {
        guard: guard.to_owned(),
        source: Source { file: "policy.yaml".to_owned(), line: 3 },
        category: Default::default(),
        severity,
        outcome,
        message: format!("{guard} asks"),
        remediation: None,
        alternatives: Vec::new(),
        evidence: vec![Evidence::remark("--force")],
        confidence: 1.0,
        duration_us: 0,
    }
}

pub fn call(command: &str) -> Call {
    Call {
        host: "claude-code".to_owned(),
        session: "s-1".to_owned(),
        agent: "main".to_owned(),
        role: None,
        task: Some("tidy the branch".to_owned()),
        id: Some("toolu_1".to_owned()),
        tool: "Bash".to_owned(),
        kind: Kind::Shell { command: command.to_owned(), field: "command".to_owned() },
        input: json!({ "command": command }),
        dir: "/work".to_owned(),
        scripts: Vec::new(),
        salt: None,
        standing: None,
    }
}

/// A decision with these findings.
pub fn decision(call: Call, findings: Vec<Finding>) -> Decision {
    let places = Places { workspace: vec!["/work".to_owned()], ..Places::default() };
    let verdict = findings.iter().map(|one| one.outcome.verdict()).max().unwrap_or(Verdict::Allow);
    Decision {
        verdict,
        findings,
        facts: Facts::of(&call, &places),
        event: Event { kind: EventKind::PreExecution, call, log: None, output: None },
        autonomy: None,
        locks: Vec::new(),
        outward: false,
        bypasses: Vec::new(),
    }
}

/// A force-push some rule asks about.
pub fn asks(severity: Severity) -> Decision {
    decision(call("git push --force origin main"), vec![finding("force-push", severity, Outcome::Ask)])
}

/// What these files say about supervisors, as YAML-like JSON.
pub fn supervision(files: &[(Layer, serde_json::Value)]) -> Supervision {
    merged(files).settings.supervision
}

pub fn merged(files: &[(Layer, serde_json::Value)]) -> Merged {
    let layered = |(layer, value): &(Layer, serde_json::Value)| {
        let policy: PolicyFile = serde_json::from_value(value.clone()).unwrap();
        Layered {
            layer: *layer,
            by: *layer,
            file: format!("{layer:?}.yaml"),
            policy,
            lines: Vec::new(),
            agent_lines: BTreeMap::new(),
            guardrail_lines: Vec::new(),
        }
    };
    merge(&files.iter().map(layered).collect::<Vec<_>>())
}

/// One supervisor of the user's.
pub fn one(review: serde_json::Value) -> Supervision {
    supervision(&[(Layer::User, with_one(review))])
}

pub fn with_one(review: serde_json::Value) -> serde_json::Value {
    json!({ "version": 1, "review": review,
            "supervisors": { "one": { "endpoint": "openai", "url": "http://127.0.0.1:1/v1", "model": "m" } } })
}

pub fn question() -> Question {
    Question {
        request: "r-1".to_owned(),
        nonce: "n-1".to_owned(),
        rules: vec!["force-push".to_owned(), "outside".to_owned()],
        is_shell: true,
    }
}

/// An answer to [`question`].
pub fn answer(decision: &str, confidence: f64) -> serde_json::Value {
    json!({ "request": "r-1", "nonce": "n-1", "reasons": [{ "rule": "R1", "text": "it is so" }],
            "uncertainty": "", "alternatives": ["push a branch"], "decision": decision,
            "confidence": confidence })
}

pub fn said(decision: toolgate_core::Judgement, confidence_percent: u8) -> Opinion {
    Opinion {
        decision,
        confidence_percent,
        reasons: vec![Reason { rule: "force-push".to_owned(), text: "it is so".to_owned() }],
        alternatives: Vec::new(),
        uncertainty: String::new(),
        instead: None,
    }
}
