//! What has become of a request besides its state: who looks at it, what was
//! said, who has said yes so far, how often a standing yes was used.

use crate::asker::Asker;
use crate::inbox::{Answer, Pressing, Proof, Request, RequestState, Word};
use crate::people::{EMERGENCY_MS, REVIEW_DUE_MS};
use serde::{Deserialize, Serialize};

impl Word {
    /// What was done by saying it.
    #[must_use]
    pub fn past(self) -> &'static str {
        match self {
            Word::Approve => "approved",
            Word::Deny => "denied",
        }
    }
}

/// A note on a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// Who.
    pub by: String,
    /// What.
    pub text: String,
    /// When.
    pub at_ms: i64,
}

/// How far a request has come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    /// How many people must say yes; 0 and 1 mean one.
    #[serde(skip_serializing_if = "is_zero")]
    pub needs: u32,
    /// Who said yes while others are still needed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub yes: Vec<Answer>,
    /// Programs that made the same call while it waited, besides the one that asked first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub askers: Vec<Asker>,
    /// Who looks at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed: Option<String>,
    /// Notes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment>,
    /// How often a standing answer was used.
    #[serde(skip_serializing_if = "is_zero")]
    pub uses: u32,
    /// When it was let through in an emergency, without anybody's yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overridden_ms: Option<i64>,
    /// Who looked at that afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewed: Option<String>,
}

