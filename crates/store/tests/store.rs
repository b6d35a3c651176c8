//! The embedded store: what is kept beside the records is what the records say, whatever their order;
//! files of other formats are refused.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

use ed25519_dalek::SigningKey;
use proptest::prelude::{Strategy, any, prop, prop_oneof, proptest};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toolgate_core::{
    Answer, Asker, Before, Context, Decided, Entry, EventKind, Extent, Handling, Proof, Record, Request,
    RequestState, Resulted, Session, Verdict, Word,
};
use toolgate_store::{Sqlite, Store, StoreError, Verified, Which};

fn key() -> SigningKey {
    SigningKey::from_bytes(&[9; 32])
}

fn open(path: &Path) -> Sqlite {
    Sqlite::open(path, key()).unwrap()
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.sqlite");
    (folder, path)
}

fn context(session: &str) -> Context {
    Context {
        host: "h".to_owned(),
        session: session.to_owned(),
        agent: "main".to_owned(),
        policy: "p".to_owned(),
    }
}

fn note(text: &str) -> Entry {
    Entry::Noted { what: "n".to_owned(), text: text.to_owned() }
}

fn decided(event: EventKind, delivered: Verdict) -> Entry {
    Entry::Decided(Decided {
        decision: "d".to_owned(),
        event,
        call: None,
        tool: "Bash".to_owned(),
        title: "t".to_owned(),
        dir: "/".to_owned(),
        arguments: "a".to_owned(),
        verdict: Verdict::Block,
        delivered,
        findings: Vec::new(),
        modified: None,
        request: None,
        reserved: None,
        input: None,
        locks: vec![format!("/p/{event:?}")],
        outward: true,
        before: vec![
            Before { path: "/p/new".to_owned(), stamp: None },
            Before { path: "/p/old".to_owned(), stamp: Some("1.2.3".to_owned()) },
        ],
    })
}

fn requested(id: &str, session: &str, expires_ms: i64) -> Entry {
    Entry::Requested(Request {
        id: id.to_owned(),
        session: session.to_owned(),
        agent: "main".to_owned(),
        asker: None,
        arguments: format!("call-{id}"),
        tool: "Bash".to_owned(),
        title: "t".to_owned(),
        input: None,
        dir: "/".to_owned(),
        why: Vec::new(),
        asks: Vec::new(),
        progress: Default::default(),
        made_ms: 0,
        expires_ms,
        bypass: None,
        details: Box::default(),
        reviews: Vec::new(),
        state: RequestState::Pending,
    })
}

fn answered(id: &str, word: Word, reach: Extent) -> Entry {
    Entry::Answered(Answer {
        request: id.to_owned(),
        word,
        by: "ada".to_owned(),
        words: None,
        reach,
        proof: Proof::Terminal,
    })
}

fn any_handling() -> impl Strategy<Value = Handling> {
    prop::sample::select(vec![
        Handling::Claimed,
        Handling::Commented { text: "look".to_owned() },
        Handling::Undone,
        Handling::Revoked,
    ])
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let id = || prop::sample::select(vec!["r-1", "r-2", "r-3", "r-never"]);
    let verdict = prop::sample::select(vec![Verdict::Allow, Verdict::Warn, Verdict::Ask, Verdict::Block]);
    prop_oneof![
        (prop::sample::select(vec![EventKind::PreExecution, EventKind::Stop]), verdict)
            .prop_map(|(event, told)| decided(event, told)),
        (any::<bool>(), prop::collection::vec("[a-c]{1,3}", 0..70)).prop_map(|(fine, ran)| {
            let event = if fine { EventKind::PostExecution } else { EventKind::OnError };
            Entry::Resulted(Resulted {
                event,
                call: None,
                tool: "Bash".to_owned(),
                ran,
                touched: Vec::new(),
                changed: false,
                lines: 0,
                files: None,
                message: (!fine).then(|| "connect ECONNREFUSED".to_owned()),
                to: fine.then(|| "reviewer".to_owned()),
                arguments: (!fine).then(|| "a".to_owned()),
            })
        }),
        (id(), 0..40_i64).prop_map(|(id, expires)| requested(id, "s1", expires)),
        (id(), any::<bool>(), any::<bool>()).prop_map(|(id, yes, wide)| {
            let reach = if wide { Extent::Session } else { Extent::Once };
            answered(id, if yes { Word::Approve } else { Word::Deny }, reach)
        }),
        id().prop_map(|id| Entry::Used { request: id.to_owned(), call: None }),
        id().prop_map(|id| Entry::Expired { request: id.to_owned() }),
        (id(), any_handling())
            .prop_map(|(id, what)| { Entry::Handled { request: id.to_owned(), by: "ada".to_owned(), what } }),
        "\\PC{0,10}".prop_map(|text| note(&text)),
    ]
}

