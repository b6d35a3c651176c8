//! Guardrails through the hook: the example of the seed, three warnings, what is only logged, a folder of files.

use crate::answer::Answer;
use crate::house::{House, TICKET};
use crate::plain::plain;
use crate::review::{PASSPHRASE, answer};
use serde_json::{Value, json};

/// S2-45, in the form the seed writes it.
const EXAMPLE: &str = r#"# Prevent implementer from modifying test files
custom_guardrail:
  id: custom-scope-001
  name: implementer_test_separation
  description: Implementer agents should not modify test files; test-writer handles tests.
  type: pre_execution
  priority: 110
  category: scope
  enabled: true
  condition:
    expression: "agent.role == 'implementer' AND action.type == 'file_write'"
    applies_to:
      agents: ["implementer-*"]
      tasks: "*"
      tools: ["Write", "Edit"]
  validation:
    check: "action.target_file does not match '**/test_*' AND '**/*_test.*'"
    action_on_fail: block
  bypass:
    allowed: true
    requires_approval: architect
    audit_required: true
"#;

fn write(house: &House, tool: &str, path: &str, role: &str) -> Value {
    let mut event = house.event("true");
    event["tool_name"] = json!(tool);
    event["tool_input"] = json!({ "file_path": house.project().join(path), "content": "x", "old_string": "a", "new_string": "b" });
    if !role.is_empty() {
        event["agent_id"] = json!("a81f");
        event["agent_type"] = json!(role);
    }
    event
}

#[test]
fn implementers_leave_tests_alone() {
    let house = House::bare(TICKET);
    house.write(".toolgate/guardrails/implementer.yaml", EXAMPLE);
    let no = |event: &Value| match house.ask_event(event) {
        Answer::No(text) => {
            assert!(text.contains("custom-scope-001 (") && text.contains("implementer.yaml"), "{text}")
        }
        answer => panic!("{event}\n{answer:?}"),
    };
    no(&write(&house, "Write", "src/test_a.py", "implementer"));
    no(&write(&house, "Edit", "src/a_test.go", "implementer"));
    for event in [
        write(&house, "Write", "src/a.py", "implementer"),
        write(&house, "Write", "src/test_a.py", "architect"),
        write(&house, "Write", "src/test_a.py", ""),
    ] {
        assert!(!house.ask_event(&event).is_no(), "{event}");
    }
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn a_guardrail_is_shown_explained_and_tried() {
    let house = House::bare(TICKET);
    house.write(".toolgate/guardrails/implementer.yaml", EXAMPLE);
    house.write(
        ".toolgate/guardrails/b.yml",
        "guardrails:\n  - { id: custom-quality-001, type: post_handoff, validation: { check: \"true\", action_on_fail: log } }\n",
    );
    let mut all = String::new();
    for arguments in [
        &["policy", "check"][..],
        &["rules", "list"],
        &["explain", "custom-scope-001"],
        &["explain", "custom-quality-001"],
    ] {
        all.push_str(&format!(
            "$ toolgate {}\n{}\n",
            arguments.join(" "),
            house.run(arguments).ended(0).text()
        ));
    }
    let input = r#"{"file_path":"test_a.py","content":""}"#;
    let tried = house.run(&["test", "--tool", "Write", "--input", input, "--role", "implementer"]).ended(2);
    all.push_str(&tried.text());
    insta::assert_snapshot!(plain(&house, &all));
    house.run(&["test", "--tool", "Write", "--input", input, "--role", "architect"]).ended(0);
    let shown = house.run(&["policy", "show", "--json"]).ended(0).text();
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["guardrails"][1]["source"]["line"], json!(3));
    assert_eq!(shown["guardrails"][1]["guardrail"]["id"], json!("custom-scope-001"));
}

