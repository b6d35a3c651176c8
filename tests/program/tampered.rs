//! The database edited behind the program's back: `toolgate ledger verify` says so and names the record.

use crate::house::{ASKED, CANARY, House, TICKET};
use rusqlite::Connection;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A ledger of a dozen records: calls, results, a request that is approved and one that waits.
fn lived_in() -> House {
    let house = House::with_policy(TICKET);
    for number in 0..4 {
        house.ask(&format!("{CANARY} {number}"));
    }
    house.ask(ASKED);
    house.ask("git push --force origin other");
    let mut event = house.event("make test");
    event["hook_event_name"] = "PostToolUse".into();
    house.ask_event(&event);
    house.ask("ls");
    house.run(&["ledger", "verify"]).ended(0);
    house
}

fn count(house: &House) -> u64 {
    let said = house.run(&["ledger", "verify", "--json"]).ended(0).text();
    serde_json::from_str::<Value>(&said).unwrap()["records"].as_u64().unwrap()
}

/// Edits the database; the index is counted from the number of records, `n`.
#[track_caller]
fn check(sql: &str, expected: impl Fn(u64) -> u64) {
    let house = lived_in();
    let records = count(&house);
    let database = Connection::open(house.ledger()).unwrap();
    database.execute_batch(sql).unwrap();
    drop(database);
    check_altered(&house, sql, expected(records));
}

#[track_caller]
fn check_altered(house: &House, what: &str, index: u64) {
    let said = house.run(&["ledger", "verify"]).ended(2).text();
    assert!(said.starts_with(&format!("ALTERED: record {index}: ")), "{what}: expected {index}: {said}");
    let said: Value =
        serde_json::from_str(&house.run(&["ledger", "verify", "--json"]).ended(2).text()).unwrap();
    assert_eq!((&said["state"], &said["first_bad"]), (&"altered".into(), &index.into()), "{what}");
    let doctor = house.run(&["doctor"]).ended(1).text();
    assert!(doctor.contains("altered: "), "{what}: {doctor}");
}

#[test]
fn an_edited_record_is_named() {
    check("UPDATE ledger SET body = replace(body, 'toolgate-canary 2', 'ls 2') WHERE seq = 3", |_| 3);
    check("UPDATE ledger SET body = replace(body, '\"seq\"', ' \"seq\"') WHERE seq = 3", |_| 3);
    check("UPDATE ledger SET body = '' WHERE seq = 1", |_| 1);
    check("UPDATE ledger SET hash = replace(hash, substr(hash, 1, 1), 'x') WHERE seq = 4", |_| 4);
    check("UPDATE ledger SET hash = upper(hash) WHERE seq = 4", |_| 4);
    check(
        "UPDATE ledger SET body = (SELECT body FROM ledger WHERE seq = 2), hash = (SELECT hash FROM ledger WHERE seq = 2) WHERE seq = 3",
        |_| 3,
    );
}

#[test]
fn records_moved_taken_out_or_put_in_are_named() {
    check("DELETE FROM ledger WHERE seq = 1", |_| 1);
    check("DELETE FROM ledger WHERE seq = 3", |_| 3);
    check("DELETE FROM ledger WHERE seq = (SELECT max(seq) FROM ledger)", |n| n);
    check("DELETE FROM ledger WHERE seq > 5", |_| 6);
    check("DELETE FROM ledger", |_| 1);
    check("UPDATE ledger SET seq = seq + 1000 WHERE seq = 2", |_| 2);
    check(
        "UPDATE ledger SET seq = -seq WHERE seq = 2; UPDATE ledger SET seq = 2 WHERE seq = 3; UPDATE ledger SET seq = 3 WHERE seq = -2",
        |_| 2,
    );
    check("INSERT INTO ledger SELECT max(seq) + 1, body, hash FROM ledger", |n| n + 1);
    check("INSERT INTO ledger SELECT 0, body, hash FROM ledger WHERE seq = 1", |n| n + 1);
    check("INSERT INTO ledger SELECT -7, body, hash FROM ledger WHERE seq = 1", |n| n + 1);
}

