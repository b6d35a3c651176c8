//! What a policy says besides its rules, from all layers together.
//!
//! Each section only narrows, so layers need no precedence here: what every
//! layer says holds. One section = one field here, one in the policy file, one
//! line in `merge`.

use crate::agent::AgentEntry;
use crate::call::Call;
use crate::finding::Source;
use crate::guardrail::GuardrailEntry;
use crate::knowledge::{KnowledgeEntry, ServiceEndpoint};
use crate::output::OutputEntry;
use crate::traps::TrapsEntry;
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
    /// What each layer says about escalation traps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub traps: Vec<TrapsEntry>,
    /// What the project knows about itself, from files of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub knowledge: Vec<KnowledgeEntry>,
    /// Guardrails, also those that are off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guardrails: Vec<GuardrailEntry>,
    /// What each layer says about what tools give back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<OutputEntry>,
    /// Files outside the gate's own folders that are part of the policy: they
    /// are guarded like it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<String>,
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

    /// The services the project knows, with their short names.
    pub fn endpoints(&self) -> impl Iterator<Item = (&String, &ServiceEndpoint)> {
        self.knowledge.iter().flat_map(|entry| &entry.knowledge.endpoints)
    }
}
