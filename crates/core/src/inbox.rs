//! Requests and grants: one question to a person, and what a yes is worth.
//!
//! A request is bound to the exact call by its arguments digest. Its state is
//! a fold over ledger records; racing answers have one outcome because the
//! first answer in the ledger counts and later ones change nothing.

use crate::digest::{Digest, canonical, unhex};
use crate::ledger::Entry;
use crate::supervisor::ReviewNote;
use ed25519_dalek::{Signature, Verifier, VerifyingKey};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What a person said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// Yes, once.
    Approve,
    /// No.
    Deny,
}

/// What shows that a person, not the agent, gave an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "proof")]
pub enum Proof {
    /// Typed at a terminal that does not belong to an agent.
    Terminal,
    /// Given in the browser that followed the link of `toolgate serve`.
    Browser,
    /// Signed with the approver's key, which only the passphrase yields.
    Signature {
        /// The approver's public key, hex.
        key: String,
        /// Over [`signed_text`], hex.
        signature: String,
    },
    /// Given by supervisors the policy names: no person's, and worth something
    /// only where [`crate::Supervision::backs`] says so.
    Supervisor {
        /// Who.
        names: Vec<String>,
        /// The policy it was given under.
        policy: Digest,
        /// What makes the same question again.
        shape: Digest,
        /// Whether it is an earlier answer to the same question.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        again: bool,
    },
}

/// One answer to one request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The request.
    pub request: String,
    /// Yes or no.
    pub word: Word,
    /// Who.
    pub by: String,
    /// What the agent is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// What backs it.
    pub proof: Proof,
}

/// The exact bytes an approver signs: this request, this call, this word.
#[must_use]
pub fn signed_text(request: &Request, word: Word) -> String {
    canonical(
        &json!({ "request": request.id, "arguments": request.arguments, "session": request.session, "word": word }),
    )
}

impl Answer {
    /// Whether the answer is backed as `approver` demands: with a key set,
    /// only its signature counts.
    #[must_use]
    pub fn is_backed(&self, request: &Request, approver: Option<&str>) -> bool {
        match (approver, &self.proof) {
            // Never a person's word, whatever is set.
            (_, Proof::Supervisor { .. }) => false,
            (None, _) => true,
            (Some(_), Proof::Terminal | Proof::Browser) => false,
            (Some(wanted), Proof::Signature { key, signature }) => {
                wanted == key && is_signed(key, signature, signed_text(request, self.word).as_bytes())
            }
        }
    }
}

pub(crate) fn is_signed(key: &str, signature: &str, text: &[u8]) -> bool {
    let key = unhex(key).and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    let signature = unhex(signature).and_then(|bytes| <[u8; 64]>::try_from(bytes).ok());
    match (key.and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok()), signature) {
        (Some(key), Some(bytes)) => key.verify(text, &Signature::from_bytes(&bytes)).is_ok(),
        _ => false,
    }
}

/// Where a request stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum RequestState {
    /// Nobody answered yet.
    Pending,
    /// Answered yes; the grant is not used yet.
    Approved {
        /// The answer.
        answer: Answer,
        /// When.
        at_ms: i64,
    },
    /// Answered no.
    Denied {
        /// The answer.
        answer: Answer,
    },
    /// Approved, and the call ran.
    Used {
        /// The host's id of that call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<String>,
    },
    /// Nobody answered in time.
    Expired,
}

impl RequestState {
    /// The name used everywhere.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            RequestState::Pending => "pending",
            RequestState::Approved { .. } => "approved",
            RequestState::Denied { .. } => "denied",
            RequestState::Used { .. } => "used",
            RequestState::Expired => "expired",
        }
    }
}

