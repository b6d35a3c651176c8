//! What people's answers come to: shapes of calls
//! they always answered alike. It proposes and never applies: a yes becomes
//! standing only when a person says so, a no becomes a rule only when a person
//! writes it.

use crate::extent::proposed_pattern;
use crate::inbox::{Proof, Request, Word};
use serde::Serialize;
use std::collections::BTreeMap;

/// So many answers alike, and none otherwise, make a proposal.
const ALIKE_MIN: u32 = 3;

/// How people answered one shape of calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Habit {
    /// Yes so often.
    pub yes: u32,
    /// No so often.
    pub no: u32,
}

/// What could be settled once instead of asked again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proposal {
    /// The answer people always gave.
    pub word: Word,
    /// The tool.
    pub tool: String,
    /// The guards that asked.
    pub asks: Vec<String>,
    /// The shape of the calls.
    pub pattern: String,
    /// How often.
    pub answers: u32,
}

/// What makes two requests alike: tool, guards, and the call up to its last operand.
type Shape = (String, Vec<String>, String);

fn shape(request: &Request) -> Shape {
    let pattern = proposed_pattern(&request.title).unwrap_or_else(|| request.title.clone());
    (request.tool.clone(), request.asks.clone(), pattern)
}

/// What a person said to a request; models do not teach.
fn answer_of(request: &Request) -> Option<Word> {
    let last = request.decisive_answer();
    last.filter(|answer| !matches!(answer.proof, Proof::Supervisor { .. })).map(|answer| answer.word)
}

fn habits<'a>(requests: impl Iterator<Item = &'a Request>) -> BTreeMap<Shape, Habit> {
    let mut habits: BTreeMap<Shape, Habit> = BTreeMap::new();
    for request in requests.filter(|request| request.bypass.is_none()) {
        let Some(word) = answer_of(request) else { continue };
        let habit = habits.entry(shape(request)).or_default();
        match word {
            Word::Approve => habit.yes += 1,
            Word::Deny => habit.no += 1,
        }
    }
    habits
}

/// How people answered calls like this one before.
#[must_use]
pub fn habit_of(request: &Request, before: &[Request]) -> Habit {
    let others = before.iter().filter(|other| other.id != request.id);
    habits(others).remove(&shape(request)).unwrap_or_default()
}

/// Shapes people always answered alike. Nothing is proposed against a guard
/// that `is_fixed`: what is locked is not worn down by habit.
#[must_use]
pub fn proposals(requests: &[Request], is_fixed: impl Fn(&str) -> bool) -> Vec<Proposal> {
    let settled = habits(requests.iter()).into_iter().filter_map(|((tool, asks, pattern), habit)| {
        let (word, answers) = match habit {
            Habit { yes, no: 0 } => (Word::Approve, yes),
            Habit { yes: 0, no } => (Word::Deny, no),
            Habit { .. } => return None,
        };
        let loosens = word == Word::Approve && asks.iter().any(|guard| is_fixed(guard));
        (answers >= ALIKE_MIN && !loosens).then_some(Proposal { word, tool, asks, pattern, answers })
    });
    settled.collect()
}
