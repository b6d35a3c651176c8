//! The inbox as a person sees it: by project, with what came of each request, and one no for all.

use crate::house::{ASKED, House, TICKET};
use crate::plain::plain;
use crate::review::{PASSPHRASE, answer, locked, state};
use serde_json::{Value, json};

/// Asks from another project of the same person.
fn ask_elsewhere(house: &House, name: &str, command: &str) -> String {
    let folder = house.root().join(name);
    std::fs::create_dir_all(folder.join(".toolgate")).unwrap();
    std::fs::create_dir_all(folder.join("inner")).unwrap();
    std::fs::write(folder.join(".toolgate/policy.yaml"), TICKET).unwrap();
    let mut event = house.call(command);
    event["cwd"] = json!(folder.join("inner"));
    house.ask_event(&event).request()
}

#[test]
fn this_project_comes_first_and_each_is_named() {
    let house = locked();
    house.ask(ASKED).request();
    ask_elsewhere(&house, "alpha", ASKED);
    house.ask("git push -f origin dev").request();
    ask_elsewhere(&house, "zeta", "git push -f");
    let list = house.run(&["inbox"]).ended(0).text();
    insta::assert_snapshot!(plain(&house, &list));
    let said = house.run(&["inbox", "list", "--json"]).ended(0).text();
    let projects: Vec<String> = serde_json::from_str::<Vec<Value>>(&said)
        .unwrap()
        .iter()
        .map(|request| request["project"].as_str().unwrap().rsplit('/').next().unwrap().to_owned())
        .collect();
    assert_eq!(projects, ["work", "work", "alpha", "zeta"]);
}

#[test]
fn one_no_for_all_that_waits_here() {
    let house = locked();
    let own = [house.ask(ASKED).request(), house.ask("git push -f origin dev").request()];
    let other = ask_elsewhere(&house, "alpha", ASKED);
    let approved = house.ask("git push -f origin third").request();
    answer(&house, "approve", &approved, PASSPHRASE).ended(0);
    let deny = |args: &[&str], stdin: &str| {
        let args: Vec<&str> = ["inbox", "deny"].into_iter().chain(args.iter().copied()).collect();
        house.run_with(&args, stdin)
    };
    deny(&["--all"], PASSPHRASE).ended(1);
    deny(&["--all", "--words", "no", &own[0]], PASSPHRASE).ended(1);
    deny(&[], PASSPHRASE).ended(1);
    deny(&["--all", "--words", "no", "--passphrase-stdin"], "wrong\n").ended(1);
    assert_eq!(state(&house, &own[0]), "pending");
    let said = deny(&["--all", "--words", "not today", "--passphrase-stdin"], PASSPHRASE).ended(0);
    assert!(said.err.contains("1 more wait in other projects"), "{}", said.err);
    for id in &own {
        assert_eq!(state(&house, id), "denied");
    }
    assert_eq!((state(&house, &other).as_str(), state(&house, &approved).as_str()), ("pending", "approved"));
    assert!(house.ask(ASKED).text().contains("not today"), "the agent is told");
    let said = deny(&["--all", "--words", "no", "--passphrase-stdin"], PASSPHRASE).ended(0);
    assert!(said.err.contains("nothing waits in this project"), "{}", said.err);
    house.run(&["ledger", "verify"]).ended(0);
}

/// Only what can still happen has an end.
#[test]
fn a_card_says_what_came_of_the_request() {
    let house = locked();
    let mut shown = String::new();
    let mut show = |id: &str| {
        let said = house.run(&["inbox", "show", id]).ended(0).text();
        shown.push_str(&plain(&house, &said));
        shown.push('\n');
    };
    let call = house.event(ASKED);
    let id = house.ask_event(&call).request();
    show(&id);
    let words = ["inbox", "approve", &id, "--words", "only this once", "--passphrase-stdin"];
    house.run_with(&words, PASSPHRASE).ended(0);
    show(&id);
    house.ask_event(&call);
    show(&id);
    let id = house.ask("git push -f").request();
    answer(&house, "deny", &id, PASSPHRASE).ended(0);
    show(&id);
    let list = house.run(&["inbox", "list", "--all"]).ended(0).text();
    insta::assert_snapshot!(format!("{shown}{}", plain(&house, &list)));
}

/// What several sessions ask alike is one line and answered at once; each session has its own grant.
#[test]
fn what_sessions_ask_alike_is_answered_together() {
    let ask = |house: &House, session: &str, command: &str| {
        let mut event = house.call(command);
        event["session_id"] = json!(session);
        house.ask_event(&event)
    };
    let house = locked();
    let ids: Vec<String> =
        ["one", "two", "three"].map(|session| ask(&house, session, ASKED).request()).to_vec();
    let other = ask(&house, "four", "git push --force origin other").request();
    let listed = house.run(&["inbox"]).ended(0).text();
    assert!(listed.contains("(and in 2 more sessions)") && listed.contains(&other), "{listed}");
    assert_eq!(listed.matches(ASKED).count(), 1, "{listed}");
    let said = house.run_with(&["inbox", "approve", &ids[0], "--passphrase-stdin"], PASSPHRASE).ended(0);
    assert!(said.err.contains("--alike"), "it is said that there are more: {}", said.err);
    assert_eq!(
        (state(&house, &ids[0]), state(&house, &ids[1])),
        ("approved".to_owned(), "pending".to_owned())
    );
    let args = ["inbox", "approve", &ids[1], "--alike", "--always", "--passphrase-stdin"];
    house.run_with(&args, PASSPHRASE).ended(0);
    assert_eq!(state(&house, &ids[2]), "approved");
    assert_eq!(state(&house, &other), "pending", "another call was not shown");
    let grants = house.run(&["grants"]).ended(0).text();
    assert_eq!(grants.matches("until revoked").count(), 1, "what holds everywhere is said once: {grants}");
    house.run(&["grants", "revoke", &ids[1]]).ended(0);
    assert!(!ask(&house, "three", ASKED).is_no(), "its own grant");
    assert!(ask(&house, "three", ASKED).is_no(), "once");
    assert!(ask(&house, "five", ASKED).is_no());
    house.run(&["ledger", "verify"]).ended(0);
}
