//! Requests and grants: one question to a person, and what an approval is worth.
//!
//! A request is bound to the exact call by its arguments digest. Its state is a fold over ledger
//! records; racing answers have one outcome because the first answer in the ledger counts, except
//! that a denial in the same instant wins over an approval.

use crate::asker::Asker;
use crate::call::Call;
use crate::card::Details;
use crate::digest::{Digest, canonical, unhex};
use crate::extent::Extent;
use crate::ledger::{Entry, Handling};
use crate::people::EMERGENCY_MS;
use crate::progress::{Comment, Progress, is_zero};
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
    /// How far it reaches.
    #[serde(default, skip_serializing_if = "Extent::is_once")]
    pub reach: Extent,
    /// What backs it.
    pub proof: Proof,
}

/// The exact bytes an approver signs: this request, this call, this word, and
/// how far it reaches.
#[must_use]
pub fn signed_text(request: &Request, word: Word, reach: &Extent) -> String {
    let mut text = json!({ "request": request.id, "arguments": request.arguments, "session": request.session, "word": word });
    if let (false, Some(fields)) = (reach.is_once(), text.as_object_mut()) {
        fields.insert("reach".to_owned(), json!(reach));
    }
    canonical(&text)
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
                wanted == key
                    && is_signed(key, signature, signed_text(request, self.word, &self.reach).as_bytes())
            }
        }
    }

    /// Whether both are signed with one key: then it was one person.
    pub(crate) fn is_signed_alike(&self, other: &Answer) -> bool {
        match (&self.proof, &other.proof) {
            (Proof::Signature { key: one, .. }, Proof::Signature { key: two, .. }) => one == two,
            _ => false,
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

/// The state of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum RequestState {
    /// Not answered yet.
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
        /// When.
        #[serde(default)]
        at_ms: i64,
    },
    /// A person took the answer back for good.
    Revoked {
        /// Who.
        by: String,
    },
    /// Approved, and the call ran.
    Used {
        /// The host's id of that call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<String>,
    },
    /// Not answered in time.
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
            RequestState::Revoked { .. } => "revoked",
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
    /// Its program, where the machine shows it: nothing below it may answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asker: Option<Box<Asker>>,
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
    /// The guards that ask: a standing answer answers no others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<String>,
    /// How far it has come.
    #[serde(default, skip_serializing_if = "Progress::is_empty")]
    pub progress: Box<Progress>,
    /// When it was made.
    pub made_ms: i64,
    /// When it counts as denied.
    pub expires_ms: i64,
    /// The guardrail it asks past, if it is a bypass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bypass: Option<Box<BypassRequest>>,
    /// What its card shows besides the call.
    #[serde(default, skip_serializing_if = "Details::is_empty")]
    pub details: Box<Details>,
    /// What supervisors said of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<ReviewNote>,
    /// Its state.
    #[serde(flatten)]
    pub state: RequestState,
}

/// How much a bypass presses.
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

/// One call past one guardrail.
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
    /// How many requests for the same call it took the place of.
    #[serde(default, skip_serializing_if = "is_zero", rename = "anew")]
    pub replaced: u32,
}

/// How long a request waits before the next role up is asked.
pub const BYPASS_MS: i64 = 15 * 60_000;

impl BypassRequest {
    /// When one made at `made_ms` counts as denied.
    #[must_use]
    pub fn expires_ms(&self, made_ms: i64) -> i64 {
        let turns = if self.urgency == Pressing::Urgent { 2 } else { 1 };
        made_ms.saturating_add(BYPASS_MS * turns)
    }

