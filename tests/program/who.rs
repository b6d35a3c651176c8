//! Who asked, who approved, and what ran: said by `logs` and `explain`, and to the agent.

use crate::house::{ASKED, House, TICKET, TOOLGATE};
use crate::plain::plain;
use crate::review::{PASSPHRASE, locked, state};
use crate::terminal::dialogue;
use serde_json::{Value, json};

#[test]
fn logs_and_explain_say_who_approved() {
    let house = locked();
    let call = house.call(ASKED);
    let id = house.ask_event(&call).request();
    let words = ["inbox", "approve", &id, "--words", "only main", "--session", "--passphrase-stdin"];
    house.run_with(&words, PASSPHRASE).ended(0);
    assert!(!house.ask_event(&call).is_no());
    let logs = house.run(&["logs", "--all"]).ended(0).text();
    let ran = logs
        .lines()
        .rev()
        .find(|line| line.contains("(approved by ada)"))
        .unwrap_or_else(|| panic!("{logs}"));
    assert!(
        logs.contains(&format!("approved {id} by ada for exactly this call, as often as this session")),
        "{logs}"
    );
    let record = ran.split_whitespace().next().unwrap();
    let story = plain(&house, &house.run(&["explain", record]).ended(0).text());
    let said =
        "approved by ada at [TIME] for exactly this call, as often as this session makes it within a day";
    assert!(story.contains(said) && story.contains("message  only main"), "{story}");
}

#[test]
fn logs_are_filtered_by_session_and_rule() {
    let house = House::with_policy(TICKET);
    for (session, command) in
        [("6fb8aa01-1", "ls"), ("6fb8aa01-1", "git commit --no-verify"), ("77aa", "ls -l")]
    {
        let mut event = house.call(command);
        event["session_id"] = json!(session);
        house.ask_event(&event);
    }
    let logs = |args: &[&str]| house.run(&[&["logs"], args].concat()).ended(0);
    let own = logs(&["--session", "6fb8"]).text();
    assert_eq!(own.lines().count(), 2, "{own}");
    assert!(own.lines().all(|line| line.contains(" 6fb8aa01 main ")), "{own}");
    assert_eq!(logs(&["--rule", "git-skip-hooks"]).text().lines().count(), 1);
    assert_eq!(logs(&["--limit", "0"]).text(), "");
    let nothing = logs(&["--session", "abc", "--rule", "x"]);
    assert_eq!(nothing.text(), "");
    assert_eq!(nothing.err, "no decisions of a session that begins with `abc` by the rule `x`\n");
    assert_eq!(logs(&["--session", "abc", "--json"]).err, "", "a program gets no remarks");
}

/// Without this the agent goes on believing in its own command.
#[test]
fn the_agent_hears_what_a_rule_made_of_its_call() {
    let house = House::bare(&format!(
        "{TICKET}rules:\n  - id: pinned\n    kind: rewrite\n    match: {{ command: {{ program: npm, subcommand: install }} }}\n    change: {{ add_flags: [--save-exact] }}\n    reason: versions are pinned here\n"
    ));
    let said = house.hook(house.call("npm install is-odd").to_string().as_bytes()).ended(0).text();
    let said: Value = serde_json::from_str(&said).unwrap();
    let text = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(text.ends_with("Changed to `npm install is-odd --save-exact`."), "{text}");
}

#[test]
fn every_list_is_json_where_it_is_asked_for() {
    let house = locked();
    house.ask(ASKED).request();
    for args in [["inbox", "--json"], ["grants", "--json"], ["bypass", "--json"]] {
        let said = house.run(&args).ended(0).text();
        assert!(serde_json::from_str::<Value>(&said).unwrap().is_array(), "{args:?}: {said}");
    }
    assert_eq!(
        house.run(&["bypass", "--json"]).ended(0).text(),
        house.run(&["bypass", "list", "--json"]).ended(0).text()
    );
}

/// A no lets nothing happen: it takes a terminal of one's own, and no code.
#[test]
fn a_denial_needs_no_code() {
    let house = House::with_policy(TICKET);
    let id = house.ask(ASKED).request();
    let args = ["inbox", "deny", &id, "--words", "no"];
    house.run(&args).ended(1);
    house.run_as_agent(&args).ended(1);
    assert_eq!(state(&house, &id), "pending", "not without a terminal");
    let Some((screen, code)) = dialogue(&house, &args, &[]) else { return };
    assert_eq!((code, state(&house, &id).as_str()), (Some(0), "denied"), "{TOOLGATE}: {screen}");
}
