//! The guardrails of S2 by category (S2-09 to S2-28): what each objects to, what it leaves alone, its parameters.

use crate::stage::{call, file, layer, places, shell, summary};
use serde_json::{Value, json};
use toolgate_core::NoticeKind;
use toolgate_core::{
    Access, Call, Decision, Disk, Event, Facts, Kind, Layer, Lock, Mark, Pass, Policy, Session, compile,
    handed_mark, judge, merge, warned_mark,
};

fn policy(said: &Value) -> Policy {
    compile(&merge(&[layer(Layer::User, "test.yaml", said)])).unwrap()
}

fn guards(said: &Value) -> Policy {
    policy(&json!({ "category_guardrails": said }))
}

/// On branch `main`, at minute 0.
fn decide_on(policy: &Policy, event: &Event, session: &Session, branch: Option<&str>) -> Decision {
    let places = places();
    let facts_of = |call: &Call| Facts::of(call, &places);
    let on = |_: &str| branch.map(str::to_owned);
    let disk = Disk { branch: &on, ..Disk::BLIND };
    judge(
        policy,
        event,
        session,
        &places,
        &Pass { facts_of: &facts_of, disk, now_ms: 0, clock_us: &|| 0, suspended: &[] },
    )
}

#[track_caller]
fn check(policy: &Policy, event: &Event, expected: &str) {
    check_in(policy, event, &Session::new("s"), expected);
}

#[track_caller]
fn check_in(policy: &Policy, event: &Event, session: &Session, expected: &str) {
    let decision = decide_on(policy, event, session, Some("main"));
    assert_eq!(summary(event, &decision), expected, "{}", event.call.title());
}

fn mark(seq: u64) -> Mark {
    Mark { count: 1, seq, call: 0, time_ms: 0 }
}

#[test]
fn nothing_is_on_unless_a_policy_says_so() {
    let none = policy(&json!({}));
    for command in ["rm -rf src", "cat .env", "git push --force origin main", "touch /etc/x"] {
        check(&none, &shell(command), "allow");
    }
    let off = guards(&json!({ "on": "safety", "safety-001": { "on": false } }));
    check(&off, &shell("rm -rf src"), "allow");
    check(&off, &shell("cat .env"), "block safety-002");
}

/// Where several layers speak, each of them holds.
#[test]
fn a_layer_cannot_turn_off_what_another_turns_on() {
    let user = layer(Layer::User, "user.yaml", &json!({ "category_guardrails": { "on": ["safety"] } }));
    let own = layer(
        Layer::Project,
        "own.yaml",
        &json!({ "category_guardrails": { "safety-001": { "on": false }, "safety-002": { "paths": ["x"] } } }),
    );
    let both = compile(&merge(&[user, own])).unwrap();
    check(&both, &shell("rm -rf src"), "block safety-001");
    check(&both, &shell("cat .env"), "block safety-002");
    check(&both, &shell("cat x"), "block safety-002");
    let agents = json!({ "agents": { "main": { "risk": "high", "autonomy": 2 } } });
    let own = json!({ "category_guardrails": { "literal": true, "safety-002": { "paths": ["x"] }, "scope-004": { "decisions": [] } } });
    let both =
        compile(&merge(&[layer(Layer::User, "user.yaml", &agents), layer(Layer::Project, "own.yaml", &own)]))
            .unwrap();
    check(&both, &shell("cat .env"), "block safety-002");
    check(&both, &shell("git push origin x"), "ask scope-004");
}

#[test]
fn safety_001_nothing_is_destroyed() {
    let on = guards(&json!({ "on": "safety-001" }));
    for command in [
        "rm -rf src",
        "cd /project && rm -r ./docs",
        "psql -c 'DROP TABLE users'",
        "git push -f origin main",
        "terraform destroy -auto-approve",
        "mkfs.ext4 /dev/sda",
    ] {
        check(&on, &shell(command), "block safety-001");
    }
    for command in [
        "rm notes.md",
        "rm -rf node_modules",
        "rm -rf target/debug/../../target",
        "rm -rf /tmp/build-1",
        "git push origin x",
        "git push --force-with-lease origin x",
        "echo 'rm -rf src'",
    ] {
        check(&on, &shell(command), "allow");
    }
    let own = guards(
        &json!({ "safety-001": { "effects": ["drops-data"], "patterns": ["^make wipe"], "action": "ask" } }),
    );
    check(&own, &shell("rm -rf src"), "allow");
    check(&own, &shell("make wipe"), "ask safety-001");
    check(&own, &shell("echo make wipe"), "allow");
    // What cannot be told is asked.
    check(&on, &shell("rm -rf \"$(pick)\""), "ask safety-001");
}

