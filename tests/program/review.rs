//! A question to a person: the ticket, the answer, the one call it lets through – and everything that
//! looks like an answer and is none.

use crate::answer::Answer;
use crate::house::{ASKED, House, Said, TICKET, finish_child};
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::{Duration, Instant};

pub const PASSPHRASE: &str = "correct horse battery\n";

/// A house whose answers need a passphrase.
pub fn locked() -> House {
    let house = House::with_policy(TICKET);
    house.run_with(&["approver", "set", "--passphrase-stdin"], PASSPHRASE).ended(0);
    house
}

pub fn answer(house: &House, word: &str, id: &str, passphrase: &str) -> Said {
    house.run_with(&["inbox", word, id, "--passphrase-stdin"], passphrase)
}

/// The state of a request as the inbox shows it.
pub fn state(house: &House, id: &str) -> String {
    let said = house.run(&["inbox", "show", id, "--json"]).ended(0).text();
    serde_json::from_str::<Value>(&said).unwrap()["state"].as_str().unwrap().to_owned()
}

#[test]
fn an_approved_call_runs_once() {
    let house = locked();
    let id = house.ask(ASKED).request();
    assert_eq!(house.ask(ASKED).request(), id, "the same question is asked once");
    answer(&house, "approve", &id, PASSPHRASE).ended(0);
    assert_eq!(state(&house, &id), "approved");
    assert_eq!(house.ask(ASKED), Answer::Silent);
    assert_eq!(state(&house, &id), "used");
    let next = house.ask(ASKED);
    assert_ne!(next.request(), id, "a second time is a new question");
    house.run(&["ledger", "verify"]).ended(0);
}

/// What the yes was about, changed in one place.
#[test]
fn a_yes_is_for_exactly_this_call() {
    let house = locked();
    let event = house.event(ASKED);
    let id = house.ask_event(&event).request();
    answer(&house, "approve", &id, PASSPHRASE).ended(0);
    let folder = house.project().join("inner");
    std::fs::create_dir(&folder).unwrap();
    let changes: [(&str, Value); 7] = [
        ("/tool_input/command", json!("git push --force origin main ")),
        ("/tool_input/command", json!("git push --force origin other")),
        ("/tool_input/timeout", json!(1)),
        ("/tool_input/run_in_background", json!(true)),
        ("/session_id", json!("session-2")),
        ("/cwd", json!(folder)),
        ("/tool_name", json!("Monitor")),
    ];
    for (pointer, value) in changes {
        let mut changed = event.clone();
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        changed.pointer_mut(parent).unwrap()[field] = value;
        let answer = house.ask_event(&changed);
        assert!(answer.is_no() && answer.request() != id, "{pointer}: {answer:?}");
        assert_eq!(state(&house, &id), "approved", "{pointer} used it up");
    }
    let mut retold = event.clone();
    retold["tool_input"]["description"] = json!("pushes again, in other words");
    retold["tool_use_id"] = json!("toolu_2");
    assert_eq!(house.ask_event(&retold), Answer::Silent, "how it is described does not matter");
}

#[test]
fn the_first_answer_counts() {
    let house = locked();
    let id = house.ask(ASKED).request();
    answer(&house, "deny", &id, PASSPHRASE).ended(0);
    for word in ["approve", "deny"] {
        let said = answer(&house, word, &id, PASSPHRASE).ended(1);
        assert!(said.err.contains("is denied"), "{}", said.err);
    }
    assert_eq!(state(&house, &id), "denied");
    // A no stays a no: asking again makes no new question.
    assert!(matches!(house.ask(ASKED), Answer::No(text) if text.contains("denied this call")));
    assert_eq!(house.records().iter().filter(|record| record["entry"]["entry"] == "requested").count(), 1);

    let house = locked();
    let id = house.ask(ASKED).request();
    answer(&house, "approve", &id[..6], PASSPHRASE).ended(0);
    assert!(answer(&house, "approve", &id, PASSPHRASE).ended(1).err.contains("is approved"));
    assert!(answer(&house, "deny", &id, PASSPHRASE).ended(1).err.contains("is approved"));
    assert_eq!(house.ask(ASKED), Answer::Silent);
    assert!(answer(&house, "approve", &id, PASSPHRASE).ended(1).err.contains("is used"));
}

