//! Text from outside never reaches a terminal raw: no escape, no turned direction, nothing invisible.

use crate::house::{CANARY, House, finish};
use serde_json::{Value, json};

/// Titles, colours and the screen changed; directions turned; characters nobody sees.
const EVIL: &str =
    "x\u{1b}]0;evil\u{7}\u{1b}[2J\u{1b}[31m\u{202e}\u{2066}\u{200b}\u{feff}\u{ad}\u{8}\r\u{9b}2J";

const POLICY: &str = "\
version: 1
review: { delivery: ticket }
rules:
  - { id: ask, kind: ask, match: { command: { program: deploy } }, reason: a person watches }
";

/// What a terminal would get; colours of our own are taken out before looking.
#[track_caller]
fn check(house: &House, args: &[&str]) {
    let mut command = house.toolgate(args);
    command.env("CLICOLOR_FORCE", "1");
    let said = finish(command, b"");
    let all = format!("{}{}", said.text(), said.err);
    let mut rest = all.as_str();
    let mut text = String::new();
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(0);
        assert!(after[end..].starts_with('m'), "{args:?}: an escape that is no colour: {all:?}");
        text.push_str(before);
        rest = &after[end + 1..];
    }
    text.push_str(rest);
    let hidden =
        text.chars().find(|c| (c.is_control() && *c != '\n') || EVIL.contains(*c) && !c.is_ascii_graphic());
    assert_eq!(hidden, None, "{args:?}: {text:?}");
    assert!(!all.contains("\u{1b}[31m\\u{202e}"), "{args:?}: a colour of theirs came through");
}

fn event(house: &House, command: &str) -> Value {
    let mut event = house.event(command);
    event["session_id"] = json!(format!("s{EVIL}"));
    event["agent_id"] = json!(format!("a{EVIL}"));
    event["tool_name"] = json!(format!("Tool{EVIL}"));
    event["tool_use_id"] = json!(format!("t{EVIL}"));
    event["tool_input"]["description"] = json!(EVIL);
    event
}

#[test]
fn hostile_text_is_made_visible_everywhere() {
    let house = House::bare(POLICY);
    let id = house.ask_event(&event(&house, &format!("deploy {EVIL}"))).request();
    house.ask_event(&event(&house, &format!("{CANARY} {EVIL}")));
    house.ask_event(&event(&house, &format!("rm -rf .toolgate/{EVIL}")));
    let mut after = event(&house, &format!("deploy {EVIL}"));
    after["hook_event_name"] = json!("PostToolUse");
    house.ask_event(&after);
    let mut start = event(&house, "");
    start["hook_event_name"] = json!("SessionStart");
    start["source"] = json!(EVIL);
    house.ask_event(&start);
    let mut unknown = event(&house, "");
    unknown["hook_event_name"] = json!(format!("E{EVIL}"));
    house.ask_event(&unknown);
    for args in [
        &["logs"][..],
        &["logs", "--all"],
        &["inbox"],
        &["inbox", "list", "--all"],
        &["inbox", "show", &id],
        &["explain", &id],
    ] {
        check(&house, args);
    }
    for record in 1..=7 {
        check(&house, &["explain", &record.to_string()]);
    }
    check(&house, &["test", &format!("deploy {EVIL}")]);
    check(&house, &["test", &format!("{CANARY} {EVIL}")]);
    for command in [format!("deploy {EVIL}"), format!("{EVIL} | cat > .toolgate/{EVIL}"), format!("'{EVIL}")]
    {
        check(&house, &["test", "--explain", &command]);
    }
    check(&house, &["test", &format!("rm -rf .toolgate/{EVIL}")]);
    check(&house, &["test", "--tool", &format!("T{EVIL}"), "--input", "{}"]);
    check(&house, &["explain", EVIL]);
    check(&house, &["inbox", "show", EVIL]);
}

#[test]
fn a_request_shows_hidden_text_as_what_it_is() {
    let house = House::bare(POLICY);
    let id = house.ask(&format!("deploy {EVIL}")).request();
    let said = house.run(&["inbox", "show", &id]).ended(0).text();
    insta::assert_snapshot!(crate::plain::plain(&house, &said));
}