    /// Who is asked at `now_ms`.
    #[must_use]
    pub fn role_at(&self, made_ms: i64, now_ms: i64) -> &str {
        let passed_on = self.urgency == Pressing::Urgent && now_ms >= made_ms.saturating_add(BYPASS_MS);
        if passed_on { "human_operator" } else { &self.role }
    }
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
        if entry.request() != Some(self.id.as_str()) {
            return self;
        }
        let next = match entry {
            Entry::Answered(answer) => self.answered(answer, at_ms),
            Entry::Used { call, .. } => self.used(call.as_deref(), at_ms),
            Entry::Expired { .. } => self.is_unsettled().then_some(RequestState::Expired),
            Entry::Handled { by, what, .. } => self.handled(by, what, at_ms),
            Entry::Repeated { asker, .. } => {
                if !self.is_asked_by(asker) {
                    self.progress.askers.push(asker.clone());
                }
                None
            }
            _ => None,
        };
        if let Some(state) = next {
            self.state = state;
        }
        self.note_review(entry);
        self
    }

    /// Whether this program has made the call, first or again.
    #[must_use]
    pub fn is_asked_by(&self, asker: &Asker) -> bool {
        let is_same = |one: &Asker| one.pid == asker.pid && one.started == asker.started;
        self.asker.as_deref().is_some_and(is_same) || self.progress.askers.iter().any(is_same)
    }

    fn answered(&mut self, answer: &Answer, at_ms: i64) -> Option<RequestState> {
        if at_ms >= self.expires_ms {
            return None;
        }
        // Where several people must say yes, no model is one of them; and none
        // answers past a guardrail or for more than one call.
        let by_model = matches!(answer.proof, Proof::Supervisor { .. });
        // No one answers for themselves. That a person is none of the agent's own
        // processes is what the proof says; a login like the agent's name means nothing.
        let by_itself = answer.by == self.agent;
        if by_model
            && (by_itself || self.progress.needs > 1 || self.bypass.is_some() || !answer.reach.is_once())
        {
            return None;
        }
        match (&self.state, answer.word) {
            (RequestState::Pending, Word::Deny) => {
                Some(RequestState::Denied { answer: answer.clone(), at_ms })
            }
            (RequestState::Pending, Word::Approve) => {
                self.progress.takes(answer);
                let agreed = self.progress.agreed()?.clone();
                Some(RequestState::Approved { answer: agreed, at_ms })
            }
            (RequestState::Approved { at_ms: yes_ms, .. }, Word::Deny)
                if *yes_ms == at_ms && self.progress.uses == 0 =>
            {
                Some(RequestState::Denied { answer: answer.clone(), at_ms })
            }
            _ => None,
        }
    }

    fn used(&mut self, call: Option<&str>, at_ms: i64) -> Option<RequestState> {
        let once = match &self.state {
            RequestState::Approved { answer, .. } => answer.reach.is_once(),
            // No one answered an emergency; see `is_overridden`.
            RequestState::Pending if self.has_pressed(at_ms) => {
                self.progress.overridden_ms = Some(at_ms);
                true
            }
            _ => return None,
        };
        self.progress.uses = self.progress.uses.saturating_add(1);
        once.then(|| RequestState::Used { call: call.map(str::to_owned) })
    }

    fn handled(&mut self, by: &str, what: &Handling, at_ms: i64) -> Option<RequestState> {
        match what {
            Handling::Claimed => self.progress.claimed = Some(by.to_owned()),
            Handling::Commented { text } => {
                self.progress.comments.push(Comment { by: by.to_owned(), text: text.clone(), at_ms });
            }
            Handling::Undone if self.may_be_undone(at_ms) => {
                // Of several people each takes back their own yes, as long as others are needed.
                let waits = self.state == RequestState::Pending;
                self.progress.yes.retain(|yes| waits && yes.by != by);
                return Some(RequestState::Pending);
            }
            Handling::Revoked if self.answer().is_some() => {
                return Some(RequestState::Revoked { by: by.to_owned() });
            }
            Handling::Reviewed { text } if self.progress.overridden_ms.is_some() => {
                self.progress.comments.push(Comment { by: by.to_owned(), text: text.clone(), at_ms });
                self.progress.reviewed = Some(by.to_owned());
            }
            Handling::Undone | Handling::Revoked | Handling::Reviewed { .. } => {}
        }
        None
    }

    /// Whether it is an emergency no one has answered for long enough.
    #[must_use]
    pub fn has_pressed(&self, now_ms: i64) -> bool {
        let pressing = self.bypass.as_ref().is_some_and(|own| own.urgency == Pressing::Emergency);
        pressing
            && self.state == RequestState::Pending
            && now_ms >= self.made_ms.saturating_add(EMERGENCY_MS)
            && !self.is_over(now_ms)
    }

    fn is_unsettled(&self) -> bool {
        matches!(self.state, RequestState::Pending | RequestState::Approved { .. })
    }

    /// The answer that counts, and when it was given.
    #[must_use]
    pub fn answer(&self) -> Option<(&Answer, i64)> {
        match &self.state {
            RequestState::Approved { answer, at_ms } | RequestState::Denied { answer, at_ms } => {
                Some((answer, *at_ms))
            }
            _ => None,
        }
    }

    /// Whether its answer reaches further than one call.
    #[must_use]
    pub fn is_standing(&self) -> bool {
        self.answer().is_some_and(|(answer, _)| !answer.reach.is_once())
    }

    /// Whether its standing answer, a yes or a no, is one to this call when
    /// these guards ask.
    #[must_use]
    pub fn covers(&self, call: &Call, guards: &[&str]) -> bool {
        let asked = |guard: &&str| self.asks.iter().any(|own| own == guard);
        let reaches = |(answer, _): (&Answer, i64)| answer.reach.reaches(self, call);
        self.bypass.is_none()
            && !guards.is_empty()
            && guards.iter().all(asked)
            && self.answer().is_some_and(reaches)
    }

    /// Whether another session asks the very same: the same call of the same agent
    /// in the same folder, by the same guards for the same reasons. Each session's
    /// request is answered for itself; who is shown one has been shown the other.
    #[must_use]
    pub fn is_like(&self, other: &Request) -> bool {
        let open = |one: &Request| one.state == RequestState::Pending && one.bypass.is_none();
        let same_call =
            (&self.arguments, &self.tool, &self.dir) == (&other.arguments, &other.tool, &other.dir);
        let same_shown =
            (&self.title, &self.input, &self.agent) == (&other.title, &other.input, &other.agent);
        let same_reasons =
            (&self.asks, &self.why, self.progress.needs) == (&other.asks, &other.why, other.progress.needs);
        self.session != other.session && open(self) && open(other) && same_call && same_shown && same_reasons
    }

    /// When its answer, or the request without one, is over.
    #[must_use]
    pub fn ends_ms(&self) -> i64 {
        self.answer().map_or(self.expires_ms, |(answer, at_ms)| answer.reach.ends_ms(at_ms, self.expires_ms))
    }

    /// Whether its time has run out at `now_ms`. An approval not used by then
    /// runs out with it, unless it is longer. A clock set back
    /// to before the request was made counts as over, so that turning the
    /// clock cannot prolong a yes; a minute of slack covers ordinary drift.
    #[must_use]
    pub fn is_over(&self, now_ms: i64) -> bool {
        now_ms >= self.ends_ms() || now_ms.saturating_add(60_000) < self.made_ms
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
            RequestState::Denied { answer, .. }
                if !self.is_over(now_ms) && answer.is_backed(self, approver) =>
            {
                Some(answer)
            }
            _ => None,
        }
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
