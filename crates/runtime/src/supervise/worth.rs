//! What an answer is worth at the moment it is used, a person's or one of
//! supervisors.

use crate::hearing::Hearing;
use toolgate_core::{Answer, Decision, Grant, Request};

impl Hearing<'_> {
    /// The grant a request holds: a person's, or one of supervisors that may
    /// decide about this very question now.
    pub(crate) fn grant_of(&self, request: &Request, decision: &Decision) -> Option<Grant> {
        let key = self.approver.map(|approver| approver.key.as_str());
        let (supervision, revision) = (&self.policy.settings().supervision, self.policy.revision());
        let supervised = || request.supervised_grant(self.now_ms, supervision, decision, revision);
        request.grant(self.now_ms, key).or_else(supervised)
    }

    /// The no a request holds, likewise.
    pub(crate) fn refusal_of<'r>(&self, request: &'r Request, decision: &Decision) -> Option<&'r Answer> {
        let key = self.approver.map(|approver| approver.key.as_str());
        let (supervision, revision) = (&self.policy.settings().supervision, self.policy.revision());
        let supervised = || request.supervised_refusal(self.now_ms, supervision, decision, revision);
        request.refusal(self.now_ms, key).or_else(supervised)
    }

    /// Whether supervisors will be asked about this.
    pub(crate) fn is_supervised(&self, decision: &Decision) -> bool {
        let supervision = &self.policy.settings().supervision;
        !supervision.is_empty() && !supervision.fit_for(decision).is_empty()
    }
}