#[test]
fn safety_002_files_that_hold_secrets_are_left_alone() {
    let on = guards(&json!({ "on": "safety-002" }));
    for event in [
        shell("cat .env"),
        shell("echo A=1 >> .env.production"),
        file(Access::Read, "deploy/id_rsa"),
        shell("cp ~/.aws/../.netrc x"),
        shell("cat .en*"),
        file(Access::Write, "certs/server-key.pem"),
    ] {
        check(&on, &event, "block safety-002");
    }
    for event in [
        shell("cat .env.example"),
        file(Access::Read, "src/env.rs"),
        shell("cat id_rsa.pub"),
        file(Access::Read, "tests/fixtures/server-key.pem"),
        shell("ls"),
    ] {
        check(&on, &event, "allow");
    }
    let own = guards(&json!({ "safety-002": { "paths": ["vault/**"], "access": ["write", "delete"] } }));
    check(&own, &file(Access::Read, "vault/a"), "allow");
    check(&own, &file(Access::Write, "vault/a"), "block safety-002");
    check(&own, &shell("cat .env"), "allow");
}

#[test]
fn safety_004_changes_stay_in_the_sandbox() {
    let on = guards(&json!({ "on": "safety-004" }));
    for command in ["touch /etc/x", "cp a ~/b", "echo x > ../other/y", "rm /home/dev/notes"] {
        check(&on, &shell(command), "block safety-004");
    }
    for command in ["touch src/a", "echo x > /tmp/y", "ls > /dev/null 2>&1", "cat /etc/hosts"] {
        check(&on, &shell(command), "allow");
    }
    check(&on, &shell("touch \"$(pick)\""), "ask safety-004");
    let own = guards(&json!({ "safety-004": { "also": ["~/scratch/**"], "temp": false, "reads": true } }));
    check(&own, &shell("touch ~/scratch/a"), "allow");
    check(&own, &shell("touch /tmp/a"), "block safety-004");
    check(&own, &shell("cat /etc/hosts"), "block safety-004");
}

/// A session that changed a file at record 5 and ran these since.
fn changed(fresh: &[&str]) -> Session {
    let mut session = Session::new("s");
    session.marks.insert("changed".to_owned(), mark(5));
    session.fresh = fresh.iter().map(|line| (*line).to_owned()).collect();
    session
}

#[test]
fn quality_003_and_004_want_evidence_before_a_commit() {
    let on = guards(&json!({ "on": ["quality-003", "quality-004"] }));
    let commit = shell("git commit -m x");
    check(&on, &commit, "allow");
    check_in(&on, &commit, &changed(&[]), "ask quality-003,quality-004");
    check_in(&on, &commit, &changed(&["cargo test --workspace"]), "warn quality-004");
    check_in(&on, &commit, &changed(&["cargo test", "cargo clippy"]), "allow");
    check_in(&on, &commit, &changed(&["echo cargo test", "cargo tester", "cargo clippy"]), "ask quality-003");
    for other in ["git status", "git commit --dry-run", "git log", "echo git commit"] {
        check_in(&on, &shell(other), &changed(&[]), "allow");
    }
    let tests = guards(&json!({ "quality-003": { "ran": "make check", "before": "git push" } }));
    check_in(&tests, &commit, &changed(&[]), "allow");
    check_in(&tests, &shell("git -C /project push origin x"), &changed(&[]), "ask quality-003");
    check_in(&tests, &shell("make check && git push"), &changed(&[]), "allow");
    for evasion in [
        "make check; git push",
        "make check || git push",
        "git push && make check",
        "make check && touch a && git push",
        "make check | tee log && git push",
    ] {
        check_in(&tests, &shell(evasion), &changed(&[]), "ask quality-003");
    }
    // Evidence from before this very call changes something is stale.
    check_in(&tests, &shell("sed -i s/a/b/ src/a && git push"), &changed(&["make check"]), "ask quality-003");
}

