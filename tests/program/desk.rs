//! With a policy that does not load nothing runs; people still see what waits, say no with words and end a yes. A yes, or the
//! end of a no, needs a policy.

use crate::house::{ASKED, House, TICKET};
use crate::review::{PASSPHRASE, answer, locked, state};
use crate::server::Server;
use serde_json::json;

const OTHER: &str = "git push --force origin other";

fn break_policy(house: &House) {
    house.write(".toolgate/policy.yaml", "version: 1\nrules: [ { id: \n");
}

#[test]
fn a_no_needs_no_policy_and_a_yes_does() {
    let house = locked();
    let (id, other) = (house.ask(ASKED).request(), house.ask(OTHER).request());
    break_policy(&house);
    let listed = house.run(&["inbox"]).ended(0).text();
    assert!(listed.contains(&id) && listed.contains(&other), "{listed}");
    assert!(house.run(&["inbox", "show", &id]).ended(0).text().contains(ASKED));
    let refused = answer(&house, "approve", &id, PASSPHRASE).ended(1);
    assert!(refused.err.contains("without a working policy a request can only be denied"), "{}", refused.err);
    assert!(refused.err.contains("policy.yaml"), "it says what to fix: {}", refused.err);
    assert_eq!(state(&house, &id), "pending");
    let words = ["inbox", "deny", &id, "--words", "fix the policy first", "--passphrase-stdin"];
    house.run_with(&words, "wrong horse battery\n").ended(1);
    house.run_with(&words, PASSPHRASE).ended(0);
    let all = ["inbox", "deny", "--all", "--words", "not today", "--passphrase-stdin"];
    house.run_with(&all, PASSPHRASE).ended(0);
    assert_eq!((state(&house, &id), state(&house, &other)), ("denied".to_owned(), "denied".to_owned()));
    // A no is not taken back without a policy either.
    let refused = house.run(&["inbox", "undo", &id]).ended(1);
    assert!(refused.err.contains("without a working policy"), "{}", refused.err);
    house.write(".toolgate/policy.yaml", TICKET);
    assert!(house.ask(ASKED).text().contains("fix the policy first"));
    house.run(&["inbox", "undo", &other]).ended(0);
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn a_yes_that_stands_is_ended_without_a_policy() {
    let house = locked();
    let id = house.ask(ASKED).request();
    let yes = ["inbox", "approve", &id, "--session", "--passphrase-stdin"];
    house.run_with(&yes, PASSPHRASE).ended(0);
    let other = house.ask(OTHER).request();
    let no = ["inbox", "deny", &other, "--always", "--passphrase-stdin"];
    house.run_with(&no, PASSPHRASE).ended(0);
    break_policy(&house);
    assert!(house.run(&["grants"]).ended(0).text().contains(&id));
    house.run(&["bypass", "list"]).ended(0);
    house.run(&["grants", "revoke", &id]).ended(0);
    assert!(house.run(&["grants", "revoke", &other]).ended(1).err.contains("without a working policy"));
    assert_eq!((state(&house, &id), state(&house, &other)), ("revoked".to_owned(), "denied".to_owned()));
}

#[test]
fn the_web_says_no_without_a_policy() {
    let house = House::with_policy(TICKET);
    let (id, other) = (house.ask(ASKED).request(), house.ask(OTHER).request());
    let server = Server::start(&house);
    let cookie = server.come_in();
    let page = |id: &str| server.get(&format!("/requests/{id}"), &cookie).body;
    assert!(!page(&id).contains("id=\"broken\"") && page(&id).contains("id=\"yes\""));
    break_policy(&house);
    let shown = page(&id);
    assert!(shown.contains("id=\"broken\"") && shown.contains("policy.yaml"), "{shown}");
    assert!(shown.contains("id=\"no\"") && !shown.contains("id=\"yes\""), "{shown}");
    assert!(server.get("/", &cookie).body.contains(&id));
    let headers = format!("{cookie}Origin: http://{}\r\nContent-Type: application/json\r\n", server.host);
    let body = json!({ "word": "approve" }).to_string();
    let yes = server.post(&format!("/api/requests/{id}/answer"), &headers, &body);
    assert!(yes.status == 409 && yes.body.contains("can only be denied"), "{}: {}", yes.status, yes.body);
    server.deny(&cookie, &id, "fix the policy first");
    let (path, form) = (
        format!("/requests/{other}"),
        crate::server::form_of(&server.get(&format!("/requests/{other}"), &cookie)).to_owned(),
    );
    let sent =
        server.post(&path, &server.form_headers(&cookie), &format!("form={form}&word=deny&words=not+now"));
    assert_eq!(sent.status, 303, "{}", sent.body);
    house.write(".toolgate/policy.yaml", TICKET);
    assert!(house.ask(ASKED).text().contains("fix the policy first"));
    assert!(house.ask(OTHER).text().contains("not now"));
    house.run(&["ledger", "verify"]).ended(0);
}

/// Looking needs no policy: exactly when it is broken people want to look.
#[test]
fn a_broken_policy_keeps_nobody_from_looking() {
    let house = House::with_policy(TICKET);
    let id = house.ask(ASKED).request();
    house.write(".toolgate/policy.yaml", "version: 1\nmode: enforc\n");
    for words in [
        &["logs"][..],
        &["logs", "--all"],
        &["stats"],
        &["stats", "--json"],
        &["stats", "--metrics"],
        &["explain", "1"],
        &["explain", &id],
        &["ledger", "verify"],
        &["ledger", "export"],
        &["ledger", "checkpoint"],
        &["restore", "list"],
        &["grants"],
        &["explain", "sudo"],
        &["rules", "list"],
        &["rules", "list", "--json"],
        &["learn", "propose"],
        &["supervisors", "list"],
        &["escalation"],
    ] {
        let said = house.run(words).ended(0);
        // A program that asked for JSON can read the warning as well.
        let is_json = said
            .err
            .lines()
            .next()
            .is_some_and(|line| serde_json::from_str::<serde_json::Value>(line).is_ok());
        assert_eq!(is_json, words.contains(&"--json"), "{words:?}: {}", said.err);
        let told: Vec<&str> =
            said.err.lines().filter(|line| line.contains("every call is blocked")).collect();
        assert!(matches!(told.as_slice(), [line] if line.contains("enforc")), "{words:?}: {}", said.err);
        assert!(!said.err.contains("The gate is broken"), "{words:?}: {}", said.err);
    }
    house.run(&["inbox", "list"]).ended(0);
    let said = house.run(&["doctor"]).ended(1).text();
    assert!(said.contains("records, intact") && said.contains("unknown mode `enforc`"), "{said}");
    let bad: Vec<&str> = said.lines().filter(|line| line.starts_with("fail")).collect();
    assert!(!bad.iter().any(|line| line.contains("ledger")), "{said}");
    let server = Server::start(&house);
    let cookie = server.come_in();
    for path in ["/", "/sessions", "/grants", "/bypasses", "/rules", "/ledger", "/supervisors", "/playground"]
    {
        let page = server.get(path, &cookie);
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        assert!(page.body.contains("Every call is blocked") && page.body.contains("enforc"), "{path}");
    }
    house.write(".toolgate/policy.yaml", TICKET);
    assert!(!server.get("/", &cookie).body.contains("Every call is blocked"));
}

/// The doctor's own test call is no work: it shows up nowhere unless it is asked for.
#[test]
fn the_doctors_test_call_counts_nowhere() {
    let house = House::with_policy(TICKET);
    house.run(&["install", "claude-code", "--user", "--yes"]).ended(0);
    house.ask("ls");
    for _ in 0..12 {
        house.run(&["doctor"]).ended(0);
    }
    let logs = house.run(&["logs"]).ended(0).text();
    assert!(!logs.contains("toolgate-canary"), "{logs}");
    assert!(house.run(&["logs", "--decisions", "REJECT"]).ended(0).text().is_empty());
    let all = house.run(&["logs", "--all"]).ended(0).text();
    assert!(all.contains("toolgate-canary"), "{all}");
    let stats = house.run(&["stats", "--json"]).ended(0).text();
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    assert_eq!((&stats["judged"], &stats["alerts"]), (&1.into(), &serde_json::json!([])), "{stats}");
    assert!(!stats.to_string().contains("canary"), "{stats}");
    assert!(!house.run(&["stats", "--metrics"]).ended(0).text().contains("canary"));
    // In an agent's own call it is a call like any other.
    assert!(house.ask("toolgate-canary").is_canary());
    assert!(house.run(&["logs"]).ended(0).text().contains("toolgate-canary"));
}
