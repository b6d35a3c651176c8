//! What is around a call: who, where, when, what came before; waiting; messages and headers however they are given.

use crate::stage::{call, check, places, policy, shell, summary};
use serde_json::{Value, json};
use toolgate_core::{Access, Call, Disk, Event, Facts, Kind, Pass, Policy, Session, Verdict, judge};

/// Judged with what the machine says.
fn with(policy: &Policy, event: &Event, session: &Session, now_ms: i64, disk: Disk<'_>) -> String {
    let places = places();
    let facts_of = |call: &Call| Facts::of(call, &places);
    let pass = Pass { facts_of: &facts_of, disk, now_ms, clock_us: &|| 0, suspended: &[] };
    summary(event, &judge(policy, event, session, &places, &pass))
}

fn rule(extra: &Value) -> Policy {
    let mut rule = json!({ "id": "r", "kind": "block", "match": { "tool": "*" }, "reason": "so" });
    for (name, value) in extra.as_object().unwrap() {
        rule[name] = value.clone();
    }
    policy(&json!([rule]))
}

fn session() -> Session {
    Session::new("s")
}

#[test]
fn a_rule_is_about_some_agents() {
    let main = rule(&json!({ "when": { "agent": "main" } }));
    check(&main, &shell("ls"), "block r");
    let mut other = shell("ls");
    other.call.agent = "a-1".to_owned();
    other.call.role = Some("reviewer".to_owned());
    check(&main, &other, "allow");
    check(&rule(&json!({ "when": { "agent": "review*" } })), &other, "block r");
    check(&rule(&json!({ "unless": { "agent": "reviewer" } })), &other, "allow");
    check(&rule(&json!({ "unless": { "agent": "reviewer" } })), &shell("ls"), "block r");
    check(&rule(&json!({ "when": { "session": "s" } })), &shell("ls"), "block r");
    check(&rule(&json!({ "when": { "session": "t*" } })), &shell("ls"), "allow");
    check(&rule(&json!({ "when": { "task": "T-*" } })), &shell("ls"), "allow");
    let mut tasked = shell("ls");
    tasked.call.task = Some("T-12".to_owned());
    check(&rule(&json!({ "when": { "task": "T-*" } })), &tasked, "block r");
}

#[test]
fn a_rule_is_about_some_branches() {
    let on_main = rule(
        &json!({ "match": { "command": { "program": "git", "subcommand": "commit" } }, "when": { "branch": ["main", "release/*"] } }),
    );
    let branch = |name: &'static str| move |_: &str| Some(name.to_owned());
    let judged = |command: &str, name: &'static str| {
        with(&on_main, &shell(command), &session(), 0, Disk { branch: &branch(name), ..Disk::BLIND })
    };
    assert_eq!(judged("git commit -m x", "main"), "block r");
    assert_eq!(judged("git commit -m x", "release/1"), "block r");
    assert_eq!(judged("git commit -m x", "feature"), "allow");
    assert_eq!(judged("git commit -m x", ""), "allow");
    // What the same text changes to counts.
    assert_eq!(judged("git checkout -b feature && git commit -m x", "main"), "allow");
    assert_eq!(judged("git switch main && git commit -m x", "feature"), "block r");
    assert_eq!(judged("git checkout main && git commit -m x", "feature"), "block r");
    assert_eq!(judged("git checkout a.rs && git commit -m x", "main"), "block r");
    assert_eq!(
        judged("git switch \"$B\" && git commit -m x", "feature"),
        "block r",
        "which one cannot be told"
    );
    // Another folder has its own.
    let by_folder = |folder: &str| Some(if folder == "/project/sub" { "main" } else { "x" }.to_owned());
    let disk = Disk { branch: &by_folder, ..Disk::BLIND };
    assert_eq!(with(&on_main, &shell("cd sub && git commit -m x"), &session(), 0, disk), "block r");
    assert_eq!(with(&on_main, &shell("git commit -m x"), &session(), 0, disk), "allow");
}

/// What cannot be told is the strict side: for a yes, no.
#[test]
fn an_unknown_branch_is_the_strict_side() {
    check(&rule(&json!({ "when": { "branch": "main" } })), &shell("ls"), "block r");
    check(&rule(&json!({ "unless": { "branch": "feature/*" } })), &shell("ls"), "block r");
    check(&rule(&json!({ "kind": "approve", "when": { "branch": "feature/*" } })), &shell("ls"), "allow");
}

