//! Requests and grants as pure values: when a yes is worth something, and when it is not.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use ed25519_dalek::{Signer, SigningKey};
use toolgate_core::{Answer, Entry, Proof, Request, RequestState, Word, hex, signed_text};

const MADE: i64 = 1_000_000;
const END: i64 = MADE + 1_800_000;

fn request() -> Request {
    Request {
        id: "r-1".to_owned(),
        session: "s".to_owned(),
        agent: "main".to_owned(),
        arguments: "digest".to_owned(),
        tool: "Bash".to_owned(),
        title: "t".to_owned(),
        input: None,
        dir: "/".to_owned(),
        why: Vec::new(),
        made_ms: MADE,
        expires_ms: END,
        bypass: None,
        reviews: Vec::new(),
        state: RequestState::Pending,
    }
}

fn answer(word: Word, proof: Proof) -> Entry {
    Entry::Answered(Answer { request: "r-1".to_owned(), word, by: "ada".to_owned(), words: None, proof })
}

fn approved(at_ms: i64, proof: Proof) -> Request {
    request().after(&answer(Word::Approve, proof), at_ms)
}

fn key() -> SigningKey {
    SigningKey::from_bytes(&[3; 32])
}

fn public(key: &SigningKey) -> String {
    hex(key.verifying_key().as_bytes())
}

fn signed(key: &SigningKey, about: &Request, word: Word) -> Proof {
    Proof::Signature {
        key: public(key),
        signature: hex(&key.sign(signed_text(about, word).as_bytes()).to_bytes()),
    }
}

/// The states a request goes through, by the names of the entries.
#[track_caller]
fn check(entries: &[(&str, i64)], expected: &str) {
    let end = entries.iter().fold(request(), |request, (name, at_ms)| {
        let entry = match *name {
            "approve" => answer(Word::Approve, Proof::Terminal),
            "deny" => answer(Word::Deny, Proof::Terminal),
            "use" => Entry::Used { request: "r-1".to_owned(), call: None },
            "expire" => Entry::Expired { request: "r-1".to_owned() },
            "use another" => Entry::Used { request: "r-2".to_owned(), call: None },
            other => panic!("{other}"),
        };
        request.after(&entry, *at_ms)
    });
    assert_eq!(end.state.name(), expected, "{entries:?}");
}

#[test]
fn the_first_answer_counts_and_a_grant_is_used_once() {
    let at = MADE + 1;
    check(&[], "pending");
    check(&[("approve", at)], "approved");
    check(&[("deny", at)], "denied");
    check(&[("approve", at), ("deny", at)], "approved");
    check(&[("deny", at), ("approve", at)], "denied");
    check(&[("approve", at), ("use", at)], "used");
    check(&[("approve", at), ("use", at), ("approve", at)], "used");
    check(&[("use", at)], "pending");
    check(&[("approve", at), ("use another", at)], "approved");
    check(&[("expire", at), ("approve", at)], "expired");
    check(&[("approve", at), ("expire", at), ("use", at)], "expired");
    check(&[("deny", at), ("expire", at)], "denied");
    check(&[("approve", END - 1)], "approved");
    check(&[("approve", END)], "pending");
}

#[test]
fn an_answer_to_another_request_changes_nothing() {
    let other = Entry::Answered(Answer {
        request: "r-2".to_owned(),
        word: Word::Approve,
        by: "x".to_owned(),
        words: None,
        proof: Proof::Terminal,
    });
    assert_eq!(request().after(&other, MADE), request());
}

#[test]
fn a_grant_ends_with_its_request_and_a_clock_set_back_does_not_prolong_it() {
    let granted = approved(MADE + 1, Proof::Terminal);
    for (now_ms, holds) in [
        (MADE, true),
        (END - 1, true),
        (END, false),
        (i64::MAX, false),
        (MADE - 59_000, true),
        (MADE - 61_000, false),
        (i64::MIN, false),
    ] {
        assert_eq!(granted.grant(now_ms, None).is_some(), holds, "{now_ms}");
    }
    assert!(request().grant(MADE, None).is_none(), "nobody answered");
}

/// With an approver set, only that key's signature over this request, this call and this word counts.
#[test]
fn only_the_approvers_signature_over_this_very_call_counts() {
    let (own, other) = (key(), SigningKey::from_bytes(&[4; 32]));
    let approver = public(&own);
    let holds = |proof: Proof| approved(MADE + 1, proof).grant(MADE + 2, Some(&approver)).is_some();
    assert!(holds(signed(&own, &request(), Word::Approve)));
    assert!(!holds(Proof::Terminal));
    assert!(!holds(signed(&other, &request(), Word::Approve)));
    assert!(!holds(signed(&own, &request(), Word::Deny)), "a no turned into a yes");
    for changed in [
        Request { id: "r-2".to_owned(), ..request() },
        Request { arguments: "another".to_owned(), ..request() },
        Request { session: "another".to_owned(), ..request() },
    ] {
        assert!(!holds(signed(&own, &changed, Word::Approve)), "{changed:?}");
    }
    let Proof::Signature { signature, .. } = signed(&other, &request(), Word::Approve) else { panic!() };
    for signature in [signature.as_str(), "", "zz", "é", &"0".repeat(127), &"0".repeat(128), &"0".repeat(130)]
    {
        assert!(
            !holds(Proof::Signature { key: approver.clone(), signature: signature.to_owned() }),
            "{signature}"
        );
    }
}
