//! The guardrails of S2 by category, through the hook (S2-09 to S2-28), file locks between sessions, tests the gate runs
//! itself, risk levels and modes (S2-50 to S2-57), agents in files of their own.

use crate::answer::Answer;
use crate::house::{House, TICKET};
use serde_json::{Value, json};

fn event(house: &House, name: &str, tool: &str, input: &Value) -> Value {
    let mut event = house.call("true");
    event["hook_event_name"] = json!(name);
    event["tool_name"] = json!(tool);
    event["tool_input"] = input.clone();
    if name == "PostToolUse" {
        event["tool_response"] = json!({});
    }
    event
}

fn write(house: &House, name: &str, path: &str) -> Value {
    event(house, name, "Write", &json!({ "file_path": house.project().join(path), "content": "x" }))
}

fn note(house: &House, name: &str, session: &str) -> Value {
    json!({ "session_id": session, "transcript_path": "/nowhere.jsonl", "cwd": house.project(), "hook_event_name": name, "reason": "other" })
}

fn by(mut event: Value, session: &str, agent: &str) -> Value {
    event["session_id"] = json!(session);
    if agent != "main" {
        event["agent_id"] = json!(agent);
        event["agent_type"] = json!("implementer");
    }
    event
}

#[track_caller]
fn no(house: &House, event: &Value, wanted: &str) {
    match house.ask_event(event) {
        // A sentence begins with a capital letter.
        Answer::No(text) => assert!(text.to_lowercase().contains(&wanted.to_lowercase()), "{text}"),
        answer => panic!("{event}\n{answer:?}"),
    }
}

#[track_caller]
fn yes(house: &House, event: &Value) {
    let answer = house.ask_event(event);
    assert!(!answer.is_no(), "{event}\n{answer:?}");
}

#[test]
fn each_category_is_turned_on_by_name() {
    let house = House::bare(&format!(
        "{TICKET}category_guardrails: {{ on: [safety, compliance, scope], scope-002: {{ deny: [locked/**] }} }}\n"
    ));
    for (command, guard) in [
        ("rm -rf src", "safety-001"),
        ("cat .env", "safety-002"),
        ("touch /etc/x", "safety-004"),
        ("touch locked/a", "scope-002"),
        ("git merge x", "compliance-003"),
    ] {
        no(&house, &house.call(command), guard);
    }
    for command in ["ls", "rm notes.md", "touch src/a"] {
        yes(&house, &house.call(command));
    }
    let page = house.run(&["explain", "safety-001"]).ended(0).text();
    assert!(page.contains("no destructive commands") && page.contains("Allowed instead"), "{page}");
    house.run(&["test", "cat .env"]).ended(2);
    house.run(&["ledger", "verify"]).ended(0);
}

/// S2-17: taken by a write, given back by the end of the session.
#[test]
fn a_file_has_one_writer() {
    let house = House::bare("version: 1\ncategory_guardrails: { on: compliance-001 }\n");
    let a = |session: &str, agent: &str| by(write(&house, "PreToolUse", "src/a.rs"), session, agent);
    yes(&house, &a("one", "main"));
    yes(&house, &a("one", "main"));
    no(&house, &a("two", "main"), "is being written by the agent `main` of session `one`");
    no(&house, &by(house.call("sed -i s/a/b/ src/a.rs"), "two", "main"), "compliance-001");
    no(&house, &by(house.call("rm -r src"), "two", "main"), "compliance-001");
    no(&house, &a("one", "a-1"), "the agent `main` of this session");
    yes(&house, &by(write(&house, "PreToolUse", "src/b.rs"), "two", "main"));
    yes(&house, &by(house.call("cat src/a.rs"), "two", "main"));
    house.run(&["ledger", "verify"]).ended(0);
    house.ask_event(&note(&house, "SessionEnd", "one"));
    yes(&house, &a("two", "main"));
    no(&house, &a("one", "main"), "session `two`");
    house.run(&["ledger", "verify"]).ended(0);
}

/// S2-07: work taken on gives the sender's locks back, its end those of the sub-agent.
#[test]
fn a_hand_over_gives_locks_back() {
    let house = House::bare("version: 1\ncategory_guardrails: { on: compliance-001 }\n");
    let a = |agent: &str| by(write(&house, "PreToolUse", "a.rs"), "one", agent);
    yes(&house, &a("main"));
    no(&house, &a("a-1"), "compliance-001");
    assert_eq!(house.ask_event(&by(note(&house, "SubagentStart", "one"), "one", "a-1")), Answer::Silent);
    yes(&house, &a("a-1"));
    no(&house, &a("main"), "the agent `a-1` of this session");
    house.ask_event(&by(note(&house, "SubagentStop", "one"), "one", "a-1"));
    yes(&house, &a("main"));
    house.run(&["ledger", "verify"]).ended(0);
}

