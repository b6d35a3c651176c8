//! Answers nobody gave: written into the ledger, into the request, or asked for from inside an agent.

use crate::answer::Answer as Told;
use crate::house::{ASKED, House, Said, TICKET, TOOLGATE, finish};
use crate::ledger::dirs;
use crate::review::{PASSPHRASE, answer, locked, state};
use rusqlite::Connection;
use std::fs;
use toolgate_core::{Answer, Context, Entry, Proof, Request, RequestState, Word};
use toolgate_runtime::{Approver, now_ms, signing_key};
use toolgate_store::{Sqlite, Store};

const OTHER: &str = "git push --force origin other";

fn store(house: &House) -> Sqlite {
    Sqlite::open(&house.ledger(), signing_key(&dirs(house)).unwrap()).unwrap()
}

/// Adds a record the way the program does, signed head and all: the agent runs as the same user.
fn append(house: &House, time_ms: i64, entry: Entry) {
    let mut store = store(house);
    let mut turn = store.begin().unwrap();
    turn.append(time_ms, &Context { session: "session-1".to_owned(), ..Context::default() }, entry).unwrap();
    turn.commit().unwrap();
}

fn yes(request: &str, proof: Proof) -> Answer {
    Answer {
        request: request.to_owned(),
        word: Word::Approve,
        by: "ada".to_owned(),
        words: None,
        reach: Default::default(),
        proof,
    }
}

fn row(house: &House, id: &str) -> Request {
    store(house).request(id).unwrap().unwrap()
}

/// Writes a request's row as it should not be.
fn write_row(house: &House, id: &str, request: &Request) {
    let database = Connection::open(house.ledger()).unwrap();
    let body = serde_json::to_string(request).unwrap();
    let changed = database.execute("UPDATE request SET body = ?2 WHERE id = ?1", [id, &body]).unwrap();
    assert_eq!(changed, 1);
}

#[test]
fn an_answer_without_the_approvers_signature_is_not_honoured() {
    let house = locked();
    let key = Approver::load(&dirs(&house)).unwrap().unwrap().key;
    let genuine = {
        let id = house.ask(OTHER).request();
        answer(&house, "approve", &id, PASSPHRASE).ended(0);
        match row(&house, &id).state {
            RequestState::Approved { answer, .. } => answer.proof,
            other => panic!("{other:?}"),
        }
    };
    let own = ed25519_dalek::SigningKey::from_bytes(&[7; 32]);
    let own_key = toolgate_core::hex(own.verifying_key().as_bytes());
    let proofs = |request: &Request| {
        let signature = toolgate_core::hex(
            &ed25519_dalek::Signer::sign(
                &own,
                toolgate_core::signed_text(request, Word::Approve, &Default::default()).as_bytes(),
            )
            .to_bytes(),
        );
        let signed = |key: &str, signature: &str| Proof::Signature {
            key: key.to_owned(),
            signature: signature.to_owned(),
        };
        vec![
            Proof::Terminal,
            signed(&own_key, &signature),
            signed(&key, &signature),
            signed(&key, ""),
            signed(&key, &"0".repeat(128)),
            signed("", ""),
            genuine.clone(),
        ]
    };
    for number in 0..7 {
        let command = format!("{ASKED}-{number}");
        let id = house.ask(&command).request();
        let proof = proofs(&row(&house, &id)).swap_remove(number);
        append(&house, now_ms(), Entry::Answered(yes(&id, proof.clone())));
        assert_eq!(state(&house, &id), "approved", "the record is there");
        assert!(house.ask(&command).is_no(), "{proof:?} was honoured");
    }
}

/// A yes to one call, carried over to another by editing its row.
#[test]
fn a_yes_cannot_be_carried_to_another_call() {
    let house = locked();
    let (id, other) = (house.ask(ASKED).request(), house.ask(OTHER).request());
    answer(&house, "approve", &id, PASSPHRASE).ended(0);
    let wanted = row(&house, &other);
    // Only the columns a call is looked up by.
    let database = Connection::open(house.ledger()).unwrap();
    database.execute("UPDATE request SET arguments = ?2 WHERE id = ?1", [&id, &wanted.arguments]).unwrap();
    assert!(house.ask(OTHER).is_no(), "the columns were believed");
    // The body as well.
    let approved = row(&house, &id);
    write_row(&house, &id, &Request { arguments: wanted.arguments.clone(), ..approved.clone() });
    assert!(house.ask(OTHER).is_no(), "the body was believed");
    // The answer put into the other request's own row.
    write_row(&house, &other, &Request { state: approved.state.clone(), ..wanted.clone() });
    assert!(house.ask(OTHER).is_no(), "the answer was believed");
    // The other request under the approved one's id.
    write_row(&house, &other, &Request { id: id.clone(), state: approved.state, ..wanted });
    assert!(house.ask(OTHER).is_no(), "the id was believed");
    house.run(&["ledger", "verify"]).ended(2);
}

