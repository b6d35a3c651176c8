//! The shape of a policy file as people write it.

use crate::agent::Agent;
use crate::categories::Categories;
use crate::guard::Severity;
use crate::guardrail::Guardrail;
use crate::handoff::Handoff;
use crate::notify::Notify;
use crate::output::OutputChecks;
use crate::people::People;
use crate::recovery::Errors;
use crate::risk::Risk;
use crate::rule::{Names, Rule};
use crate::supervisor::{Supervisor, Together};
use crate::traps::Traps;
use crate::verification::ToolVerification;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Whether verdicts are enforced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Record what would be stopped, stop nothing.
    Observe,
    /// Stop it.
    #[default]
    Enforce,
}

/// How a person is asked about a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// Wait for the answer; when the wait is over, go on as `ticket`.
    #[default]
    Hold,
    /// Deny now with a request id; the identical call runs once approved.
    Ticket,
    /// Let the host ask the person in front of it, where it can.
    Ask,
    /// Let the host set the call aside and end, where it can; resumed after the
    /// answer, it goes on. For runs no one watches.
    Defer,
    /// No one is there: what supervisors do not settle is blocked at once.
    Deny,
}

/// How questions reach a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Review {
    /// Hold, ticket, ask or defer.
    pub delivery: Delivery,
    /// How long a held call waits before it becomes a ticket, at most 100.
    #[schemars(range(max = 100))]
    pub hold_seconds: u32,
    /// Minutes after which an unanswered request counts as denied.
    #[schemars(range(min = 1, max = 1440))]
    pub expires_minutes: u32,
    /// Severities supervisors may decide about: low, medium and high, if not said. Every layer only narrows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supervised: Option<Vec<Severity>>,
    /// How sure a supervisor must be to decide: 0.7, if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: Option<f64>,
    /// How several supervisors decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// How long all supervisors together may take: 20, if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100))]
    pub supervisor_seconds: Option<u32>,
    /// How long an answer of supervisors holds for the same question; 0, if not said. Not for projects.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1440))]
    pub cache_minutes: Option<u32>,
    /// Ids of rules whose questions only people answer; `*` allowed.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub people: Names,
}

impl Default for Review {
    fn default() -> Review {
        Review {
            delivery: Delivery::Hold,
            hold_seconds: 50,
            expires_minutes: 30,
            supervised: None,
            confidence: None,
            together: None,
            supervisor_seconds: None,
            cache_minutes: None,
            people: Names::default(),
        }
    }
}

/// What belongs to the workspace besides the project folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Workspace {
    /// Further folders the agent may work in; `~` allowed.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub also: Names,
}

/// One policy file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("patternProperties" = { "^x-": true }))]
pub struct PolicyFile {
    /// Version of this format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// Enforce or observe; a lower layer cannot loosen it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Packs in force: `default` unless the managed or user policy says
    /// otherwise; a project can only add.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packs: Option<Vec<String>>,
    /// Ids of rules turned off. Locked rules stay on.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub disable: Names,
    /// How questions reach a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    /// What belongs to the workspace besides the project folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Workspace>,
    /// Agents by name (`main`, a sort of sub-agent, or `*`): role, tools, files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, Agent>,
    /// Which tools are verified, and what happens with the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<ToolVerification>,
    /// What agents do when something fails, instead of looking for the simple cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traps: Option<Traps>,
    /// Guards as a condition and a check.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guardrails: Vec<Guardrail>,
    /// What is looked for in what tools give back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputChecks>,
    /// The twenty guardrails that ship with the program, by category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category_guardrails: Option<Categories>,
    /// How much could go wrong: which of those are on, and what a guardrail does that says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// What work handed to another agent must come with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<Handoff>,
    /// What follows when a call fails, again and again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<Errors>,
    /// When people are asked, how many of them, and what happens when no one is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<People>,
    /// How people hear that a call waits. Not for projects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notify: Option<Notify>,
    /// Models that may answer questions before a person is asked, by name. Not for projects.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub supervisors: BTreeMap<String, Supervisor>,
    /// The rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
}

impl PolicyFile {
    /// A file that says nothing but its version.
    #[must_use]
    pub fn of_version_1() -> PolicyFile {
        PolicyFile {
            version: 1,
            mode: None,
            packs: None,
            disable: Names::default(),
            review: None,
            workspace: None,
            agents: BTreeMap::new(),
            verification: None,
            traps: None,
            guardrails: Vec::new(),
            output: None,
            category_guardrails: None,
            risk: None,
            handoff: None,
            errors: None,
            people: None,
            notify: None,
            supervisors: BTreeMap::new(),
            rules: Vec::new(),
        }
    }
}
