//! What the API gives: shapes of its own, so that a change inside is not a
//! change for programs outside.

use crate::inbox::RuleLine;
use serde::{Deserialize, Serialize};
use toolgate_core::{Answer, Comment, Extent, Record, Request, Word};
use toolgate_runtime::now_ms;
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

/// How far an answer reaches.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", tag = "extent", deny_unknown_fields)]
pub(crate) enum ReachView {
    /// This call, once.
    #[default]
    Once,
    /// This very call as often as this session makes it.
    Session,
    /// This very call in any session, for so long.
    For {
        /// Minutes from the answer on.
        #[schema(minimum = 1, maximum = 10080)]
        minutes: u32,
    },
    /// Every call that fits, in this folder and below it, until it is revoked.
    Always {
        /// A command in which `*` stands for any text of a word; none means this very call.
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
    /// How far it reaches.
    reach: ReachView,
    /// When, in milliseconds since 1970.
    at_ms: i64,
}

impl AnswerView {
    fn of(answer: &Answer, at_ms: i64) -> AnswerView {
        let (by, words) = (answer.by.clone(), answer.words.clone());
        AnswerView { word: answer.word.into(), by, words, reach: answer.reach.clone().into(), at_ms }
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
    /// The text of the call; whole unless `cut`.
    title: String,
    /// The input, for calls whose title is not all there is; whole unless `cut`.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    /// Whether a list shows only the beginning of text and input; `/api/requests/{id}` has all.
    cut: bool,
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
    /// Who looks at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed: Option<String>,
    /// What people said beside it.
    comments: Vec<CommentView>,
    /// What supervisors said of it.
    reviews: Vec<String>,
    /// How many people must say yes.
    needs: u32,
    /// Who said yes so far, where one is not enough.
    yes: Vec<String>,
    /// How many more must, as long as it waits.
    missing: u32,
    /// How often its answer was used.
    uses: u32,
    /// When somebody must have looked at what an emergency let through.
    #[serde(skip_serializing_if = "Option::is_none")]
    review_due_ms: Option<i64>,
}

/// One remark.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CommentView {
    /// Who.
    by: String,
    /// What.
    text: String,
    /// When, in milliseconds since 1970.
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
    /// For a list: the beginning of what is long.
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

/// One AI supervisor, and how it is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SupervisorView {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub role: String,
    /// The model behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How it is, in words.
    pub state: &'static str,
    /// How often it answered.
    pub answered: u64,
    /// Of that, yes.
    pub approved: u64,
    /// Of that, no.
    pub rejected: u64,
    /// How often no answer came.
    pub failed: u64,
    /// How long it takes, in milliseconds.
    pub latency_ms: u64,
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
    help: String,
}

impl Problem {
    pub(crate) fn new(error: &str, help: &str) -> Problem {
        Problem { error: error.to_owned(), help: help.to_owned() }
    }
}