/// What the records say, folded here from nothing.
fn replay(records: &[Record]) -> (BTreeMap<String, Session>, BTreeMap<String, Request>) {
    let mut sessions: BTreeMap<String, Session> = BTreeMap::new();
    let mut requests: BTreeMap<String, Request> = BTreeMap::new();
    for record in records {
        let id = &record.context.session;
        let session = sessions.remove(id).unwrap_or_else(|| Session::new(id));
        sessions.insert(id.clone(), session.after(record));
        if let Entry::Requested(request) = &record.entry {
            requests.insert(request.id.clone(), request.clone());
        } else {
            requests = requests
                .into_iter()
                .map(|(id, request)| (id, request.after(&record.entry, record.time_ms)))
                .collect();
        }
    }
    (sessions, requests)
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() })]

    /// Sessions and requests equal a replay of the records after every turn, and `verify` agrees.
    #[test]
    fn what_is_kept_is_what_the_records_say(
        turns in prop::collection::vec((any::<bool>(), prop::collection::vec((prop::sample::select(vec!["s1", "s2", ""]), any_entry()), 1..6)), 1..8)
    ) {
        let (_folder, path) = folder();
        let mut expected: Vec<Record> = Vec::new();
        let mut now = 0;
        for (commits, entries) in turns {
            // A process for every turn, as hosts do it.
            let mut store = open(&path);
            let mut turn = store.begin().unwrap();
            let mut records = Vec::new();
            for (session, entry) in entries {
                now += 1;
                records.push(turn.append(now, &context(session), entry).unwrap());
            }
            if commits {
                turn.commit().unwrap();
                expected.extend(records);
            } else {
                drop(turn);
            }
            check_against(&path, &expected);
        }
    }
}

#[track_caller]
fn check_against(path: &Path, expected: &[Record]) {
    let mut store = open(path);
    assert_eq!(store.records_after(0, 10_000).unwrap(), expected);
    let count = u64::try_from(expected.len()).unwrap();
    assert_eq!(store.verify(None, &[]).unwrap(), Verified::Intact { records: count });
    let (sessions, requests) = replay(expected);
    let mut turn = store.begin().unwrap();
    for (id, session) in sessions.iter().filter(|(id, _)| !id.is_empty()) {
        assert_eq!(&turn.session(id).unwrap(), session);
    }
    for (id, request) in &requests {
        assert_eq!(turn.request(id).unwrap().as_ref(), Some(request));
        let found = turn.open_requests(&request.session, &request.arguments).unwrap();
        let asks_here = request.is_open() && !request.is_standing();
        assert_eq!(found.iter().any(|open| open.id == *id), asks_here);
        let standing = turn.standing_requests().unwrap();
        assert_eq!(standing.iter().any(|open| open.id == *id), request.is_standing());
    }
    drop(turn);
    let mut all: Vec<Request> = store.requests(Which::All).unwrap();
    all.sort_by(|a, b| a.id.cmp(&b.id));
    assert_eq!(all, requests.into_values().collect::<Vec<_>>());
}

#[test]
fn an_empty_file_becomes_a_ledger() {
    let (_folder, path) = folder();
    std::fs::write(&path, "").unwrap();
    let mut store = open(&path);
    assert_eq!((store.head().unwrap(), store.records_after(0, 10).unwrap().len()), (None, 0));
    assert_eq!(store.verify(None, &[]).unwrap(), Verified::Intact { records: 0 });
    let mut turn = store.begin().unwrap();
    turn.append(1, &context("s"), note("first")).unwrap();
    turn.commit().unwrap();
    assert_eq!(open(&path).head().unwrap().unwrap().checkpoint.seq, 1);
}

#[test]
fn opening_again_changes_nothing() {
    let (_folder, path) = folder();
    let version = |path: &Path| -> i64 {
        rusqlite::Connection::open(path)
            .unwrap()
            .query_row("PRAGMA user_version", [], |row| row.get(0))
            .unwrap()
    };
    drop(open(&path));
    let first = version(&path);
    assert!(first >= 1);
    drop(open(&path));
    assert_eq!(version(&path), first);
    let mode: String = rusqlite::Connection::open(&path)
        .unwrap()
        .query_row("PRAGMA journal_mode", [], |row| row.get(0))
        .unwrap();
    assert_eq!(mode, "wal");
}

