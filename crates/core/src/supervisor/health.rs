//! What the records say of one supervisor: how fast, how reliable, how dear,
//! and whether people later agreed with it.
//!
//! A fold over the records, kept in the store, so that every hook process sees
//! the same. After some failures in a row it is left alone for a while; then
//! one question tries it again.

use crate::digest::Digest;
use crate::inbox::{Proof, Request, RequestState, Word};
use crate::ledger::{Entry, Record};
use crate::supervisor::data::Supervisor;
use crate::supervisor::opinion::Judgement;
use crate::supervisor::record::{Consulted, KeptAnswer, ReviewNote, Reviewed};
use serde::{Deserialize, Serialize};

/// So many failures in a row open the breaker.
const FAILURES_MAX: u32 = 3;

/// How long it stays open at first, and at most; it doubles with each failure.
const OPEN_FIRST_MS: i64 = 30_000;
const OPEN_MAX_MS: i64 = 15 * 60_000;

/// Questions under way that are remembered.
const OUTSTANDING_MAX: usize = 64;

/// A supervisor no one has tried counts as this fast.
const LATENCY_UNKNOWN_MS: u64 = 1_000;

/// So many answers of people are needed before it can be said to drift, and so
/// many of the last ones are looked at.
const COMPARED_MIN: u32 = 8;
const COMPARED_MAX: u32 = 32;

const DAY_MS: i64 = 86_400_000;

/// One supervisor as the records tell it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Health {
    /// Questions under way, each with when it no longer counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outstanding: Vec<(String, i64)>,
    /// Failures since the last answer.
    pub failed_in_row: u32,
    /// Until when it is left alone.
    pub open_until_ms: i64,
    /// How long an answer takes, the newest counting most.
    pub latency_ms: u64,
    /// Answers and failures.
    pub answered: u64,
    /// See above.
    pub failed: u64,
    /// The day of what was spent, in days since 1970.
    pub day: i64,
    /// What was spent on that day.
    pub spent_cents: u64,
    /// Answers by what they were.
    pub approved: u64,
    /// See above.
    pub rejected: u64,
    /// Of its answers a person answered after it, those they agreed with, as bits, the newest lowest.
    pub agreed: u32,
    /// How many of those bits count.
    pub compared: u32,
}

impl Health {
    /// After a question.
    #[must_use]
    pub fn after_question(mut self, asked: &Consulted, at_ms: i64) -> Health {
        self.outstanding.retain(|(_, until_ms)| *until_ms > at_ms);
        self.outstanding.push((asked.question.clone(), asked.until_ms));
        let surplus = self.outstanding.len().saturating_sub(OUTSTANDING_MAX);
        self.outstanding.drain(..surplus);
        let day = at_ms.div_euclid(DAY_MS);
        // A clock set back must not give the budget of a day twice.
        if day > self.day {
            (self.day, self.spent_cents) = (day, 0);
        }
        self.spent_cents = self.spent_cents.saturating_add(u64::from(asked.cost_cents));
        self
    }

    /// After an answer, or the lack of one.
    #[must_use]
    pub fn after_answer(mut self, reviewed: &Reviewed, at_ms: i64) -> Health {
        self.outstanding.retain(|(question, _)| *question != reviewed.question);
        let duration = reviewed.duration_ms;
        self.latency_ms =
            if self.latency_ms == 0 { duration } else { (self.latency_ms * 3).saturating_add(duration) / 4 };
        match reviewed.decision {
            Some(decision) => {
                (self.failed_in_row, self.open_until_ms) = (0, 0);
                self.answered = self.answered.saturating_add(1);
                self.approved = self.approved.saturating_add(u64::from(decision == Judgement::Approve));
                self.rejected = self.rejected.saturating_add(u64::from(decision == Judgement::Reject));
            }
            None => {
                self.failed = self.failed.saturating_add(1);
                self.failed_in_row = self.failed_in_row.saturating_add(1);
                if let Some(more) = self.failed_in_row.checked_sub(FAILURES_MAX) {
                    let pause = OPEN_FIRST_MS.saturating_mul(1_i64 << more.min(8)).min(OPEN_MAX_MS);
                    self.open_until_ms = at_ms.saturating_add(pause);
                }
            }
        }
        self
    }

    /// After a person answered a request this supervisor had judged.
    #[must_use]
    pub fn after_person(mut self, agreed: bool) -> Health {
        self.agreed = (self.agreed << 1) | u32::from(agreed);
        self.compared = self.compared.saturating_add(1).min(COMPARED_MAX);
        self
    }

    /// Whether it is to be left alone. When its time is over, one question
    /// tries it; the others wait for how that comes out. An end too far away
    /// was written by another clock.
    #[must_use]
    pub fn is_open(&self, now_ms: i64) -> bool {
        let is_shut_out = now_ms < self.open_until_ms && self.open_until_ms - now_ms <= OPEN_MAX_MS;
        let is_tried = self.failed_in_row >= FAILURES_MAX && self.busy(now_ms) > 0;
        is_shut_out || is_tried
    }

