//! Guardrails: a condition and a check (S2-01 to S2-03, S2-29 to S2-36, S2-43 to S2-45, C-03, C-05, C-14).

use crate::stage::{call, decide, decide_in, file, layer, shell, summary};
use proptest::prelude::*;
use serde_json::{Value, json};
use toolgate_core::{
    Access, Event, EventKind, Facts, Kind, Layer, Mark, Outcome, Policy, Session, Verdict, compile, merge,
    warned_mark,
};

fn policy(guardrails: &Value) -> Policy {
    compile(&merge(&[layer(Layer::Project, "test.yaml", &json!({ "guardrails": guardrails }))])).unwrap()
}

fn guardrail(id: &str, condition: &str, check: &str, action: &str) -> Value {
    json!({
        "id": id, "type": "pre_execution", "priority": 110,
        "condition": { "expression": condition },
        "validation": { "check": check, "action_on_fail": action },
    })
}

fn by(role: &str, mut event: Event) -> Event {
    event.call.agent = "a-1".to_owned();
    event.call.role = Some(role.to_owned());
    event
}

#[track_caller]
fn check(guardrails: &Value, event: &Event, expected: &str) {
    let policy = policy(guardrails);
    assert_eq!(summary(event, &decide(&policy, event)), expected, "{guardrails}\n{event:?}");
}

/// S2-45, word for word.
fn example() -> Value {
    json!([{
        "id": "custom-scope-001",
        "name": "implementer_test_separation",
        "description": "Implementer agents should not modify test files; test-writer handles tests.",
        "type": "pre_execution",
        "priority": 110,
        "category": "scope",
        "enabled": true,
        "condition": {
            "expression": "agent.role == 'implementer' AND action.type == 'file_write'",
            "applies_to": { "agents": ["implementer-*"], "tasks": "*", "tools": ["Write", "Edit"] },
        },
        "validation": {
            "check": "action.target_file does not match '**/test_*' AND '**/*_test.*'",
            "action_on_fail": "block",
        },
        "bypass": { "allowed": true, "requires_approval": "architect", "audit_required": true },
    }])
}

#[test]
fn implementers_leave_tests_alone() {
    let writes = |path: &str| file(Access::Write, path);
    check(&example(), &by("implementer", writes("src/test_lib.py")), "block custom-scope-001");
    check(&example(), &by("implementer", writes("src/deep/lib_test.go")), "block custom-scope-001");
    check(&example(), &by("implementer", writes("src/lib.py")), "allow");
    check(&example(), &by("architect", writes("src/test_lib.py")), "allow");
    check(&example(), &writes("src/test_lib.py"), "allow");
    check(&example(), &by("implementer", file(Access::Read, "src/test_lib.py")), "allow");
    // It names the tools it is about; the shell is none of them.
    check(&example(), &by("implementer", shell("echo x > src/test_lib.py")), "allow");
    let mut named = writes("src/test_lib.py");
    named.call.agent = "implementer-7".to_owned();
    check(&example(), &named, "allow");
    named.call.role = Some("implementer".to_owned());
    check(&example(), &named, "block custom-scope-001");
}

#[test]
fn without_tools_every_way_to_a_file_counts() {
    let rails = json!([guardrail(
        "custom-scope-002",
        "action.type in ['file_write', 'file_delete']",
        "action.target does not match 'tests/**'",
        "block"
    )]);
    check(&rails, &shell("echo x > tests/a"), "block custom-scope-002");
    check(&rails, &shell("cd tests && sed -i s/a/b/ a.rs"), "block custom-scope-002");
    check(&rails, &shell("rm -f tests/a"), "block custom-scope-002");
    check(&rails, &file(Access::Write, "src/../tests/a"), "block custom-scope-002");
    check(&rails, &shell("cat tests/a > out"), "allow");
    // What cannot be told is asked.
    check(&rails, &shell("echo x > \"$F\""), "ask custom-scope-002");
    check(&rails, &shell("rm -f src/*.o"), "allow");
}

#[test]
fn commands_hosts_and_other_tools_are_actions() {
    let only = |condition: &str| json!([guardrail("custom-safety-001", condition, "false", "block")]);
    let block = "block custom-safety-001";
    check(&only("action.program == 'make'"), &shell("ls; make all"), block);
    check(&only("action.program == 'make'"), &shell("echo make"), "allow");
    check(&only("action.command matches '^git push'"), &shell("git   'push' origin"), block);
    check(
        &only("action.type == 'network' AND action.target contains 'example.com'"),
        &shell("curl https://example.com/x"),
        block,
    );
    let fetch = call("WebFetch", Kind::Fetch { url: "https://example.com/x".to_owned() }, json!({}));
    check(&only("action.type == 'network'"), &fetch, block);
    let mcp = Kind::Mcp { server: "ci".to_owned(), tool: "deploy".to_owned() };
    check(&only("action.type == 'mcp'"), &call("mcp__ci__deploy", mcp, json!({})), block);
    check(&only("action.type == 'handoff'"), &call("Task", Kind::Handoff, json!({})), block);
    check(&only("action.type == 'tool'"), &call("Todo", Kind::Other, json!({})), block);
    check(&only("action.type == 'handoff'"), &shell("ls"), "allow");
}

