//! A clock that is set back gives nothing back that was over. The ledger knows a later time: its newest record is
//! from then.

use crate::answer::Answer;
use crate::house::{ASKED, House, TICKET};
use crate::review::{PASSPHRASE, locked};
use toolgate_core::{Context, Entry};
use toolgate_runtime::{Dirs, now_ms, signing_key};
use toolgate_store::{Sqlite, Store};

/// The ledger goes on as it does in some minutes; then the clock is set back to now.
fn set_back(house: &House, minutes: i64) {
    let home = house.home().display().to_string();
    let dirs = Dirs::from_env(&move |name| (name == "HOME").then(|| home.clone()));
    let mut store = Sqlite::open(&dirs.ledger(), signing_key(&dirs).unwrap()).unwrap();
    let mut turn = store.begin().unwrap();
    let later = Entry::Noted { what: "later".to_owned(), text: String::new() };
    turn.append(now_ms() + minutes * 60_000, &Context::default(), later).unwrap();
    turn.commit().unwrap();
}

fn approve(house: &House, id: &str, reach: &[&str]) -> Option<i32> {
    let args: Vec<&str> =
        ["inbox", "approve", id, "--passphrase-stdin"].into_iter().chain(reach.iter().copied()).collect();
    house.run_with(&args, PASSPHRASE).code
}

#[test]
fn a_grant_that_is_over_stays_over() {
    let house = locked();
    let id = house.ask(ASKED).request();
    assert_eq!(approve(&house, &id, &["--minutes", "30"]), Some(0));
    assert_eq!(house.ask(ASKED), Answer::Silent);
    set_back(&house, 20);
    assert_eq!(house.ask(ASKED), Answer::Silent, "it is not over yet");
    set_back(&house, 31);
    assert!(house.ask(ASKED).is_no());
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn a_request_that_expired_cannot_be_approved() {
    let house = locked();
    let id = house.ask(ASKED).request();
    set_back(&house, 30 * 24 * 60);
    assert_ne!(approve(&house, &id, &[]), Some(0));
    assert!(house.ask(ASKED).is_no());
}

#[test]
fn minutes_that_were_spent_stay_spent() {
    let house = House::with_policy(&format!("{TICKET}agents: {{ main: {{ budget: {{ minutes: 30 }} }} }}\n"));
    assert_eq!(house.ask("ls"), Answer::Silent);
    set_back(&house, 31);
    assert!(house.ask("ls").is_no());
}
