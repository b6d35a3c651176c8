//! One line of the ledger: what happened, when, under which policy, and the
//! hash of the line before it.

use crate::asker::Asker;
use crate::budget::{Reserved, Usage};
use crate::digest::{Digest, canonical, digest_of};
use crate::event::EventKind;
use crate::facts::Access;
use crate::feedback::Advice;
use crate::finding::Finding;
use crate::guards::{CANARY, PROBE_SESSION};
use crate::inbox::{Answer, Request};
use crate::ledger::backup::{Backed, Changed};
use crate::outcome::Verdict;
use crate::pin::PinChange;
use crate::prerequisite::CheckResult;
use crate::supervisor::{Consulted, Reviewed};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The `prev` of the first record.
#[must_use]
pub fn genesis() -> Digest {
    digest_of(b"toolgate ledger 1")
}

/// Who and what a record is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// The host program.
    pub host: String,
    /// The session.
    pub session: String,
    /// The agent inside it.
    pub agent: String,
    /// The policy in force.
    pub policy: String,
}

/// One judged event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    /// Id of this decision.
    pub decision: String,
    /// The moment.
    pub event: EventKind,
    /// The host's id of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The tool.
    pub tool: String,
    /// The call in one text, cut if it is very long.
    pub title: String,
    /// The folder.
    pub dir: String,
    /// Hash of the exact call.
    pub arguments: Digest,
    /// What the guards said.
    pub verdict: Verdict,
    /// What the host was told: differs in observe mode and after a grant.
    pub delivered: Verdict,
    /// Everything guards found, labels and backups included.
    pub findings: Vec<Finding>,
    /// The input the host was told to run instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Value>,
    /// The request it waits for or whose grant it used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// What it will use, where a budget counts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved: Option<Reserved>,
    /// The whole input of a blocked call that may be bypassed, for the person
    /// who is asked about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Files the call takes a lock on, where a policy asks for locks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locks: Vec<String>,
    /// Whether it reaches the outside, where a policy counts that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outward: bool,
    /// What the files it writes were before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Before>,
}

impl Decided {
    /// The findings that say something about the call.
    pub fn objections(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.is_objection())
    }

    /// Whether the agent wanted to stop.
    #[must_use]
    pub fn is_stop(&self) -> bool {
        self.event == EventKind::Stop
    }
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resulted {
    /// The moment: after success or after failure.
    pub event: EventKind,
    /// The host's id of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The tool.
    pub tool: String,
    /// The normalised commands of the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ran: Vec<String>,
    /// The files it read and changed, as far as they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<Touched>,
    /// Whether it may have changed a file of the workspace.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
    /// Lines an edit tool wrote.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lines: u64,
    /// Files changed that no call of the session changed before, where a budget counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// What a failure said, cut and without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The sort of agent that was given work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Hash of the exact call, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Digest>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A file a call is about to write, as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// Its real path.
    pub path: String,
    /// When it had changed last, and its size; none if it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<String>,
}

/// A file a call read or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    /// What happened to it.
    pub access: Access,
    /// Its real path.
    pub path: String,
}

impl Resulted {
    /// Whether the host reported success.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.event == EventKind::PostExecution
    }
}

/// What a record says happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "entry")]
pub enum Entry {
    /// An event was judged.
    Decided(Decided),
    /// A call ended.
    Resulted(Resulted),
    /// The host's log tells what the model used.
    Spent(Usage),
    /// Checks were made before a call.
    Checked {
        /// The host's id of the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<String>,
        /// In the order they were made; behind a failed one none is.
        results: Vec<CheckResult>,
    },
    /// Files were copied before a call.
    Backed(Backed),
    /// What became of them.
    Changed(Changed),
    /// Feedback to the agent.
    Advised(Advice),
    /// A person is asked.
    Requested(Request),
    /// A supervisor is asked about a request.
    Consulted(Consulted),
    /// What a supervisor said of it.
    Reviewed(Reviewed),
    /// A person answered.
    Answered(Answer),
    /// A grant was used up by its one call.
    Used {
        /// The request it came from.
        request: String,
        /// The host's id of the call that used it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<String>,
    },
    /// Another program made the call of a pending request: nothing below it may
    /// answer that request either.
    Repeated {
        /// The request.
        request: String,
        /// The program.
        asker: Asker,
    },
    /// Not answered in time.
    Expired {
        /// The request.
        request: String,
    },
    /// A person did something with a request besides answering it.
    Handled {
        /// The request.
        request: String,
        /// Who.
        by: String,
        /// What.
        what: Handling,
    },
    /// What became of the pin of a tool.
    Pinned(PinChange),
    /// Anything else worth keeping: a session began, settings changed, the
    /// gate could not read what it was given.
    Noted {
        /// What, in one word.
        what: String,
        /// In one sentence.
        text: String,
    },
}

impl Entry {
    /// The request it changes, if it changes one.
    #[must_use]
    pub fn request(&self) -> Option<&str> {
        match self {
            Entry::Answered(answer) => Some(&answer.request),
            Entry::Consulted(asked) => Some(&asked.request),
            Entry::Reviewed(said) => Some(&said.request),
            Entry::Used { request, .. }
            | Entry::Expired { request }
            | Entry::Repeated { request, .. }
            | Entry::Handled { request, .. } => Some(request),
            _ => None,
        }
    }
}

/// What people do with a request besides answering it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "handling")]
pub enum Handling {
    /// A person is reviewing it.
    Claimed,
    /// A note of a person.
    Commented {
        /// What.
        text: String,
    },
    /// The answer is taken back before anything was done because of it.
    Undone,
    /// An active grant or denial is revoked.
    Revoked,
    /// The review of a call that ran in an emergency.
    Reviewed {
        /// What they found.
        text: String,
    },
}

/// One line of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// 1, 2, 3 … without gaps.
    pub seq: u64,
    /// Milliseconds since 1970, UTC.
    pub time_ms: i64,
    /// Hash of the record before.
    pub prev: Digest,
    /// Who and what it is about.
    pub context: Context,
    /// What happened.
    pub entry: Entry,
}

impl Record {
    /// Whether it is the test call of `toolgate doctor`, which is no work of any agent
    /// and counts nowhere.
    #[must_use]
    pub fn is_probe(&self) -> bool {
        let Entry::Decided(decided) = &self.entry else { return false };
        self.context.session == PROBE_SESSION && decided.title == CANARY
    }
}

/// A record's canonical text and the hash of it.
#[must_use]
pub fn seal(record: &Record) -> (String, Digest) {
    let body = canonical(record);
    let hash = digest_of(body.as_bytes());
    (body, hash)
}

/// One line of an export.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Hash of the record.
    pub hash: Digest,
    /// The record, as stored.
    pub record: Value,
}

/// The export line of a stored record, without the newline. `body` must be
/// canonical, as stored; then the line is canonical too.
#[must_use]
pub fn export_line(body: &str, hash: &str) -> String {
    format!("{{\"hash\":\"{hash}\",\"record\":{body}}}")
}
