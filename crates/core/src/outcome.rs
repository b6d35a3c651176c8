//! The verdict lattice, and what one guard can answer.
//!
//! Every answer carries what it needs to be acted on; there is no boolean to
//! misread. This module compares answers and knows no guard.

use crate::digest::Digest;
use crate::prerequisite::Prerequisite;
use crate::rule::Otherwise;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

// INVARIANT: declared in rising strictness; `Block` compares greatest.
/// The joined answer to one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The gate has no objection.
    Allow,
    /// It runs, and the agent is told something.
    Warn,
    /// It runs in a changed form.
    #[serde(alias = "modify")]
    Rewrite,
    /// It waits for a time or a condition.
    Delay,
    /// A supervisor or a person must answer first.
    #[serde(alias = "escalate")]
    Ask,
    /// Cheap checks must pass first.
    #[serde(alias = "prerequisites")]
    Check,
    /// It does not run.
    Block,
}

impl Verdict {
    /// The name used everywhere.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Allow => "allow",
            Verdict::Warn => "warn",
            Verdict::Rewrite => "rewrite",
            Verdict::Delay => "delay",
            Verdict::Ask => "ask",
            Verdict::Check => "check",
            Verdict::Block => "block",
        }
    }

    /// Its name in the field `decision` of `toolgate test --json`.
    #[must_use]
    pub fn decision(self) -> &'static str {
        match self {
            Verdict::Allow | Verdict::Warn => "APPROVE",
            Verdict::Rewrite => "MODIFY",
            Verdict::Delay | Verdict::Check => "DELAY",
            Verdict::Ask => "ESCALATE",
            Verdict::Block => "REJECT",
        }
    }

    /// Its name in the field `validation_result` of `toolgate test --json`.
    #[must_use]
    pub fn validation_result(self) -> &'static str {
        match self {
            Verdict::Allow | Verdict::Rewrite => "Approve",
            Verdict::Warn => "Caution",
            Verdict::Delay | Verdict::Ask => "RequireConfirmation",
            Verdict::Check => "RequirePrerequisites",
            Verdict::Block => "Block",
        }
    }

    /// Whether the call runs without anybody doing anything.
    #[must_use]
    pub fn runs(self) -> bool {
        self <= Verdict::Rewrite
    }
}

/// A change to the input of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// The whole command text after the change.
    Command(String),
    /// One input field set to a value.
    Field {
        /// The field.
        name: String,
        /// Its new value.
        value: Value,
    },
}

impl Edit {
    /// The input field it touches. Two edits of one field are rivals.
    #[must_use]
    pub fn field(&self) -> &str {
        match self {
            Edit::Command(_) => "command",
            Edit::Field { name, .. } => name,
        }
    }
}

/// A call that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Hash of the exact call.
    pub call: Digest,
    /// When it was first asked about, in milliseconds since 1970.
    pub since_ms: i64,
    /// When to ask again, in seconds.
    pub again_seconds: u64,
}

/// One guard's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Nothing to object.
    Pass,
    /// Nothing to object, and the person has said so in advance (rule 9).
    Approve,
    /// Run it, and write down that a guardrail objected.
    Log,
    /// Run it, and remember that this session did so.
    Label(String),
    /// Run it once the files it would change are copied.
    Backup {
        /// What happens if they cannot be.
        otherwise: Otherwise,
    },
    /// Run it, tell the agent.
    Warn,
    /// Run it changed.
    #[serde(alias = "modify")]
    Rewrite(Vec<Edit>),
    /// Ask again later.
    Delay(Waiting),
    /// Ask a supervisor or a person.
    #[serde(alias = "escalate")]
    Ask,
    /// Run it once these checks have passed, in this order.
    #[serde(alias = "prerequisites")]
    Check(Vec<Prerequisite>),
    /// Do not run it.
    Block,
}

impl Outcome {
    /// Its verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self {
            Outcome::Pass | Outcome::Approve | Outcome::Log | Outcome::Label(_) | Outcome::Backup { .. } => {
                Verdict::Allow
            }
            Outcome::Delay(_) => Verdict::Delay,
            Outcome::Warn => Verdict::Warn,
            Outcome::Rewrite(_) => Verdict::Rewrite,
            Outcome::Ask => Verdict::Ask,
            Outcome::Check(_) => Verdict::Check,
            Outcome::Block => Verdict::Block,
        }
    }
}
