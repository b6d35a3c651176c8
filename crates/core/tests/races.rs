//! Many people answer one request at once: whatever the order, one outcome.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use toolgate_core::{Answer, Entry, Extent, Handling, Proof, Request, RequestState, Word};

const MADE: i64 = 1_000_000;
const END: i64 = MADE + 1_800_000;
const RACES: u64 = 10_000;

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
        asks: vec!["g".to_owned()],
        progress: Default::default(),
        made_ms: MADE,
        expires_ms: END,
        bypass: None,
        details: Box::default(),
        reviews: Vec::new(),
        state: RequestState::Pending,
    }
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// What 2 to 16 people and the waiting call do, in the order of the ledger.
fn race(dice: &mut Dice) -> Vec<(Entry, i64)> {
    let people = 2 + dice.below(15);
    let mut entries: Vec<(Entry, i64)> = (0..people)
        .map(|person| {
            let word = if dice.below(2) == 0 { Word::Approve } else { Word::Deny };
            let at_ms = [MADE + 1, MADE + 1, MADE + 2, END - 1, END, END + 1][dice.below(6) as usize];
            let (request, by) = ("r-1".to_owned(), format!("p{person}"));
            let answer =
                Answer { request, word, by, words: None, reach: Extent::Once, proof: Proof::Terminal };
            (Entry::Answered(answer), at_ms)
        })
        .collect();
    for _ in 0..dice.below(4) {
        let at_ms = MADE + 1 + dice.below(3) as i64;
        let entry = match dice.below(6) {
            0 => Entry::Handled { request: "r-1".to_owned(), by: "p0".to_owned(), what: Handling::Claimed },
            _ => Entry::Used { request: "r-1".to_owned(), call: None },
        };
        entries.push((entry, at_ms));
    }
    // Shuffled within an instant, then by time, as a ledger is written.
    for at in (1..entries.len()).rev() {
        entries.swap(at, dice.below(at as u64 + 1) as usize);
    }
    entries.sort_by_key(|(_, at_ms)| *at_ms);
    entries
}

/// What must come out, told another way: the answers of the first instant decide; a no among them wins
/// unless the call ran in between; what comes at the end or later counts for nothing.
fn expected(entries: &[(Entry, i64)]) -> &'static str {
    let mut yes_at = None;
    for (entry, at_ms) in entries.iter().filter(|(_, at_ms)| *at_ms < END) {
        match (entry, yes_at) {
            (Entry::Answered(answer), None) if answer.word == Word::Deny => return "denied",
            (Entry::Answered(_), None) => yes_at = Some(*at_ms),
            (Entry::Answered(answer), Some(at)) if answer.word == Word::Deny && at == *at_ms => {
                return "denied";
            }
            (Entry::Used { .. }, Some(_)) => return "used",
            _ => {}
        }
    }
    if yes_at.is_some() { "approved" } else { "pending" }
}

#[test]
fn ten_thousand_races_have_one_outcome_each() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..RACES {
        let entries = race(&mut Dice(seed));
        let mut runs = 0;
        let end = entries.iter().fold(request(), |before, (entry, at_ms)| {
            let after = before.clone().after(entry, *at_ms);
            if before.state != after.state && matches!(after.state, RequestState::Used { .. }) {
                runs += 1;
                assert!(before.grant(*at_ms, None).is_some(), "seed {seed}: it ran without a yes");
            }
            after
        });
        assert!(runs <= 1, "seed {seed}: it ran {runs} times");
        assert_eq!(end.state.name(), expected(&entries), "seed {seed}: {entries:?}");
        seen.insert(end.state.name());
    }
    assert_eq!(Vec::from_iter(seen), ["approved", "denied", "pending", "used"], "every outcome was met");
}
