//! The ledger against somebody who edits it: every byte, every order, every cut, and the database itself.

use crate::house::House;
use std::fs;
use toolgate_core::{
    Answer, Context, Decided, Entry, EventKind, ExportCheck, FirstBad, Line, Proof, Request, RequestState,
    Resulted, Verdict, Verification, Word, canonical, digest_of, verify_export,
};
use toolgate_runtime::{Dirs, signing_key, trusted_key};
use toolgate_store::{Sqlite, Store};

pub fn dirs(house: &House) -> Dirs {
    let home = house.home().display().to_string();
    Dirs::from_env(&move |name| (name == "HOME").then(|| home.clone()))
}

fn key(house: &House) -> String {
    trusted_key(&dirs(house)).expect("a key")
}

fn request(id: &str) -> Request {
    Request {
        id: id.to_owned(),
        session: "s1".to_owned(),
        agent: "main".to_owned(),
        asker: None,
        arguments: digest_of(b"call"),
        tool: "Bash".to_owned(),
        title: "git push --force".to_owned(),
        input: None,
        dir: "/work".to_owned(),
        why: vec!["it rewrites".to_owned()],
        asks: Vec::new(),
        progress: Default::default(),
        made_ms: 1,
        expires_ms: 1_000_000,
        bypass: None,
        details: Box::default(),
        reviews: Vec::new(),
        state: RequestState::Pending,
    }
}

fn decided(title: &str) -> Entry {
    Entry::Decided(Decided {
        decision: "d-1".to_owned(),
        event: EventKind::PreExecution,
        call: Some("toolu_1".to_owned()),
        tool: "Bash".to_owned(),
        title: title.to_owned(),
        dir: "/work".to_owned(),
        arguments: digest_of(title.as_bytes()),
        verdict: Verdict::Block,
        delivered: Verdict::Block,
        findings: Vec::new(),
        modified: None,
        request: None,
        reserved: None,
        input: None,
        locks: Vec::new(),
        outward: false,
        before: Vec::new(),
    })
}

/// Entries of every kind, mostly short ones.
fn entry(number: usize) -> Entry {
    let resulted = Resulted {
        event: EventKind::PostExecution,
        call: None,
        tool: "Bash".to_owned(),
        ran: vec!["make test".to_owned()],
        touched: Vec::new(),
        changed: false,
        lines: 0,
        files: None,
        message: None,
        to: None,
        arguments: None,
    };
    match number % 40 {
        1 => decided("rm -rf / – “quoted” \u{1f980}"),
        3 => Entry::Resulted(resulted),
        5 => Entry::Requested(request(&format!("r-{number}"))),
        7 => {
            let answer = Answer {
                request: format!("r-{}", number - 2),
                word: Word::Approve,
                by: "ada".to_owned(),
                words: None,
                reach: Default::default(),
                proof: Proof::Terminal,
            };
            Entry::Answered(answer)
        }
        9 => Entry::Used { request: format!("r-{}", number - 4), call: None },
        11 => Entry::Expired { request: "r-0".to_owned() },
        _ => Entry::Noted { what: "n".to_owned(), text: number.to_string() },
    }
}

/// Adds records with the house's own key.
fn fill(house: &House, count: usize) {
    fs::create_dir_all(house.state()).expect("state");
    let mut store =
        Sqlite::open(&house.ledger(), signing_key(&dirs(house)).expect("a key")).expect("a ledger");
    let context = Context {
        host: "h".to_owned(),
        session: "s1".to_owned(),
        agent: "main".to_owned(),
        policy: "p".to_owned(),
    };
    let from =
        store.head().expect("a head").map_or(0, |head| usize::try_from(head.checkpoint.seq).expect("small"));
    let mut turn = store.begin().expect("a turn");
    for number in from..from + count {
        turn.append(1000 + i64::try_from(number).expect("small"), &context, entry(number)).expect("a record");
    }
    turn.commit().expect("a commit");
}