#[test]
fn quality_003_has_the_gate_run_the_command() {
    let said = json!({ "category_guardrails": { "quality-003": { "command": "make check", "seconds": 5 } } });
    check_in(&policy(&said), &shell("git commit -m x"), &changed(&[]), "check quality-003");
    check_in(&policy(&said), &shell("git commit -m x"), &changed(&["cargo test"]), "allow");
    // A repository does not choose what the gate runs.
    let merged = merge(&[layer(Layer::Project, "own.yaml", &said)]);
    assert!(
        merged
            .notices
            .iter()
            .any(|notice| notice.kind == NoticeKind::Conflict && notice.text.contains("quality-003.command"))
    );
    check_in(&compile(&merged).unwrap(), &shell("git commit -m x"), &changed(&[]), "ask quality-003");
}

#[test]
fn compliance_001_one_writer_a_file() {
    let on = guards(&json!({ "compliance-001": { "minutes": 10 } }));
    let locked = |session: &str, agent: &str, time_ms: i64| {
        let lock = Lock {
            path: "/project/a.rs".to_owned(),
            session: session.to_owned(),
            agent: agent.to_owned(),
            time_ms,
        };
        Session { locks: vec![lock], ..Session::new("s") }
    };
    let write = file(Access::Write, "a.rs");
    let asked = on.asks_locks(&write.call, &Facts::of(&write.call, &places()), &places());
    assert_eq!(asked, ["/project/a.rs"]);
    check_in(&on, &write, &locked("other", "main", -1000), "block compliance-001");
    check_in(&on, &write, &locked("s", "a-1", -1000), "block compliance-001");
    check_in(&on, &write, &locked("s", "main", -1000), "allow");
    check_in(&on, &write, &locked("other", "main", -600_000), "allow");
    check_in(&on, &write, &locked("other", "main", 1000), "allow");
    let decision = decide_on(&on, &write, &Session::new("s"), None);
    assert_eq!(decision.locks, ["/project/a.rs"]);
    let read = file(Access::Read, "a.rs");
    assert!(decide_on(&on, &read, &Session::new("s"), None).locks.is_empty());
    assert!(
        policy(&json!({})).asks_locks(&write.call, &Facts::of(&write.call, &places()), &places()).is_empty()
    );
}

#[test]
fn compliance_002_what_is_merged_was_reviewed() {
    let on = guards(&json!({ "on": "compliance-002" }));
    let reviewed = |seq: u64| {
        let mut session = changed(&[]);
        session.marks.insert(handed_mark("reviewer"), mark(seq));
        session
    };
    for command in ["git merge feature/x", "gh pr merge 12 --squash"] {
        check_in(&on, &shell(command), &changed(&[]), "block compliance-002");
        check_in(&on, &shell(command), &reviewed(9), "allow");
        // Before the last change.
        check_in(&on, &shell(command), &reviewed(3), "block compliance-002");
    }
    check(&on, &shell("git merge --abort"), "allow");
    check(&on, &shell("gh pr view 12"), "allow");
    let merge = shell("git merge main");
    let verdict = |branch| summary(&merge, &decide_on(&on, &merge, &changed(&[]), branch));
    assert_eq!(verdict(Some("feature/x")), "allow");
    assert_eq!(verdict(Some("release/1.2")), "block compliance-002");
    assert_eq!(verdict(None), "ask compliance-002");
    let own = guards(&json!({ "compliance-002": { "reviewers": "auditor", "into": ["trunk"] } }));
    check_in(&own, &shell("git merge x"), &changed(&[]), "allow");
}

