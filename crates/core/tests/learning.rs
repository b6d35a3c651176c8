//! Answers alike become proposals, and nothing more.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use serde_json::json;
use toolgate_core::{Proposal, Request, Word, habit_of, proposals};

fn request(id: usize, title: &str, guard: &str, state: &str, proof: serde_json::Value) -> Request {
    let word = if state == "denied" { "deny" } else { "approve" };
    let answer = json!({ "request": format!("r-{id}"), "word": word, "by": "ada", "proof": proof });
    let mut request = json!({ "id": format!("r-{id}"), "session": "s", "agent": "main", "arguments": "a", "tool": "Bash",
        "title": title, "dir": "/", "why": [], "asks": [guard], "made_ms": 0, "expires_ms": 1, "state": state });
    match state {
        "approved" | "denied" => request["answer"] = answer,
        "used" => request["progress"] = json!({ "yes": [answer] }),
        _ => {}
    }
    if state == "approved" {
        request["at_ms"] = json!(1);
    }
    serde_json::from_value(request).unwrap()
}

fn answered(titles: &[&str], state: &str) -> Vec<Request> {
    let one =
        |(id, title): (usize, &&str)| request(id, title, "force-push", state, json!({ "proof": "terminal" }));
    titles.iter().enumerate().map(one).collect()
}

const PUSHES: [&str; 3] = ["git push -f origin a", "git push -f origin b", "git push -f origin c"];

#[test]
fn what_is_always_answered_alike_is_proposed() {
    for (state, word) in [("used", Word::Approve), ("approved", Word::Approve), ("denied", Word::Deny)] {
        let found = proposals(&answered(&PUSHES, state), |_| false);
        let expected = Proposal {
            word,
            tool: "Bash".to_owned(),
            asks: vec!["force-push".to_owned()],
            pattern: "git push -f origin *".to_owned(),
            answers: 3,
        };
        assert_eq!(found, [expected], "{state}");
    }
}

#[test]
fn what_is_not_is_not() {
    assert!(proposals(&answered(&PUSHES[..2], "used"), |_| false).is_empty(), "too few");
    let mut mixed = answered(&PUSHES, "used");
    mixed.extend(answered(&PUSHES[..1], "denied"));
    assert!(proposals(&mixed, |_| false).is_empty(), "not always the same");
    let other = ["git push -f origin a", "git push -f up b", "git push origin c"];
    assert!(proposals(&answered(&other, "used"), |_| false).is_empty(), "other shapes");
    assert!(proposals(&answered(&PUSHES, "pending"), |_| false).is_empty());
    let model = json!({ "proof": "supervisor", "names": ["m"], "policy": "p", "shape": "s" });
    let by_model: Vec<Request> =
        (0..3).map(|id| request(id, "git push -f origin a", "g", "used", model.clone())).collect();
    assert!(proposals(&by_model, |_| false).is_empty(), "models do not teach");
}

/// Habit does not wear down what is locked; a no may still be made firm.
#[test]
fn what_is_locked_is_not_relaxed() {
    assert!(proposals(&answered(&PUSHES, "used"), |guard| guard == "force-push").is_empty());
    assert_eq!(proposals(&answered(&PUSHES, "denied"), |guard| guard == "force-push").len(), 1);
}

#[test]
fn what_was_said_before_is_known() {
    let mut before = answered(&PUSHES, "used");
    before.extend(answered(&PUSHES[..1], "denied"));
    let now = request(9, "git push -f origin new", "force-push", "pending", json!(null));
    let habit = habit_of(&now, &before);
    assert_eq!((habit.yes, habit.no), (3, 1));
    assert_eq!(habit_of(&request(9, "make x y", "force-push", "pending", json!(null)), &before).yes, 0);
}