#[test]
fn a_rule_is_about_some_hours_and_days() {
    // 2026-11-15 was a Sunday; 22:30 UTC.
    let sunday = 1_794_781_800_000;
    let judged = |when: Value, offset: i32| {
        let offset_minutes = || Some(offset);
        let disk = Disk { offset_minutes: &offset_minutes, ..Disk::BLIND };
        with(&rule(&json!({ "when": when })), &shell("ls"), &session(), sunday, disk)
    };
    assert_eq!(judged(json!({ "hours": "22:00-06:00" }), 0), "block r");
    assert_eq!(judged(json!({ "hours": "09:00-17:30" }), 0), "allow");
    assert_eq!(judged(json!({ "hours": "22:00-22:30" }), 0), "allow", "the end does not count");
    assert_eq!(judged(json!({ "hours": "00:00-02:00" }), 120), "block r", "two hours ahead");
    assert_eq!(judged(json!({ "days": ["sat", "sun"] }), 0), "block r");
    assert_eq!(judged(json!({ "days": "mon" }), 0), "allow");
    assert_eq!(judged(json!({ "days": "mon", "hours": "00:00-01:00" }), 120), "block r");
    check(&rule(&json!({ "when": { "hours": "09:00-10:00" } })), &shell("ls"), "block r");
}

#[test]
fn a_rule_is_about_what_a_session_did() {
    let mut done = session();
    done.ran.push("cargo test".to_owned());
    done.calls = 7;
    let judged = |when: Value, session: &Session| {
        with(&rule(&json!({ "when": when })), &shell("ls"), session, 0, Disk::BLIND)
    };
    assert_eq!(judged(json!({ "ran": "cargo test" }), &done), "block r");
    assert_eq!(judged(json!({ "ran": "cargo test" }), &session()), "allow");
    assert_eq!(judged(json!({ "calls": 7 }), &done), "block r");
    assert_eq!(judged(json!({ "calls": 8 }), &done), "allow");
    done.failures.push(toolgate_core::Failure {
        message: "ECONNREFUSED".to_owned(),
        call: 7,
        ..Default::default()
    });
    assert_eq!(judged(json!({ "failed": "(?i)econnrefused" }), &done), "block r");
    assert_eq!(judged(json!({ "failed": "EACCES" }), &done), "allow");
}

/// S1-38: what came before, and how long ago.
#[test]
fn a_sequence_is_noticed() {
    let policy = policy(&json!([{
        "id": "then-push", "kind": "ask", "then": { "command": { "program": "git", "subcommand": "push" } },
        "after": [{ "match": { "files": { "access": "write", "path": "deploy/**" } }, "within": 2 }], "reason": "so",
    }]));
    let mut session = session();
    let step = |session: Session, command: &str, expected: &str| {
        let event = shell(command);
        let places = places();
        let facts_of = |call: &Call| Facts::of(call, &places);
        let pass =
            Pass { facts_of: &facts_of, disk: Disk::BLIND, now_ms: 0, clock_us: &|| 0, suspended: &[] };
        let decision = judge(&policy, &event, &session, &places, &pass);
        assert_eq!(summary(&event, &decision), expected, "{command}");
        session.with_call(&decision)
    };
    session = step(session, "git push", "allow");
    session = step(session, "echo x > deploy/a.yml", "allow then-push.after-0");
    session = step(session, "ls", "allow");
    session = step(session, "git push", "ask then-push");
    session = step(session, "git push", "allow");
    // One call that does both is for rules about one call.
    session = step(session, "echo x > deploy/b.yml && git push", "allow then-push.after-0");
    step(session, "git push", "ask then-push");
    assert_eq!(policy.entries().len(), 1, "what is noted is no rule people see");
}

