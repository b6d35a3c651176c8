//! What goes missing next to the ledger and at its end: checkpoints that are emptied, damaged or edited, records that
//! are gone, files that may not grow.

use crate::house::{CANARY, House, finish};
use std::fs;
use toolgate_core::{Context, Entry};
use toolgate_runtime::{Dirs, now_ms, signing_key};
use toolgate_store::{Sqlite, Store};

/// So many records more.
fn fill(house: &House, records: u64) {
    let home = house.home().display().to_string();
    let dirs = Dirs::from_env(&move |name| (name == "HOME").then(|| home.clone()));
    let mut store = Sqlite::open(&dirs.ledger(), signing_key(&dirs).unwrap()).unwrap();
    let mut turn = store.begin().unwrap();
    for number in 0..records {
        let entry = Entry::Noted { what: "filler".to_owned(), text: number.to_string() };
        turn.append(now_ms(), &Context::default(), entry).unwrap();
    }
    turn.commit().unwrap();
}

fn checkpoints(house: &House) -> std::path::PathBuf {
    house.state().join("checkpoints.jsonl")
}

#[track_caller]
fn altered(house: &House, expected: &str) {
    let said = house.run(&["ledger", "verify"]).ended(2).text();
    assert!(said.starts_with("ALTERED: ") && said.contains(expected), "{expected}: {said}");
    let doctor = house.run(&["doctor"]).text();
    assert!(doctor.contains("altered: "), "{doctor}");
}

#[test]
fn checkpoints_that_are_gone_or_changed_are_noticed() {
    let house = House::bare("version: 1\n");
    house.ask("ls");
    fill(&house, 600);
    house.run(&["ledger", "checkpoint"]).ended(0);
    house.run(&["ledger", "verify"]).ended(0);
    let good = fs::read_to_string(checkpoints(&house)).unwrap();
    fs::write(checkpoints(&house), "").unwrap();
    altered(&house, "has no checkpoint of the records 1 to ");
    fs::remove_file(checkpoints(&house)).unwrap();
    altered(&house, "it was emptied or removed");
    for bad in ["garbage\n", &good.replace("\"seq\":6", "\"seq\":5")] {
        fs::write(checkpoints(&house), format!("{good}{bad}")).unwrap();
        altered(&house, "line 2 of `");
    }
    fs::write(checkpoints(&house), "").unwrap();
    house.run(&["ledger", "checkpoint"]).ended(0);
    house.run(&["ledger", "verify"]).ended(0);
}

/// A turn adds several records, so a checkpoint is due behind every multiple, not only at it.
#[test]
fn a_checkpoint_is_kept_behind_every_256_records() {
    let house = House::bare("version: 1\n");
    house.ask("ls");
    fill(&house, 258);
    house.ask("ls");
    assert_eq!(fs::read_to_string(checkpoints(&house)).unwrap().lines().count(), 1);
    house.ask("ls");
    assert_eq!(fs::read_to_string(checkpoints(&house)).unwrap().lines().count(), 1, "once");
}

/// The ledger begins anew: whoever asks hears of it, and so does whoever reads the log later.
#[test]
fn records_that_are_gone_are_noticed() {
    let house = House::bare("version: 1\n");
    for number in 0..5 {
        house.ask(&format!("ls {number}"));
    }
    for name in ["ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm"] {
        let _ = fs::remove_file(house.state().join(name));
    }
    // `doctor` takes a turn, and a turn records the loss.
    let said = house.run(&["ledger", "verify"]).ended(2).text();
    assert!(said.contains("were written and are gone: the end of the ledger was lost or cut off"), "{said}");
}

#[test]
fn a_turn_that_finds_records_gone_says_so_once() {
    let house = House::bare("version: 1\n");
    for number in 0..5 {
        house.ask(&format!("ls {number}"));
    }
    for name in ["ledger.sqlite-wal", "ledger.sqlite-shm"] {
        let _ = fs::remove_file(house.state().join(name));
    }
    let _ = fs::remove_file(house.ledger());
    assert!(!house.ask("ls").is_no());
    house.ask("ls");
    let notes: Vec<String> = house
        .records()
        .iter()
        .filter(|record| record["entry"]["what"] == "records-lost")
        .map(|record| record["entry"]["text"].to_string())
        .collect();
    assert_eq!(
        notes,
        ["\"records 1 to 5 were written and are gone: the end of the ledger was lost or cut off\""]
    );
    house.run(&["ledger", "verify"]).ended(0);
}

/// Where files may not grow, the answer is a block that says so.
#[test]
fn a_limit_on_files_is_answered() {
    let house = House::bare("version: 1\n");
    for blocks in [0, 8] {
        let script = format!("ulimit -f {blocks}; exec \"$0\" hook claude-code");
        let command = house.command("/bin/sh", &["-c", &script, crate::house::TOOLGATE]);
        let said = finish(command, house.event(CANARY).to_string().as_bytes());
        assert!(said.code.is_some(), "ended by a signal with a limit of {blocks}");
        assert!(said.answer().is_no(), "{said:?}");
    }
}
