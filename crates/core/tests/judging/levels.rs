//! Risk levels (S2-50 to S2-53, C-16) and what a shrinking budget does (S2-54 to S2-57, C-17).

use crate::stage::{call, decide, decide_in, file, layer, shell, summary};
use serde_json::{Value, json};
use toolgate_core::{Access, Autonomy, EventKind, Kind, Layer, Policy, Session, agent_text, compile, merge};

fn policy(said: &Value) -> Policy {
    compile(&merge(&[layer(Layer::User, "test.yaml", said)])).unwrap()
}

#[track_caller]
fn check(said: &Value, command: &str, expected: &str) {
    let event = shell(command);
    assert_eq!(summary(&event, &decide(&policy(said), &event)), expected, "{said} {command}");
}

#[test]
fn a_risk_level_brings_its_guardrails() {
    let commit = "git commit -m x";
    for (risk, destroys, outside, commits) in [
        ("low", "block safety-001", "allow", "allow"),
        ("medium", "block safety-001", "block safety-004", "ask compliance-003"),
        ("high", "block safety-001", "block safety-004", "ask compliance-003"),
        ("critical", "block safety-001", "block safety-004", "ask compliance-003,risk-critical"),
    ] {
        for said in [json!({ "risk": risk }), json!({ "agents": { "main": { "risk": risk } } })] {
            check(&said, "rm -rf src", destroys);
            check(&said, "touch /etc/x", outside);
            check(&said, commit, commits);
        }
    }
    check(&json!({ "risk": "low", "category_guardrails": { "literal": true } }), "rm -rf src", "allow");
    check(
        &json!({ "risk": "high", "category_guardrails": { "safety-001": { "on": false } } }),
        "rm -rf src",
        "allow",
    );
    // The highest of all layers counts.
    let user = layer(Layer::User, "user.yaml", &json!({ "risk": "high" }));
    let own = layer(Layer::Project, "own.yaml", &json!({ "risk": "low" }));
    let both = compile(&merge(&[user, own])).unwrap();
    let event = shell("touch /etc/x");
    assert_eq!(summary(&event, &decide(&both, &event)), "block safety-004");
}

#[test]
fn at_the_highest_level_a_person_sees_every_action() {
    let critical = policy(&json!({ "risk": "critical" }));
    let read = file(Access::Read, "a");
    assert_eq!(summary(&read, &decide(&critical, &read)), "allow");
    let tool = call("Other", Kind::Other, json!({}));
    assert_eq!(summary(&tool, &decide(&critical, &tool)), "ask risk-critical");
    let literal = policy(&json!({ "risk": "critical", "category_guardrails": { "literal": true } }));
    assert_eq!(summary(&read, &decide(&literal, &read)), "ask risk-critical");
}

fn guardrail(action: Option<&str>) -> Value {
    let mut own = json!({ "id": "custom-x-001", "type": "pre_execution", "condition": { "expression": "action.program == 'make'" }, "validation": { "check": "false" } });
    if let Some(action) = action {
        own["validation"]["action_on_fail"] = json!(action);
    }
    own
}

#[test]
fn a_guardrail_that_says_nothing_does_what_the_risk_level_says() {
    for (risk, expected) in [
        (None, "block"),
        (Some("low"), "warn"),
        (Some("medium"), "ask"),
        (Some("high"), "block"),
        (Some("critical"), "block"),
    ] {
        let mut said = json!({ "guardrails": [guardrail(None)] });
        if let Some(risk) = risk {
            said["risk"] = json!(risk);
        }
        let decision = decide(&policy(&said), &shell("make"));
        assert_eq!(decision.verdict.name(), expected, "{risk:?}");
        said["guardrails"] = json!([guardrail(Some("ask"))]);
        let decision = decide(&policy(&said), &shell("make"));
        assert_eq!(decision.findings[0].outcome.verdict().name(), "ask", "an explicit action wins: {risk:?}");
    }
    // A project cannot lower what a person's guardrail does.
    let user = layer(Layer::User, "user.yaml", &json!({ "guardrails": [guardrail(None)] }));
    let own =
        layer(Layer::Project, "own.yaml", &json!({ "risk": "low", "agents": { "main": { "risk": "low" } } }));
    let both = compile(&merge(&[user, own])).unwrap();
    assert_eq!(decide(&both, &shell("make")).verdict.name(), "block");
}