/// Another first character whatever the first one is: hashes and keys differ in every run.
fn other_first(column: &str) -> String {
    format!("iif(substr({column}, 1, 1) = 'a', 'b', 'a') || substr({column}, 2)")
}

#[test]
fn an_edited_head_is_found() {
    check("DELETE FROM head", |n| n + 1);
    check("UPDATE head SET seq = seq - 1", |n| n + 1);
    for column in ["hash", "signature", "key"] {
        check(&format!("UPDATE head SET {column} = {}", other_first(column)), |n| n + 1);
    }
    check("UPDATE head SET signature = ''", |n| n + 1);
}

/// Sessions and requests are what the records say, row by row and column by column.
#[test]
fn an_edited_session_or_request_is_found() {
    check("UPDATE session SET body = replace(body, '\"calls\":', '\"calls\":1')", |n| n);
    check("UPDATE session SET body = replace(body, 'make test', 'make all')", |n| n);
    check("UPDATE session SET id = 'session-2'", |n| n);
    check("DELETE FROM session", |n| n);
    check(
        "INSERT INTO session VALUES ('x', '{\"id\":\"x\",\"calls\":1,\"stopped\":0,\"ran\":[],\"stops_refused\":0}')",
        |n| n,
    );
    check("UPDATE request SET body = replace(body, 'pending', 'used')", |n| n);
    check("UPDATE request SET body = replace(body, '--force', '--dry-run')", |n| n);
    check("UPDATE request SET arguments = 'something else'", |n| n);
    check("UPDATE request SET session = 'session-2'", |n| n);
    check("UPDATE request SET is_open = 0", |n| n);
    check("UPDATE request SET is_open = 2 WHERE is_open = 1", |n| n);
    check("UPDATE request SET body = body || ' '", |n| n);
    check("UPDATE session SET body = replace(body, ',', ', ')", |n| n);
    check("CREATE TRIGGER x AFTER INSERT ON ledger BEGIN DELETE FROM session; END", |n| n);
    check("CREATE VIEW x AS SELECT * FROM ledger", |n| n);
    check("DELETE FROM request", |n| n);
    check("UPDATE request SET id = 'r-0000000000' WHERE id = (SELECT min(id) FROM request)", |n| n);
}

/// Somebody without the key seals every record anew from the edited one on.
#[test]
fn a_chain_sealed_anew_without_the_key_is_found() {
    let house = lived_in();
    let records = count(&house);
    let database = Connection::open(house.ledger()).unwrap();
    let mut prev: Option<String> = None;
    for seq in 3..=i64::try_from(records).unwrap() {
        let read = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
        let body = database.query_row("SELECT body FROM ledger WHERE seq = ?1", [seq], read).unwrap();
        let mut record: Value = serde_json::from_str(&body.replace("canary 2", "canary 7")).unwrap();
        prev.iter().for_each(|prev| record["prev"] = prev.clone().into());
        let body = toolgate_core::canonical(&record);
        let hash = toolgate_core::digest_of(body.as_bytes());
        database
            .execute(
                "UPDATE ledger SET body = ?2, hash = ?3 WHERE seq = ?1",
                rusqlite::params![seq, body, hash],
            )
            .unwrap();
        prev = Some(hash);
    }
    check_altered(&house, "only the head is as it was", records + 1);
    // Also with a head of their own making: it is not signed with this ledger's key.
    let other = ed25519_dalek::SigningKey::from_bytes(&[7; 32]);
    let head = toolgate_core::Head { seq: records, hash: prev.unwrap() };
    let signed = toolgate_core::sign_head(&head, &other);
    database
        .execute(
            "UPDATE head SET hash = ?1, key = ?2, signature = ?3",
            [&head.hash, &signed.key, &signed.signature],
        )
        .unwrap();
    check_altered(&house, "a head signed with another key", records + 1);
}