fn filled(count: usize) -> House {
    let house = House::new();
    fill(&house, count);
    house
}

fn export(house: &House) -> String {
    house.run(&["ledger", "export"]).ended(0).text()
}

/// The index of the first bad record; panics if nothing is found wrong.
#[track_caller]
fn first_bad(bytes: &[u8], key: &str, what: &str) -> u64 {
    match verify_export(bytes, Some(key)) {
        Verification::Broken(FirstBad { index, .. }) => index,
        Verification::Intact { records } => panic!("{what}: {records} records pass as intact"),
    }
}

/// Every byte of a whole export, through the whole check.
#[test]
fn every_changed_byte_of_an_export_is_found_at_its_record() {
    let house = filled(14);
    let (text, key) = (export(&house), key(&house));
    assert_eq!(verify_export(text.as_bytes(), Some(&key)), Verification::Intact { records: 14 });
    let mut bytes = text.clone().into_bytes();
    let mut index = 1;
    for at in 0..bytes.len() {
        for flip in [1, 0x80] {
            bytes[at] ^= flip;
            let found = first_bad(&bytes, &key, &format!("byte {at} ^ {flip}"));
            bytes[at] ^= flip;
            assert_eq!(found, index, "byte {at} ^ {flip}");
        }
        index += u64::from(bytes[at] == b'\n');
    }
}

/// Flips every byte from one place to another through the check the program uses. The records before
/// the changed one are checked once: the check is copied where it stands before each line.
fn flip_all(bytes: &[u8], from: usize, to: usize, key: &str) -> usize {
    let mut bytes = bytes.to_vec();
    let mut check = ExportCheck::new(Some(key));
    let (mut start, mut index, mut flips) = (0, 1, 0);
    while start < to {
        let end = start + bytes[start..].iter().position(|byte| *byte == b'\n').expect("a line break");
        for at in start.max(from)..(end + 1).min(to) {
            for flip in [1, 0x80] {
                bytes[at] ^= flip;
                match check.clone().rest(&bytes[start..]) {
                    Verification::Broken(bad) => assert_eq!(bad.index, index, "byte {at} ^ {flip}: {bad}"),
                    Verification::Intact { .. } => panic!("byte {at} ^ {flip} passes"),
                }
                bytes[at] ^= flip;
                flips += 1;
            }
        }
        if end + 1 < bytes.len() {
            check.line(&bytes[start..end]).expect("the line itself is good");
        }
        (start, index) = (end + 1, index + 1);
    }
    flips
}

/// A thousand records, every byte of the export, the signed end with it.
#[test]
fn every_changed_byte_of_a_thousand_records_is_found_at_its_record() {
    let house = filled(1000);
    let (text, key) = (export(&house), key(&house));
    assert_eq!(verify_export(text.as_bytes(), Some(&key)), Verification::Intact { records: 1000 });
    let (bytes, key) = (text.as_bytes(), key.as_str());
    let part = bytes.len().div_ceil(4);
    let flips: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|at| {
                scope.spawn(move || flip_all(bytes, at * part, ((at + 1) * part).min(bytes.len()), key))
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker")).sum()
    });
    assert_eq!(flips, 2 * bytes.len(), "every byte, twice");
}

#[track_caller]
fn check_lines(what: &str, expected: u64, change: impl Fn(&mut Vec<String>)) {
    let house = filled(30);
    let mut lines: Vec<String> = export(&house).lines().map(str::to_owned).collect();
    change(&mut lines);
    let text = format!("{}\n", lines.join("\n"));
    assert_eq!(first_bad(text.as_bytes(), &key(&house), what), expected, "{what}");
    let file = house.root().join("export.jsonl");
    fs::write(&file, text).unwrap();
    let said = house.run(&["ledger", "verify", &file.display().to_string()]).ended(2).text();
    assert!(said.starts_with(&format!("ALTERED: record {expected}: ")), "{what}: {said}");
}

