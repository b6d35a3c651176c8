//! Requests and grants as pure values: when a yes is worth something, and when it is not.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use ed25519_dalek::{Signer, SigningKey};
use toolgate_core::{
    Answer, Entry, Extent, Handling, Progress, Proof, Request, RequestState, Word, hex, signed_text,
};

const MADE: i64 = 1_000_000;
const END: i64 = MADE + 1_800_000;

fn request() -> Request {
    Request {
        id: "r-1".to_owned(),
        session: "s".to_owned(),
        agent: "main".to_owned(),
        asker: None,
        arguments: "digest".to_owned(),
        tool: "Bash".to_owned(),
        title: "t".to_owned(),
        input: None,
        dir: "/".to_owned(),
        why: Vec::new(),
        asks: Vec::new(),
        progress: Default::default(),
        made_ms: MADE,
        expires_ms: END,
        bypass: None,
        details: Box::default(),
        reviews: Vec::new(),
        state: RequestState::Pending,
    }
}

fn answer(word: Word, proof: Proof) -> Entry {
    Entry::Answered(Answer {
        request: "r-1".to_owned(),
        word,
        by: "ada".to_owned(),
        words: None,
        reach: Default::default(),
        proof,
    })
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
    signed_for(key, about, word, &Extent::Once)
}

fn signed_for(key: &SigningKey, about: &Request, word: Word, reach: &Extent) -> Proof {
    let signature = hex(&key.sign(signed_text(about, word, reach).as_bytes()).to_bytes());
    Proof::Signature { key: public(key), signature }
}

