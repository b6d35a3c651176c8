//! Claude Code: what its real events are read as, and how every answer is said for every event.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

use serde_json::{Value, json};
use std::path::PathBuf;
use toolgate_adapters::{Asked, Host, Wire, host};
use toolgate_core::{Access, Context, Event, EventKind, HostAnswer, Kind};

const SESSION: &str = "00000000-0000-4000-8000-000000000001";
const DIR: &str = "/home/dev/project";
const AGENT: &str = "a0000000000000001";

fn claude() -> &'static dyn Host {
    host("claude-code").unwrap()
}

fn sample(name: &str) -> Vec<u8> {
    let path = format!("{}/../../tests/claude_code/samples/{name}.json", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn read(name: &str) -> Asked {
    claude().decode(&sample(name)).unwrap_or_else(|error| panic!("{name}: {error:?}"))
}

fn context(agent: &str) -> Context {
    Context {
        host: "claude-code".to_owned(),
        session: SESSION.to_owned(),
        agent: agent.to_owned(),
        policy: String::new(),
    }
}

fn shell(command: &str) -> Kind {
    Kind::Shell { command: command.to_owned(), field: "command".to_owned() }
}

fn event_of(asked: &Asked) -> &Event {
    match asked {
        Asked::Judge(event) | Asked::Permission(event) | Asked::Result(event, _) => event,
        other => panic!("no call: {other:?}"),
    }
}

/// The parts every call has, and its own kind.
#[track_caller]
fn check_call(name: &str, moment: EventKind, agent: &str, tool: &str, kind: &Kind) {
    let asked = read(name);
    let is_judged = matches!(asked, Asked::Judge(_));
    assert_eq!(is_judged, moment.is_before(), "{name}");
    let event = event_of(&asked);
    let call = &event.call;
    assert_eq!((event.kind, call.tool.as_str(), &call.kind), (moment, tool, kind), "{name}");
    assert_eq!(
        (call.host.as_str(), call.session.as_str(), call.agent.as_str(), call.dir.as_str()),
        ("claude-code", SESSION, agent, DIR),
        "{name}"
    );
    let sent: Value = serde_json::from_slice(&sample(name)).unwrap();
    assert_eq!(
        call.input,
        sent.get("tool_input").cloned().unwrap_or(json!({})),
        "{name}: the input as it came"
    );
    assert_eq!(call.id.as_deref(), sent["tool_use_id"].as_str(), "{name}");
}

/// The first field of the sample's input with this name.
fn input(name: &str, field: &str) -> String {
    let sent: Value = serde_json::from_slice(&sample(name)).unwrap();
    sent["tool_input"][field].as_str().unwrap_or_else(|| panic!("{name}: no {field}")).to_owned()
}

#[test]
fn every_call_is_read_as_what_it_is() {
    let pre = EventKind::PreExecution;
    for (name, agent) in [
        ("pre_tool_use_bash", "main"),
        ("pre_tool_use_bash_failing", "main"),
        ("pre_tool_use_bash_in_sub_agent", AGENT),
    ] {
        check_call(name, pre, agent, "Bash", &shell(&input(name, "command")));
    }
    for (name, agent) in [("post_tool_use_bash", "main"), ("post_tool_use_bash_in_sub_agent", AGENT)] {
        check_call(name, EventKind::PostExecution, agent, "Bash", &shell(&input(name, "command")));
    }
    let failed = "post_tool_use_failure_bash";
    check_call(failed, EventKind::OnError, "main", "Bash", &shell(&input(failed, "command")));
    for (name, moment) in [("pre_tool_use_write", pre), ("post_tool_use_write", EventKind::PostExecution)] {
        check_call(
            name,
            moment,
            "main",
            "Write",
            &Kind::File { access: Access::Write, paths: vec![input(name, "file_path")] },
        );
    }
    check_call("pre_tool_use_agent", pre, "main", "Agent", &Kind::Handoff);
    check_call("stop", EventKind::Stop, "main", "Stop", &Kind::Stop);
    check_call("sub_agent_start", EventKind::PostHandoff, AGENT, "Agent", &Kind::Handoff);
}

#[test]
fn everything_else_is_read_as_a_note() {
    let notes = [
        ("session_start", "main", "session-start", "startup"),
        ("session_end", "main", "session-end", "other"),
        ("sub_agent_stop", AGENT, "subagent-stop", "a sub-agent ended"),
        ("user_prompt_submit", "main", "prompt", "the user sent a prompt"),
    ];
    for (name, agent, what, text) in notes {
        let expected = Asked::Note { context: context(agent), what: what.to_owned(), text: text.to_owned() };
        assert_eq!(read(name), expected, "{name}");
    }
    let file = Some(PathBuf::from("/home/dev/project/.claude/settings.json"));
    assert_eq!(read("config_change"), Asked::Settings { context: context("main"), file });
}

/// Events the gate has no word for are refused, so the host's question stays unanswered and closed.
#[test]
fn an_event_without_a_meaning_is_unreadable() {
    let unreadable = claude().decode(&sample("permission_request_bash")).unwrap_err();
    assert!(unreadable.why.contains("`PermissionRequest`"), "{unreadable:?}");
}

/// A new sample must get its line above.
#[test]
fn no_sample_is_left_out() {
    let folder = format!("{}/../../tests/claude_code/samples", env!("CARGO_MANIFEST_DIR"));
    let own = include_str!("claude_code.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        assert!(own.contains(&format!("\"{name}\"")), "{name} has no test");
    }
}