#[test]
fn compliance_003_commits_go_to_the_right_branch() {
    let on = guards(&json!({ "on": "compliance-003" }));
    let check_on = |branch: Option<&str>, command: &str, expected: &str| {
        let event = shell(command);
        assert_eq!(
            summary(&event, &decide_on(&on, &event, &Session::new("s"), branch)),
            expected,
            "{command}"
        );
    };
    for command in [
        "git commit -m x",
        "git cherry-pick abc",
        "git push",
        "git push origin HEAD:main",
        "git push origin feature:refs/heads/main",
        "git merge x",
        "git push origin HEAD",
    ] {
        check_on(Some("main"), command, "block compliance-003");
    }
    for command in [
        "git status",
        "git pull",
        "git commit --dry-run",
        "git switch -c fix/a && git commit -m x",
        "git checkout -b fix/a && git commit -m x && git push -u origin fix/a",
        "git push origin v1:refs/tags/v1",
    ] {
        check_on(Some("main"), command, "allow");
    }
    check_on(Some("fix/a"), "git commit -m x", "allow");
    check_on(Some("fix/a"), "git push origin fix/a", "allow");
    check_on(Some("fix/a"), "git push origin fix/a:main", "block compliance-003");
    check_on(Some("fix/a"), "git switch main && git commit -m x", "block compliance-003");
    check_on(None, "git commit -m x", "ask compliance-003");
    check_on(Some("fix/a"), "git push --all", "ask compliance-003");
    let own = guards(&json!({ "compliance-003": { "protected": [], "allowed": ["feature/*"] } }));
    let commit = shell("git commit -m x");
    assert_eq!(
        summary(&commit, &decide_on(&own, &commit, &Session::new("s"), Some("fix/a"))),
        "block compliance-003"
    );
    assert_eq!(summary(&commit, &decide_on(&own, &commit, &Session::new("s"), Some("feature/a"))), "allow");
}

#[test]
fn compliance_004_an_interface_changes_with_its_documentation() {
    let on = guards(&json!({ "compliance-004": { "api": ["src/api/**"] } }));
    let wrote = |paths: &[&str]| Session {
        wrote: paths.iter().map(|path| (*path).to_owned()).collect(),
        ..Session::new("s")
    };
    let commit = shell("git commit -am x");
    check_in(&on, &commit, &wrote(&["/project/src/api/users.rs"]), "warn compliance-004");
    check_in(&on, &commit, &wrote(&["/project/src/api/users.rs", "/project/docs/users.md"]), "allow");
    check_in(&on, &commit, &wrote(&["/project/src/other.rs"]), "allow");
    check_in(&on, &shell("git status"), &wrote(&["/project/src/api/users.rs"]), "allow");
    let mut third = wrote(&["/project/src/api/users.rs"]);
    third.marks.insert(warned_mark("compliance-004"), Mark { count: 2, ..mark(1) });
    check_in(&on, &commit, &third, "ask compliance-004");
}

#[test]
fn budgets_warn_and_ask_at_their_shares() {
    let spent = |tokens: u64, outward: u64| {
        let mut session = Session::new("s");
        session.spent.tokens = tokens;
        session.spent.outward = outward;
        session
    };
    let on = guards(&json!({ "budget-001": { "limit": 1000 } }));
    for (used, expected) in
        [(899, "allow"), (900, "warn budget-001"), (999, "warn budget-001"), (1000, "ask budget-001")]
    {
        check_in(&on, &shell("ls"), &spent(used, 0), expected);
    }
    let cost = guards(&json!({ "budget-004": { "cents": 100, "cents_per_million_tokens": 1000 } }));
    for (used, expected) in [(70_000, "allow"), (80_000, "warn budget-004"), (100_000, "ask budget-004")] {
        check_in(&cost, &shell("ls"), &spent(used, 0), expected);
    }
    let calls = guards(&json!({ "budget-003": { "limit": 2 } }));
    let fetch = call("WebFetch", Kind::Fetch { url: "https://a.example".to_owned() }, json!({}));
    check_in(&calls, &fetch, &spent(0, 1), "allow");
    check_in(&calls, &fetch, &spent(0, 2), "block budget-003");
    check_in(&calls, &shell("curl https://a.example"), &spent(0, 2), "block budget-003");
    check_in(&calls, &shell("ls"), &spent(0, 2), "allow");
    assert!(decide_on(&calls, &fetch, &Session::new("s"), None).outward);
    let minutes = guards(&json!({ "budget-002": { "limit": 10 } }));
    for (started, expected) in
        [(-470_000, "allow"), (-480_000, "warn budget-002"), (-600_000, "ask budget-002")]
    {
        check_in(
            &minutes,
            &shell("ls"),
            &Session { started_ms: Some(started), ..Session::new("s") },
            expected,
        );
    }
    // A log that became shorter says nothing.
    let mut lost = spent(0, 0);
    lost.spent.lost = true;
    check_in(&on, &shell("ls"), &lost, "ask budget-001");
}

