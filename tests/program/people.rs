//! Several people for one yes: what the first is told, whose yes is whose, and who takes it back.

use crate::house::{ASKED, House, Said, finish};
use crate::review::PASSPHRASE;
use crate::server::Server;
use serde_json::{Value, json};
use toolgate_core::{Answer, Extent, Proof, Word};
use toolgate_runtime::{Desk, Dirs};
use toolgate_store::{Store, Which};

const TWO: &str = "version: 1
review: { delivery: ticket }
people: { needs: { low: 2 } }
";

const OTHER: &str = "git push --force origin other";

fn locked() -> House {
    let house = House::with_policy(TWO);
    house.run_with(&["approver", "set", "--passphrase-stdin"], PASSPHRASE).ended(0);
    house
}

/// Runs the program as somebody.
fn run_as(house: &House, user: &str, args: &[&str]) -> Said {
    let mut command = house.toolgate(args);
    command.env("USER", user);
    finish(command, PASSPHRASE.as_bytes())
}

/// Whose yes is there.
fn yes(house: &House, id: &str) -> Vec<String> {
    let said = house.run(&["inbox", "show", id, "--json"]).ended(0).text();
    let said: Value = serde_json::from_str(&said).unwrap();
    let all = said["progress"]["yes"].as_array().cloned().unwrap_or_default();
    all.iter().map(|one| one["by"].as_str().unwrap().to_owned()).collect()
}

/// A yes somebody gave at a terminal of their own.
fn yes_at_terminal(house: &House, by: &str) {
    let home = house.home().display().to_string();
    let dirs = Dirs::from_env(&move |name| (name == "HOME").then(|| home.clone()));
    let mut desk = Desk::open(&dirs).unwrap();
    let request = desk.store().requests(Which::Open).unwrap().remove(0);
    let (id, by) = (request.id.clone(), by.to_owned());
    let (word, reach, proof) = (Word::Approve, Extent::Once, Proof::Terminal);
    desk.answer(&request, Answer { request: id, word, by, words: None, reach, proof }).unwrap();
}

#[test]
fn the_first_yes_of_two_is_heard_and_says_what_is_missing() {
    let house = locked();
    let (id, other) = (house.ask(ASKED).request(), house.ask(OTHER).request());
    let said = run_as(&house, "ada", &["inbox", "approve", &id, "--passphrase-stdin"]).ended(0);
    assert!(said.err.contains("is pending: 1 of 2 approvals: ada; 1 more needed"), "{}", said.err);
    let said = run_as(&house, "ada", &["inbox", "approve", &other, "--passphrase-stdin", "--json"]).ended(0);
    let told: Value = serde_json::from_str(&said.text()).unwrap();
    assert_eq!((&told["state"], &told["missing"]), (&json!("pending"), &json!(1)), "{told}");
    assert!(house.ask(ASKED).is_no(), "one is not two");
    let said = run_as(&house, "ada", &["inbox", "deny", &other, "--passphrase-stdin", "--json"]).ended(0);
    let told: Value = serde_json::from_str(&said.text()).unwrap();
    assert_eq!((&told["state"], &told["missing"]), (&json!("denied"), &json!(0)), "{told}");
}