/// A signature under a narrow yes backs no wide one.
#[test]
fn what_is_signed_says_how_far_it_reaches() {
    let (key, always) = (key(), Extent::Always { pattern: Some("git *".to_owned()) });
    for (signed_as, said_as, counts) in [
        (Extent::Once, Extent::Once, true),
        (always.clone(), always.clone(), true),
        (Extent::Once, always.clone(), false),
        (always.clone(), Extent::Always { pattern: Some("rm *".to_owned()) }, false),
        (always, Extent::Once, false),
        (Extent::For { minutes: 1 }, Extent::For { minutes: 10 }, false),
    ] {
        let proof = signed_for(&key, &request(), Word::Approve, &signed_as);
        let asked = request().after(&by("ada", Word::Approve, said_as.clone(), proof), MADE + 1);
        let held = asked.grant(MADE + 2, Some(&public(&key))).is_some();
        assert_eq!(held, counts, "{signed_as:?} as {said_as:?}");
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
            "undo" => handled(Handling::Undone),
            "revoke" => handled(Handling::Revoked),
            "claim" => handled(Handling::Claimed),
            "always" => reaching(Word::Approve, Extent::Always { pattern: None }),
            "never" => reaching(Word::Deny, Extent::Always { pattern: None }),
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
    check(&[("approve", at), ("deny", at + 1)], "approved");
    check(&[("approve", at), ("deny", at)], "denied");
    check(&[("approve", at), ("use", at), ("deny", at)], "used");
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
fn an_answer_can_be_taken_back_until_something_was_done() {
    let at = MADE + 1;
    check(&[("undo", at)], "pending");
    check(&[("approve", at), ("undo", at)], "pending");
    check(&[("approve", at), ("undo", at), ("approve", at)], "approved");
    check(&[("approve", at), ("undo", at), ("use", at)], "pending");
    check(&[("deny", at), ("undo", at), ("approve", at + 1)], "approved");
    check(&[("approve", at), ("use", at), ("undo", at)], "used");
    check(&[("approve", at), ("undo", END)], "approved");
    check(&[("always", at), ("use", at), ("undo", at)], "approved");
    check(&[("expire", at), ("undo", at)], "expired");
    check(&[("claim", at), ("approve", at)], "approved");
}

#[test]
fn what_stands_is_not_used_up_and_can_be_revoked() {
    let at = MADE + 1;
    check(&[("always", at), ("use", at), ("use", at)], "approved");
    check(&[("always", at), ("use", at), ("revoke", at)], "revoked");
    check(&[("always", at), ("revoke", at), ("use", at)], "revoked");
    check(&[("always", at), ("revoke", at), ("undo", at)], "revoked");
    check(&[("never", at), ("approve", at)], "denied");
    check(&[("never", at), ("revoke", at), ("approve", at)], "revoked");
    check(&[("revoke", at)], "pending");
    check(&[("approve", at), ("revoke", at)], "revoked");
}

fn handled(what: Handling) -> Entry {
    Entry::Handled { request: "r-1".to_owned(), by: "ada".to_owned(), what }
}

fn reaching(word: Word, reach: Extent) -> Entry {
    by("ada", word, reach, Proof::Terminal)
}

fn by(who: &str, word: Word, reach: Extent, proof: Proof) -> Entry {
    let (request, by) = ("r-1".to_owned(), who.to_owned());
    Entry::Answered(Answer { request, word, by, words: None, reach, proof })
}

fn yes(who: &str) -> Entry {
    by(who, Word::Approve, Extent::Once, Proof::Terminal)
}

/// Two must say yes, different people; that none is the agent says the proof, not the name.
#[test]
fn several_people_are_several_people() {
    let state = |entries: &[Entry]| {
        let progress = Box::new(Progress { needs: 2, ..Progress::default() });
        let asked = Request { progress, ..request() };
        let end = entries.iter().fold(asked, |request, entry| request.after(entry, MADE + 1));
        end.state.name()
    };
    assert_eq!(state(&[yes("ada")]), "pending");
    assert_eq!(state(&[yes("ada"), yes("ada")]), "pending");
    assert_eq!(state(&[yes("ada"), yes("main")]), "approved", "a login like the agent's name is a person's");
    let model = Proof::Supervisor {
        names: vec!["main".to_owned()],
        policy: String::new(),
        shape: String::new(),
        again: false,
    };
    let by_model = by("main", Word::Approve, Extent::Once, model);
    assert_eq!(state(&[yes("ada"), by_model]), "pending", "a model is none of the people");
    assert_eq!(state(&[yes("ada"), yes("bob")]), "approved");
    assert_eq!(state(&[yes("ada"), by("bob", Word::Deny, Extent::Once, Proof::Terminal)]), "denied");
    assert_eq!(state(&[yes("ada"), handled(Handling::Commented { text: "?".to_owned() })]), "pending");
    let signature = |text: &str| Proof::Signature { key: "k".to_owned(), signature: text.to_owned() };
    let signed = |who, text| by(who, Word::Approve, Extent::Once, signature(text));
    assert_eq!(state(&[signed("ada", "1"), signed("bob", "2")]), "pending", "one key is one person");
}

/// A request two people must say yes to, after these answers.
fn by_two(answers: &[(&str, &Extent)]) -> Request {
    let asked = Request { progress: Box::new(Progress { needs: 2, ..Progress::default() }), ..request() };
    let say = |request: Request, (who, reach): &(&str, &Extent)| {
        request.after(&by(who, Word::Approve, (*reach).clone(), Proof::Terminal), MADE + 1)
    };
    answers.iter().fold(asked, say)
}

/// Of two yeses the narrower counts, whoever was first; where neither lies within
/// the other, they have not agreed.
#[test]
fn a_wide_yes_does_not_widen_a_narrow_one() {
    let minutes = |minutes| Extent::For { minutes };
    let always = |pattern: Option<&str>| Extent::Always { pattern: pattern.map(str::to_owned) };
    let (once, session, long) = (Extent::Once, Extent::Session, minutes(7 * 24 * 60));
    for (one, other, agreed) in [
        (&once, &session, Some(&once)),
        (&once, &always(Some("a *")), Some(&once)),
        (&session, &session, Some(&session)),
        (&session, &minutes(5), None),
        (&session, &long, Some(&session)),
        (&minutes(5), &minutes(9), Some(&minutes(5))),
        (&minutes(5), &always(None), Some(&minutes(5))),
        (&session, &always(None), Some(&session)),
        (&always(None), &always(Some("a *")), Some(&always(None))),
        (&always(Some("a b *")), &always(Some("a *")), None),
    ] {
        for pair in [[("ada", one), ("bob", other)], [("ada", other), ("bob", one)]] {
            let end = by_two(&pair);
            assert_eq!(end.answer().map(|(answer, _)| &answer.reach), agreed, "{pair:?}");
            assert_eq!(end.progress.is_divided(), agreed.is_none(), "{pair:?}");
        }
    }
    // Who says it again means the new one.
    let end = by_two(&[("ada", &session), ("bob", &minutes(5)), ("bob", &session)]);
    assert_eq!(end.answer().map(|(answer, _)| &answer.reach), Some(&session));
}

/// As long as others are needed, each takes back their own yes and nobody else's.
#[test]
fn one_of_several_yeses_can_be_taken_back() {
    let undone =
        |by: &str| Entry::Handled { request: "r-1".to_owned(), by: by.to_owned(), what: Handling::Undone };
    let half = by_two(&[("ada", &Extent::Once)]);
    assert!(half.may_be_undone(MADE + 2) && !by_two(&[]).may_be_undone(MADE + 2));
    assert_eq!(half.clone().after(&undone("bob"), MADE + 2).progress.yes.len(), 1);
    let none = half.after(&undone("ada"), MADE + 2);
    assert!(none.progress.yes.is_empty() && none.answer().is_none());
    let whole = by_two(&[("ada", &Extent::Once), ("bob", &Extent::Once)]).after(&undone("bob"), MADE + 2);
    assert!(whole.progress.yes.is_empty() && whole.answer().is_none(), "an answer is taken back as a whole");
}

#[test]
fn an_answer_to_another_request_changes_nothing() {
    let other = Entry::Answered(Answer {
        request: "r-2".to_owned(),
        word: Word::Approve,
        by: "x".to_owned(),
        words: None,
        reach: Default::default(),
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
