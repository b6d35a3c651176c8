//! What the source systems promise, where the first reading of it did not hold: counts that end, reads that show
//! something, agents that keep to their own answers.

use crate::answer::Answer;
use crate::house::{ASKED, House, TICKET, finish_child};
use crate::review::{PASSPHRASE, answer, locked, waiting};
use serde_json::{Value, json};
use std::process::Stdio;
use toolgate_core::{Context, Entry};
use toolgate_runtime::{Dirs, now_ms, signing_key};
use toolgate_store::{Sqlite, Store};

/// The same event after its call, with what the tool gave back.
fn after(mut event: Value, output: Value) -> Value {
    event["hook_event_name"] = json!("PostToolUse");
    event["tool_response"] = output;
    event
}

fn with_tool(house: &House, tool: &str, input: Value) -> Value {
    let mut event = house.call("true");
    event["tool_name"] = json!(tool);
    event["tool_input"] = input;
    event
}

fn stop(house: &House) -> Value {
    let mut event = house.event("true");
    event["hook_event_name"] = json!("Stop");
    event["stop_hook_active"] = json!(false);
    event
}

/// Puts one more record into the ledger, so many minutes from now.
fn append(house: &House, minutes: i64, entry: Entry) {
    let home = house.home().display().to_string();
    let dirs = Dirs::from_env(&move |name| (name == "HOME").then(|| home.clone()));
    let mut store = Sqlite::open(&dirs.ledger(), signing_key(&dirs).unwrap()).unwrap();
    let mut turn = store.begin().unwrap();
    turn.append(now_ms() + minutes * 60_000, &Context::default(), entry).unwrap();
    turn.commit().unwrap();
}

fn later(house: &House, minutes: i64) {
    append(house, minutes, Entry::Noted { what: "later".to_owned(), text: String::new() });
}

