//! Guardrails: guards written as a condition and a check.
//!
//! `data` is the shape people write, `action` takes a call apart into what it
//! does, `compiled` asks the expressions about each part. A guardrail only
//! ever objects, so one more never loosens a verdict. What a rule can say
//! about commands and effects it says better; a guardrail is for what depends on
//! who acts and how far a session has come.

mod action;
mod compiled;
mod data;

pub use data::{AppliesTo, Bypass, Condition, Guardrail, OnFail, Validation};

pub use compiled::way_past_text;
pub(crate) use compiled::{CompiledGuardrail, outcome_of};

use crate::finding::Source;
use crate::policy::Layer;
use serde::{Deserialize, Serialize};

/// Lines of a guardrail in its file, for the place of a fault.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GuardrailLines {
    /// Where it begins.
    pub own: u32,
    /// Its `condition.expression`.
    pub condition: u32,
    /// Its `validation.check`.
    pub check: u32,
}

/// A guardrail with where it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardrailEntry {
    /// Where it is written.
    pub source: Source,
    /// Its layer.
    pub layer: Layer,
    /// How many of the agents of all layers are written in its own or a higher
    /// one: only these say what role someone has, or a project could talk its
    /// agent out of a guardrail of the person.
    pub agents: usize,
    /// The guardrail.
    pub guardrail: Guardrail,
    /// Only when it comes from a file.
    #[serde(skip)]
    pub lines: GuardrailLines,
}
