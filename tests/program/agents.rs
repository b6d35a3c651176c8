//! What a policy says about agents, through the hook: files and tools of each, tools in their order, files read
//! before they are changed – remembered by the ledger from one process to the next.

use crate::answer::Answer;
use crate::house::House;
use serde_json::{Value, json};

fn event(house: &House, name: &str, tool: &str, input: Value) -> Value {
    let mut event = house.event("true");
    event["hook_event_name"] = json!(name);
    event["tool_name"] = json!(tool);
    event["tool_input"] = input;
    if name == "PostToolUse" {
        event["tool_response"] = json!({});
    }
    event
}

fn file(house: &House, name: &str, tool: &str, path: &str) -> Value {
    let input = json!({ "file_path": house.project().join(path), "content": "x" });
    event(house, name, tool, input)
}

#[track_caller]
fn check(house: &House, event: &Value, expected: &str) {
    match (house.ask_event(event), expected) {
        (Answer::No(text), wanted) if !wanted.is_empty() => {
            assert!(text.contains(wanted), "{event}\n{text}");
        }
        (answer, "") => assert!(!answer.is_no(), "{event}\n{answer:?}"),
        (answer, _) => panic!("{event}\n{answer:?}"),
    }
}

#[test]
fn a_sub_agent_is_kept_to_its_tools_and_files() {
    let house = House::bare(
        "version: 1\nagents:\n  reviewer: { tools: [Read, Grep] }\n  implementer: { scope: { write: [src/**] } }\n",
    );
    let as_role = |mut event: Value, role: &str| {
        event["agent_id"] = json!("a-1");
        event["agent_type"] = json!(role);
        event
    };
    let write = |path: &str| file(&house, "PreToolUse", "Write", path);
    check(&house, &as_role(house.event("ls"), "reviewer"), "builtin-004 (");
    check(&house, &as_role(house.event("ls"), "implementer"), "");
    check(&house, &as_role(write("src/a.rs"), "implementer"), "");
    check(&house, &as_role(write("tests/a.rs"), "implementer"), "builtin-003 (");
    check(&house, &as_role(house.event("echo x > tests/a.rs"), "implementer"), "builtin-003 (");
    check(&house, &write("tests/a.rs"), "");
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn a_file_is_read_before_it_is_changed() {
    let house = House::bare("version: 1\nagents:\n  main: { read_before_write: true }\n");
    house.write("notes.md", "old");
    house.write("other.md", "old");
    let write = file(&house, "PreToolUse", "Write", "notes.md");
    check(&house, &write, "notes.md` first");
    check(&house, &file(&house, "PreToolUse", "Write", "new.md"), "");
    house.ask_event(&file(&house, "PostToolUse", "Read", "notes.md"));
    check(&house, &write, "");
    check(&house, &file(&house, "PreToolUse", "Edit", "other.md"), "read-before-write (");
    // Reading it through the shell counts, if it surely happened.
    let mut shell = house.event("cat other.md || true");
    shell["hook_event_name"] = json!("PostToolUse");
    house.ask_event(&shell);
    check(&house, &file(&house, "PreToolUse", "Edit", "other.md"), "read-before-write (");
    shell["tool_input"]["command"] = json!("cat other.md");
    house.ask_event(&shell);
    check(&house, &file(&house, "PreToolUse", "Edit", "other.md"), "");
    // Another session has read nothing.
    let mut elsewhere = write.clone();
    elsewhere["session_id"] = json!("another");
    check(&house, &elsewhere, "read-before-write (");
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn some_tools_come_after_others() {
    let house = House::bare("version: 1\nagents:\n  main: { after: { Deploy: [Test, Lint] } }\n");
    let deploy = event(&house, "PreToolUse", "Deploy", json!({}));
    check(&house, &deploy, "Lint, Test");
    house.ask_event(&event(&house, "PostToolUse", "Test", json!({})));
    house.ask_event(&event(&house, "PostToolUseFailure", "Lint", json!({})));
    check(&house, &deploy, "`Deploy` may run only after Lint");
    house.ask_event(&event(&house, "PostToolUse", "Lint", json!({})));
    check(&house, &deploy, "");
    house.run(&["ledger", "verify"]).ended(0);
}

/// A mark somebody put into the database is no mark of the ledger.
#[test]
fn a_forged_mark_is_found() {
    let house = House::bare("version: 1\nagents:\n  main: { after: { Deploy: [Test] } }\n");
    house.ask_event(&event(&house, "PostToolUse", "Other", json!({})));
    let database = rusqlite::Connection::open(house.ledger()).unwrap();
    let sql = "UPDATE mark SET key = 'tool Test' WHERE key = 'tool Other'";
    assert_eq!(database.execute(sql, []).unwrap(), 1);
    drop(database);
    let said = house.run(&["ledger", "verify"]).ended(2).text();
    assert!(said.contains("the counter `tool"), "{said}");
}

fn post(house: &House, command: &str) -> String {
    let mut event = house.event(command);
    event["hook_event_name"] = json!("PostToolUse");
    event["tool_response"] = json!({});
    house.hook(event.to_string().as_bytes()).ended(0).text()
}

#[test]
fn the_agent_hears_guidance_after_its_calls() {
    let house = House::bare(
        "version: 1\nagents:\n  main:\n    feedback:\n      - { name: Style, text: Keep it short., every_calls: 2 }\n      - { name: Plan, text: Read the plan., on_file: plan.md }\n",
    );
    house.ask("ls");
    assert_eq!(post(&house, "ls").trim(), "{}");
    house.ask("ls");
    let said: Value = serde_json::from_str(&post(&house, "ls")).unwrap();
    assert_eq!(
        said["hookSpecificOutput"],
        json!({ "hookEventName": "PostToolUse", "additionalContext": "<feedback provider='Style'>\nKeep it short.\n</feedback>" })
    );
    assert_eq!(post(&house, "ls").trim(), "{}");
    house.write("plan.md", "x");
    assert!(post(&house, "ls").contains("Read the plan."));
    assert_eq!(post(&house, "ls").trim(), "{}", "once in a session");
    let logged = house.run(&["logs", "--all"]).ended(0).text();
    assert!(logged.contains("advised  Style: Keep it short."), "{logged}");
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn a_stop_waits_for_what_must_be_there() {
    let house = House::bare(
        "version: 1\nagents:\n  main:\n    completion: { files: [report.md], ran: [make test] }\n",
    );
    let mut stop = house.event("true");
    stop["hook_event_name"] = json!("Stop");
    stop["stop_hook_active"] = json!(false);
    check(&house, &stop, "1 file is missing: report.md");
    house.write("report.md", "x");
    check(&house, &stop, "`make test` has not succeeded since the last change");
    post(&house, "make test");
    check(&house, &stop, "");
    // An edit makes the evidence old.
    house.ask_event(&file(&house, "PostToolUse", "Write", "src.c"));
    check(&house, &stop, "`make test` has not succeeded since the last change");
    post(&house, "make test || true");
    check(&house, &stop, "`make test` has not succeeded since the last change");
    post(&house, "make test");
    check(&house, &stop, "");
    house.run(&["ledger", "verify"]).ended(0);
}

/// Before a commit the tests have passed since the last edit, by what happened and not by what the agent says.
#[test]
fn a_commit_needs_fresh_evidence() {
    let house = House::bare(
        "version: 1\nrules:\n  - id: tests-before-commit\n    kind: require\n    match: { command: { program: git, subcommand: commit } }\n    require: { ran: make test, fresh: true }\n    reason: untested work is not committed\n",
    );
    let commit = house.event("git commit -m x");
    check(&house, &commit, "since the last change");
    post(&house, "make test");
    check(&house, &commit, "");
    post(&house, "echo x > src.c");
    check(&house, &commit, "since the last change");
    post(&house, "echo 'make test passed'");
    check(&house, &commit, "since the last change");
    post(&house, "echo x > /tmp/elsewhere; make test");
    check(&house, &commit, "");
}

/// An unverified tool is blocked in strict mode and warned about in permissive, every tenth time louder (S4).
#[test]
fn a_tool_that_is_not_verified_is_blocked_or_warned_about() {
    let strict = House::bare("version: 1\nverification: {}\n");
    let tool = |house: &House| event(house, "PreToolUse", "mcp__x__y", json!({ "a": 1 }));
    check(
        &strict,
        &tool(&strict),
        "Verification required but tool is not verified: mcp__x__y (status: pending)",
    );
    check(&strict, &strict.event("ls"), "");
    let house =
        House::bare("version: 1\nverification: { mode: permissive, warnings_before_escalation: 3 }\n");
    let told: Vec<bool> =
        (0..6).map(|_| house.ask_event(&tool(&house)).text().contains("– warned ")).collect();
    assert_eq!(told, [false, false, true, false, false, true]);
    house.run(&["ledger", "verify"]).ended(0);
}

fn with_log(house: &House, command: &str, log: &str) -> Value {
    house.write("log.jsonl", log);
    let mut event = house.event(command);
    event["transcript_path"] = json!(house.project().join("log.jsonl"));
    event
}

/// Tokens as the host's own log tells them: warned at 80 %, a person at 95 %, blocked when used up (S2-39).
#[test]
fn tokens_are_counted_from_the_hosts_log() {
    let house = House::bare(
        "version: 1\nreview: { delivery: ticket }\nagents:\n  main: { budget: { tokens: 100 } }\n",
    );
    let answer = |id: u32, tokens: u32| {
        let usage = json!({ "input_tokens": tokens, "output_tokens": 0 });
        format!("{}\n", json!({ "type": "assistant", "message": { "id": format!("m{id}"), "usage": usage } }))
    };
    let mut log = answer(1, 79);
    check(&house, &with_log(&house, "ls", &log), "");
    log.push_str(&answer(1, 79));
    check(&house, &with_log(&house, "ls", &log), "");
    log.push_str(&answer(2, 1));
    let told = house.ask_event(&with_log(&house, "ls", &log));
    assert!(!told.is_no() && told.text().contains("80 of 100 tokens are used"), "{told:?}");
    log.push_str(&answer(3, 15));
    let event = with_log(&house, "ls", &log);
    check(&house, &event, "Not run yet: 95 of 100 tokens");
    log.push_str(&answer(4, 5));
    check(&house, &with_log(&house, "ls", &log), "Not run: 100 of 100 tokens are used. [builtin-001");
    let mut another = with_log(&house, "ls", &log);
    another["session_id"] = json!("another");
    check(&house, &another, "builtin-001");
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn a_log_that_became_shorter_is_a_question() {
    let house = House::bare(
        "version: 1\nreview: { delivery: ticket }\nagents:\n  main: { budget: { tokens: 100 } }\n",
    );
    check(&house, &with_log(&house, "ls", "{}\n{}\n"), "");
    check(&house, &with_log(&house, "ls", "{}\n"), "was shortened");
}

/// The N-th call runs, the next does not, however many ask side by side.
#[test]
fn calls_side_by_side_share_one_budget() {
    let house = House::bare("version: 1\nagents:\n  main: { budget: { calls: 10 } }\n");
    let event = house.event("true").to_string();
    let ran: usize = std::thread::scope(|scope| {
        let worker = || (0..5).filter(|_| !Answer::read(&house.hook(event.as_bytes())).is_no()).count();
        let workers: Vec<_> = (0..8).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    assert_eq!(ran, 10);
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn lines_written_are_counted() {
    let house = House::bare("version: 1\nagents:\n  main: { budget: { lines: 3 } }\n");
    let write = |name: &str, text: &str| {
        event(&house, name, "Write", json!({ "file_path": house.project().join("a"), "content": text }))
    };
    house.ask_event(&write("PostToolUse", "1\n2\n"));
    check(&house, &write("PreToolUse", "x"), "");
    house.ask_event(&write("PostToolUse", "3"));
    check(&house, &write("PreToolUse", "x"), "has used all its 3 lines");
}

#[test]
fn stats_count_what_was_said_and_used() {
    let house = House::bare(
        "version: 1\nagents:\n  main: { budget: { calls: 3 }, read_before_write: true }\nrules:\n  - { id: mind, kind: warn, match: { command: { program: curl } }, reason: slow }\n",
    );
    assert!(house.run(&["stats"]).ended(0).text().contains("0 judged: nothing yet"));
    for command in ["ls", "curl x", "curl y", "ls"] {
        house.ask(command);
    }
    let said = house.run(&["stats"]).ended(0).text();
    assert!(said.starts_with("4 judged: 1 allow, 1 block, 2 warn\n"), "{said}");
    let row = |name: &str| said.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert_eq!(row("mind").split_whitespace().take(5).collect::<Vec<_>>(), ["mind", "2", "0", "0", "0"]);
    assert_eq!(
        row("budget-limits").split_whitespace().take(5).collect::<Vec<_>>(),
        ["budget-limits", "0", "0", "0", "1"]
    );
    assert_eq!(row("session-1").split_whitespace().take(3).collect::<Vec<_>>(), ["session-1", "4/3", "1"]);
    let json: Value = serde_json::from_str(&house.run(&["stats", "--json"]).ended(0).text()).unwrap();
    assert_eq!(json["guards"]["mind"]["warned"], 2);
    assert_eq!(json["sessions"]["session-1"]["calls"], 4);
}

/// Money by the prices of the policy; a model without a price is a question.
#[test]
fn cost_is_counted_from_the_hosts_log() {
    let house = House::bare(
        "version: 1\nreview: { delivery: ticket }\nagents:\n  main:\n    budget:\n      cost_cents: 100\n      prices: { \"big-*\": { input_cents: 1000, output_cents: 5000, cache_read_cents: 100 } }\n",
    );
    let answer = |id: u32, model: &str, usage: Value| {
        let message = json!({ "id": format!("m{id}"), "model": model, "usage": usage });
        format!("{}\n", json!({ "type": "assistant", "message": message }))
    };
    let mut log = answer(
        1,
        "big-1",
        json!({ "input_tokens": 20_000, "output_tokens": 4_000, "cache_read_input_tokens": 100_000 }),
    );
    check(&house, &with_log(&house, "ls", &log), "");
    log.push_str(&answer(2, "big-1", json!({ "input_tokens": 0, "output_tokens": 6_000 })));
    let told = house.ask_event(&with_log(&house, "ls", &log));
    assert!(!told.is_no() && told.text().contains("80 of 100 cents are spent"), "{told:?}");
    log.push_str(&answer(3, "big-1", json!({ "input_tokens": 0, "output_tokens": 4_000 })));
    check(&house, &with_log(&house, "ls", &log), "Not run: 100 of 100 cents are spent. [budget-limits");
    let house = House::bare(
        "version: 1\nreview: { delivery: ticket }\nagents:\n  main: { budget: { cost_cents: 100 } }\n",
    );
    let log = answer(1, "big-1", json!({ "input_tokens": 1, "output_tokens": 0 }));
    check(&house, &with_log(&house, "ls", &log), "`prices` has no entry for `big-1`");
    house.run(&["ledger", "verify"]).ended(0);
}

/// Files are reserved before a call runs and counted once when it has.
#[test]
fn files_changed_are_counted() {
    let house = House::bare("version: 1\nagents:\n  main: { budget: { files: 2 } }\n");
    check(&house, &file(&house, "PreToolUse", "Write", "a"), "");
    house.ask_event(&file(&house, "PostToolUse", "Write", "a"));
    check(&house, &file(&house, "PreToolUse", "Edit", "a"), "");
    house.ask_event(&file(&house, "PostToolUse", "Edit", "a"));
    check(
        &house,
        &house.event("echo x > b && echo y > c"),
        "his changes 2 more files, but only 1 of this session",
    );
    check(&house, &house.event("echo x > b"), "");
    check(&house, &house.event("touch c"), "budget-limits");
    check(&house, &house.event("cat c"), "");
    house.run(&["ledger", "verify"]).ended(0);
}
