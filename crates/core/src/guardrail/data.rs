//! The shape of a guardrail as people write it.

use crate::event::EventKind;
use crate::guard::Category;
use crate::rule::Names;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens when the check does not hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFail {
    /// It does not run.
    #[default]
    Block,
    /// It runs and the agent is told; the third time in a session a person is
    /// asked.
    Warn,
    /// A person or an AI supervisor is asked first.
    #[serde(alias = "escalate")]
    Ask,
    /// It runs, and the ledger says so.
    Log,
}

impl OnFail {
    /// The name used in policies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            OnFail::Block => "block",
            OnFail::Warn => "warn",
            OnFail::Ask => "ask",
            OnFail::Log => "log",
        }
    }
}

/// One guardrail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Guardrail {
    /// Stable, unique, kebab-case: `custom-scope-001`.
    pub id: String,
    /// What it is called, if the id is not enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it protects against; shown when it applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The moment it looks at.
    #[serde(rename = "type")]
    pub event: EventKind,
    /// Lower runs first; 100 and up.
    #[serde(default = "default_priority")]
    #[schemars(range(min = 100))]
    pub priority: u32,
    /// What it is about.
    #[serde(default)]
    pub category: Category,
    /// Off when false.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// When it applies.
    #[serde(default)]
    pub condition: Condition,
    /// What must hold then.
    pub validation: Validation,
    /// Who may let a call past it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bypass: Option<Bypass>,
}

fn default_priority() -> u32 {
    100
}

fn yes() -> bool {
    true
}

/// When a guardrail applies; everything written must hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Condition {
    /// An expression: `agent.role == 'implementer' AND action.type == 'file_write'`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expression: Option<String>,
    /// Whom and what it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applies_to: Option<AppliesTo>,
}

/// Whom and what a guardrail is about; a list that is not given means all.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AppliesTo {
    /// Agents by id, role, or both: `implementer-*`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<Names>,
    /// Tasks, where the host names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Names>,
    /// Tools as the host names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Names>,
}

/// What must hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Validation {
    /// An expression that must hold for every action the condition is about.
    pub check: String,
    /// The number that `threshold` means in the check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// What happens if it does not; not given, what the risk level says, else `block`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_on_fail: Option<OnFail>,
}

/// Who may let a call past a guardrail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bypass {
    /// Whether anybody may.
    #[serde(default)]
    pub allowed: bool,
    /// The role that may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_approval: Option<String>,
    /// Always true: every bypass is written down.
    #[serde(default = "yes")]
    pub audit_required: bool,
}