/// A lock somebody took away or moved in the database is noticed.
#[test]
fn a_forged_lock_is_found() {
    let house = House::bare("version: 1\ncategory_guardrails: { on: compliance-001 }\n");
    yes(&house, &write(&house, "PreToolUse", "a.rs"));
    let database = rusqlite::Connection::open(house.ledger()).unwrap();
    assert_eq!(database.execute("UPDATE lock SET session = 'another'", []).unwrap(), 1);
    drop(database);
    let said = house.run(&["ledger", "verify"]).ended(2).text();
    assert!(said.contains("the lock on"), "{said}");
}

/// S2-15, S2-16: by the recorded results of the session.
#[test]
fn tests_run_before_a_commit() {
    let house = House::bare(&format!("{TICKET}category_guardrails: {{ on: [quality-003, quality-004] }}\n"));
    let commit = || house.call("git commit -m x");
    let ran = |command: &str| {
        let mut event = house.call(command);
        event["hook_event_name"] = json!("PostToolUse");
        event["tool_response"] = json!({});
        house.ask_event(&event);
    };
    yes(&house, &commit());
    house.ask_event(&write(&house, "PostToolUse", "src/a.rs"));
    no(&house, &commit(), "the tests have not passed since the last change");
    ran("cargo test");
    match house.ask_event(&commit()) {
        Answer::Told(text) => assert!(text.contains("quality-004"), "{text}"),
        answer => panic!("{answer:?}"),
    }
    ran("cargo clippy");
    assert_eq!(house.ask_event(&commit()), Answer::Silent);
    house.ask_event(&write(&house, "PostToolUse", "src/a.rs"));
    no(&house, &commit(), "quality-003");
    house.run(&["ledger", "verify"]).ended(0);
}

/// The gate runs the command itself: it passes, it fails, it does not end.
#[test]
fn the_gate_runs_the_tests_itself() {
    let house = House::with_policy(TICKET);
    let user = |command: &str, seconds: u32| {
        house.write_user(&format!("version: 1\npacks: []\ncategory_guardrails: {{ quality-003: {{ command: '{command}', seconds: {seconds} }} }}\n"));
    };
    let commit = || house.call("git commit -m x");
    user("test -f works", 60);
    yes(&house, &commit());
    house.ask_event(&write(&house, "PostToolUse", "a.rs"));
    no(&house, &commit(), "the tests failed: `test -f works`");
    house.write("works", "");
    yes(&house, &commit());
    let checked = house.records().iter().filter(|record| record["entry"]["entry"] == "checked").count();
    assert_eq!(checked, 2);
    yes(&house, &commit());
    let again = house.records().iter().filter(|record| record["entry"]["entry"] == "checked").count();
    assert_eq!(again, 2, "what passed is not run again before the next change");
    user("sleep 600", 1);
    house.ask_event(&write(&house, "PostToolUse", "a.rs"));
    no(&house, &commit(), "the tests failed: `sleep 600`");
    house.run(&["ledger", "verify"]).ended(0);
}

/// S2-18, S2-19, S2-20: what the repository and the session tell.
#[test]
fn branches_and_reviews() {
    let house = House::bare(&format!(
        "{TICKET}category_guardrails: {{ on: [compliance-002, compliance-004], compliance-003: {{ protected: [trunk] }} }}\n"
    ));
    house.write(".git/HEAD", "ref: refs/heads/trunk\n");
    no(&house, &house.call("git commit -m x"), "commits and pushes to `trunk` are not allowed");
    house.write(".git/HEAD", "ref: refs/heads/main\n");
    no(&house, &house.call("git merge x"), "these changes have not been reviewed");
    let task = json!({ "subagent_type": "reviewer", "description": "d", "prompt": "p" });
    house.ask_event(&event(&house, "PostToolUse", "Task", &task));
    yes(&house, &house.call("git merge x"));
    house.ask_event(&write(&house, "PostToolUse", "src/lib.rs"));
    no(&house, &house.call("git merge x"), "compliance-002");
    let commit = house.ask("git commit -m x");
    assert!(commit.text().contains("no documentation changed with it"), "{commit:?}");
    house.ask_event(&write(&house, "PostToolUse", "docs/lib.md"));
    assert_eq!(house.ask("git commit -m x"), Answer::Silent);
    house.write(".git/HEAD", "2a9cbb1\n");
    no(&house, &house.call("git commit -m x"), "cannot tell which branch");
    house.run(&["ledger", "verify"]).ended(0);
}

