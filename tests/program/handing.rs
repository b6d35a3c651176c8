//! Work handed to another agent and failed calls, through the hook (S2-06 to S2-08, C-31).

use crate::answer::Answer;
use crate::house::House;
use serde_json::{Value, json};

fn task(house: &House, to: &str, prompt: &str) -> Value {
    let mut event = house.call("true");
    event["tool_name"] = json!("Agent");
    event["tool_input"] = json!({ "subagent_type": to, "description": "a step", "prompt": prompt });
    event
}

#[test]
fn work_handed_over_is_complete_and_the_other_can_do_it() {
    let house = House::bare(
        "version: 1\nhandoff: { payload: [context, artefacts, rationale], known_receivers: true }\nagents:\n  reviewer: { capabilities: [read, run] }\n",
    );
    let whole = "Context: the parser\nArtefacts: src/a.rs\nRationale: it is slow\n";
    for (event, wanted) in [
        (task(&house, "reviewer", "look at it"), "lacks its context"),
        (task(&house, "stranger", whole), "has no agent `stranger`"),
        (task(&house, "reviewer", &format!("{whole}Needs: write")), "capability `write`"),
    ] {
        match house.ask_event(&event) {
            Answer::No(text) => assert!(text.contains(wanted) && text.contains("handoff ("), "{text}"),
            answer => panic!("{event}\n{answer:?}"),
        }
    }
    assert_eq!(house.ask_event(&task(&house, "reviewer", whole)), Answer::Silent);
    house.run(&["ledger", "verify"]).ended(0);
}

/// S2-06, S2-07: guardrails of both moments; the later one never blocks.
#[test]
fn guardrails_see_both_sides_of_a_hand_over() {
    let house = House::bare(
        "version: 1\nguardrails:\n  - { id: custom-scope-001, description: Nothing for interns., type: pre_handoff, validation: { check: \"action.tool != 'Agent'\" } }\n  - { id: custom-scope-002, description: Mind the intern., type: post_handoff, validation: { check: \"agent.role != 'intern'\" } }\n",
    );
    assert!(house.ask_event(&task(&house, "intern", "x")).text().contains("custom-scope-001"));
    assert_eq!(house.ask("ls"), Answer::Silent);
    let began = |role: &str| json!({ "session_id": "session-1", "transcript_path": "/nowhere.jsonl", "cwd": house.project(), "hook_event_name": "SubagentStart", "agent_id": "a-1", "agent_type": role });
    assert_eq!(house.ask_event(&began("reviewer")), Answer::Silent);
    let told = house.hook(began("intern").to_string().as_bytes()).ended(0).text();
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["hookSpecificOutput"]["hookEventName"], "SubagentStart");
    assert!(told["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("Mind the intern."));
    let records = format!("{:?}", house.records());
    assert!(records.contains("custom-scope-002") && records.contains("intern started"), "{records}");
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn what_fails_three_times_is_set_aside() {
    let house = House::bare("version: 1\nerrors: { retries: 3 }\n");
    let failed = |command: &str, error: &str| {
        let mut event = house.call(command);
        event["hook_event_name"] = json!("PostToolUseFailure");
        event["error"] = json!(error);
        house.hook(event.to_string().as_bytes()).ended(0).text()
    };
    for attempt in 1..=2 {
        assert_eq!(house.ask("make"), Answer::Silent);
        let said: Value = serde_json::from_str(&failed("make", "Exit code 2\ndatabase is locked")).unwrap();
        let told = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert_eq!(said["hookSpecificOutput"]["hookEventName"], "PostToolUseFailure");
        assert!(told.contains(&format!("recoverable: attempt {attempt} of 3 failed")), "{told}");
    }
    assert!(failed("make", "Exit code 2\ndatabase is locked").contains("quarantined"));
    let again = house.ask("make");
    assert!(again.is_no() && again.text().contains("error-recovery"), "{again:?}");
    assert_eq!(house.ask("make -k"), Answer::Silent);
    assert!(failed("other", "other: command not found").contains("fatal"));
    assert_eq!(house.ask("make"), Answer::Silent, "the row is over");
    house.run(&["ledger", "verify"]).ended(0);
}
