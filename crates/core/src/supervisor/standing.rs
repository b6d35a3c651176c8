//! What a supervisor's answer is worth when it is used: looked at again with
//! the policy in force and the decision of that moment.
//!
//! [`Answer::is_backed`] never holds for a supervisor, so that nothing that
//! asks for a person's word can take one for it; only what asks here can.

use crate::chain::Decision;
use crate::inbox::{Answer, Grant, Proof, Request, RequestState};
use crate::ledger::Entry;
use crate::supervisor::data::Supervision;
use crate::supervisor::record::ReviewNote;

impl Supervision {
    /// Whether the answer is one of supervisors this policy names, given under
    /// this very policy, to a question in their room.
    #[must_use]
    pub fn backs(&self, answer: &Answer, decision: &Decision, revision: &str) -> bool {
        let Proof::Supervisor { names, policy, .. } = &answer.proof else { return false };
        let fit = self.fit_for(decision);
        policy == revision
            && !names.is_empty()
            && names.iter().all(|name| fit.iter().any(|(known, _)| known == name))
    }
}

/// Most supervisors a request remembers.
const REVIEWS_MAX: usize = 16;

impl Request {
    /// Remembers that a supervisor is asked, and what it says.
    pub(crate) fn note_review(&mut self, entry: &Entry) {
        match entry {
            Entry::Consulted(asked) if asked.request == self.id && self.reviews.len() < REVIEWS_MAX => {
                self.reviews.push(ReviewNote::asked(asked));
            }
            Entry::Reviewed(said) if said.request == self.id => {
                let own = self.reviews.iter_mut().find(|note| note.question == said.question);
                if let Some(note) = own {
                    *note = ReviewNote::answered(said);
                }
            }
            _ => {}
        }
    }

    /// The grant of supervisors this request holds, if it still counts.
    #[must_use]
    pub fn supervised_grant(
        &self,
        now_ms: i64,
        supervision: &Supervision,
        decision: &Decision,
        revision: &str,
    ) -> Option<Grant> {
        match &self.state {
            RequestState::Approved { answer, .. }
                if !self.is_over(now_ms)
                    && self.bypass.is_none()
                    && self.progress.needs <= 1
                    && answer.reach.is_once()
                    && supervision.backs(answer, decision, revision) =>
            {
                Some(Grant { request: self.id.clone(), by: answer.by.clone(), words: answer.words.clone() })
            }
            _ => None,
        }
    }

    /// The no of supervisors this request holds, if it still counts.
    #[must_use]
    pub fn supervised_refusal(
        &self,
        now_ms: i64,
        supervision: &Supervision,
        decision: &Decision,
        revision: &str,
    ) -> Option<&Answer> {
        match &self.state {
            RequestState::Denied { answer, .. }
                if !self.is_over(now_ms) && supervision.backs(answer, decision, revision) =>
            {
                Some(answer)
            }
            _ => None,
        }
    }
}