#[test]
fn scope_001_an_agent_stays_with_its_task() {
    let on = guards(&json!({ "scope-001": { "paths": ["src/**"] } }));
    check(&on, &file(Access::Write, "src/a.rs"), "allow");
    check(&on, &file(Access::Write, "docs/a.md"), "warn scope-001");
    check(&on, &file(Access::Read, "docs/a.md"), "allow");
    let areas = guards(&json!({ "scope-001": { "areas": 2 } }));
    let wrote = Session {
        wrote: vec![
            "/project/src/a".to_owned(),
            "/project/docs/b".to_owned(),
            "/project/README.md".to_owned(),
        ],
        ..Session::new("s")
    };
    check_in(&areas, &file(Access::Write, "docs/c"), &wrote, "allow");
    check_in(&areas, &file(Access::Write, "Cargo.toml"), &wrote, "allow");
    check_in(&areas, &file(Access::Write, "infra/main.tf"), &wrote, "warn scope-001");
}

#[test]
fn scope_002_the_files_of_a_task() {
    let on = guards(&json!({ "scope-002": { "write": ["src/**"], "deny": ["src/vendor/**"] } }));
    check(&on, &shell("touch src/a"), "allow");
    check(&on, &shell("touch src/../b"), "block scope-002");
    check(&on, &shell("touch src/vendor/b"), "block scope-002");
    check(&on, &shell("cat b"), "allow");
}

#[test]
fn scope_003_an_agent_does_what_it_says_it_can() {
    let on = policy(&json!({ "agents": { "main": { "capabilities": ["read", "run", "commit"] } } }));
    for (event, expected) in [
        (file(Access::Read, "a"), "allow"),
        (shell("cargo test"), "allow"),
        (shell("git commit -m x"), "allow"),
        (file(Access::Write, "a"), "block scope-003"),
        (shell("rm a"), "block scope-003"),
        (shell("git push"), "block scope-003"),
        (shell("npm install left-pad"), "block scope-003"),
        (shell("curl https://a.example"), "block scope-003"),
        (call("Task", Kind::Handoff, json!({})), "block scope-003"),
        (
            call("mcp__a__b", Kind::Mcp { server: "a".to_owned(), tool: "b".to_owned() }, json!({})),
            "block scope-003",
        ),
    ] {
        check(&on, &event, expected);
    }
    check(&guards(&json!({ "on": "scope-003" })), &shell("git push"), "allow");
}

#[test]
fn scope_004_what_an_agent_may_decide_alone() {
    let level = |level: u8| policy(&json!({ "agents": { "main": { "autonomy": level } } }));
    for (event, needed) in [
        (file(Access::Read, "/etc/hosts"), 0),
        (shell("ls"), 1),
        (file(Access::Write, "src/a"), 1),
        (shell("git commit -m x"), 2),
        (shell("npm install left-pad"), 2),
        (call("Task", Kind::Handoff, json!({})), 2),
        (shell("git push origin x"), 3),
        (shell("rm -rf src"), 3),
        (shell("touch /etc/x"), 3),
        (shell("sudo ls"), 3),
    ] {
        for own in 0..=3 {
            let expected = if needed > own { "ask scope-004" } else { "allow" };
            check(&level(own), &event, expected);
        }
    }
}

#[test]
fn what_cannot_be_meant_so_is_a_fault() {
    let said = json!({
        "category_guardrails": {
            "on": ["safty"], "safety-001": { "effects": ["explodes"], "patterns": ["("] }, "safety-002": { "paths": ["a["], "access": "look" },
            "quality-003": { "command": " " }, "compliance-003": { "protected": "{" }
        },
        "agents": { "x": { "capabilities": ["fly"], "autonomy": 7 } }
    });
    let faults = compile(&merge(&[layer(Layer::User, "test.yaml", &said)])).unwrap_err();
    let needles: Vec<&str> = faults.iter().map(|(_, fault)| fault.needle.as_str()).collect();
    assert_eq!(needles, ["fly", "autonomy", "safty", "explodes", "(", "a[", "look", " ", "{"]);
    for (_, fault) in &faults {
        assert!(!fault.cure.is_empty(), "{fault:?}");
    }
}