#[test]
fn a_wrong_passphrase_answers_nothing() {
    let house = locked();
    let id = house.ask(ASKED).request();
    let before = house.records().len();
    for wrong in [
        "",
        "\n",
        "short\n",
        "Correct horse battery\n",
        "correct horse battery \n",
        "correct horse\n",
        "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\n",
    ] {
        answer(&house, "approve", &id, wrong).ended(1);
    }
    // Not given at all, and not from a terminal.
    let said = house.run_with(&["inbox", "approve", &id], PASSPHRASE).ended(1);
    assert!(said.err.contains("passphrase is required"), "{}", said.err);
    assert_eq!((house.records().len(), state(&house, &id).as_str()), (before, "pending"));
    assert!(house.ask(ASKED).is_no());
    for id in ["r-nothing", "d-1"] {
        answer(&house, "approve", id, PASSPHRASE).ended(1);
    }
}

#[test]
fn a_passphrase_is_changed_only_with_the_old_one() {
    let house = locked();
    let set = |lines: &str| house.run_with(&["approver", "set", "--passphrase-stdin"], lines);
    set("a new passphrase\n").ended(1);
    set("not the old one\na new passphrase\n").ended(1);
    let id = house.ask(ASKED).request();
    answer(&house, "approve", &id, "a new passphrase\n").ended(1);
    set(&format!("{PASSPHRASE}a new passphrase\n")).ended(0);
    answer(&house, "approve", &id, PASSPHRASE).ended(1);
    answer(&house, "approve", &id, "a new passphrase\n").ended(0);
    assert_eq!(house.ask(ASKED), Answer::Silent);
}

/// A yes given with a passphrase that is no longer the approver's is worth nothing.
#[test]
fn an_old_yes_ends_with_its_passphrase() {
    let house = locked();
    let id = house.ask(ASKED).request();
    answer(&house, "approve", &id, PASSPHRASE).ended(0);
    house
        .run_with(&["approver", "set", "--passphrase-stdin"], &format!("{PASSPHRASE}a new passphrase\n"))
        .ended(0);
    assert!(house.ask(ASKED).is_no());
}

/// Many retries at once: the grant is used by one of them.
#[test]
fn of_racing_calls_one_runs() {
    let house = locked();
    for round in 0..3 {
        let command = format!("{ASKED}-{round}");
        let id = house.ask(&command).request();
        answer(&house, "approve", &id, PASSPHRASE).ended(0);
        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let calls: Vec<_> = (0..8).map(|_| scope.spawn(|| house.ask(&command))).collect();
            calls.into_iter().map(|call| call.join().unwrap()).collect()
        });
        let silent = answers.iter().filter(|answer| **answer == Answer::Silent).count();
        assert_eq!((silent, answers.iter().filter(|answer| answer.is_no()).count()), (1, 7), "{answers:?}");
    }
    house.run(&["ledger", "verify"]).ended(0);
}

/// The hook installed twice asks twice about one call: both get the same yes, used up once.
#[test]
fn one_call_asked_about_twice_runs_and_uses_one_yes() {
    let house = locked();
    let id = house.ask(ASKED).request();
    answer(&house, "approve", &id, PASSPHRASE).ended(0);
    let call = house.call(ASKED);
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..4).map(|_| scope.spawn(|| house.ask_event(&call))).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| *answer == Answer::Silent), "{answers:?}");
    assert_eq!(house.records().iter().filter(|record| record["entry"]["entry"] == "used").count(), 1);
    assert!(house.ask(ASKED).is_no(), "another call needs another yes");
}

