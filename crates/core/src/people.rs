//! The section `people`: when people are asked, how many of them, and what
//! happens when no one is there in an emergency.
//!
//! Every layer may ask for more; only the managed and the user's own policy may
//! ask for less, because a repository may be anybody's.

use crate::extent::fits;
use crate::facts::Facts;
use crate::finding::Source;
use crate::guard::Severity;
use crate::inbox::Request;
use crate::policy::Layer;
use crate::rule::Names;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The section.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct People {
    /// How many different people must say yes, by severity of what asks: `critical: 2`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub needs: BTreeMap<Severity, u32>,
    /// Questions of low severity are let through with a warning. Not for a project to say.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub auto_approve_low: bool,
    /// What is critical goes to a person, whatever AI supervisors may decide.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub human_required_critical: bool,
    /// Commands that may bypass a guardrail in an unanswered emergency. Not allowed in a project policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emergency: Option<Emergency>,
}

/// Commands that may bypass a guardrail in an unanswered emergency.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Emergency {
    /// Plain commands allowed in an emergency; `*` matches any text of one word. Empty: off.
    #[serde(default)]
    pub commands: Names,
    /// Agents, by name or role, that may declare one.
    #[serde(default)]
    pub agents: Names,
}

/// What one layer says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeopleEntry {
    /// Where it is written.
    pub source: Source,
    /// Which layer it is.
    pub layer: Layer,
    /// What is said.
    pub people: People,
}

/// Without an approver for so long an emergency is let through.
pub const EMERGENCY_MS: i64 = 60_000;

/// How long a review may take afterwards.
pub const REVIEW_DUE_MS: i64 = 24 * 3_600_000;

impl People {
    /// How many people must say yes to something of this severity: what is said
    /// of it or of anything milder.
    #[must_use]
    pub fn needs(&self, severity: Severity) -> Option<u32> {
        self.needs.iter().filter(|(own, _)| **own <= severity).map(|(_, number)| *number).max()
    }
}

impl PeopleEntry {
    /// Takes out what a repository may not say, and names it.
    pub(crate) fn keep_to_layer(&mut self) -> Vec<&'static str> {
        if self.layer != Layer::Project {
            return Vec::new();
        }
        let low = std::mem::take(&mut self.people.auto_approve_low).then_some("people.auto_approve_low");
        let emergency = self.people.emergency.take().map(|_| "people.emergency");
        low.into_iter().chain(emergency).collect()
    }
}

/// Whether a bypass no one has answered is let through at `now_ms`: an
/// emergency, declared by an agent that may, for a command that is listed, and
/// unanswered for long enough.
#[must_use]
pub fn is_overridden(
    people: &[PeopleEntry],
    request: &Request,
    agent: &[&str],
    facts: &Facts,
    now_ms: i64,
) -> bool {
    let allows = |emergency: &Emergency| {
        emergency.agents.iter().any(|own| agent.contains(&own))
            && emergency.commands.iter().any(|pattern| fits(pattern, facts))
    };
    let listed = people.iter().filter_map(|entry| entry.people.emergency.as_ref());
    request.has_pressed(now_ms) && listed.into_iter().any(allows)
}
