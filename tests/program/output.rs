//! What tools give back, through the hook: secrets taken out, empty output told, shapes held against schemas. Tokens
//! are put together here, so that no scanner takes this file for a leak.

use crate::house::House;
use serde_json::{Value, json};

fn token() -> String {
    format!("ghp_{}", "q7Zr2Kp9Wv4Xn8Tb3Jm6Hd1Fs5Lg0YcQ1w2E")
}

fn result(house: &House, tool: &str, input: Value, response: Value) -> Value {
    let mut event = house.event("true");
    event["hook_event_name"] = json!("PostToolUse");
    event["tool_name"] = json!(tool);
    event["tool_input"] = input;
    event["tool_response"] = response;
    event
}

fn bash(house: &House, command: &str, stdout: &str) -> Value {
    let response = json!({ "stdout": stdout, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false });
    result(house, "Bash", json!({ "command": command }), response)
}

#[track_caller]
fn tell(house: &House, event: &Value) -> Value {
    let said = house.hook(event.to_string().as_bytes()).ended(0);
    serde_json::from_str(&said.text()).expect("one JSON object")
}

/// Everything the gate keeps on disk.
fn kept(house: &House) -> String {
    let read = |name: &str| std::fs::read(house.state().join(name)).unwrap_or_default();
    let bytes = [read("ledger.sqlite"), read("ledger.sqlite-wal")].concat();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn a_secret_is_taken_out_of_what_the_model_reads() {
    let house = House::new();
    let answer = tell(&house, &bash(&house, "cat notes.txt", &format!("first\ntoken {}\nlast\n", token())));
    let specific = &answer["hookSpecificOutput"];
    assert_eq!(specific["hookEventName"], "PostToolUse");
    assert_eq!(
        specific["updatedToolOutput"],
        json!({ "stdout": "first\ntoken [redacted: github-token]\nlast\n", "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false }),
        "the shape of the tool's own output"
    );
    let told = specific["additionalContext"].as_str().unwrap();
    assert!(told.contains("1 github-token") && told.contains("safety-003"), "{told}");
    assert!(
        answer["systemMessage"].as_str().unwrap().contains("github-token"),
        "the person hears of it, too"
    );
    assert!(!answer.to_string().contains(&token()));
    // What was taken out is recorded by its kind, never by its text.
    let records = format!("{:?}", house.records());
    assert!(records.contains("safety-003") && records.contains("1 github-token"), "{records}");
    assert!(!kept(&house).contains(&token()), "the secret lies on disk");
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn plain_output_passes_in_silence() {
    let house = House::new();
    for text in [
        "",
        "ok\n",
        "error: token expected\n",
        "password: ********\n",
        "commit 1f3870be274f6c49b3e31a0c6728957f\n",
    ] {
        assert_eq!(tell(&house, &bash(&house, "make", text)), json!({}), "{text}");
    }
    // What an edit tool gives back is what it was given; the model does not read it.
    let input = json!({ "file_path": house.project().join("a.env"), "content": token() });
    let response = json!({ "type": "create", "filePath": "a.env", "content": token(), "originalFile": null });
    assert_eq!(tell(&house, &result(&house, "Write", input, response)), json!({}));
}

#[test]
fn output_of_servers_and_files_is_cleaned_in_its_own_shape() {
    let house = House::new();
    let response =
        json!([{ "type": "text", "text": format!("key {}", token()) }, { "type": "text", "text": "more" }]);
    let answer = tell(&house, &result(&house, "mcp__docs__read", json!({ "page": 1 }), response));
    let clean = json!([{ "type": "text", "text": "key [redacted: github-token]" }, { "type": "text", "text": "more" }]);
    assert_eq!(answer["hookSpecificOutput"]["updatedToolOutput"], clean);
    assert_eq!(answer["hookSpecificOutput"]["updatedMCPToolOutput"], clean);
    let path = house.project().join("notes.md");
    let response = json!({ "type": "text", "file": { "filePath": path, "content": format!("a {} b", token()), "numLines": 1 } });
    let answer = tell(&house, &result(&house, "Read", json!({ "file_path": path }), response));
    assert_eq!(
        answer["hookSpecificOutput"]["updatedToolOutput"]["file"]["content"],
        "a [redacted: github-token] b"
    );
}

/// This host cannot replace what a failed call said; then everybody is told.
#[test]
fn a_secret_in_a_failure_is_told() {
    let house = House::new();
    let mut event = bash(&house, "deploy", "");
    event["hook_event_name"] = json!("PostToolUseFailure");
    event["error"] = json!(format!("Exit code 1\nno access with {}", token()));
    let answer = tell(&house, &event);
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "PostToolUseFailure");
    assert!(answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("safety-003"));
    assert!(answer["hookSpecificOutput"].get("updatedToolOutput").is_none());
    assert!(answer["systemMessage"].as_str().unwrap().contains("safety-003"), "the person hears of it, too");
    assert!(!kept(&house).contains(&token()), "the secret lies on disk");
}

#[test]
fn the_person_can_turn_it_off_and_a_project_cannot() {
    let off = "version: 1\noutput: { secrets: { on: false } }\n";
    let house = House::with_policy(off);
    assert_ne!(tell(&house, &bash(&house, "cat x", &token())), json!({}), "a repository may be anybody's");
    house.write_user(off);
    assert_eq!(tell(&house, &bash(&house, "cat x", &token())), json!({}));
    house.write_user("version: 1\noutput: { secrets: { action_on_fail: warn } }\n");
    let answer = tell(&house, &bash(&house, "cat x", &token()));
    assert!(answer["hookSpecificOutput"].get("updatedToolOutput").is_none(), "{answer}");
    assert!(answer["hookSpecificOutput"]["additionalContext"].is_string(), "{answer}");
    house.write_user("version: 1\noutput: { secrets: { except: [Bash] } }\n");
    assert_eq!(tell(&house, &bash(&house, "cat x", &token())), json!({}));
    house.write_user("version: 1\noutput: { secrets: { personal: [email] } }\n");
    let answer = tell(&house, &bash(&house, "git log -1", "Author: Ada <ada@lovelace.org>\n"));
    assert_eq!(
        answer["hookSpecificOutput"]["updatedToolOutput"]["stdout"],
        "Author: Ada <[redacted: email-address]>\n"
    );
    house.write_user("version: 1\nmode: observe\n");
    assert_eq!(tell(&house, &bash(&house, "cat x", &token())), json!({}), "observing only records");
}

#[test]
fn empty_output_and_errors_in_disguise_are_told() {
    let house = House::bare("version: 1\noutput: { empty: { } }\n");
    let fetch =
        |text: &str| result(&house, "mcp__web__get", json!({}), json!([{ "type": "text", "text": text }]));
    let told = |event: &Value| {
        tell(&house, event)["hookSpecificOutput"]["additionalContext"].as_str().map(str::to_owned)
    };
    assert!(told(&fetch(" \n")).unwrap().contains("quality-001"));
    assert!(told(&fetch("Error: no such page")).unwrap().contains("starts like an error"));
    assert_eq!(told(&fetch("the errors of last year")), None);
    assert_eq!(told(&bash(&house, "true", "")), None, "most commands are silent when all is well");
    house.write(".toolgate/policy.yaml", "version: 1\noutput: { empty: { tools: Bash } }\n");
    assert!(told(&bash(&house, "list", "")).unwrap().contains("returned nothing"));
    assert_eq!(told(&fetch("")), None);
    for on in ["quality", "quality-001"] {
        house.write(".toolgate/policy.yaml", format!("version: 1\ncategory_guardrails: {{ on: [{on}] }}\n"));
        assert!(told(&fetch("")).unwrap().contains("quality-001"), "{on}");
    }
}

#[test]
fn output_is_held_against_a_schema() {
    let house = House::bare(
        "version: 1\noutput:\n  schemas:\n    - tools: mcp__orders__*\n      schema: { type: array, items: { type: object, required: [id], properties: { id: { type: integer } } } }\n",
    );
    let orders = |text: &str| {
        result(&house, "mcp__orders__list", json!({}), json!([{ "type": "text", "text": text }]))
    };
    assert_eq!(tell(&house, &orders(r#"[{"id": 1}, {"id": 2}]"#)), json!({}));
    for wrong in [r#"[{"id": "sesame"}]"#, r#"{"id": 1}"#, "no json", r#"[{}]"#] {
        let answer = tell(&house, &orders(wrong));
        let specific = &answer["hookSpecificOutput"];
        let told = specific["additionalContext"].as_str().unwrap();
        assert!(told.contains("quality-002") && !told.contains("sesame"), "{told}");
        assert_eq!(
            specific["updatedToolOutput"],
            json!([{ "type": "text", "text": "[withheld by Toolgate: see the message next to this result]" }])
        );
    }
    let said = house.run(&["explain", "quality-002"]).ended(0).text();
    assert!(said.contains("JSON Schema"), "{said}");
    house.write(
        ".toolgate/policy.yaml",
        "version: 1\noutput:\n  schemas:\n    - { tools: a, schema: { type: nothing } }\n",
    );
    let said = house.run(&["policy", "check"]).ended(1);
    let told = said.text();
    assert!(told.contains("invalid JSON Schema") && told.contains("help: "), "{told}");
}
