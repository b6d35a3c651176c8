//! What the API gives: shapes of its own, so that a change inside is not a
//! change for programs outside.

use crate::inbox::RuleLine;
use serde::{Deserialize, Serialize};
use toolgate_core::{Answer, Comment, Extent, Record, Request, Word};
use toolgate_runtime::now_ms;
use utoipa::ToSchema;

/// Approve or deny.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WordView {
    /// Approve.
    Approve,
    /// Deny.
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

/// The scope of an answer.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", tag = "extent", deny_unknown_fields)]
pub(crate) enum ReachView {
    /// This call, once.
    #[default]
    Once,
    /// Exactly this call, as often as this session makes it.
    Session,
    /// Exactly this call in any session, for some minutes.
    For {
        /// Minutes after the answer.
        #[schema(minimum = 1, maximum = 10080)]
        minutes: u32,
    },
    /// Every matching call, in this folder and below, until revoked.
    Always {
        /// A command in which `*` matches any text of one word; without one, exactly this call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
    },
}

impl From<ReachView> for Extent {
    fn from(reach: ReachView) -> Extent {
        match reach {
            ReachView::Once => Extent::Once,
            ReachView::Session => Extent::Session,
            ReachView::For { minutes } => Extent::For { minutes },
            ReachView::Always { pattern } => Extent::Always { pattern },
        }
    }
}

impl From<Extent> for ReachView {
    fn from(reach: Extent) -> ReachView {
        match reach {
            Extent::Once => ReachView::Once,
            Extent::Session => ReachView::Session,
            Extent::For { minutes } => ReachView::For { minutes },
            Extent::Always { pattern } => ReachView::Always { pattern },
        }
    }
}

/// One answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AnswerView {
    /// Approve or deny.
    word: WordView,
    /// The person.
    by: String,
    /// Message to the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<String>,
    /// The scope.
    reach: ReachView,
    /// Time in milliseconds since 1970.
    at_ms: i64,
}

impl AnswerView {
    fn of(answer: &Answer, at_ms: i64) -> AnswerView {
        let (by, words) = (answer.by.clone(), answer.words.clone());
        AnswerView { word: answer.word.into(), by, words, reach: answer.reach.clone().into(), at_ms }
    }
}

/// The bypass a request asks for.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BypassView {
    /// Id of the guardrail.
    guardrail: String,
    /// The role that must approve.
    role: String,
    /// The reason.
    reason: String,
}

/// One request.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RequestView {
    /// Its id.
    id: String,
    /// State: pending, approved, denied, used, revoked or expired.
    state: &'static str,
    /// The session that asks.
    session: String,
    /// The agent that asks.
    agent: String,
    /// Hash of the exact call.
    arguments: String,
    /// The tool.
    tool: String,
    /// The text of the call; complete unless `cut`.
    title: String,
    /// The input, if the text does not show all of it; complete unless `cut`.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    /// Whether text and input are truncated; `/api/requests/{id}` has all of them.
    cut: bool,
    /// The folder it would run in.
    dir: String,
    /// Reasons: sentence, rule, file and line.
    why: Vec<String>,
    /// Created, in milliseconds since 1970.
    made_ms: i64,
    /// When it expires and counts as denied, in milliseconds since 1970.
    expires_ms: i64,
    /// The answer, while it applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<AnswerView>,
    /// The bypass it asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    bypass: Option<BypassView>,
    /// The person reviewing it.
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed: Option<String>,
    /// Notes of people.
    comments: Vec<CommentView>,
    /// Opinions of AI supervisors.
    reviews: Vec<String>,
    /// Approvals needed.
    needs: u32,
    /// People who have approved, if several are needed.
    yes: Vec<String>,
    /// Approvals still missing.
    missing: u32,
    /// How often the answer was used.
    uses: u32,
    /// When the review of an emergency is due, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    review_due_ms: Option<i64>,
}

/// One note.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CommentView {
    /// The person.
    by: String,
    /// The text.
    text: String,
    /// Time in milliseconds since 1970.
    at_ms: i64,
}

impl CommentView {
    fn of(comment: &Comment) -> CommentView {
        CommentView { by: comment.by.clone(), text: comment.text.clone(), at_ms: comment.at_ms }
    }
}

/// Bytes of text and input in a list.
const LISTED_MAX: usize = 1_000;

impl RequestView {
    /// For a list: long texts truncated.
    pub(crate) fn listed(request: &Request) -> RequestView {
        let mut view = RequestView::of(request);
        for text in [Some(&mut view.title), view.input.as_mut()].into_iter().flatten() {
            if text.len() > LISTED_MAX {
                text.truncate(text.floor_char_boundary(LISTED_MAX));
                view.cut = true;
            }
        }
        view
    }

    pub(crate) fn of(request: &Request) -> RequestView {
        let progress = &request.progress;
        let answer = request.answer().map(|(answer, at_ms)| AnswerView::of(answer, at_ms));
        RequestView {
            id: request.id.clone(),
            state: request.state_name(now_ms()),
            session: request.session.clone(),
            agent: request.agent.clone(),
            arguments: request.arguments.to_string(),
            tool: request.tool.clone(),
            title: request.title.clone(),
            input: request.input.clone(),
            cut: false,
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
            claimed: progress.claimed.clone(),
            comments: progress.comments.iter().map(CommentView::of).collect(),
            reviews: request.reviews.iter().map(|note| format!("{}: {}", note.by, note.said)).collect(),
            needs: progress.needs.max(1),
            yes: progress.yes.iter().map(|answer| answer.by.clone()).collect(),
            missing: request.missing(),
            uses: progress.uses,
            review_due_ms: progress.review_due_ms(),
        }
    }
}

/// One record of the ledger.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RecordView {
    /// 1, 2, 3 … without gaps.
    seq: u64,
    /// Milliseconds since 1970.
    time_ms: i64,
    /// Hash of the previous record.
    prev: String,
    /// Host, session, agent and policy.
    #[schema(value_type = Object)]
    context: serde_json::Value,
    /// What happened; `entry` is the kind.
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

/// One active rule.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RuleView {
    /// Its id.
    id: String,
    /// Its kind, such as `block` or `ask`.
    kind: &'static str,
    /// The reason.
    reason: String,
    /// File and line.
    source: String,
    /// How often it matched.
    spoke: u64,
    /// How often it asked.
    asked: u64,
    /// How often it blocked.
    blocked: u64,
}

impl RuleView {
    pub(crate) fn of(rule: RuleLine) -> RuleView {
        let RuleLine { id, kind, reason, source, hits, blocked, asked, .. } = rule;
        RuleView { id, kind, reason, source, spoke: hits, asked, blocked }
    }
}

/// Result of verifying the ledger.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LedgerView {
    /// Number of records.
    pub records: u64,
    /// Whether they are unchanged.
    pub whole: bool,
    /// The result in words.
    pub text: String,
}

/// One AI supervisor and its health.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SupervisorView {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: String,
    /// The model behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its state.
    pub state: &'static str,
    /// Number of answers.
    pub answered: u64,
    /// Approvals.
    pub approved: u64,
    /// Denials.
    pub rejected: u64,
    /// Requests without an answer.
    pub failed: u64,
    /// Average time in milliseconds.
    pub latency_ms: u64,
}

/// State of the server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatusView {
    /// Its version.
    pub version: &'static str,
    /// Events judged for hooks since it started.
    pub judged: u64,
}

/// An error.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// The text.
    error: String,
    /// How to fix it.
    help: String,
}

impl Problem {
    pub(crate) fn new(error: &str, help: &str) -> Problem {
        Problem { error: error.to_owned(), help: help.to_owned() }
    }
}