#[test]
fn labels_are_earned_and_asked_for() {
    let policy = policy(&json!([
        { "id": "web", "kind": "label", "label": "untrusted", "match": { "tool": "WebFetch" }, "reason": "so" },
        { "id": "both", "kind": "ask", "match": { "effect": "sends-data" }, "after": [{ "label": "untrusted" }, { "label": ["secret", "key"] }], "reason": "so" },
    ]));
    let fetch =
        call("WebFetch", Kind::Fetch { url: "https://a.b".to_owned() }, json!({ "url": "https://a.b" }));
    check(&policy, &fetch, "allow web");
    let send = shell("curl -d x https://a.b");
    let with_labels = |labels: &[&str]| {
        let labels = labels.iter().map(|label| ((*label).to_owned(), 0)).collect();
        with(&policy, &send, &Session { labels, ..session() }, 0, Disk::BLIND)
    };
    assert_eq!(with_labels(&[]), "allow");
    assert_eq!(with_labels(&["untrusted"]), "allow");
    assert_eq!(with_labels(&["secret"]), "allow");
    assert_eq!(with_labels(&["untrusted", "key"]), "ask both");
}

/// C-13: a time, a condition, a longest wait, another answer.
#[test]
fn a_call_waits() {
    let policy = rule(
        &json!({ "kind": "delay", "delay": { "seconds": 60, "file": "ready", "max_seconds": 300, "otherwise": "ask" } }),
    );
    let event = shell("deploy");
    let digest = event.call.arguments_digest();
    let judged = |since: Option<i64>, now: i64, there: bool| {
        let waiting = since.map(|since| (digest.clone(), since)).into_iter().collect();
        let is_there = |_: &str| Some(there);
        let disk = Disk { is_there: &is_there, ..Disk::BLIND };
        with(&policy, &event, &Session { waiting, ..session() }, now, disk)
    };
    assert_eq!(judged(None, 1_000_000, true), "delay r");
    assert_eq!(judged(Some(1_000_000), 1_059_000, true), "delay r");
    assert_eq!(judged(Some(1_000_000), 1_060_000, true), "allow");
    assert_eq!(judged(Some(1_000_000), 1_100_000, false), "delay r", "the file is not there");
    assert_eq!(judged(Some(1_000_000), 1_300_000, false), "ask r", "in vain");
    assert_eq!(judged(Some(1_000_000), 9_300_000, true), "allow", "late, but there");
}

#[test]
fn a_message_is_read_however_it_is_given() {
    let policy = policy(&json!([{
        "id": "task", "kind": "require", "match": { "command": { "program": "git", "subcommand": "commit" } },
        "require": { "message": "[A-Z]+-[0-9]+" }, "reason": "so",
    }]));
    let text = |path: &str| match path {
        "/project/good.txt" => Some("fix\n\nABC-12\n".to_owned()),
        "/project/bad.txt" => Some("fix\n".to_owned()),
        _ => None,
    };
    let judged =
        |command: &str| with(&policy, &shell(command), &session(), 0, Disk { text: &text, ..Disk::BLIND });
    for good in [
        "git commit -m 'fix ABC-12'",
        "git commit -am 'fix' -m 'ABC-12'",
        "git commit --message='ABC-12'",
        "git commit -F good.txt",
        "git commit --file=good.txt",
        "git commit -F - <<'EOF'\nfix\n\nABC-12\nEOF",
        "git commit -F - <<< 'ABC-12'",
        "git commit -F - < good.txt",
        "echo 'fix ABC-12' | git commit -F -",
        "cat good.txt | git commit -F -",
        "cat > msg <<EOF\nfix ABC-12\nEOF\ngit commit -F msg",
        "echo ABC-12 > msg && git commit -F msg",
        "git commit -m \"$(cat <<'EOF'\nfix\n\nABC-12\nEOF\n)\"",
        "cd sub && git commit -F ../good.txt",
    ] {
        assert_eq!(judged(good), "allow", "{good}");
    }
    for bad in [
        "git commit -m fix",
        "git commit",
        "git commit -F bad.txt",
        "git commit -F none.txt",
        "git commit -F - <<EOF\nfix\nEOF",
        "echo fix | git commit -F -",
        "echo fix > good.txt && git commit -F good.txt",
        "git commit -F \"$FILE\"",
        "echo ABC-12; git commit -m fix",
    ] {
        assert_eq!(judged(bad), "block task", "{bad}");
    }
}