/// S2-23: counted when they are let through.
#[test]
fn calls_to_the_outside_are_counted() {
    let house = House::bare("version: 1\ncategory_guardrails: { budget-003: { limit: 2 } }\n");
    yes(&house, &house.call("curl https://a.example"));
    yes(&house, &house.call("ls"));
    yes(
        &house,
        &event(&house, "PreToolUse", "WebFetch", &json!({ "url": "https://a.example", "prompt": "p" })),
    );
    no(&house, &house.call("curl https://a.example"), "all its 2 outside calls");
    yes(&house, &house.call("ls"));
    house.run(&["ledger", "verify"]).ended(0);
}

/// S2-54 to S2-57: the mode is told and shown.
#[test]
fn a_shrinking_budget_shows() {
    let house = House::bare(
        "version: 1\nagents:\n  main: { budget: { calls: 10 } }\nguardrails:\n  - { id: custom-x-001, type: pre_execution, condition: { expression: \"action.program == 'make'\" }, validation: { check: \"false\", action_on_fail: warn } }\n  - { id: custom-x-002, type: pre_execution, condition: { expression: \"action.program == 'just'\" }, validation: { check: \"false\", action_on_fail: warn } }\n",
    );
    let mode = || {
        let said: Value = serde_json::from_str(&house.run(&["stats", "--json"]).ended(0).text()).unwrap();
        said["sessions"]["session-1"]["mode"].as_str().unwrap_or("none yet").to_owned()
    };
    assert!(!house.ask("make").text().contains("mode"));
    assert_eq!(mode(), "standard");
    (0..5).for_each(|_| drop(house.ask("ls")));
    let told = house.ask("make");
    assert!(
        matches!(&told, Answer::Told(text) if text.contains("[strict mode: 40 % of the budget left]")),
        "{told:?}"
    );
    assert_eq!(mode(), "strict");
    house.ask("ls");
    house.ask("ls");
    no(&house, &house.call("just"), "[lockdown mode: 10 % of the budget left]");
    assert_eq!(mode(), "halt");
    no(&house, &house.call("ls"), "[halt mode: 0 % of the budget left]");
    let shown = house.run(&["stats"]).ended(0).text();
    assert!(shown.contains("halt"), "{shown}");
}

/// S2-50 to S2-53 through the hook.
#[test]
fn a_risk_level_is_a_setting() {
    let house =
        House::bare(&format!("{TICKET}risk: low\nagents:\n  main: {{}}\n  deployer: {{ risk: critical }}\n"));
    no(&house, &house.call("rm -rf src"), "safety-001");
    yes(&house, &house.call("touch /etc/x"));
    let mut deploys = by(house.call("ls"), "session-1", "a-1");
    deploys["agent_type"] = json!("deployer");
    no(&house, &deploys, "at this risk level a person approves every action");
}

/// One agent a file, beside `agents:` and guardrails; part of what the cache knows.
#[test]
fn agents_stand_in_files_of_their_own() {
    let house = House::bare(TICKET);
    let mut reviewer = by(house.call("ls"), "session-1", "a-1");
    reviewer["agent_type"] = json!("reviewer");
    yes(&house, &reviewer);
    house.write(".toolgate/agents/reviewer.yaml", "role: reviewer\ntools: [Read]\n");
    no(&house, &reviewer, "builtin-004 (");
    yes(&house, &house.call("ls"));
    house.write(".toolgate/agents/main.yml", "autonomy: 0\n");
    no(&house, &house.call("ls"), "scope-004 (");
    let shown: Value =
        serde_json::from_str(&house.run(&["policy", "show", "--json"]).ended(0).text()).unwrap();
    assert!(shown.to_string().contains("agents/reviewer.yaml"), "{shown}");
    for text in ["tolls: [Read]\n", "- a\n", "tools: [\"a[\"]\n", "autonomy: 9\n", "capabilities: [fly]\n"] {
        house.write(".toolgate/agents/reviewer.yaml", text);
        assert!(house.ask("true").is_broken(), "{text}");
        let said = house.run(&["policy", "check"]).ended(1);
        assert!(
            said.text().contains("agents/reviewer.yaml:1")
                && said.text().contains("help: ")
                && said.text().contains('^'),
            "{text}: {}",
            said.text()
        );
    }
}