#[test]
fn what_happens_is_what_is_written() {
    let rail =
        |action: &str| json!([guardrail("custom-quality-001", "true", "action.program != 'ls'", action)]);
    for (action, expected) in [("block", "block"), ("warn", "warn"), ("ask", "ask"), ("log", "allow")] {
        check(&rail(action), &shell("ls"), &format!("{expected} custom-quality-001"));
        check(&rail(action), &shell("cat a"), "allow");
    }
    let logged = decide(&policy(&rail("log")), &shell("ls"));
    assert_eq!(logged.findings[0].outcome, Outcome::Log);
    let mut off = rail("block");
    off[0]["enabled"] = json!(false);
    check(&off, &shell("ls"), "allow");
    let mut stop = rail("block");
    stop[0]["type"] = json!("stop");
    check(&stop, &shell("ls"), "allow");
    stop[0]["validation"]["check"] = json!("session.calls > 3");
    let mut event = call("stop", Kind::Stop, json!({}));
    event.kind = EventKind::Stop;
    check(&stop, &event, "block custom-quality-001");
}

fn session(id: &str, warned: u64, calls: u64) -> Session {
    let mark = Mark { count: warned, seq: 1, call: 1, time_ms: 1 };
    Session { calls, marks: [(warned_mark(id), mark)].into(), ..Session::new("s") }
}

#[test]
fn the_third_warning_asks() {
    let policy = policy(&json!([guardrail("custom-quality-001", "true", "false", "warn")]));
    assert!(policy.asks(&shell("ls").call, &Facts::default()).contains(&warned_mark("custom-quality-001")));
    let verdict =
        |warned| decide_in(&policy, &shell("ls"), &session("custom-quality-001", warned, 0)).verdict;
    assert_eq!([0, 1, 2, 3].map(verdict), [Verdict::Warn, Verdict::Warn, Verdict::Ask, Verdict::Ask]);
}

#[test]
fn a_session_is_counted() {
    let mut rails = json!([guardrail("custom-budget-001", "true", "session.calls < threshold", "ask")]);
    rails[0]["validation"]["threshold"] = json!(10);
    let policy = policy(&rails);
    let verdict = |calls| decide_in(&policy, &shell("ls"), &session("x", 0, calls)).verdict;
    assert_eq!([9, 10].map(verdict), [Verdict::Allow, Verdict::Ask]);
}

/// S2-29: priority, then category; S2-30: a block ends the pass, nothing else does.
#[test]
fn they_stand_in_the_chain() {
    let mut rails = json!([
        guardrail("c", "true", "false", "warn"),
        guardrail("b", "true", "false", "log"),
        guardrail("a", "true", "false", "ask"),
        guardrail("d", "true", "false", "block"),
        guardrail("e", "true", "false", "block"),
    ]);
    rails[0]["category"] = json!("scope");
    rails[1]["category"] = json!("compliance");
    rails[2]["priority"] = json!(105);
    rails[3]["category"] = json!("quality");
    rails[4]["priority"] = json!(120);
    check(&rails, &shell("ls"), "block a,b,c,d");
}

/// A project's word about roles does not talk its agent out of a person's guardrail.
#[test]
fn roles_come_from_the_own_layer_or_above() {
    let rails = json!({ "guardrails": [guardrail("custom-scope-001", "agent.role != 'architect'", "false", "block")] });
    let roles = json!({ "agents": { "main": { "role": "architect" } } });
    let verdict = |rails_in: Layer, roles_in: Layer| {
        let mut layers = vec![layer(rails_in, "rails.yaml", &rails), layer(roles_in, "roles.yaml", &roles)];
        layers.sort_by_key(|layer| layer.layer);
        decide(&compile(&merge(&layers)).unwrap(), &shell("ls")).verdict
    };
    assert_eq!(verdict(Layer::User, Layer::Project), Verdict::Block);
    assert_eq!(verdict(Layer::User, Layer::User), Verdict::Allow);
    assert_eq!(verdict(Layer::Project, Layer::User), Verdict::Allow);
    assert_eq!(verdict(Layer::Project, Layer::Project), Verdict::Allow);
}

#[track_caller]
fn refuses(change: impl Fn(&mut Value), needle: &str, said: &str) {
    let mut rails = example();
    change(&mut rails[0]);
    let text = json!({ "guardrails": rails, "rules": [{ "id": "a-rule", "kind": "warn", "match": { "regex": "x" }, "reason": "r" }] });
    let faults = compile(&merge(&[layer(Layer::Project, "test.yaml", &text)])).unwrap_err();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].1.needle, needle, "{faults:?}");
    assert!(format!("{} – {}", faults[0].1.message, faults[0].1.cure).contains(said), "{faults:?}");
}