/// One item in the inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Its id.
    pub id: String,
    /// The session that asks.
    pub session: String,
    /// The agent that asks.
    pub agent: String,
    /// The exact call, by hash.
    pub arguments: Digest,
    /// The tool.
    pub tool: String,
    /// The whole text of the call, for the person.
    pub title: String,
    /// The whole input, for calls whose title is not all there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The folder it would run in.
    pub dir: String,
    /// Why it is asked: rule, place, sentence.
    pub why: Vec<String>,
    /// When it was made.
    pub made_ms: i64,
    /// When it counts as denied.
    pub expires_ms: i64,
    /// The guardrail it asks past, if it is a bypass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bypass: Option<BypassRequest>,
    /// What supervisors said of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<ReviewNote>,
    /// Where it stands.
    #[serde(flatten)]
    pub state: RequestState,
}

/// How much a bypass presses (S2-46).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pressing {
    /// It can wait.
    #[default]
    Normal,
    /// Soon.
    Urgent,
    /// Now.
    Emergency,
}

/// One call past one guardrail (S2-46).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BypassRequest {
    /// The guardrail.
    pub guardrail: String,
    /// The role that must say yes.
    pub role: String,
    /// Why.
    pub reason: String,
    /// How much it presses.
    pub urgency: Pressing,
}

/// A yes that may still be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The request it came from.
    pub request: String,
    /// Who said yes.
    pub by: String,
    /// What they want the agent to know.
    pub words: Option<String>,
}

impl Request {
    /// The request after one more ledger entry.
    #[must_use]
    pub fn after(mut self, entry: &Entry, at_ms: i64) -> Request {
        let next = match (&self.state, entry) {
            (RequestState::Pending, Entry::Answered(answer))
                if answer.request == self.id && at_ms < self.expires_ms =>
            {
                Some(match answer.word {
                    Word::Approve => RequestState::Approved { answer: answer.clone(), at_ms },
                    Word::Deny => RequestState::Denied { answer: answer.clone() },
                })
            }
            (RequestState::Approved { .. }, Entry::Used { request, call }) if *request == self.id => {
                Some(RequestState::Used { call: call.clone() })
            }
            (RequestState::Pending | RequestState::Approved { .. }, Entry::Expired { request })
                if *request == self.id =>
            {
                Some(RequestState::Expired)
            }
            _ => None,
        };
        if let Some(state) = next {
            self.state = state;
        }
        self.note_review(entry);
        self
    }

    /// Whether its time has run out at `now_ms`. An approval not used by then
    /// runs out with it: a grant never outlives its request. A clock set back
    /// to before the request was made counts as over, so that turning the
    /// clock cannot prolong a yes; a minute of slack covers ordinary drift.
    #[must_use]
    pub fn is_over(&self, now_ms: i64) -> bool {
        now_ms >= self.expires_ms || now_ms.saturating_add(60_000) < self.made_ms
    }

    /// Whether it still says something about its call: it waits, or its answer
    /// has not been used. A no keeps being a no until the request is over.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(
            self.state,
            RequestState::Pending | RequestState::Approved { .. } | RequestState::Denied { .. }
        )
    }

    /// The no this request holds at `now_ms`, if a backed one is there.
    #[must_use]
    pub fn refusal(&self, now_ms: i64, approver: Option<&str>) -> Option<&Answer> {
        match &self.state {
            RequestState::Denied { answer } if !self.is_over(now_ms) && answer.is_backed(self, approver) => {
                Some(answer)
            }
            _ => None,
        }
    }

    /// Whether its grant was used by the very call that asks now. A host may
    /// ask twice about one call, when the hook is installed twice.
    #[must_use]
    pub fn is_used_by(&self, call: Option<&str>) -> bool {
        matches!(&self.state, RequestState::Used { call: Some(user) } if Some(user.as_str()) == call)
    }

    /// The grant this request holds at `now_ms`, if a backed yes is there.
    #[must_use]
    pub fn grant(&self, now_ms: i64, approver: Option<&str>) -> Option<Grant> {
        match &self.state {
            RequestState::Approved { answer, .. }
                if !self.is_over(now_ms) && answer.is_backed(self, approver) =>
            {
                Some(Grant { request: self.id.clone(), by: answer.by.clone(), words: answer.words.clone() })
            }
            _ => None,
        }
    }
}