#[test]
fn tools_are_read_by_name_and_input() {
    let file = |access: Access, path: &str| Kind::File { access, paths: vec![path.to_owned()] };
    let cases = [
        ("Bash", json!({ "command": "ls" }), shell("ls")),
        ("PowerShell", json!({ "command": "ls" }), shell("ls")),
        ("Monitor", json!({ "command": "tail -f x" }), shell("tail -f x")),
        ("Read", json!({ "file_path": "a" }), file(Access::Read, "a")),
        ("Edit", json!({ "file_path": "a" }), file(Access::Write, "a")),
        ("MultiEdit", json!({ "file_path": "a" }), file(Access::Write, "a")),
        ("NotebookEdit", json!({ "notebook_path": "a" }), file(Access::Write, "a")),
        ("Grep", json!({ "pattern": "x", "path": "a" }), file(Access::Read, "a")),
        ("Glob", json!({ "pattern": "x" }), Kind::File { access: Access::Read, paths: Vec::new() }),
        ("WebFetch", json!({ "url": "https://a" }), Kind::Fetch { url: "https://a".to_owned() }),
        ("Task", json!({ "prompt": "x" }), Kind::Handoff),
        ("mcp__srv__tool_a", json!({}), Kind::Mcp { server: "srv".to_owned(), tool: "tool_a".to_owned() }),
        ("mcp__odd", json!({ "command": "ls" }), Kind::Mcp { server: "odd".to_owned(), tool: String::new() }),
        ("TodoWrite", json!({ "todos": [] }), Kind::Other),
    ];
    for (tool, input, kind) in cases {
        assert_eq!(claude().call(tool, input, "/").unwrap().kind, kind, "{tool}");
    }
    for (tool, input) in [
        ("Bash", json!({})),
        ("Read", json!({ "file_path": 1 })),
        ("WebFetch", json!({ "url": null })),
        ("Anything", json!([])),
    ] {
        assert!(claude().call(tool, input, "/").is_err(), "{tool}");
    }
}

fn text() -> String {
    "words".to_owned()
}

fn silent() -> Value {
    json!({})
}

fn specific(fields: &Value) -> Value {
    let mut all = fields.clone();
    all["hookEventName"] = json!("PreToolUse");
    json!({ "hookSpecificOutput": all })
}

/// A yes, a silence or a notice: exit 0, nothing on stderr.
#[track_caller]
fn check_said(wire: &Wire, expected: &Value) {
    assert_eq!(
        (serde_json::from_str::<Value>(&wire.stdout).unwrap(), wire.stderr.as_str(), wire.code),
        (expected.clone(), "", 0)
    );
}

/// A no: in JSON, on stderr, and by exit code 2.
#[track_caller]
fn check_no(wire: &Wire, expected: &Value) {
    assert_eq!(
        (serde_json::from_str::<Value>(&wire.stdout).unwrap(), wire.stderr.as_str(), wire.code),
        (expected.clone(), "words", 2)
    );
}

/// Every answer there is.
fn answers() -> [HostAnswer; 7] {
    [
        HostAnswer::Silence,
        HostAnswer::Approved { text: text() },
        HostAnswer::Warned { text: text() },
        HostAnswer::Modified { input: json!({ "command": "ls" }), text: text() },
        HostAnswer::Denied { text: text() },
        HostAnswer::Asked { text: text() },
        HostAnswer::Deferred { text: text() },
    ]
}