fn used(calls: u64) -> Session {
    Session { calls, ..Session::new("s") }
}

#[test]
fn with_little_left_a_warning_is_a_no() {
    let said = json!({ "agents": { "main": { "budget": { "calls": 100 } } }, "guardrails": [guardrail(Some("warn")), { "id": "custom-x-002", "type": "stop", "validation": { "check": "false", "action_on_fail": "warn" } }] });
    let policy = policy(&said);
    for (calls, mode, verdict) in [
        (0, Autonomy::Standard, "warn"),
        (49, Autonomy::Standard, "warn"),
        (50, Autonomy::Strict, "warn"),
        (80, Autonomy::Strict, "warn"),
        (81, Autonomy::Lockdown, "block"),
        (99, Autonomy::Lockdown, "block"),
        (100, Autonomy::Halt, "block"),
    ] {
        let decision = decide_in(&policy, &shell("make"), &used(calls));
        assert_eq!((decision.autonomy.unwrap().0, decision.verdict.name()), (mode, verdict), "{calls}");
        let told = agent_text(&decision);
        let says = told.contains(&format!("{} mode: {} % of the budget left", mode.name(), 100 - calls));
        assert_eq!(says, mode > Autonomy::Standard, "{told}");
        let mut stop = call("Stop", Kind::Stop, json!({}));
        stop.kind = EventKind::Stop;
        assert_eq!(
            decide_in(&policy, &stop, &used(calls)).verdict.name(),
            "warn",
            "stopping is never forbidden for it"
        );
        // What no guard warns about goes on until the end.
        let other = decide_in(&policy, &shell("ls"), &used(calls)).verdict.name();
        assert_eq!(other, if calls == 100 { "block" } else { "allow" }, "{calls}");
    }
}

/// C-17: between 80 and 95 per cent of the tokens the built-in budget warns, and the call runs.
#[test]
fn the_built_in_budgets_are_not_promoted() {
    let policy = policy(
        &json!({ "agents": { "main": { "budget": { "tokens": 1000 } } }, "category_guardrails": { "on": "budget-001" } }),
    );
    for (tokens, expected) in [
        (700, "allow"),
        (720, "warn budget-001"),
        (850, "warn builtin-001,budget-001"),
        (940, "warn builtin-001,budget-001"),
        (950, "ask builtin-001,budget-001"),
        (1000, "block builtin-001"),
    ] {
        let mut session = Session::new("s");
        session.spent.tokens = tokens;
        let event = shell("ls");
        assert_eq!(summary(&event, &decide_in(&policy, &event, &session)), expected, "{tokens}");
    }
}

#[test]
fn thresholds_are_tightened_by_a_fifth_and_block_never() {
    let own = |action: &str, check: &str| json!({ "agents": { "main": { "budget": { "calls": 100 } } }, "guardrails": [{ "id": "custom-x-001", "type": "pre_execution", "validation": { "check": check, "threshold": 100, "action_on_fail": action } }] });
    let verdict = |said: &Value, calls: u64, lines: u64| {
        let mut session = used(calls);
        session.spent.lines = lines;
        decide_in(&policy(said), &shell("ls"), &session).verdict.name()
    };
    let warns = own("warn", "session.spent.lines < threshold");
    assert_eq!((verdict(&warns, 0, 99), verdict(&warns, 0, 100)), ("allow", "warn"));
    assert_eq!((verdict(&warns, 60, 79), verdict(&warns, 60, 80)), ("allow", "warn"));
    let blocks = own("block", "session.spent.lines < threshold");
    assert_eq!((verdict(&blocks, 60, 99), verdict(&blocks, 60, 100)), ("allow", "block"));
    // Whichever way the threshold points, this only tightens.
    let above = own("warn", "session.spent.lines > threshold");
    assert_eq!((verdict(&above, 60, 90), verdict(&above, 60, 101)), ("warn", "allow"));
}