#[test]
fn one_passphrase_is_one_person_and_says_so() {
    let house = locked();
    let doctor = house.run(&["doctor"]).text();
    assert!(doctor.contains("asks for 2 approvals, but one passphrase counts as one person"), "{doctor}");
    let id = house.ask(ASKED).request();
    run_as(&house, "ada", &["inbox", "approve", &id, "--passphrase-stdin"]).ended(0);
    let before = house.records().len();
    let said = run_as(&house, "grace", &["inbox", "approve", &id, "--passphrase-stdin"]).ended(1);
    assert!(said.err.contains("ada has already approved it with this passphrase"), "{}", said.err);
    let said = run_as(&house, "grace", &["inbox", "undo", &id]).ended(1);
    assert!(said.err.contains("undo it as ada, or deny the request"), "{}", said.err);
    let mut command = house.toolgate(&Server::WORDS);
    command.env("USER", "grace");
    let server = Server::run(command);
    let cookie = server.come_in();
    let page = server.get(&format!("/requests/{id}"), &cookie).body;
    assert!(page.contains("ada has approved this with the same passphrase"), "{page}");
    assert!(page.contains("id=\"no\"") && !page.contains("id=\"yes\"") && !page.contains("id=\"undo\""));
    let headers = format!("{cookie}Origin: http://{}\r\nContent-Type: application/json\r\n", server.host);
    let body = json!({ "word": "approve", "passphrase": PASSPHRASE.trim() }).to_string();
    let reply = server.post(&format!("/api/requests/{id}/answer"), &headers, &body);
    assert!(reply.status == 409 && reply.body.contains("counts as one person"), "{}", reply.body);
    assert_eq!((house.records().len(), yes(&house, &id)), (before, vec!["ada".to_owned()]));
    // Who said it takes it back, and then another may say it.
    run_as(&house, "ada", &["inbox", "undo", &id]).ended(0);
    run_as(&house, "grace", &["inbox", "approve", &id, "--passphrase-stdin"]).ended(0);
    assert_eq!(yes(&house, &id), ["grace"]);
    house.run(&["ledger", "verify"]).ended(0);
}

/// One answer for several sessions: all of it counts, or nothing is given.
#[test]
fn a_yes_to_what_is_alike_is_given_whole() {
    let house = locked();
    let ask = |session: &str| {
        let mut event = house.call(ASKED);
        event["session_id"] = json!(session);
        house.ask_event(&event).request()
    };
    let (one, two) = (ask("one"), ask("two"));
    run_as(&house, "ada", &["inbox", "approve", &two, "--passphrase-stdin"]).ended(0);
    let before = house.records().len();
    let mut command = house.toolgate(&Server::WORDS);
    command.env("USER", "grace");
    let server = Server::run(command);
    let cookie = server.come_in();
    let headers = format!("{cookie}Origin: http://{}\r\nContent-Type: application/json\r\n", server.host);
    let body = json!({ "word": "approve", "passphrase": PASSPHRASE.trim(), "alike": [two] }).to_string();
    let reply = server.post(&format!("/api/requests/{one}/answer"), &headers, &body);
    assert!(reply.status == 409 && reply.body.contains("counts as one person"), "{}", reply.body);
    assert_eq!((house.records().len(), yes(&house, &one).len(), yes(&house, &two).len()), (before, 0, 1));
}

#[test]
fn nobody_takes_back_the_yes_of_another() {
    let house = House::with_policy(TWO);
    let id = house.ask(ASKED).request();
    let nothing = run_as(&house, "ada", &["inbox", "undo", &id]).ended(1);
    assert!(nothing.err.contains("it has not been answered"), "{}", nothing.err);
    yes_at_terminal(&house, "bob");
    let before = house.records().len();
    let said = run_as(&house, "ada", &["inbox", "undo", &id]).ended(1);
    assert!(said.err.contains("it was approved by bob, not by ada; only they can undo it"), "{}", said.err);
    let server = Server::start(&house);
    let cookie = server.come_in();
    let headers = format!("{cookie}Origin: http://{}\r\nContent-Type: application/json\r\n", server.host);
    let path = format!("/api/requests/{id}/handle");
    let reply = server.post(&path, &headers, &json!({ "action": "undo" }).to_string());
    assert!(reply.status == 409 && reply.body.contains("by bob, not by ada"), "{}", reply.body);
    assert_eq!((house.records().len(), yes(&house, &id)), (before, vec!["bob".to_owned()]));
    run_as(&house, "bob", &["inbox", "undo", &id]).ended(0);
    assert!(yes(&house, &id).is_empty());
    house.run(&["ledger", "verify"]).ended(0);
}