/// Racing answers: one of them counts, and both are told which.
#[test]
fn of_racing_answers_one_counts() {
    let house = locked();
    let id = house.ask(ASKED).request();
    let codes: Vec<Option<i32>> = std::thread::scope(|scope| {
        let calls: Vec<_> = ["approve", "deny"]
            .map(|word| {
                scope.spawn({
                    let (house, id) = (&house, &id);
                    move || answer(house, word, id, PASSPHRASE).code
                })
            })
            .into_iter()
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    let expected = match state(&house, &id).as_str() {
        "approved" => [Some(0), Some(1)],
        "denied" => [Some(1), Some(0)],
        other => panic!("{other}"),
    };
    assert_eq!(codes, expected);
}

/// Waits until a request of this house shows.
pub fn waiting(house: &House) -> String {
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let said = house.run(&["inbox", "list", "--json"]).ended(0).text();
        if let Some(id) = serde_json::from_str::<Value>(&said).unwrap()[0]["id"].as_str() {
            return id.to_owned();
        }
        assert!(Instant::now() < until, "no request came");
    }
}

/// Holds a call, answers it meanwhile, and returns what the held call was told.
fn held(word: &str, words: &[&str]) -> Answer {
    let house = locked();
    house.write(".toolgate/policy.yaml", "version: 1\nreview: { delivery: hold, hold_seconds: 60 }\n");
    let mut command = house.toolgate(&["hook", "claude-code"]);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::scope(|scope| {
        let event = house.event(ASKED).to_string();
        let call = scope.spawn(move || finish_child(child, event.as_bytes()));
        let id = waiting(&house);
        let args: Vec<&str> =
            ["inbox", word, &id, "--passphrase-stdin"].into_iter().chain(words.iter().copied()).collect();
        house.run_with(&args, PASSPHRASE).ended(0);
        call.join().unwrap().answer()
    })
}

#[test]
fn a_held_call_hears_the_answer() {
    assert_eq!(held("approve", &[]), Answer::Silent);
    let answer = held("deny", &["--words", "use the staging host"]);
    assert!(
        matches!(&answer, Answer::No(text) if text.contains("ada denied this call") && text.contains("use the staging host")),
        "{answer:?}"
    );
}

/// Nobody answers: the wait ends as a ticket, in time.
#[test]
fn a_held_call_nobody_answers_becomes_a_ticket() {
    let house = House::with_policy("version: 1\nreview: { delivery: hold, hold_seconds: 1 }\n");
    let started = Instant::now();
    let answer = house.ask(ASKED);
    assert!(answer.is_no() && answer.request().starts_with("r-"), "{answer:?}");
    assert!(started.elapsed() >= Duration::from_secs(1));
}

/// What the person says with a yes reaches the agent as well.
#[test]
fn a_yes_can_come_with_words() {
    let house = locked();
    let id = house.ask(ASKED).request();
    house
        .run_with(&["inbox", "approve", &id, "--words", "only this once", "--passphrase-stdin"], PASSPHRASE)
        .ended(0);
    let told = house.hook(house.call(ASKED).to_string().as_bytes());
    assert!(told.text().contains("only this once") && !told.text().contains("deny"), "{}", told.text());
}

/// A file call is shown with what it would write.
#[test]
fn a_file_call_is_shown_whole() {
    let policy = "version: 1\nreview: { delivery: ticket }\nrules:\n  - { id: asks, kind: ask, match: { tool: Write }, reason: asked }\n";
    let house = House::with_policy(policy);
    let mut event = house.call("ls");
    event["tool_name"] = json!("Write");
    event["tool_input"] = json!({ "file_path": house.project().join("a"), "content": "SECOND\u{1b}LINE" });
    let id = house.ask_event(&event).request();
    let shown = house.run(&["inbox", "show", &id]).ended(0).text();
    assert!(shown.contains("SECOND") && !shown.contains('\u{1b}'), "{shown}");
}
