//! An emergency nobody answers: let through after a minute where the person's own policy lists it, and nowhere else (S2-49,
//! C-15). Time passes by writing the request into the ledger as an older one, with the gate's own key.

use crate::answer::Answer;
use crate::house::House;
use crate::review::{PASSPHRASE, answer};
use serde_json::Value;
use toolgate_core::{Context, Entry, Request};
use toolgate_runtime::{Dirs, now_ms, signing_key};
use toolgate_store::{Sqlite, Store};

const PROJECT: &str = "version: 1
review: { delivery: ticket }
guardrails:
  - id: custom-safety-001
    type: pre_execution
    condition: { expression: \"action.program == 'systemctl'\" }
    validation: { check: \"false\" }
    bypass: { allowed: true, requires_approval: architect }
  - id: custom-safety-002
    type: pre_execution
    condition: { expression: \"action.program == 'reboot'\" }
    validation: { check: \"false\" }
";

const USER: &str = "version: 1
packs: []
people:
  emergency: { commands: ['systemctl restart *', 'reboot'], agents: [main] }
";

const RESTART: &str = "systemctl restart web";
const REASON: &str = "the site is down and nobody answers the phone";

fn house() -> House {
    let house = House::bare(PROJECT);
    house.write_user(USER);
    house
}

/// Asks past what blocks a command; the request's id.
fn ask(house: &House, command: &str, urgency: &str) -> Request {
    let blocked = house.ask(command);
    let call = blocked.text().split("--call ").nth(1).expect("a way past").split(' ').next().unwrap();
    let args = [
        "bypass",
        "request",
        "custom-safety-001",
        "--call",
        call,
        "--reason",
        REASON,
        "--urgency",
        urgency,
        "--json",
    ];
    let said = house.run_as_agent(&args).ended(0).text();
    serde_json::from_str(&said).unwrap()
}

/// The same request, made so long ago.
fn aged(house: &House, request: &Request, seconds: i64) -> String {
    let home = house.home().display().to_string();
    let dirs = Dirs::from_env(&move |name| (name == "HOME").then(|| home.clone()));
    let mut store = Sqlite::open(&dirs.ledger(), signing_key(&dirs).unwrap()).unwrap();
    let id = format!("{}0", request.id);
    let made_ms = now_ms() - seconds * 1000;
    let expires_ms = made_ms + (request.expires_ms - request.made_ms);
    let older = Request { id: id.clone(), made_ms, expires_ms, ..request.clone() };
    let context =
        Context { session: request.session.clone(), agent: request.agent.clone(), ..Context::default() };
    let mut turn = store.begin().unwrap();
    turn.append(made_ms, &context, Entry::Requested(older)).unwrap();
    turn.commit().unwrap();
    id
}

#[track_caller]
fn check(house: &House, command: &str, urgency: &str, seconds: i64, runs: bool) {
    let request = ask(house, command, urgency);
    let id = aged(house, &request, seconds);
    let told = house.ask(command);
    assert_eq!(!told.is_no(), runs, "{command} as {urgency} after {seconds} s ({id}): {told:?}");
}

#[test]
fn an_unanswered_emergency_is_let_through_once_and_looked_at() {
    let house = house();
    let id = aged(&house, &ask(&house, RESTART, "emergency"), 61);
    let shown = house.run(&["inbox", "show", &id]).ended(0).text();
    assert!(shown.contains("unanswered, it runs from"), "{shown}");
    assert_eq!(house.ask(RESTART), Answer::Silent);
    assert!(house.ask(RESTART).is_no(), "once");
    let records = format!("{:?}", house.records());
    assert!(records.contains("emergency") && records.contains(REASON), "{records}");
    let listed = house.run(&["bypass", "list"]).ended(0).text();
    assert!(listed.contains("review due"), "{listed}");
    house.run(&["bypass", "review", &id, "--words", "it was right"]).ended(0);
    house.run(&["bypass", "review", &id, "--words", "again"]).ended(1);
    assert!(!house.run(&["bypass", "list"]).ended(0).text().contains("review due"));
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn everything_else_waits_for_a_person() {
    check(&house(), RESTART, "emergency", 30, false);
    check(&house(), RESTART, "urgent", 61, false);
    check(&house(), RESTART, "normal", 61, false);
    check(&house(), "systemctl stop web", "emergency", 61, false);
    check(&house(), "systemctl restart web && rm -rf x", "emergency", 61, false);
    check(&house(), RESTART, "emergency", 15 * 60 + 1, false);
    check(&house(), RESTART, "emergency", 61, true);
}

#[test]
fn only_the_persons_own_policy_opens_it() {
    let house = House::bare(&format!(
        "{PROJECT}people: {{ emergency: {{ commands: ['systemctl *'], agents: [main] }} }}\n"
    ));
    check(&house, RESTART, "emergency", 61, false);
    house.write_user("version: 1\npacks: []\npeople: { emergency: { commands: ['systemctl restart *'], agents: [ops] } }\n");
    check(&house, RESTART, "emergency", 61, false);
    house.write_user("version: 1\npacks: []\npeople: { emergency: { agents: [main] } }\n");
    check(&house, RESTART, "emergency", 61, false);
}

#[test]
fn a_no_is_a_no_in_an_emergency_too() {
    let house = house();
    house.run_with(&["approver", "set", "--passphrase-stdin"], PASSPHRASE).ended(0);
    let id = aged(&house, &ask(&house, RESTART, "emergency"), 61);
    answer(&house, "deny", &id, PASSPHRASE).ended(0);
    assert!(house.ask(RESTART).is_no());
}

/// What allows no bypass is not opened by pressing.
#[test]
fn a_guardrail_without_a_way_past_has_none() {
    let house = house();
    let mut request = ask(&house, RESTART, "emergency");
    let blocked: Vec<Value> = {
        house.ask("reboot");
        house.records()
    };
    let arguments =
        blocked.iter().rev().find_map(|record| record["entry"]["arguments"].as_str()).expect("the call");
    request.arguments = arguments.to_owned();
    if let Some(own) = &mut request.bypass {
        own.guardrail = "custom-safety-002".to_owned();
    }
    aged(&house, &request, 61);
    assert!(house.ask("reboot").is_no());
}

/// What is overdue is said by the doctor.
#[test]
fn an_emergency_nobody_looked_at_is_raised() {
    let house = house();
    let request = ask(&house, RESTART, "emergency");
    let id = aged(&house, &request, 2 * 24 * 3600);
    let home = house.home().display().to_string();
    let dirs = Dirs::from_env(&move |name| (name == "HOME").then(|| home.clone()));
    let mut store = Sqlite::open(&dirs.ledger(), signing_key(&dirs).unwrap()).unwrap();
    let mut turn = store.begin().unwrap();
    let at_ms = now_ms() - 2 * 24 * 3_600_000 + 61_000;
    turn.append(at_ms, &Context::default(), Entry::Used { request: id.clone(), call: None }).unwrap();
    turn.commit().unwrap();
    let said = house.run(&["doctor"]);
    assert!(said.text().contains(&id) && said.text().contains("emergency"), "{} {}", said.text(), said.err);
    assert!(house.run(&["bypass", "list"]).ended(0).text().contains("overdue"));
}