#[test]
fn every_answer_to_a_call_is_said_as_the_host_reads_it() {
    let asked = read("pre_tool_use_bash");
    let [silence, approved, warned, modified, denied, question, deferred] =
        answers().map(|answer| claude().encode(&asked, &answer));
    check_said(&silence, &silent());
    check_said(
        &approved,
        &specific(&json!({ "permissionDecision": "allow", "permissionDecisionReason": "words" })),
    );
    check_said(&warned, &specific(&json!({ "additionalContext": "words" })));
    check_said(
        &modified,
        &specific(&json!({ "updatedInput": { "command": "ls" }, "additionalContext": "words" })),
    );
    check_no(
        &denied,
        &specific(&json!({ "permissionDecision": "deny", "permissionDecisionReason": "words" })),
    );
    check_said(
        &question,
        &specific(&json!({ "permissionDecision": "ask", "permissionDecisionReason": "words" })),
    );
    check_said(
        &deferred,
        &specific(&json!({ "permissionDecision": "defer", "permissionDecisionReason": "words" })),
    );
}

/// A stop and changed settings can only be held back or not.
#[test]
fn every_answer_to_a_stop_or_to_settings_is_a_block_or_none() {
    for name in ["stop", "config_change"] {
        let asked = read(name);
        let [silence, approved, warned, modified, denied, question, deferred] =
            answers().map(|answer| claude().encode(&asked, &answer));
        [silence, approved, modified].iter().for_each(|wire| check_said(wire, &silent()));
        check_said(&warned, &json!({ "systemMessage": "words" }));
        [denied, question, deferred]
            .iter()
            .for_each(|wire| check_no(wire, &json!({ "decision": "block", "reason": "words" })));
    }
}

/// What already happened is not answered.
#[test]
fn what_already_happened_is_answered_with_context_or_silence() {
    for name in [
        "post_tool_use_bash",
        "post_tool_use_failure_bash",
        "session_start",
        "sub_agent_stop",
        "user_prompt_submit",
        "session_end",
    ] {
        let asked = read(name);
        for answer in answers() {
            let said = |event: &str| json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": "words" } });
            let told = match (&answer, name) {
                (HostAnswer::Warned { .. }, "post_tool_use_bash") => said("PostToolUse"),
                (HostAnswer::Warned { .. }, "post_tool_use_failure_bash") => said("PostToolUseFailure"),
                _ => silent(),
            };
            check_said(&claude().encode(&asked, &answer), &told);
        }
    }
}

/// A broken gate refuses what is about to run and traps nobody.
#[test]
fn a_broken_gate_is_told_event_by_event() {
    let deny = specific(&json!({ "permissionDecision": "deny", "permissionDecisionReason": "words" }));
    for name in
        ["pre_tool_use_bash", "pre_tool_use_write", "pre_tool_use_agent", "pre_tool_use_bash_in_sub_agent"]
    {
        check_no(&claude().broken(&read(name), "words"), &deny);
    }
    check_no(
        &claude().broken(&read("config_change"), "words"),
        &json!({ "decision": "block", "reason": "words" }),
    );
    for name in [
        "stop",
        "post_tool_use_bash",
        "post_tool_use_failure_bash",
        "session_start",
        "user_prompt_submit",
        "sub_agent_stop",
    ] {
        check_said(&claude().broken(&read(name), "words"), &json!({ "systemMessage": "words" }));
    }
    check_no(&claude().closed("words"), &json!({ "decision": "block", "reason": "words" }));
}

#[test]
fn only_a_whole_denial_counts_as_one() {
    let denial = claude().encode(&read("pre_tool_use_bash"), &HostAnswer::Denied { text: text() });
    assert!(claude().is_denial(&denial.stdout, Some(2)));
    for (said, code) in [
        (denial.stdout.as_str(), Some(0)),
        (&denial.stdout, None),
        ("", Some(2)),
        ("{}", Some(2)),
        (&denial.stdout[1..], Some(2)),
    ] {
        assert!(!claude().is_denial(said, code), "{said} {code:?}");
    }
}

/// The probe of the doctor is an event like any other.
#[test]
fn the_probe_is_read_as_a_call() {
    let probe = claude().probe("toolgate-canary", "/work");
    let asked = claude().decode(probe.as_bytes()).unwrap();
    let event = event_of(&asked);
    assert_eq!(
        (event.kind, event.call.command(), event.call.dir.as_str()),
        (EventKind::PreExecution, Some("toolgate-canary"), "/work")
    );
}