    /// Questions under way.
    #[must_use]
    pub fn busy(&self, now_ms: i64) -> u64 {
        let live = self.outstanding.iter().filter(|(_, until_ms)| *until_ms > now_ms).count();
        u64::try_from(live).unwrap_or(u64::MAX)
    }

    /// Whether one more question fits into its budget of the day.
    #[must_use]
    pub fn can_afford(&self, supervisor: &Supervisor, now_ms: i64) -> bool {
        let today = now_ms.div_euclid(DAY_MS);
        let spent = if today > self.day { 0 } else { self.spent_cents };
        let next = spent.saturating_add(u64::from(supervisor.cost_cents));
        supervisor.budget_cents.is_none_or(|budget| next <= u64::from(budget))
    }

    /// How dear it is to wait for it: by what it is busy with, how long it
    /// takes and how often it fails.
    #[must_use]
    pub fn weight(&self, now_ms: i64) -> u64 {
        let latency = if self.latency_ms == 0 { LATENCY_UNKNOWN_MS } else { self.latency_ms.max(1) };
        let failures = u64::from(self.failed_in_row.min(8)).saturating_mul(2).saturating_add(1);
        latency.saturating_mul(self.busy(now_ms).saturating_add(1)).saturating_mul(failures)
    }

    /// How many of the last answers people agreed with, of how many.
    #[must_use]
    pub fn agreement(&self) -> (u32, u32) {
        let mask = if self.compared >= 32 { u32::MAX } else { (1_u32 << self.compared).wrapping_sub(1) };
        ((self.agreed & mask).count_ones(), self.compared)
    }

    /// Whether people mostly disagree with it: then its answers are only shown.
    #[must_use]
    pub fn drifts(&self) -> bool {
        let (agreed, compared) = self.agreement();
        compared >= COMPARED_MIN && agreed.saturating_mul(2) < compared
    }
}

/// One step in the health of a supervisor.
#[derive(Debug, Clone)]
pub enum HealthStep {
    /// It is asked.
    Asked(Consulted, i64),
    /// It answered, or did not.
    Answered(Reviewed, i64),
    /// A person answered what it had judged.
    Person {
        /// Whether they said the same.
        agreed: bool,
    },
}

impl HealthStep {
    /// The health after it.
    #[must_use]
    pub fn after(self, before: Health) -> Health {
        match self {
            HealthStep::Asked(asked, at_ms) => before.after_question(&asked, at_ms),
            HealthStep::Answered(said, at_ms) => before.after_answer(&said, at_ms),
            HealthStep::Person { agreed } => before.after_person(agreed),
        }
    }
}

/// What a record changes of what is kept about supervisors.
#[derive(Debug, Clone)]
pub enum SupervisionChange {
    /// The health of one.
    Health(String, HealthStep),
    /// An answer that may hold again, by the shape of its question.
    Answer(Digest, KeptAnswer),
}

/// What a record changes; `request` gives a request as it was before the record.
pub fn supervision_changes(
    record: &Record,
    request: impl Fn(&str) -> Option<Request>,
) -> Vec<SupervisionChange> {
    let at_ms = record.time_ms;
    match &record.entry {
        Entry::Consulted(asked) => {
            vec![SupervisionChange::Health(asked.supervisor.clone(), HealthStep::Asked(asked.clone(), at_ms))]
        }
        Entry::Reviewed(said) => {
            vec![SupervisionChange::Health(
                said.supervisor.clone(),
                HealthStep::Answered(said.clone(), at_ms),
            )]
        }
        Entry::Answered(answer) => {
            let pending = |one: &Request| one.state == RequestState::Pending && at_ms < one.expires_ms;
            let Some(request) = request(&answer.request).filter(pending) else { return Vec::new() };
            match &answer.proof {
                Proof::Supervisor { again: true, .. } => Vec::new(),
                Proof::Supervisor { names, policy, shape, .. } => {
                    let kept = KeptAnswer {
                        word: answer.word,
                        names: names.clone(),
                        words: answer.words.clone(),
                        policy: policy.clone(),
                        at_ms,
                    };
                    vec![SupervisionChange::Answer(shape.clone(), kept)]
                }
                _ => compared(&request, answer.word),
            }
        }
        _ => Vec::new(),
    }
}

/// A person's word next to what supervisors thought of the same call.
fn compared(request: &Request, word: Word) -> Vec<SupervisionChange> {
    let agrees = |decision: Judgement| match decision {
        Judgement::Approve => Some(word == Word::Approve),
        Judgement::Reject => Some(word == Word::Deny),
        Judgement::Modify | Judgement::Escalate | Judgement::Delay => None,
    };
    let step = |note: &ReviewNote| {
        let agreed = agrees(note.decision?)?;
        Some(SupervisionChange::Health(note.by.clone(), HealthStep::Person { agreed }))
    };
    request.reviews.iter().filter_map(step).collect()
}