/// A record chained as it should be, but not signed.
#[test]
fn a_record_added_without_the_key_is_named() {
    let house = lived_in();
    let records = count(&house);
    let database = Connection::open(house.ledger()).unwrap();
    let last = "SELECT body, hash FROM ledger ORDER BY seq DESC LIMIT 1";
    let (body, prev): (String, String) =
        database.query_row(last, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let mut record: Value = serde_json::from_str(&body).unwrap();
    (record["seq"], record["prev"]) = ((records + 1).into(), prev.into());
    let body = toolgate_core::canonical(&record);
    let hash = toolgate_core::digest_of(body.as_bytes());
    database.execute("INSERT INTO ledger SELECT max(seq) + 1, ?1, ?2 FROM ledger", [body, hash]).unwrap();
    check_altered(&house, "an unsigned record", records + 1);
    assert!(house.ask("ls").text().contains("the ledger was altered"), "nothing is signed behind it");
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    assert!(std::process::Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
}

/// An old copy put back is a whole ledger; only a head kept elsewhere tells.
#[test]
fn an_old_copy_put_back_is_found_by_a_checkpoint_kept_elsewhere() {
    let house = lived_in();
    let (old, kept) = (house.root().join("old"), house.root().join("head.json"));
    copy(&house.state(), &old);
    house.ask(CANARY);
    let records = count(&house);
    fs::write(&kept, house.run(&["ledger", "checkpoint"]).ended(0).out).unwrap();
    let verify = ["ledger", "verify", "--checkpoint", kept.to_str().unwrap()];
    house.run(&verify).ended(0);
    copy(&old, &house.state());
    house.run(&["ledger", "verify"]).ended(0);
    let said = house.run(&verify).ended(2).text();
    assert!(said.starts_with(&format!("ALTERED: record {records}: ")), "{said}");
    // Filled up with other calls to the same length it is still another ledger.
    for _ in 0..3 {
        house.ask("true");
    }
    let said = house.run(&verify).ended(2).text();
    assert!(said.starts_with(&format!("ALTERED: record {records}: ")), "{said}");
}

/// Everything thrown away, key and all, and begun anew: the checkpoint is not met, and that is said.
#[test]
fn a_new_ledger_with_a_new_key_does_not_meet_an_old_checkpoint() {
    let house = lived_in();
    let kept = house.root().join("head.json");
    fs::write(&kept, house.run(&["ledger", "checkpoint"]).ended(0).out).unwrap();
    fs::remove_dir_all(house.state()).unwrap();
    for number in 0..20 {
        house.ask(&format!("{CANARY} {number}"));
    }
    house.run(&["ledger", "verify"]).ended(0);
    let said = house.run(&["ledger", "verify", "--checkpoint", kept.to_str().unwrap()]).ended(2).text();
    assert!(said.starts_with("ALTERED: "), "{said}");
}

/// A checkpoint nobody signed is no reason to call a ledger altered, nor to call it intact.
#[test]
fn a_checkpoint_that_is_none_is_refused() {
    let house = lived_in();
    let kept = house.root().join("head.json");
    let good = house.run(&["ledger", "checkpoint"]).ended(0).text();
    for text in ["", "{}", &good.replace("\"seq\":", "\"seq\":1")] {
        fs::write(&kept, text).unwrap();
        house.run(&["ledger", "verify", "--checkpoint", kept.to_str().unwrap()]).ended(1);
    }
}

/// Every 256 records a head is kept beside the ledger, so a long tail cannot be cut in silence.
#[test]
fn a_long_tail_cut_is_found_without_anybody_keeping_anything() {
    let house = House::new();
    let old = house.root().join("old.sqlite");
    for number in 0..260 {
        house.ask(CANARY);
        if number == 100 {
            let database = Connection::open(house.ledger()).unwrap();
            database.execute("VACUUM INTO ?1", [old.to_str().unwrap()]).unwrap();
        }
    }
    house.run(&["ledger", "verify"]).ended(0);
    for name in ["ledger.sqlite-wal", "ledger.sqlite-shm"] {
        let _ = fs::remove_file(house.state().join(name));
    }
    fs::copy(&old, house.ledger()).unwrap();
    let said = house.run(&["ledger", "verify"]).ended(2).text();
    assert!(said.starts_with("ALTERED: record 256: "), "{said}");
}