/// C-03: the third warning asks; an answer, even a no, sets the count back.
#[test]
fn the_third_warning_asks() {
    let house = House::bare(
        "version: 1\nreview: { delivery: ticket }\nguardrails:\n  - id: custom-quality-001\n    description: Use the wrapper.\n    type: pre_execution\n    condition: { expression: \"action.program == 'make'\" }\n    validation: { check: \"action.command contains '-s'\", action_on_fail: warn }\n",
    );
    house.run_with(&["approver", "set", "--passphrase-stdin"], PASSPHRASE).ended(0);
    let warned = |command: &str| match house.ask(command) {
        Answer::No(text) => panic!("{command}: {text}"),
        answer => assert!(format!("{answer:?}").contains("Use the wrapper."), "{answer:?}"),
    };
    let asked = |command: &str| match house.ask(command) {
        Answer::No(text) if text.contains("warned 2 times already") => Answer::No(text).request(),
        answer => panic!("{answer:?}"),
    };
    warned("make a");
    assert!(!house.ask("make -s a").is_no());
    warned("make b");
    let request = asked("make c");
    assert_eq!(asked("make c"), request);
    answer(&house, "deny", &request, PASSPHRASE).ended(0);
    assert!(house.ask("make c").is_no(), "a no stays");
    warned("make d");
    warned("make e");
    asked("make f");
    house.run(&["ledger", "verify"]).ended(0);
}

/// C-14: it runs, nobody is told, and the ledger says so.
#[test]
fn what_is_only_logged_is_in_the_ledger() {
    let house = House::bare(
        "version: 1\nguardrails:\n  - { id: custom-quality-002, type: pre_execution, validation: { check: \"action.program != 'make'\", action_on_fail: log } }\n",
    );
    let event = house.event("make a").to_string();
    assert_eq!(house.hook(event.as_bytes()).ended(0).text().trim(), "{}");
    let logged = house.run(&["explain", "1"]).ended(0).text();
    assert!(logged.contains("custom-quality-002"), "{logged}");
}

/// The cache knows every file of the folder; one that cannot be read closes the gate.
#[test]
fn a_folder_of_guardrails_is_part_of_the_policy() {
    let house = House::bare(TICKET);
    let rail = |id: u32, program: &str| {
        format!(
            "id: custom-safety-{id}\ntype: pre_execution\nvalidation:\n  check: action.program != '{program}'\n"
        )
    };
    assert!(!house.ask("one").is_no());
    house.write(".toolgate/guardrails/one.yaml", rail(1, "one"));
    assert!(house.ask("one").is_no());
    assert!(!house.ask("two").is_no());
    house.write(".toolgate/guardrails/two.yaml", rail(2, "two"));
    assert!(house.ask("two").is_no());
    std::fs::remove_file(house.project().join(".toolgate/guardrails/one.yaml")).unwrap();
    assert!(!house.ask("one").is_no());
    house.write(".toolgate/guardrails/readme.md", "no guardrail");
    assert!(!house.ask("one").is_no());
    for text in ["", "- a\n", "guardrails: []\n", "guardrial: {}\n", &rail(3, "x'"), "id: a\n"] {
        house.write(".toolgate/guardrails/three.yaml", text);
        assert!(house.ask("one").is_broken(), "{text}");
        let said = house.run(&["policy", "check"]).ended(1);
        let told = said.text();
        assert!(told.contains("three.yaml") && told.contains("help: "), "{text}: {told}");
    }
}

/// What has run cannot be taken back: the agent is told, the ledger keeps it, and it is no call of its own.
#[test]
fn a_result_is_looked_at() {
    let house = House::bare(
        "version: 1\nguardrails:\n  - { id: custom-quality-003, description: Look at the log., type: post_execution, validation: { check: \"action.program != 'make'\" } }\n  - { id: custom-quality-004, type: on_error, validation: { check: \"action.program != 'make'\", action_on_fail: log } }\n",
    );
    let after = |name: &str, command: &str| {
        let mut event = house.event(command);
        event["hook_event_name"] = json!(name);
        event["tool_response"] = json!({});
        house.hook(event.to_string().as_bytes()).ended(0).text()
    };
    assert_eq!(house.ask("make"), Answer::Silent);
    let said = after("PostToolUse", "make");
    assert!(said.contains("It ran, but: Look at the log. [custom-quality-003 ("), "{said}");
    assert_eq!(after("PostToolUse", "ls").trim(), "{}");
    assert_eq!(after("PostToolUseFailure", "make").trim(), "{}");
    let records = format!("{:?}", house.records());
    assert!(records.contains("custom-quality-004"), "{records}");
    house.run(&["ledger", "verify"]).ended(0);
}
