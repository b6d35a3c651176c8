//! What counts as a supervisor's answer: one typed value, nothing around it.
//!
//! A model says many things; only this shape is an answer. Whatever else comes
//! – prose, a second value, a field no one asked for, another request's id – is
//! "no answer", and no answer is never a yes.

use crate::supervisor::brief::Question;
use crate::visible::one_line;
use serde::{Deserialize, Serialize};

/// Longest answer looked at.
const ANSWER_MAX: usize = 64 << 10;

/// Most reasons, and most alternatives.
const PARTS_MAX: usize = 8;

/// Longest text of one of them, in characters.
const TEXT_MAX: usize = 600;

/// Longest command it may want instead, in characters.
pub(crate) const COMMAND_MAX: usize = 2000;

/// What a supervisor can decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// It may run, once.
    Approve,
    /// It must not run.
    Reject,
    /// It may run changed; the change is judged again.
    Modify,
    /// Someone else should look.
    Escalate,
    /// Not now.
    Delay,
}

impl Judgement {
    /// The name shown everywhere; records keep an older one.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Judgement::Approve => "approve",
            Judgement::Reject => "deny",
            Judgement::Modify => "rewrite",
            Judgement::Escalate => "ask",
            Judgement::Delay => "delay",
        }
    }
}

/// One reason, with the rule it speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The rule.
    pub rule: String,
    /// Why, in the supervisor's words.
    pub text: String,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opinion {
    /// What it decided.
    pub decision: Judgement,
    /// How sure it is.
    pub confidence_percent: u8,
    /// Why; at least one, each with a rule that is there.
    pub reasons: Vec<Reason>,
    /// What it would allow instead.
    pub alternatives: Vec<String>,
    /// What it is not sure of.
    pub uncertainty: String,
    /// The command it would run instead; there for a rewrite, and only there.
    pub instead: Option<String>,
}

/// Why something is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// It is too long.
    TooLong,
    /// It has another shape.
    Shape,
    /// It answers another question.
    OtherQuestion,
    /// It is sure in a way nothing can be.
    Confidence,
    /// It gives no reason, too many, or one about a rule that is not there.
    Reasons,
    /// The change it wants is empty, too long, or not possible for this call.
    Change,
}

impl Unread {
    /// In words.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Unread::TooLong => "the answer is too long",
            Unread::Shape => "the answer does not have the required form",
            Unread::OtherQuestion => "the answer is for another request",
            Unread::Confidence => "the confidence is not between 0 and 1",
            Unread::Reasons => "the answer gives no reason, or a reason for a rule it was not asked about",
            Unread::Change => "the proposed change is empty, too long or not possible here",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    request: String,
    nonce: String,
    decision: WireDecision,
    confidence: f64,
    reasons: Vec<WireReason>,
    #[serde(default)]
    alternatives: Vec<String>,
    #[serde(default)]
    uncertainty: Option<String>,
}

/// A word, or `{"rewrite": "the other command"}`; the older words are still understood.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum WireDecision {
    Approve,
    #[serde(rename = "deny", alias = "reject")]
    Reject,
    #[serde(rename = "rewrite", alias = "modify")]
    Modify(String),
    #[serde(rename = "ask", alias = "escalate")]
    Escalate,
    Delay,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireReason {
    rule: String,
    text: String,
}

/// Reads an answer to a question.
///
/// # Errors
/// Why it is none.
pub fn read_opinion(question: &Question, text: &str) -> Result<Opinion, Unread> {
    if text.len() > ANSWER_MAX {
        return Err(Unread::TooLong);
    }
    // The whole text must be the one value: what follows it is no part
    // of an answer, and makes it none.
    let wire: Wire = serde_json::from_str(text).map_err(|_| Unread::Shape)?;
    if wire.request != question.request || wire.nonce != question.nonce {
        return Err(Unread::OtherQuestion);
    }
    let confidence_percent = percent(wire.confidence).ok_or(Unread::Confidence)?;
    let reasons = reasons_of(question, &wire.reasons).ok_or(Unread::Reasons)?;
    if wire.alternatives.len() > PARTS_MAX {
        return Err(Unread::Shape);
    }
    let (decision, instead) = match wire.decision {
        WireDecision::Approve => (Judgement::Approve, None),
        WireDecision::Reject => (Judgement::Reject, None),
        WireDecision::Escalate => (Judgement::Escalate, None),
        WireDecision::Delay => (Judgement::Delay, None),
        WireDecision::Modify(command) => (Judgement::Modify, Some(command)),
    };
    let is_plain = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    let fits = |command: &String| {
        !command.is_empty()
            && command.chars().count() <= COMMAND_MAX
            && command.chars().all(is_plain)
            && question.is_shell
    };
    if !instead.iter().all(fits) {
        return Err(Unread::Change);
    }
    Ok(Opinion {
        decision,
        confidence_percent,
        reasons,
        alternatives: wire.alternatives.iter().map(|text| one_line(text, TEXT_MAX)).collect(),
        uncertainty: wire.uncertainty.map(|text| one_line(&text, TEXT_MAX)).unwrap_or_default(),
        instead,
    })
}

/// The reasons with the rules they mean: `R1` is the first rule of the brief.
fn reasons_of(question: &Question, reasons: &[WireReason]) -> Option<Vec<Reason>> {
    let known = |one: &WireReason| {
        let number: usize = one.rule.strip_prefix('R')?.parse().ok()?;
        let rule = question.rules.get(number.checked_sub(1)?)?.clone();
        let text = one_line(one.text.trim(), TEXT_MAX);
        (!text.is_empty()).then_some(Reason { rule, text })
    };
    let all: Option<Vec<Reason>> = reasons.iter().map(known).collect();
    all.filter(|all| !all.is_empty() && all.len() <= PARTS_MAX)
}

/// A share as whole per cent, rounded down: an answer is never surer than it says.
fn percent(share: f64) -> Option<u8> {
    // Safe: a share lies between 0 and 1.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = |share: f64| (share * 100.0 + 1e-9).floor() as u8;
    (0.0..=1.0).contains(&share).then(|| whole(share))
}
