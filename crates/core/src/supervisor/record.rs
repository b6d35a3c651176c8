//! What the ledger keeps of supervisors: that one was asked, and what it said.

use crate::digest::Digest;
use crate::inbox::Word;
use crate::supervisor::opinion::{Judgement, Reason};
use serde::{Deserialize, Serialize};

/// A supervisor is asked; what that costs is spent from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consulted {
    /// The request it is asked about.
    pub request: String,
    /// Who.
    pub supervisor: String,
    /// Which time: an id of this one question.
    pub question: String,
    /// When it no longer counts as being asked.
    pub until_ms: i64,
    /// What the question costs.
    pub cost_cents: u32,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reviewed {
    /// The request it was asked about.
    pub request: String,
    /// Who.
    pub supervisor: String,
    /// Which question.
    pub question: String,
    /// What it decided; `None` if there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Judgement>,
    /// How sure it is.
    pub confidence_percent: u8,
    /// Why, each with a rule that is there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// What it would allow instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
    /// What it is not sure of.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uncertainty: String,
    /// The command it would run instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// How long it took.
    pub duration_ms: u64,
    /// What it cost.
    pub cost_cents: u32,
}

/// What a request remembers of one supervisor, for the person who is asked next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewNote {
    /// Who.
    pub by: String,
    /// Which question.
    pub question: String,
    /// What it decided; `None` while it is asked, or if no answer came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Judgement>,
    /// How sure it is.
    pub confidence_percent: u8,
    /// Why, in its words; or why there is no answer.
    pub said: String,
}

impl ReviewNote {
    /// The note of someone who has just been asked.
    #[must_use]
    pub fn asked(consulted: &Consulted) -> ReviewNote {
        ReviewNote {
            by: consulted.supervisor.clone(),
            question: consulted.question.clone(),
            decision: None,
            confidence_percent: 0,
            said: String::new(),
        }
    }

    /// The same once it answered.
    #[must_use]
    pub fn answered(reviewed: &Reviewed) -> ReviewNote {
        let words: Vec<&str> = reviewed.reasons.iter().map(|one| one.text.as_str()).collect();
        ReviewNote {
            by: reviewed.supervisor.clone(),
            question: reviewed.question.clone(),
            decision: reviewed.decision,
            confidence_percent: reviewed.confidence_percent,
            said: reviewed.missing.clone().unwrap_or_else(|| words.join(" ")),
        }
    }
}

/// An answer of supervisors that may hold for the same question again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptAnswer {
    /// Yes or no.
    pub word: Word,
    /// Whose.
    pub names: Vec<String>,
    /// What the agent is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// The policy it was given under.
    pub policy: Digest,
    /// When.
    pub at_ms: i64,
}