/// An older program folded its records otherwise and had no marks: everything is made anew from the records.
#[test]
fn a_ledger_of_an_older_program_is_folded_anew() {
    let (_folder, path) = folder();
    let mut store = open(&path);
    let mut turn = store.begin().unwrap();
    let entries = [
        decided(EventKind::PreExecution, Verdict::Warn),
        requested("r-1", "s1", 9),
        note("between"),
        answered("r-1", Word::Approve, Extent::Once),
    ];
    let records: Vec<Record> =
        entries.into_iter().map(|entry| turn.append(1, &context("s1"), entry).unwrap()).collect();
    turn.commit().unwrap();
    drop(store);
    let older = "DROP INDEX request_standing; DROP TABLE mark; DROP TABLE lock; DROP TABLE supervisor; DROP TABLE supervised; DROP TABLE pin; PRAGMA user_version = 1;
                 UPDATE session SET body = '{\"id\":\"s1\",\"calls\":0,\"stopped\":0,\"ran\":[],\"stops_refused\":0}';
                 DELETE FROM request;";
    rusqlite::Connection::open(&path).unwrap().execute_batch(older).unwrap();
    check_against(&path, &records);
}

#[test]
fn a_ledger_of_a_newer_program_is_refused_and_not_touched() {
    let (_folder, path) = folder();
    drop(open(&path));
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 77).unwrap();
    assert_eq!(Sqlite::open(&path, key()).unwrap_err(), StoreError::Newer { version: 77 });
    let version: i64 = rusqlite::Connection::open(&path)
        .unwrap()
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap();
    assert_eq!(version, 77);
}

#[test]
fn what_is_no_ledger_is_refused_with_a_cure() {
    let (folder, path) = folder();
    std::fs::write(&path, "garbage ".repeat(1000)).unwrap();
    let garbage = Sqlite::open(&path, key()).unwrap_err();
    let a_folder = Sqlite::open(folder.path(), key()).unwrap_err();
    let nowhere = Sqlite::open(Path::new("/nowhere/at/all.sqlite"), key()).unwrap_err();
    for error in [garbage, a_folder, nowhere] {
        assert!(
            matches!(
                error,
                StoreError::Damaged { .. } | StoreError::Unopenable { .. } | StoreError::NoLedger { .. }
            ),
            "{error:?}"
        );
        assert!(!error.cure().is_empty());
    }
}

#[test]
fn another_key_adds_nothing() {
    let (_folder, path) = folder();
    let mut store = open(&path);
    let mut turn = store.begin().unwrap();
    turn.append(1, &context("s"), note("ours")).unwrap();
    turn.commit().unwrap();
    let mut theirs = Sqlite::open(&path, SigningKey::from_bytes(&[8; 32])).unwrap();
    let refused = theirs.begin().and_then(|mut turn| {
        turn.append(2, &context("s"), note("theirs"))?;
        turn.commit()
    });
    assert_eq!(refused.unwrap_err(), StoreError::Altered);
    assert_eq!(store.records_after(0, 10).unwrap().len(), 1);
}

/// Whoever asks a great deal does not push another one, whose question is open, out of sight.
#[test]
fn many_questions_hide_nobody_who_asked() {
    let (_folder, path) = folder();
    let mut store = open(&path);
    let mut turn = store.begin().unwrap();
    for number in 0..6 {
        let Entry::Requested(request) = requested(&format!("r-{number}"), "s", 100) else {
            panic!("no request")
        };
        let asker =
            Asker { pid: 10 + u32::from(number > 1), started: number.min(2), program: "a".to_owned() };
        let request = Request { asker: Some(Box::new(asker)), made_ms: number.cast_signed(), ..request };
        turn.append(1, &context("s"), Entry::Requested(request)).unwrap();
    }
    // The first one is over and old, the second is open and old.
    turn.append(2, &context("s"), Entry::Expired { request: "r-0".to_owned() }).unwrap();
    turn.commit().unwrap();
    let mut found: Vec<(u32, u64)> =
        store.askers(2).unwrap().iter().map(|asker| (asker.pid, asker.started)).collect();
    found.sort_unstable();
    assert_eq!(found, [(10, 1), (11, 2)]);
    // Whoever repeats the call of an open request is one of its askers, once.
    let mut turn = store.begin().unwrap();
    for (pid, request) in [(12, "r-1"), (12, "r-1"), (10, "r-1"), (13, "r-0")] {
        let asker = Asker { pid, started: 1, program: "b".to_owned() };
        turn.append(3, &context("s"), Entry::Repeated { request: request.to_owned(), asker }).unwrap();
    }
    turn.commit().unwrap();
    assert_eq!(
        store.request("r-1").unwrap().unwrap().progress.askers.len(),
        1,
        "10 asked first, 12 repeated it"
    );
    let mut found: Vec<u32> = store.askers(2).unwrap().iter().map(|asker| asker.pid).collect();
    found.sort_unstable();
    assert_eq!(found, [10, 11, 12], "13 repeated one that is over and old");
}
