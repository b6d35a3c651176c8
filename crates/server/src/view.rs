//! What the API gives: shapes of its own, so that a change inside is not a
//! change for programs outside.

use crate::inbox::RuleLine;
use serde::{Deserialize, Serialize};
use toolgate_core::{Answer, Record, Request, RequestState, Word};
use utoipa::ToSchema;

/// Yes or no.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WordView {
    /// Yes.
    Approve,
    /// No.
    Deny,
}

impl From<WordView> for Word {
    fn from(word: WordView) -> Word {
        match word {
            WordView::Approve => Word::Approve,
            WordView::Deny => Word::Deny,
        }
    }
}

impl From<Word> for WordView {
    fn from(word: Word) -> WordView {
        match word {
            Word::Approve => WordView::Approve,
            Word::Deny => WordView::Deny,
        }
    }
}

/// What somebody said.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AnswerView {
    /// Yes or no.
    word: WordView,
    /// Who.
    by: String,
    /// What the agent is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<String>,
}

impl AnswerView {
    fn of(answer: &Answer) -> AnswerView {
        AnswerView { word: answer.word.into(), by: answer.by.clone(), words: answer.words.clone() }
    }
}

/// The guardrail a request asks past.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BypassView {
    /// The guardrail.
    guardrail: String,
    /// The role that must say yes.
    role: String,
    /// Why.
    reason: String,
}

/// One question to a person.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RequestView {
    /// Its id.
    id: String,
    /// Where it stands: pending, approved, denied, used or expired.
    state: &'static str,
    /// The session that asks.
    session: String,
    /// The agent that asks.
    agent: String,
    /// Hash of the exact call.
    arguments: String,
    /// The tool.
    tool: String,
    /// The whole text of the call.
    title: String,
    /// The whole input, for calls whose title is not all there is.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    /// The folder it would run in.
    dir: String,
    /// Why it is asked: sentence, rule, file and line.
    why: Vec<String>,
    /// When it was made, in milliseconds since 1970.
    made_ms: i64,
    /// When it counts as denied.
    expires_ms: i64,
    /// What was said, as long as that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<AnswerView>,
    /// The guardrail it asks past.
    #[serde(skip_serializing_if = "Option::is_none")]
    bypass: Option<BypassView>,
}

impl RequestView {
    pub(crate) fn of(request: &Request) -> RequestView {
        let answer = match &request.state {
            RequestState::Approved { answer, .. } | RequestState::Denied { answer } => {
                Some(AnswerView::of(answer))
            }
            _ => None,
        };
        RequestView {
            id: request.id.clone(),
            state: request.state.name(),
            session: request.session.clone(),
            agent: request.agent.clone(),
            arguments: request.arguments.to_string(),
            tool: request.tool.clone(),
            title: request.title.clone(),
            input: request.input.clone(),
            dir: request.dir.clone(),
            why: request.why.clone(),
            made_ms: request.made_ms,
            expires_ms: request.expires_ms,
            answer,
            bypass: request.bypass.as_ref().map(|bypass| BypassView {
                guardrail: bypass.guardrail.clone(),
                role: bypass.role.clone(),
                reason: bypass.reason.clone(),
            }),
        }
    }
}

/// One line of the ledger.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RecordView {
    /// 1, 2, 3 … without gaps.
    seq: u64,
    /// Milliseconds since 1970.
    time_ms: i64,
    /// Hash of the record before.
    prev: String,
    /// Host, session, agent and policy.
    #[schema(value_type = Object)]
    context: serde_json::Value,
    /// What happened; its `entry` says of which sort it is.
    #[schema(value_type = Object)]
    entry: serde_json::Value,
}

impl RecordView {
    pub(crate) fn of(record: Record) -> RecordView {
        RecordView {
            seq: record.seq,
            time_ms: record.time_ms,
            prev: record.prev.to_string(),
            context: serde_json::to_value(&record.context).unwrap_or_default(),
            entry: serde_json::to_value(&record.entry).unwrap_or_default(),
        }
    }
}

/// One rule in force.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RuleView {
    /// Its id.
    id: String,
    /// What it does.
    kind: &'static str,
    /// Why.
    reason: String,
    /// File and line.
    source: String,
    /// How often it spoke.
    spoke: u64,
    /// Of that, asked.
    asked: u64,
    /// Of that, blocked.
    blocked: u64,
}

impl RuleView {
    pub(crate) fn of(rule: RuleLine) -> RuleView {
        let RuleLine { id, kind, reason, source, hits, blocked, asked, .. } = rule;
        RuleView { id, kind, reason, source, spoke: hits, asked, blocked }
    }
}

/// Whether the ledger is what was written.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LedgerView {
    /// How many records there are.
    pub records: u64,
    /// Whether they are what was written.
    pub whole: bool,
    /// The same in words.
    pub text: String,
}

/// How the server is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatusView {
    /// Its version.
    pub version: &'static str,
    /// Events it judged for hooks since it began.
    pub judged: u64,
}

/// What went wrong.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// What.
    error: String,
    /// What to do.
    cure: String,
}

impl Problem {
    pub(crate) fn new(error: &str, cure: &str) -> Problem {
        Problem { error: error.to_owned(), cure: cure.to_owned() }
    }
}
