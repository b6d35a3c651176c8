//! The gate on a ledger of its own: what a call is answered, and what the same
//! call is answered after something else happened.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use serde_json::json;
use std::path::PathBuf;
use toolgate_core::{Access, Answer, Call, Event, EventKind, Extent, HostAnswer, Kind, Proof, Verdict, Word};
use toolgate_runtime::{Answered, Dirs, Gate, HostLimits, Setup};
use toolgate_store::Store;

/// A project, a home and the gate between them; gone when dropped.
struct Stage {
    root: tempfile::TempDir,
    gate: Gate,
}

impl Stage {
    fn new(policy: &str) -> Stage {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir_all(at("project/.toolgate")).unwrap();
        std::fs::write(at("project/.toolgate/policy.yaml"), policy).unwrap();
        let dirs = Dirs {
            home: Some(root.path().to_path_buf()),
            managed: PathBuf::from("/nowhere"),
            config: at("config"),
            state: at("state"),
            cache: at("cache"),
        };
        let setup = Setup {
            dirs,
            project: at("project"),
            host_files: Vec::new(),
            agents: &[],
            usage: None,
            host: HostLimits::default(),
            asked_by: None,
        };
        let gate = Gate::open(setup).unwrap().0;
        Stage { root, gate }
    }

    fn event(&self, session: &str, tool: &str, kind: Kind, input: serde_json::Value) -> Event {
        let dir = self.root.path().join("project").display().to_string();
        let call = Call {
            host: "test".to_owned(),
            session: session.to_owned(),
            agent: "main".to_owned(),
            role: None,
            task: None,
            id: None,
            tool: tool.to_owned(),
            kind,
            input,
            dir,
            scripts: Vec::new(),
            salt: None,
            standing: None,
        };
        Event { kind: EventKind::PreExecution, call, log: None, output: None }
    }

    fn shell(&self, session: &str, command: &str) -> Event {
        let kind = Kind::Shell { command: command.to_owned(), field: "command".to_owned() };
        self.event(session, "Bash", kind, json!({ "command": command }))
    }

    fn write(&self, session: &str, name: &str) -> Event {
        let path = self.root.path().join("project").join(name).display().to_string();
        let kind = Kind::File { access: Access::Write, paths: vec![path.clone()] };
        self.event(session, "Write", kind, json!({ "file_path": path, "content": "x" }))
    }

    fn decide(&mut self, event: &Event) -> Answered {
        self.gate.decide(event).unwrap()
    }

    /// Every record in order, one word each.
    fn records(&mut self) -> Vec<String> {
        let mut all = self.gate.store().records_before(u64::MAX, 1_000).unwrap();
        all.reverse();
        let name = |record: &toolgate_core::Record| {
            let entry = serde_json::to_value(&record.entry).unwrap();
            entry["entry"].as_str().map(str::to_owned)
        };
        all.iter().filter_map(name).collect()
    }
}

fn rule_of(answered: &Answered) -> Vec<&str> {
    answered.decision.decisive().map(|finding| finding.guard.as_str()).collect()
}

/// A call that waits is judged like any other when it is looked at again: a lock
/// another session took meanwhile counts.
#[test]
fn a_waiting_call_sees_locks_taken_meanwhile() {
    let mut stage = Stage::new(
        "version: 1\npacks: []\nreview: { hold_seconds: 30 }\ncategory_guardrails: { compliance-001: { on: true } }\nrules:\n  - id: build-first\n    kind: delay\n    match: { command: { program: cp } }\n    delay: { file: finished, max_seconds: 900 }\n    reason: the build is not finished\n",
    );
    let waits = stage.shell("one", "cp a notes.md");
    let answered = stage.decide(&waits);
    assert_eq!((answered.decision.verdict, rule_of(&answered)), (Verdict::Delay, vec!["build-first"]));
    let taken = stage.write("two", "notes.md");
    assert_eq!(stage.decide(&taken).delivered, HostAnswer::Silence);
    let after = stage.gate.wait(&waits, answered).unwrap();
    assert_eq!((after.decision.verdict, rule_of(&after)), (Verdict::Block, vec!["compliance-001"]));
}

/// Whatever becomes of a call, each answer has its record, and a grant is used once.
#[test]
fn an_approved_call_runs_once() {
    let mut stage = Stage::new(
        "version: 1\npacks: []\nreview: { delivery: ticket }\nrules:\n  - id: ask-deploy\n    kind: ask\n    match: { command: { program: deploy } }\n    reason: a person decides\n",
    );
    let event = stage.shell("one", "deploy now");
    let asked = stage.decide(&event);
    let request = asked.request.expect("a request");
    assert!(matches!(asked.delivered, HostAnswer::Denied { .. }));
    let answer = Answer {
        request: request.id.clone(),
        word: Word::Approve,
        by: "ana".to_owned(),
        words: None,
        reach: Extent::Once,
        proof: Proof::Terminal,
    };
    stage.gate.answer(&request, answer).unwrap();
    assert_eq!(stage.decide(&event).delivered, HostAnswer::Silence);
    let again = stage.decide(&event);
    assert!(matches!(again.delivered, HostAnswer::Denied { .. }), "{:?}", again.delivered);
    assert_ne!(again.request.expect("a new request").id, request.id);
    let expected = ["requested", "decided", "answered", "used", "decided", "requested", "decided"];
    assert_eq!(stage.records(), expected);
}
