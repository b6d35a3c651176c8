//! Answers that reach further than one call: found again for later calls, used
//! without ending.
//!
//! Like every grant they are believed only if the records tell the same.

use crate::broken::Broken;
use crate::gate::{Answered, refused};
use crate::hearing::Hearing;
use toolgate_core::{Decision, Finding, Outcome, Policy, Request, Severity, Word};
use toolgate_store::StoreError;

/// The guards that ask about a call.
pub(crate) fn asking(decision: &Decision) -> impl Iterator<Item = &str> {
    decision.decisive().map(|finding| finding.guard.as_str())
}

/// How many people must say yes to a call; 0 means what everybody assumes, one.
pub(crate) fn needed(policy: &Policy, decision: &Decision) -> u32 {
    let severity = decision.decisive().map(|finding| finding.severity).max().unwrap_or(Severity::Low);
    let people = policy.settings().people.iter().filter_map(|entry| entry.people.needs(severity));
    people.max().filter(|number| *number > 1).unwrap_or(0)
}

/// What the agent reads when the person's preference answered.
pub(crate) const PREFERRED: &str = "Approved: the policy approves low-severity requests without asking.";

/// What the agent reads when no one is there to ask.
pub(crate) const UNATTENDED: &str =
    "No person can be asked in this run; continue without it and report that it was not done.";

/// Whether the person's own policy answers questions as mild as this one.
pub(crate) fn is_preferred(policy: &Policy, decision: &Decision) -> bool {
    let mild = |finding: &Finding| finding.severity == Severity::Low && finding.outcome == Outcome::Ask;
    policy.settings().people.iter().any(|entry| entry.people.auto_approve_low)
        && decision.decisive().all(mild)
}

impl Hearing<'_> {
    /// The standing answer to this call, a no before a yes.
    pub(crate) fn standing(&mut self, decision: &Decision) -> Result<Option<Request>, Broken> {
        let key = self.approver.map(|approver| approver.key.as_str());
        let guards: Vec<&str> = asking(decision).collect();
        // A prerequisite, or a finding without a name, is not what anybody said yes to.
        let only_asked = decision.decisive().all(|finding| finding.outcome == Outcome::Ask);
        // What was asked about is the call as the agent made it.
        let call = &self.event.call;
        let mut found = self.turn.standing_requests()?;
        found.retain(|one| {
            let counts = one.grant(self.now_ms, key).is_some() || one.refusal(self.now_ms, key).is_some();
            only_asked && counts && one.covers(call, &guards)
        });
        found.sort_by_key(|one| one.answer().map(|(answer, _)| answer.word == Word::Approve));
        let Some(request) = found.into_iter().next() else { return Ok(None) };
        match self.turn.request_in_records(&request.id)? {
            Some(told) if told == request => Ok(Some(request)),
            _ => Err(StoreError::Altered.into()),
        }
    }

    /// What a standing answer means for this call.
    pub(crate) fn by_standing(&mut self, decision: Decision, request: Request) -> Result<Answered, Broken> {
        let key = self.approver.map(|approver| approver.key.as_str());
        if let Some(grant) = request.grant(self.now_ms, key) {
            return self.use_grant(decision, &grant);
        }
        let delivered = request.refusal(self.now_ms, key).map(refused);
        let delivered = delivered.ok_or_else(|| Broken::from(StoreError::Altered))?;
        Ok(Answered { decision, delivered, request: Some(request), is_new: false })
    }
}
