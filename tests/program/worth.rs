//! What an answer of supervisors is worth later: for the same question, under another policy, beside what is kept
//! for people, and written by hand.

use crate::answer::Answer;
use crate::house::{ASKED, House};
use crate::judge::{Judge, Line, opinion};
use crate::supervisors::{entries, house as new_house, policy};
use serde_json::json;

/// The same question again costs nothing, if the policy says so; another one does.
#[test]
fn the_same_question_is_answered_from_memory() {
    let judge = Judge::start(|asked| Line::json(opinion(asked, "approve", 1.0)));
    let house = House::new();
    house.write_user(&policy(&judge, "").replace("delivery: ticket", "delivery: ticket, cache_minutes: 10"));
    for command in [ASKED, "git  push   --force origin 'main'", ASKED] {
        assert_eq!(house.ask(command), Answer::Silent, "{command}");
    }
    assert_eq!(judge.asked().len(), 1);
    assert_eq!(entries(&house, "used").len(), 3, "each call has a yes of its own");
    assert_eq!(house.ask("git push --force origin other"), Answer::Silent);
    assert_eq!(judge.asked().len(), 2);
    house.run(&["ledger", "verify"]).ended(0);
    let fresh = new_house(&judge);
    assert_eq!((fresh.ask(ASKED), fresh.ask(ASKED)), (Answer::Silent, Answer::Silent));
    assert_eq!(judge.asked().len(), 4, "without memory each is asked about");
}

/// A key of the approver changes nothing about who may decide what: the policy names the supervisor, or not.
#[test]
fn a_passphrase_leaves_supervisors_their_room() {
    let judge = Judge::start(|asked| Line::json(opinion(asked, "approve", 1.0)));
    let house = new_house(&judge);
    house.run_with(&["approver", "set", "--passphrase-stdin"], "correct horse battery\n").ended(0);
    assert_eq!(house.ask(ASKED), Answer::Silent);
}

/// A row put in by hand is no yes, and what is kept of supervisors is checked against the records.
#[test]
fn rows_written_by_hand_are_no_answers() {
    let judge = Judge::start(|asked| Line::json(opinion(asked, "escalate", 0.9)));
    let house = new_house(&judge);
    let id = house.ask(ASKED).request();
    let revision = house.records().last().unwrap()["context"]["policy"].clone();
    let proof = json!({ "proof": "supervisor", "names": ["one"], "policy": revision, "shape": "" });
    let answer = json!({ "request": id, "word": "approve", "by": "supervisor one", "proof": proof });
    let store = rusqlite::Connection::open(house.ledger()).unwrap();
    let forge = format!(
        "UPDATE request SET body = json_set(body, '$.state', 'approved', '$.at_ms', 1, '$.answer', json('{answer}'))"
    );
    store.execute_batch(&forge).unwrap();
    assert!(house.ask(ASKED).is_broken(), "a row that no record tells of");
    house.run(&["ledger", "verify"]).ended(2);

    let house = House::new();
    house.write_user(&policy(&judge, ""));
    house.ask(ASKED);
    let store = rusqlite::Connection::open(house.ledger()).unwrap();
    store
        .execute_batch("UPDATE supervisor SET body = json_set(body, '$.spent_cents', 0, '$.failed', 9)")
        .unwrap();
    let said = house.run(&["ledger", "verify"]).ended(2);
    assert!(format!("{}{}", said.text(), said.err).contains("supervisor `one`"), "{said:?}");
}

/// The policy may change while a yes waits to be used: then it is asked anew.
#[test]
fn a_yes_ends_with_the_policy_it_was_given_under() {
    let judge = Judge::start(|asked| Line::json(opinion(asked, "reject", 0.9)));
    let house = new_house(&judge);
    assert!(house.ask(ASKED).text().contains("supervisor one"));
    house.write_user(&policy(&judge, ", cost_cents: 1"));
    assert!(house.ask(ASKED).text().contains("supervisor one"));
    assert_eq!(judge.asked().len(), 2, "another policy, another question");
    house.write_user("version: 1\nreview: { delivery: ticket }\n");
    assert!(house.ask(ASKED).text().contains("is waiting for a person"), "nobody is named any more");
}

/// What needs several people, or is critical where people keep that to themselves, is never put to a model.
#[test]
fn people_keep_what_is_theirs() {
    let judge = Judge::start(|asked| Line::json(opinion(asked, "approve", 1.0)));
    for people in ["needs: { low: 2 }", "needs: { low: 2 } }\nreview: { delivery: ask"] {
        let house = new_house(&judge);
        house.write(".toolgate/policy.yaml", format!("version: 1\npeople: {{ {people} }}\n"));
        let said = house.hook(house.call(ASKED).to_string().as_bytes());
        let asks = said.text().contains("\"permissionDecision\":\"ask\"");
        assert!(asks || said.answer().text().contains("is waiting for a person"), "{people}: {said:?}");
        house.run(&["ledger", "verify"]).ended(0);
    }
    assert!(judge.asked().is_empty());
}