#[test]
fn headers_are_required() {
    let rate = policy(&json!([
        { "id": "rate", "kind": "require", "match": { "command": { "program": ["curl", "wget", "http"] } }, "require": { "headers": ["X-Rate-Limit", "X-Task"] }, "reason": "so" },
        { "id": "rate-tool", "kind": "require", "match": { "tool": "mcp__api__*" }, "require": { "headers": "X-Rate-Limit" }, "reason": "so" },
    ]));
    for (command, expected) in [
        ("curl -H 'X-Rate-Limit: 10' --header 'x-task: T-1' https://api.a.b", "allow"),
        ("curl -H 'X-Rate-Limit: 10' https://api.a.b", "block rate"),
        ("curl -H 'X-Rate-Limit:' -H 'X-Task: 1' https://api.a.b", "block rate"),
        ("wget --header='X-Rate-Limit: 10' --header='X-Task: 1' https://api.a.b", "allow"),
        ("http api.a.b/x X-Rate-Limit:10 X-Task:1", "allow"),
        ("echo curl", "allow"),
    ] {
        check(&rate, &shell(command), expected);
    }
    let kind = || Kind::Mcp { server: "api".to_owned(), tool: "get".to_owned() };
    let ask = |input: Value| call("mcp__api__get", kind(), input);
    check(&rate, &ask(json!({ "headers": { "x-rate-limit": "10" } })), "allow");
    check(&rate, &ask(json!({ "headers": ["X-Rate-Limit: 10"] })), "allow");
    check(&rate, &ask(json!({ "headers": {} })), "block rate-tool");
    check(&rate, &ask(json!({})), "block rate-tool");
}

#[test]
fn what_cannot_be_meant_is_a_fault() {
    let faulty = |extra: Value| {
        let mut rule = json!({ "id": "r", "kind": "warn", "match": { "tool": "*" }, "reason": "so" });
        for (name, value) in extra.as_object().unwrap() {
            rule[name] = value.clone();
        }
        let layer = crate::stage::layer(toolgate_core::Layer::User, "x.yaml", &json!({ "rules": [rule] }));
        toolgate_core::compile(&toolgate_core::merge(&[layer]))
            .err()
            .map(|faults| faults[0].1.message.clone())
    };
    for (extra, expected) in [
        (json!({ "when": { "hours": "9 to 5" } }), "is not a time range"),
        (json!({ "when": { "days": "monday" } }), "is not a day"),
        (json!({ "when": { "ran": "(" } }), "invalid regular expression"),
        (json!({ "after": [{}] }), "`after` has no condition"),
        (json!({ "after": [{ "label": "x", "within": 0 }] }), "`within` must be at least 1"),
        (json!({ "after": [{ "match": { "regex": "(" } }] }), "invalid regular expression"),
        (json!({ "kind": "delay" }), "needs `delay:`"),
        (json!({ "kind": "delay", "delay": {} }), "`delay` does not say what to wait for"),
        (json!({ "kind": "label" }), "needs `label:`"),
        (json!({ "kind": "label", "label": "Two Words" }), "not a valid label"),
        (json!({ "label": "x" }), "only a `label` rule"),
        (json!({ "delay": { "seconds": 1 } }), "only a `delay` rule"),
    ] {
        let said = faulty(extra.clone());
        assert!(said.as_ref().is_some_and(|said| said.contains(expected)), "{extra}: {said:?}");
    }
    assert_eq!(faulty(json!({ "when": { "hours": "22:00-06:00", "days": ["sat", "sun"] } })), None);
}

/// A rule that asks for copies says so; whoever runs the call makes them.
#[test]
fn a_backup_is_asked_for() {
    let policy = policy(&json!([{
        "id": "keep", "kind": "require", "match": { "files": { "access": ["write", "delete"], "path": "*.db" } },
        "require": { "backup": true }, "reason": "so",
    }]));
    check(&policy, &crate::stage::file(Access::Write, "a.db"), "allow keep");
    check(&policy, &shell("rm a.db"), "allow keep");
    check(&policy, &shell("rm a.txt"), "allow");
    let decision = crate::stage::decide(&policy, &shell("rm a.db"));
    assert_eq!(decision.verdict, Verdict::Allow);
    assert_eq!(decision.decisive().count(), 0, "nobody objects");
}
