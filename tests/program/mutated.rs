//! A valid event of a call that must be denied, changed at random: it is let through only if it no
//! longer asks for that call.

use crate::answer::Answer;
use crate::house::{CANARY, House};
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof};
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use std::cell::Cell;

/// One change to the bytes, by places given in thousandths of the whole.
#[derive(Debug, Clone)]
enum Change {
    Set(usize, u8),
    Insert(usize, Vec<u8>),
    Delete(usize, usize),
    Double(usize, usize),
    Swap(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let at = 0..1000_usize;
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 1..8),
        prop::sample::select(vec![
            "\"",
            "\\",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "null",
            "true",
            "\\u0000",
            "\n",
            " ",
            "\"command\":\"ls\",",
            "toolgate-canary"
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop_oneof![
        (at.clone(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (at.clone(), piece).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (at.clone(), 1..40_usize).prop_map(|(at, length)| Change::Delete(at, length)),
        (at.clone(), 1..40_usize).prop_map(|(at, length)| Change::Double(at, length)),
        (at.clone(), at).prop_map(|(a, b)| Change::Swap(a, b)),
    ]
}

fn apply(mut bytes: Vec<u8>, change: &Change) -> Vec<u8> {
    let place = |at: usize, length: usize| at * length / 1000;
    let length = bytes.len();
    if length == 0 {
        return bytes;
    }
    match change {
        Change::Set(at, byte) => bytes[place(*at, length)] = *byte,
        Change::Insert(at, piece) => {
            drop(bytes.splice(place(*at, length)..place(*at, length), piece.iter().copied()))
        }
        Change::Delete(at, count) => {
            drop(bytes.drain(place(*at, length)..(place(*at, length) + count).min(length)))
        }
        Change::Double(at, count) => {
            let from = place(*at, length);
            let piece = bytes[from..(from + count).min(length)].to_vec();
            drop(bytes.splice(from..from, piece));
        }
        Change::Swap(a, b) => bytes.swap(place(*a, length), place(*b, length)),
    }
    bytes
}

/// What the changed bytes ask for, read the way the host would.
#[derive(Debug, PartialEq)]
enum Asks {
    /// Not an event at all.
    Nothing,
    /// Still the call that must be denied.
    Canary,
    /// Some other call or event, of which the gate may think what it likes.
    Other,
}

fn asks(bytes: &[u8]) -> Asks {
    let Ok(event) = serde_json::from_slice::<Value>(bytes) else { return Asks::Nothing };
    if event["hook_event_name"] != "PreToolUse" {
        return if event["hook_event_name"].is_string() { Asks::Other } else { Asks::Nothing };
    }
    let Some(command) = event["tool_input"]["command"].as_str() else { return Asks::Other };
    let harmless = ["Grep", "Glob", "LS", "Agent", "Task"];
    let tool = event["tool_name"].as_str().unwrap_or_default();
    let runs = !harmless.contains(&tool) && !tool.starts_with("mcp__");
    if runs && command.split_whitespace().next() == Some(CANARY) { Asks::Canary } else { Asks::Other }
}

#[track_caller]
fn check(house: &House, bytes: &[u8]) -> Asks {
    let answer = house.hook(bytes).answer();
    let asked = asks(bytes);
    let fine = match asked {
        Asks::Nothing => answer.is_broken(),
        Asks::Canary => answer.is_no(),
        Asks::Other => true,
    };
    assert!(fine, "{asked:?} got {answer:?} for {:?}", String::from_utf8_lossy(bytes));
    assert!(asked == Asks::Other || answer != Answer::Silent);
    asked
}

#[test]
fn changed_bytes_are_let_through_only_if_they_ask_for_something_else() {
    let house = House::new();
    let seen = [Cell::new(0), Cell::new(0), Cell::new(0)];
    let mut runner = TestRunner::new(Config { cases: 300, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&prop::collection::vec(change(), 1..4), |changes| {
        let bytes = changes.iter().fold(house.event(CANARY).to_string().into_bytes(), apply);
        let slot = match check(&house, &bytes) {
            Asks::Nothing => &seen[0],
            Asks::Canary => &seen[1],
            Asks::Other => &seen[2],
        };
        slot.set(slot.get() + 1);
        Ok(())
    });
    outcome.expect("no mutation opens the gate");
    // The strategy must reach both sides, or it proves nothing.
    assert!(seen[0].get() > 20 && seen[1].get() > 20, "{seen:?}");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        "\\PC{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,8}", inner, 0..4).prop_map(|map| json!(map))
        ]
    })
}

/// Any value in any field beside the command: the call stays denied.
#[test]
fn no_value_in_another_field_opens_the_gate() {
    let house = House::new();
    let fields = vec![
        "session_id",
        "transcript_path",
        "cwd",
        "permission_mode",
        "tool_use_id",
        "agent_id",
        "agent_type",
        "effort",
        "extra",
    ];
    let strategy = (prop::sample::select(fields), any_json(), any_json());
    let mut runner = TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&strategy, |(field, value, description)| {
        let mut event = house.event(CANARY);
        event[field] = value;
        event["tool_input"]["description"] = description;
        assert_eq!(check(&house, event.to_string().as_bytes()), Asks::Canary);
        Ok(())
    });
    outcome.expect("no value opens the gate");
}