#[test]
fn what_is_wrong_is_a_fault() {
    refuses(|rail| rail["priority"] = json!(99), "99", "100 or more");
    refuses(|rail| rail["id"] = json!("Custom 1"), "Custom 1", "not a valid id");
    refuses(|rail| rail["id"] = json!("builtin-003"), "builtin-003", "built-in guard");
    refuses(|rail| rail["id"] = json!("gate-canary"), "gate-canary", "built-in guard");
    refuses(|rail| rail["id"] = json!("a-rule"), "a-rule", "the rule at");
    refuses(|rail| rail["bypass"]["audit_required"] = json!(false), "audit_required", "always audited");
    refuses(|rail| rail["condition"]["applies_to"]["tools"] = json!([]), "tools", "applies to nothing");
    refuses(|rail| rail["condition"]["applies_to"]["tools"] = json!("a["), "a[", "invalid pattern");
    refuses(|rail| rail["validation"]["threshold"] = json!(3), "threshold", "does not use");
    refuses(
        |rail| rail["condition"]["expression"] = json!("agent.rol == 'x'"),
        "agent.rol",
        "known: agent.role",
    );
    refuses(
        |rail| rail["validation"]["check"] = json!("session.calls < threshold"),
        "threshold",
        "no threshold",
    );
    refuses(|rail| rail["validation"]["check"] = json!("action.target does not exist"), "does", "comparison");
    // One that is off is read as well.
    refuses(
        |rail| {
            rail["enabled"] = json!(false);
            rail["validation"]["check"] = json!("");
        },
        "",
        "expected a field",
    );
}

/// Some guardrail, some call.
fn any_guardrail() -> impl Strategy<Value = Value> {
    let condition = prop::sample::select(vec![
        "true",
        "agent.role == 'main'",
        "action.type == 'command'",
        "action.type in ['file_write', 'file_delete']",
        "NOT action.program == 'ls'",
    ]);
    let check = prop::sample::select(vec![
        "false",
        "true",
        "action.target does not match 'src/**' AND '*.md'",
        "action.command contains 'x' OR session.calls > 2",
        "action.program not in ['rm', 'git']",
    ]);
    let action = prop::sample::select(vec!["block", "warn", "ask", "log"]);
    let place =
        (100_u32..104, prop::sample::select(vec!["safety", "compliance", "budget", "scope", "quality"]));
    (0_u32..40, condition, check, action, place).prop_map(
        |(id, condition, check, action, (priority, category))| {
            let mut rail = guardrail(&format!("custom-{category}-{id}"), condition, check, action);
            rail["priority"] = json!(priority);
            rail["category"] = json!(category);
            rail
        },
    )
}

fn any_call() -> impl Strategy<Value = Event> {
    prop::sample::select(vec![
        "ls",
        "rm -f src/a",
        "echo x > notes.md",
        "git push",
        "git commit -m x",
        "cat $F > $G",
        "make -C x",
        "sed -i s/a/b/ src/*.rs",
        "curl example.com",
        "(",
    ])
    .prop_map(shell)
}

/// Rules of every kind beside them, also one that rewrites and one that approves.
fn with_rules(guardrails: &[Value]) -> Policy {
    let rules = json!([
        { "id": "ok", "kind": "approve", "match": { "command": { "program": "ls" } }, "reason": "r" },
        { "id": "quiet", "kind": "rewrite", "match": { "command": { "program": "make" } }, "change": { "add_flags": ["-s"] }, "reason": "r" },
        { "id": "tell", "kind": "warn", "match": { "command": { "program": "git" } }, "reason": "r" },
    ]);
    let text = json!({ "guardrails": guardrails, "rules": rules });
    compile(&merge(&[layer(Layer::User, "test.yaml", &text)])).unwrap()
}

proptest! {
    /// C-02: the strictest wins, so one more guardrail never loosens anything.
    #[test]
    fn one_more_guardrail_never_loosens(rails in prop::collection::vec(any_guardrail(), 0..5), more in any_guardrail(), event in any_call()) {
        let before = decide(&with_rules(&rails), &event);
        let all: Vec<Value> = rails.iter().cloned().chain([more]).collect();
        let after = decide(&with_rules(&all), &event);
        prop_assert!(after.verdict >= before.verdict);
        prop_assert!(!after.is_approved() || before.is_approved());
    }

    /// C-07: the order decides who speaks before a block, never the verdict.
    #[test]
    fn the_order_does_not_change_the_verdict(rails in prop::collection::vec(any_guardrail(), 0..6), event in any_call(), seed in 0_u32..100) {
        let mut turned: Vec<Value> = rails.iter().rev().cloned().collect();
        for (at, rail) in (0_u32..).zip(&mut turned) {
            rail["priority"] = json!(100 + (at * 7 + seed) % 5);
        }
        let (one, other) = (decide(&with_rules(&rails), &event), decide(&with_rules(&turned), &event));
        prop_assert_eq!(one.verdict, other.verdict);
        if one.verdict != Verdict::Block {
            let names = |decision: &toolgate_core::Decision| {
                let mut names: Vec<String> = decision.findings.iter().map(|finding| finding.guard.clone()).collect();
                names.sort();
                names
            };
            prop_assert_eq!(names(&one), names(&other));
        }
    }
}