/// A yes that was used, its row put back to what it was before.
#[test]
fn a_used_yes_cannot_be_put_back() {
    let house = locked();
    let id = house.ask(ASKED).request();
    answer(&house, "approve", &id, PASSPHRASE).ended(0);
    let approved = row(&house, &id);
    assert_eq!(house.ask(ASKED), Told::Silent);
    write_row(&house, &id, &approved);
    Connection::open(house.ledger())
        .unwrap()
        .execute("UPDATE request SET is_open = 1 WHERE id = ?1", [&id])
        .unwrap();
    let told = house.ask(ASKED);
    assert!(matches!(&told, Told::No(text) if text.contains("altered")), "{told:?}");
}

/// A yes whose time is over, and a request not answered in time.
#[test]
fn what_is_over_is_over() {
    let house = locked();
    let mut event = house.event(ASKED);
    event["session_id"] = "session-9".into();
    let asked = row(&house, &house.ask(ASKED).request());
    let ago = |minutes: i64| now_ms() - minutes * 60_000;
    let session = "session-9".to_owned();
    let old = Request { id: "r-old".to_owned(), session, made_ms: ago(60), expires_ms: ago(30), ..asked };
    append(&house, ago(60), Entry::Requested(old.clone()));
    let said = answer(&house, "approve", "r-old", PASSPHRASE).ended(1);
    assert!(said.err.contains("is expired"), "{}", said.err);
    // An answer that came in time, but was not used in time.
    let phrase = toolgate_runtime::Passphrase::new(PASSPHRASE).unwrap();
    let approver = Approver::load(&dirs(&house)).unwrap().unwrap();
    let proof =
        toolgate_runtime::sign_answer(&approver, &phrase, &old, Word::Approve, &Default::default()).unwrap();
    append(&house, ago(40), Entry::Answered(yes("r-old", proof)));
    assert_eq!(state(&house, "r-old"), "approved");
    let answer = house.ask_event(&event);
    assert!(answer.is_no() && answer.request() != "r-old", "{answer:?}");
    assert_eq!(state(&house, "r-old"), "expired");
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn without_a_terminal_and_without_a_passphrase_nobody_answers() {
    let house = House::with_policy(TICKET);
    let id = house.ask(ASKED).request();
    for word in ["approve", "deny"] {
        let said = house.run_with(&["inbox", word, &id], &format!("{}\n", &id[2..6])).ended(1);
        assert!(said.err.contains("answers need a terminal"), "{}", said.err);
    }
    answer(&house, "approve", &id, PASSPHRASE).ended(1);
    assert_eq!(state(&house, &id), "pending");
}

/// Runs a command at a terminal of its own, typing a line; `None`, told loudly, where there is no `script`.
fn at_terminal(house: &House, shell: &str, command: &str, typed: &str, mark: Option<&str>) -> Option<Said> {
    if !std::path::Path::new("/usr/bin/script").exists() {
        println!("SKIPPED: no `script` here; answers at a terminal were not tried");
        return None;
    }
    let mut script = house.command("/usr/bin/script", &["-qec", command, "/dev/null"]);
    script.env("SHELL", shell);
    mark.map(|name| script.env(name, "1"));
    Some(finish(script, typed.as_bytes()))
}

#[test]
fn at_a_terminal_a_typed_word_answers() {
    let house = House::with_policy(TICKET);
    let id = house.ask(ASKED).request();
    let command = format!("{TOOLGATE} inbox approve {id}");
    let Some(said) = at_terminal(&house, "/bin/sh", &command, "nope\n", None) else { return };
    assert_ne!(said.code, Some(0), "{said:?}");
    assert_eq!(state(&house, &id), "pending");
    at_terminal(&house, "/bin/sh", &command, &format!("{}\n", &id[2..6]), None).unwrap().ended(0);
    assert_eq!(house.ask(ASKED), Told::Silent);
}

/// The same terminal, but an agent stands above it: by its variable or by its name.
#[test]
fn inside_an_agent_no_terminal_answers() {
    let house = House::with_policy(TICKET);
    let id = house.ask(ASKED).request();
    let command = format!("{TOOLGATE} inbox approve {id}; code=$?; exit $code");
    let typed = format!("{}\n", &id[2..6]);
    for mark in ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "CURSOR_AGENT"] {
        let Some(said) = at_terminal(&house, "/bin/sh", &command, &typed, Some(mark)) else { return };
        assert!(said.code == Some(1) && said.text().contains("runs inside an agent"), "{mark}: {said:?}");
    }
    let agent = house.root().join("claude");
    fs::copy("/bin/sh", &agent).unwrap();
    let said = at_terminal(&house, agent.to_str().unwrap(), &command, &typed, None).unwrap();
    assert!(said.code == Some(1) && said.text().contains("runs inside an agent (claude)"), "{said:?}");
    assert_eq!(state(&house, &id), "pending");
}

