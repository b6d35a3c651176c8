//! AI supervisors through the real hook: a scripted service answers, and the answer reaches the host and
//! the ledger – or nothing of it does.

use crate::answer::Answer;
use crate::house::{ASKED, House, finish};
use crate::judge::{Judge, Line, opinion};
use serde_json::{Value, json};

/// The user's policy: one supervisor, no pack but the default, tickets instead of waiting.
pub fn policy(judge: &Judge, more: &str) -> String {
    format!(
        "version: 1\nreview: {{ delivery: ticket, supervised: [low, medium, high, critical], supervisor_seconds: 5 }}\nsupervisors:\n  one: {{ endpoint: openai, url: \"{}\", model: test, seconds: 3{more} }}\n",
        judge.url()
    )
}

fn house(judge: &Judge) -> House {
    let house = House::new();
    house.write_user(&policy(judge, ""));
    house
}

fn entries(house: &House, sort: &str) -> Vec<Value> {
    let all = house.records().into_iter().map(|record| record["entry"].clone());
    all.filter(|entry| entry["entry"] == sort).collect()
}

/// S1-18, S1-19, S1-21: the whole way of a yes.
#[test]
fn a_sure_yes_lets_exactly_this_call_through() {
    let judge = Judge::start(|asked| Line::json(opinion(asked, "approve", 0.93)));
    let house = house(&judge);
    assert_eq!(house.ask(ASKED), Answer::Silent);
    let reviewed = entries(&house, "reviewed");
    assert_eq!(reviewed.len(), 1, "{reviewed:?}");
    assert_eq!(
        (&reviewed[0]["supervisor"], &reviewed[0]["decision"], &reviewed[0]["confidence_percent"]),
        (&json!("one"), &json!("approve"), &json!(93))
    );
    let answered = entries(&house, "answered");
    assert_eq!(answered[0]["proof"]["proof"], "supervisor", "{answered:?}");
    assert_eq!(entries(&house, "used").len(), 1);
    house.run(&["ledger", "verify"]).ended(0);
}
