//! What a policy says besides its rules, from all layers together.
//!
//! Each section only narrows, so layers need no precedence here: what every
//! layer says holds. One section = one field here, one in the policy file, one
//! line in `merge`.

use crate::agent::AgentEntry;
use crate::call::Call;
use crate::finding::Source;
use crate::guardrail::GuardrailEntry;
use crate::verification::ToolVerification;
use serde::{Deserialize, Serialize};

/// Everything but rules, mode, review and workspace.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Agents, highest layer first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentEntry>,
    /// What each layer says about verified tools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verification: Vec<VerificationEntry>,
    /// Guardrails, also those that are off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guardrails: Vec<GuardrailEntry>,
}

/// What one layer says about verified tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerificationEntry {
    /// Where it is written.
    pub source: Source,
    /// What is said.
    pub verification: ToolVerification,
}

impl Settings {
    /// What is said about the agent that makes a call.
    pub fn agents_of<'a>(&'a self, call: &'a Call) -> impl Iterator<Item = &'a AgentEntry> {
        self.agents.iter().filter(|entry| entry.is_for(call))
    }
}