/// An agent nobody has heard of asks, reads its ticket and then does this, with a clean environment, in a
/// session and at a terminal of its own; `ID` and `CODE` stand for what the ticket says.
fn agent_of_its_own(house: &House, kind: &str) -> Option<Said> {
    if !std::path::Path::new("/usr/bin/script").exists() {
        println!("SKIPPED: no `script` here; an agent's own terminal was not tried");
        return None;
    }
    house.write("event.json", house.call(ASKED).to_string());
    let kind = kind.replace("ID", "$id").replace("TOOLGATE", TOOLGATE);
    let text = format!(
        "id=$({TOOLGATE} hook claude-code <event.json | sed 's/.*Request \\(r-[a-z0-9]*\\).*/\\1/')\n\
         echo $id | cut -c3-6 | setsid -w env -i HOME=\"$HOME\" USER=ada PATH=\"$PATH\" script -qec \"{kind}\" /dev/null\n"
    );
    house.write("agent", text);
    Some(finish(house.command("/bin/sh", &["agent"]), b""))
}

/// A host is known by its name or by its variables; any other by having asked.
#[test]
fn below_whoever_asked_no_terminal_answers() {
    for kind in [
        "TOOLGATE inbox approve ID",
        "bash -c 'nice TOOLGATE inbox approve ID; true'",
        "TOOLGATE inbox undo ID",
        "TOOLGATE approver set",
        "TOOLGATE serve",
    ] {
        let house = House::with_policy(TICKET);
        let Some(said) = agent_of_its_own(&house, kind) else { return };
        assert!(said.text().contains("inside an agent (sh, process "), "{kind}: {}", said.text());
        let waiting = house.run(&["inbox", "list", "--json"]).ended(0).text();
        assert!(
            waiting.contains("\"pending\"") && waiting.contains("\"program\":\"sh\""),
            "{kind}: {waiting}"
        );
    }
}

/// With a passphrase, only the passphrase counts, wherever it is given.
#[test]
fn inside_an_agent_the_passphrase_still_answers() {
    let house = locked();
    let id = house.ask(ASKED).request();
    let mut command = house.toolgate(&["inbox", "approve", &id, "--passphrase-stdin"]);
    command.env("CLAUDECODE", "1");
    finish(command, PASSPHRASE.as_bytes()).ended(0);
    assert_eq!(house.ask(ASKED), Told::Silent);
}

/// What changes the gate itself is for the person.
#[test]
fn inside_an_agent_the_gate_is_not_changed() {
    let house = House::with_policy(TICKET);
    house.run(&["install", "claude-code", "--project", "--yes"]).ended(0);
    let before = (house.read(".toolgate/policy.yaml"), house.read(".claude/settings.json"));
    let calls: [&[&str]; 4] = [
        &["uninstall", "claude-code", "--yes"],
        &["rules", "add", "--name", "x", "--pattern", "x", "--action", "APPROVE"],
        &["init", "--yes"],
        &["approver", "set", "--passphrase-stdin"],
    ];
    for args in calls {
        let mut command = house.toolgate(args);
        command.env("CLAUDECODE", "1");
        let said = finish(command, PASSPHRASE.as_bytes()).ended(1);
        assert!(said.err.contains("inside an agent (CLAUDECODE)"), "{args:?}: {}", said.err);
    }
    assert_eq!((house.read(".toolgate/policy.yaml"), house.read(".claude/settings.json")), before);
    assert!(!house.home().join(".config/toolgate/approver.json").exists());
}