/// Work between two refused stops does not make the refusals endless.
#[test]
fn refused_stops_end_whatever_the_agent_does_meanwhile() {
    let house = House::bare("version: 1\nagents: { main: { completion: { files: [report.md] } } }\n");
    let refused = |house: &House| {
        house.ask("ls");
        house.ask_event(&stop(house)).is_no()
    };
    let told: Vec<bool> = (0..12).map(|_| refused(&house)).collect();
    assert_eq!(told.iter().filter(|no| **no).count(), 11, "{told:?}");
    assert!(!told[10], "the eleventh passes: {told:?}");
    assert!(told[11], "and the count begins again: {told:?}");
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn no_call_runs_after_the_deadline_and_the_agent_may_stop() {
    let house = House::bare(
        "version: 1\nagents: { main: { deadline_minutes: 30, completion: { files: [report.md] } } }\n",
    );
    assert_eq!(house.ask("ls"), Answer::Silent);
    assert!(house.ask_event(&stop(&house)).is_no());
    later(&house, 29);
    assert_eq!(house.ask("ls"), Answer::Silent);
    later(&house, 31);
    let answer = house.ask("ls");
    assert!(answer.text().contains("the 30 minutes for this task are used up. [builtin-002 ("), "{answer:?}");
    assert!(!house.ask_event(&stop(&house)).is_no());
}

/// A file is read when its text was shown, by whatever tool; copying, searching and counting show none.
#[test]
fn only_what_shows_a_file_counts_as_reading_it() {
    let policy = "version: 1\nagents: { main: { read_before_write: true } }\n";
    let shell = |house: &House, command: &str, out: &str| {
        after(house.call(command), json!({ "stdout": out, "stderr": "", "interrupted": false }))
    };
    let grep = |house: &House| {
        let input =
            json!({ "pattern": "x", "path": house.project().join("notes.md"), "output_mode": "content" });
        after(with_tool(house, "Grep", input), json!({ "mode": "content", "numFiles": 0, "content": "" }))
    };
    let read = |house: &House| {
        let path = house.project().join("notes.md");
        after(
            with_tool(house, "Read", json!({ "file_path": path })),
            json!({ "type": "text", "file": { "content": "old" } }),
        )
    };
    let edits = |seen: &dyn Fn(&House) -> Value| {
        let house = House::bare(policy);
        house.write("notes.md", "old");
        house.ask_event(&seen(&house));
        let path = house.project().join("notes.md");
        !house.ask_event(&with_tool(&house, "Write", json!({ "file_path": path, "content": "x" }))).is_no()
    };
    let by = |command: &'static str, out: &'static str| edits(&|house| shell(house, command, out));
    assert!(edits(&read));
    for (command, out) in [
        ("cat notes.md", "old"),
        ("head -20 notes.md", "old"),
        ("sed -n '1,5p' notes.md", "old"),
        ("cat notes.md 2>/dev/null", "old"),
        ("cd . && cat notes.md", "old"),
    ] {
        assert!(by(command, out), "{command}");
    }
    assert!(!edits(&grep), "a search without a match");
    for (command, out) in [
        ("cp notes.md /tmp/copy.md", ""),
        ("head -c0 notes.md", ""),
        ("head -c 0 notes.md; true", "x"),
        ("cat notes.md >/dev/null", ""),
        ("cat notes.md > /dev/null && ls", "notes.md"),
        ("wc -l notes.md", "1 notes.md"),
        ("sha256sum notes.md", "ab notes.md"),
        ("grep -c x notes.md", "1"),
    ] {
        assert!(!by(command, out), "{command}");
    }
}

/// The tools that count are the policy's choice.
#[test]
fn tools_that_read_and_write_can_be_chosen() {
    let house = House::bare(
        "version: 1\nagents: { main: { read_before_write: true, read_tools: [mcp__docs__*], write_tools: [Edit, Bash] } }\n",
    );
    house.write("notes.md", "old");
    let path = house.project().join("notes.md");
    let edit = |house: &House, tool: &str| {
        let input = json!({ "file_path": path, "old_string": "o", "new_string": "x", "content": "x" });
        house.ask_event(&with_tool(house, tool, input)).is_no()
    };
    let read = with_tool(&house, "Read", json!({ "file_path": path }));
    house.ask_event(&after(read, json!({ "type": "text" })));
    assert!(edit(&house, "Edit"), "Read is not one of the tools that count");
    assert!(house.ask("echo x > notes.md").is_no(), "Bash is one of those that change files");
    assert!(!edit(&house, "Write"), "and Write is not");
    let shown = with_tool(&house, "mcp__docs__read_file", json!({ "path": path }));
    house.ask_event(&after(shown, json!([{ "type": "text", "text": "old" }])));
    assert!(!edit(&house, "Edit"));
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn an_empty_budget_is_reported() {
    for budget in ["{}", "{ calls: 0 }", "{ tokens: 0 }"] {
        let house = House::bare(&format!("version: 1\nagents: {{ main: {{ budget: {budget} }} }}\n"));
        let said = house.run(&["policy", "check"]);
        assert!(said.text().contains("warning"), "{budget}: {}", said.text());
    }
}

/// An answer of the model that is told several times counts with its highest figures.
#[test]
fn usage_told_again_counts_what_is_more() {
    let house = House::bare("version: 1\nagents: { main: { budget: { tokens: 1000 } } }\n");
    let line = |tokens: u64| {
        format!(
            "{{\"type\":\"assistant\",\"message\":{{\"id\":\"m1\",\"usage\":{{\"input_tokens\":3,\"output_tokens\":{tokens}}}}}}}\n"
        )
    };
    let ask = |log: &str| {
        house.write("log.jsonl", log);
        let mut event = house.call("ls");
        event["transcript_path"] = json!(house.project().join("log.jsonl"));
        house.ask_event(&event)
    };
    assert_eq!(ask(&line(1)), Answer::Silent);
    let told = ask(&[line(1), line(900)].concat());
    assert!(told.text().contains("903 of 1000 tokens are used"), "{told:?}");
}

/// A call that is held when its request runs out is told so, and not that the request waits.
#[test]
fn a_held_call_whose_request_expired_is_told_so() {
    let house = locked();
    house.write(".toolgate/policy.yaml", "version: 1\nreview: { delivery: hold, hold_seconds: 60 }\n");
    let mut command = house.toolgate(&["hook", "claude-code"]);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::scope(|scope| {
        let event = house.event(ASKED).to_string();
        let call = scope.spawn(move || finish_child(child, event.as_bytes()));
        let id = waiting(&house);
        append(&house, 0, Entry::Expired { request: id.clone() });
        let told = call.join().unwrap().answer();
        assert!(told.is_no(), "{told:?}");
        assert!(told.text().contains(&format!("Request {id} expired without an answer")), "{told:?}");
        assert!(!told.text().contains("is waiting"), "{told:?}");
    });
}

/// A yes is for the agent that asked. A no is for the call.
#[test]
fn a_sub_agent_does_not_use_up_the_yes_of_main() {
    let house = locked();
    let by_helper = || {
        let mut event = house.call(ASKED);
        event["agent_id"] = json!("a-1");
        event["agent_type"] = json!("helper");
        house.ask_event(&event)
    };
    let id = house.ask(ASKED).request();
    assert_ne!(by_helper().request(), id, "its own question");
    answer(&house, "approve", &id, PASSPHRASE).ended(0);
    assert!(by_helper().is_no());
    assert_eq!(house.ask(ASKED), Answer::Silent, "the yes is still there");
    let id = house.ask(ASKED).request();
    answer(&house, "deny", &id, PASSPHRASE).ended(0);
    let told = by_helper();
    assert!(told.text().contains("denied this call"), "{told:?}");
    house.run(&["ledger", "verify"]).ended(0);
}

const KNOWLEDGE: &str = r#"
[endpoints.api]
name = "Orders"
default_url = "http://localhost:8080"
config_key = "ORDERS_URL"

[endpoints.playwright]
name = "Playwright Server"
default_url = "http://localhost:9"
config_key = "PLAYWRIGHT_SERVER_URL"
"#;

fn failed(house: &House, message: &str) {
    let mut event = house.call("node run.js");
    event["hook_event_name"] = json!("PostToolUseFailure");
    event["error"] = json!(message);
    house.ask_event(&event);
}

/// A failure concerns the service at its host and port, and no other one of this machine.
#[test]
fn a_failed_connection_concerns_the_service_at_that_port() {
    for (message, concerned) in [
        ("connect ECONNREFUSED 127.0.0.1:9", true),
        ("curl: (7) Failed to connect to localhost port 9 after 0 ms", true),
        ("Playwright Server: connection refused", true),
        ("connect ECONNREFUSED 127.0.0.1:9999", false),
        ("connect ECONNREFUSED 127.0.0.1:4444", true),
        ("curl: (7) Failed to connect to localhost port 9999 after 0 ms", false),
        ("connect ECONNREFUSED api.github.com:443", false),
        ("https://api.github.com/x: connection refused", false),
    ] {
        let house = House::bare(TICKET);
        house.write(".toolgate/knowledge.toml", KNOWLEDGE);
        house.write(".env", "PLAYWRIGHT_SERVER_URL=http://localhost:4444\n");
        failed(&house, message);
        let told = house.ask("npx playwright install chromium");
        assert_eq!(told.is_no(), concerned, "{message}: {told:?}");
        if concerned {
            assert!(told.text().contains("start Playwright Server"), "{told:?}");
            assert!(!told.text().contains("Orders"), "the other one: {told:?}");
        }
    }
}

/// Who knows better asks a person, with a reason, for this one call.
#[test]
fn a_failed_check_can_be_overridden_for_one_call() {
    let house = locked();
    house.write(".toolgate/knowledge.toml", KNOWLEDGE);
    failed(&house, "connect ECONNREFUSED 127.0.0.1:9");
    let install = "npx playwright install chromium";
    let told = house.ask(install);
    assert!(told.text().contains("`toolgate bypass request installation_prevention --call "), "{told:?}");
    let call = told.text().split("--call ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    let reason = "the browser really is missing on this new machine";
    let args =
        ["bypass", "request", "installation_prevention", "--call", &call, "--reason", reason, "--json"];
    let asked: Value = serde_json::from_str(&house.run_as_agent(&args).ended(0).text()).unwrap();
    let id = asked["id"].as_str().unwrap();
    assert!(house.ask(install).is_no(), "asking is no answer");
    answer(&house, "approve", id, PASSPHRASE).ended(0);
    assert!(house.ask("npx playwright install firefox").is_no(), "another call");
    assert!(!house.ask(install).is_no());
    assert!(house.ask(install).is_no(), "once");
    house.run(&["ledger", "verify"]).ended(0);
}

/// Commands of the person's own policy speak JSON: one gives feedback, one says when the work is done.
#[test]
fn commands_give_feedback_and_say_when_the_work_is_done() {
    let house = House::bare("version: 1\n");
    house.write_user(
        "version: 1
packs: []
agents:
  main:
    feedback:
      - name: Pace
        every_calls: 2
        command: 'jq_free() { cat > asked.json; }; jq_free; echo \"{\\\"text\\\": \\\"Slow down.\\\", \\\"suggestions\\\": [\\\"Think.\\\"]}\"'
    completion: { command: 'test -f done.txt || { echo \"{\\\"complete\\\": false, \\\"feedback\\\": \\\"done.txt is not there\\\"}\"; exit 1; }' }
",
    );
    let said = |house: &House| {
        house.ask("ls");
        let event = after(house.call("ls"), json!({ "stdout": "x", "stderr": "" }));
        house.hook(event.to_string().as_bytes()).ended(0).text()
    };
    assert!(!said(&house).contains("Slow down"), "not its turn");
    let told = said(&house);
    assert!(told.contains("<feedback provider='Pace'>\\nSlow down.\\n\\n→ Think.\\n</feedback>"), "{told}");
    let asked: Value = serde_json::from_str(&house.read("asked.json")).unwrap();
    assert_eq!((&asked["tool"], &asked["calls"]), (&json!("Bash"), &json!(2)), "{asked}");
    assert!(!said(&house).contains("Slow down"), "it has spoken");
    let told = house.ask_event(&stop(&house));
    assert!(told.is_no() && told.text().contains("done.txt is not there"), "{told:?}");
    house.write("done.txt", "");
    assert!(!house.ask_event(&stop(&house)).is_no());
    house.run(&["ledger", "verify"]).ended(0);
}

/// A repository may be anybody's: the gate runs no command of its choosing.
#[test]
fn a_project_names_no_commands() {
    let house = House::bare(
        "version: 1\nagents: { main: { completion: { command: 'touch ran' }, feedback: [{ name: x, every_calls: 1, command: 'touch ran' }] } }\n",
    );
    house.ask("ls");
    house.hook(after(house.call("ls"), json!({ "stdout": "x" })).to_string().as_bytes()).ended(0);
    assert!(!house.ask_event(&stop(&house)).is_no());
    assert!(!house.project().join("ran").exists());
    let said = house.run(&["policy", "check"]).text();
    assert!(said.contains("a project runs no commands"), "{said}");
}