impl Progress {
    /// Whether nothing is to be told.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Progress::default()
    }

    /// When the review of an emergency is due, if it is still open.
    #[must_use]
    pub fn review_due_ms(&self) -> Option<i64> {
        let open = self.overridden_ms.filter(|_| self.reviewed.is_none());
        open.map(|at_ms| at_ms.saturating_add(REVIEW_DUE_MS))
    }

    /// Takes one more yes; who says it again means the new one.
    pub(crate) fn takes(&mut self, answer: &Answer) {
        let is_elses = |yes: &Answer| yes.by != answer.by && yes.is_signed_alike(answer);
        if !self.yes.iter().any(is_elses) {
            self.yes.retain(|yes| yes.by != answer.by);
            self.yes.push(answer.clone());
        }
    }

    /// What enough different people have said yes to: the narrowest of their
    /// answers. Where none lies within all the others, they have not agreed yet.
    #[must_use]
    pub fn agreed(&self) -> Option<&Answer> {
        let enough = self.is_enough();
        let is_narrowest = |one: &&Answer| self.yes.iter().all(|other| one.reach.is_within(&other.reach));
        self.yes.iter().filter(|_| enough).find(is_narrowest)
    }

    /// Whether enough people have said yes, each to something else.
    #[must_use]
    pub fn is_divided(&self) -> bool {
        self.is_enough() && self.agreed().is_none()
    }

    /// Who has said yes with this key under another name than `by`: one key is
    /// one person, so that `by` adds nothing with it.
    #[must_use]
    pub fn said_as(&self, by: &str, key: &str) -> Option<&str> {
        let signed = |yes: &&Answer| matches!(&yes.proof, Proof::Signature { key: own, .. } if own == key);
        self.yes.iter().filter(|yes| yes.by != by).find(signed).map(|yes| yes.by.as_str())
    }

    /// Whether `by` has said yes.
    #[must_use]
    pub fn is_said_by(&self, by: &str) -> bool {
        self.yes.iter().any(|yes| yes.by == by)
    }

    fn is_enough(&self) -> bool {
        self.yes.len() >= usize::try_from(self.needs.max(1)).unwrap_or(usize::MAX)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
pub(crate) fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Request {
    /// Whether an answer can still be taken back and given again: nothing has
    /// been done because of it.
    #[must_use]
    pub fn may_be_undone(&self, now_ms: i64) -> bool {
        let is_said =
            self.answer().is_some() || self.state == RequestState::Pending && !self.progress.yes.is_empty();
        is_said && self.progress.uses == 0 && now_ms < self.expires_ms
    }

    /// Why `by` cannot take an answer back at `now_ms`, if they cannot; `key` is
    /// the one answers are signed with here.
    #[must_use]
    pub fn undo_fault(&self, by: &str, key: Option<&str>, now_ms: i64) -> Option<String> {
        let waits = self.state == RequestState::Pending;
        if !self.may_be_undone(now_ms) {
            return Some(match &self.state {
                RequestState::Pending if self.progress.yes.is_empty() => {
                    "it has not been answered".to_owned()
                }
                _ if self.progress.uses > 0 => "the call has already run".to_owned(),
                _ if self.answer().is_some() || waits => "the time for that has passed".to_owned(),
                state => format!("it is {}", state.name()),
            });
        }
        if !waits || self.progress.is_said_by(by) {
            return None;
        }
        if let Some(other) = key.and_then(|key| self.progress.said_as(by, key)) {
            return Some(format!(
                "it was approved as {other} with the passphrase {by} uses too; undo it as {other}, or deny the request"
            ));
        }
        let who: Vec<&str> = self.progress.yes.iter().map(|yes| yes.by.as_str()).collect();
        let who = who.join(", ");
        Some(format!(
            "it was approved by {who}, not by {by}; only they can undo it, or anyone can deny the request"
        ))
    }

    /// Why a yes of `by` would add nothing, if it would not.
    #[must_use]
    pub fn yes_fault(&self, by: &str, key: Option<&str>) -> Option<String> {
        let other = key.and_then(|key| self.progress.said_as(by, key))?;
        Some(format!(
            "{other} has already approved it with this passphrase; one passphrase counts as one person"
        ))
    }

    /// How many more people must say yes, as long as it waits.
    #[must_use]
    pub fn missing(&self) -> u32 {
        let said = u32::try_from(self.progress.yes.len()).unwrap_or(u32::MAX);
        let needs = if self.state == RequestState::Pending { self.progress.needs.max(1) } else { 0 };
        needs.saturating_sub(said)
    }

    /// Where it is at `now_ms`, in one word: what no one answered in time is over,
    /// though no call has come along to note it.
    #[must_use]
    pub fn state_name(&self, now_ms: i64) -> &'static str {
        let lapsed = self.state == RequestState::Pending && self.is_over(now_ms);
        if lapsed { RequestState::Expired.name() } else { self.state.name() }
    }

    /// From when on an emergency no one answers is let through, where the policy
    /// lists its command.
    #[must_use]
    pub fn presses_from_ms(&self) -> Option<i64> {
        let presses = self.bypass.as_ref().is_some_and(|own| own.urgency == Pressing::Emergency);
        let waits = presses && self.state == RequestState::Pending;
        waits.then(|| self.made_ms.saturating_add(EMERGENCY_MS))
    }

    /// Whose yes is there and what is still missing, where several people must say it.
    #[must_use]
    pub fn still_missing(&self) -> Option<String> {
        let yes = &self.progress.yes;
        if self.state != RequestState::Pending || self.progress.needs < 2 || yes.is_empty() {
            return None;
        }
        if self.progress.is_divided() {
            let each: Vec<String> =
                yes.iter().map(|one| format!("{} to {}", one.by, one.reach.words())).collect();
            return Some(format!("the approvals differ: {}", each.join("; ")));
        }
        let who: Vec<&str> = yes.iter().map(|one| one.by.as_str()).collect();
        let (said, needs, more) = (who.len(), self.progress.needs, self.missing());
        Some(format!("{said} of {needs} approvals: {}; {more} more needed", who.join(", ")))
    }

    /// Whether its grant was used by the very call that asks now. A host may
    /// ask twice about one call, when the hook is installed twice.
    #[must_use]
    pub fn is_used_by(&self, call: Option<&str>) -> bool {
        matches!(&self.state, RequestState::Used { call: Some(user) } if Some(user.as_str()) == call)
    }

    /// The answer that decided it, also where it has been used since.
    #[must_use]
    pub fn decisive_answer(&self) -> Option<&Answer> {
        match &self.state {
            RequestState::Used { .. } => self.progress.agreed(),
            _ => self.answer().map(|(answer, _)| answer),
        }
    }

    /// Whether `by`, who has just said this, was heard: it came out so, or theirs is one of several
    /// that are needed.
    #[must_use]
    pub fn took(&self, word: Word, by: &str) -> bool {
        match &self.state {
            RequestState::Approved { .. } | RequestState::Used { .. } => word == Word::Approve,
            RequestState::Pending => word == Word::Approve && self.progress.is_said_by(by),
            RequestState::Denied { .. } => word == Word::Deny,
            RequestState::Revoked { .. } | RequestState::Expired => false,
        }
    }
}