/// A record's line sealed anew after a change, as somebody without the signing key could do it.
fn resealed(line: &str, from: &str, to: &str) -> String {
    let parsed: Line = serde_json::from_str(line).unwrap();
    let body = canonical(&parsed.record).replace(from, to);
    toolgate_core::export_line(&body, &digest_of(body.as_bytes()))
}

#[test]
fn lines_moved_taken_out_or_put_in_are_found() {
    check_lines("two swapped", 10, |lines| lines.swap(9, 10));
    check_lines("first and last swapped", 1, |lines| lines.swap(0, 29));
    check_lines("the first taken out", 1, |lines| drop(lines.remove(0)));
    check_lines("one taken out", 15, |lines| drop(lines.remove(14)));
    check_lines("the last record taken out", 30, |lines| drop(lines.remove(29)));
    check_lines("one twice", 16, |lines| lines.insert(15, lines[14].clone()));
    check_lines("an old one at the end", 31, |lines| lines.insert(30, lines[3].clone()));
    check_lines("an empty line", 5, |lines| lines.insert(4, String::new()));
    check_lines("a line of words", 5, |lines| lines.insert(4, "hello".to_owned()));
    check_lines("the tail cut, checkpoint kept", 21, |lines| drop(lines.drain(20..30)));
    check_lines("the tail cut", 20, |lines| lines.truncate(20));
    check_lines("the checkpoint cut", 30, |lines| lines.truncate(30));
    check_lines("the checkpoint twice", 31, |lines| lines.push(lines[30].clone()));
    check_lines("everything but the checkpoint", 1, |lines| drop(lines.drain(..30)));
    check_lines("reversed", 1, |lines| lines[..30].reverse());
    check_lines("blanks", 7, |lines| lines[6] = lines[6].replace("\":", "\": "));
    check_lines("a key twice", 7, |lines| {
        lines[6] = lines[6].replacen("{\"hash\"", "{\"hash\":\"x\",\"hash\"", 1)
    });
    check_lines("one record sealed anew", 8, |lines| {
        lines[6] = resealed(&lines[6], "\"text\":\"6\"", "\"text\":\"66\"")
    });
    check_lines("the last record sealed anew", 31, |lines| {
        lines[29] = resealed(&lines[29], "\"text\":\"29\"", "\"text\":\"92\"")
    });
}

/// Cut in the middle of a line: what is whole passes, the cut line is named.
#[test]
fn an_export_cut_anywhere_is_found_at_the_cut() {
    let house = filled(6);
    let (text, key) = (export(&house), key(&house));
    for at in 0..text.len() {
        let index = 1 + text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
        let after_a_line = at > 0 && text.as_bytes()[at - 1] == b'\n';
        // Cut between two lines, the last whole line stands where the checkpoint should.
        let expected = if after_a_line { index - 1 } else { index };
        assert_eq!(
            first_bad(&text.as_bytes()[..at], &key, &format!("cut at {at}")),
            u64::try_from(expected).unwrap(),
            "cut at {at}"
        );
    }
}

#[test]
fn parts_of_two_ledgers_do_not_make_one() {
    let (one, two) = (filled(30), House::new());
    fs::create_dir_all(two.state()).unwrap();
    fs::copy(one.state().join("ledger.key"), two.state().join("ledger.key")).unwrap();
    fill(&two, 31);
    let (a, b) = (export(&one), export(&two));
    let (a, b): (Vec<&str>, Vec<&str>) = (a.lines().collect(), b.lines().collect());
    // The same records up to 30, so only the end can tell.
    let spliced = format!("{}\n{}\n", a[..30].join("\n"), b[31]);
    assert_eq!(first_bad(spliced.as_bytes(), &key(&one), "spliced"), 31);
    let other = filled(30);
    let c = export(&other);
    assert_eq!(verify_export(c.as_bytes(), None), Verification::Intact { records: 30 });
    assert_eq!(first_bad(c.as_bytes(), &key(&one), "signed by somebody else"), 31);
}
