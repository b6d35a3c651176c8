//! What a policy says besides its rules, from all layers together.
//!
//! Each section only narrows, so layers need no precedence here: what every
//! layer says holds. One section = one field here, one in the policy file, one
//! line in `merge`.

use crate::agent::AgentEntry;
use crate::call::Call;
use crate::categories::CategoriesEntry;
use crate::finding::Source;
use crate::guardrail::GuardrailEntry;
use crate::handoff::HandoffEntry;
use crate::knowledge::{KnowledgeEntry, ServiceEndpoint};
use crate::notify::NotifyEntry;
use crate::output::OutputEntry;
use crate::people::PeopleEntry;
use crate::pin::{PinRules, UNSEEN};
use crate::policy::Layer;
use crate::recovery::ErrorsEntry;
use crate::risk::Risk;
use crate::supervisor::Supervision;
use crate::traps::TrapsEntry;
use crate::verification::{FirstUse, ToolVerification, VerificationMode};
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
    /// What each layer says about category guardrails and its risk level.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<CategoriesEntry>,
    /// What each layer says about hand-overs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub handoff: Vec<HandoffEntry>,
    /// What each layer says about failed calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorsEntry>,
    /// What each layer says about asking people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<PeopleEntry>,
    /// How people hear of requests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notify: Vec<NotifyEntry>,
    /// Supervisors and the room they have.
    #[serde(skip_serializing_if = "Supervision::is_empty")]
    pub supervision: Supervision,
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

    /// Whether a guardrail asks which task a call belongs to.
    #[must_use]
    pub fn asks_for_tasks(&self) -> bool {
        let named = |entry: &GuardrailEntry| {
            let own = &entry.guardrail;
            let lists = own.condition.applies_to.as_ref().is_some_and(|said| said.tasks.is_some());
            let texts = own.condition.expression.iter().chain([&own.validation.check]);
            lists || texts.into_iter().any(|text| text.contains("task"))
        };
        self.guardrails.iter().any(named)
    }

    /// Whether a command gives feedback to the agent that makes a call.
    #[must_use]
    pub fn has_feedback_commands(&self, call: &Call) -> bool {
        self.agents_of(call).flat_map(|entry| &entry.agent.feedback).any(|one| one.command.is_some())
    }

    /// How pins are kept: the strictest of what the layers say.
    #[must_use]
    pub fn pin_rules(&self) -> PinRules {
        let all = self.verification.iter().map(|entry| entry.verification.pin_rules());
        all.fold(PinRules::default(), |joined, one| PinRules {
            first_use: joined.first_use.max(one.first_use),
            drift: joined.drift.max(one.drift),
        })
    }

    /// Whether a tool that only waits for approval is left to `tool-verification`, which is
    /// mild about it.
    #[must_use]
    pub fn leaves_pending(&self, why: Option<&str>) -> bool {
        let mild = |entry: &VerificationEntry| entry.verification.mode != VerificationMode::Strict;
        let asks = self.pin_rules().first_use == FirstUse::Approve;
        why.is_none_or(|why| why == UNSEEN) && asks && self.verification.iter().all(mild)
    }

    /// The risk level of the agent that makes a call: the highest anybody says.
    #[must_use]
    pub fn risk_of(&self, call: &Call) -> Option<Risk> {
        let layers = self.categories.iter().filter_map(|entry| entry.risk);
        layers.chain(self.agents_of(call).filter_map(|entry| entry.agent.risk)).max()
    }

    /// The same, by what a layer and those above it say: `agents` is how many
    /// of the agents stand there.
    pub(crate) fn risk_above(&self, call: &Call, layer: Layer, agents: usize) -> Option<Risk> {
        let layers =
            self.categories.iter().filter(|entry| entry.layer <= layer).filter_map(|entry| entry.risk);
        let own = self.agents.iter().take(agents).filter(|entry| entry.is_for(call));
        layers.chain(own.filter_map(|entry| entry.agent.risk)).max()
    }

    /// The services the project knows, with their short names.
    pub fn endpoints(&self) -> impl Iterator<Item = (&String, &ServiceEndpoint)> {
        self.knowledge.iter().flat_map(|entry| &entry.knowledge.endpoints)
    }
}
