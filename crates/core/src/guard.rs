//! What every guard is: an id, a place in the order, and one question.
//!
//! A guard looks and answers. It never acts, waits, asks or remembers; what
//! it may know is in [`Seen`].

use crate::agent_program::{AgentProgram, Unguarded};
use crate::autonomy::Autonomy;
use crate::call::Call;
use crate::event::Event;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::places::Places;
use crate::session::Session;
use crate::settings::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a guard is about. The order is the tie-break of the chain.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Harm that cannot be undone.
    #[default]
    Safety,
    /// Ways of working that were agreed on.
    Compliance,
    /// Money, time, tokens.
    Budget,
    /// What this agent was sent to do.
    Scope,
    /// How good the result is.
    Quality,
}

impl Category {
    /// The name used everywhere.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Category::Safety => "safety",
            Category::Compliance => "compliance",
            Category::Budget => "budget",
            Category::Scope => "scope",
            Category::Quality => "quality",
        }
    }
}

/// How bad it would be.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// A nuisance.
    #[serde(alias = "LOW")]
    Low,
    /// Costs time.
    #[default]
    #[serde(alias = "MEDIUM")]
    Medium,
    /// Loses work or opens a door.
    #[serde(alias = "HIGH")]
    High,
    /// Loses what cannot be had back.
    #[serde(alias = "CRITICAL")]
    Critical,
}

impl Severity {
    /// The name used everywhere.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Severity::Low => "low",
            Severity::Medium => "medium",
            Severity::High => "high",
            Severity::Critical => "critical",
        }
    }
}

/// All a guard may know.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// The event.
    pub event: &'a Event,
    /// What the call would do.
    pub facts: &'a Facts,
    /// What happened in the session so far.
    pub session: &'a Session,
    /// What the policy says besides rules.
    pub settings: &'a Settings,
    /// Milliseconds since 1970.
    pub now_ms: i64,
    /// What can be asked about files.
    pub disk: Disk<'a>,
    /// Where home, workspace and the gate's own files are.
    pub places: &'a Places,
    /// How freely the agent works.
    pub autonomy: Autonomy,
    /// Whether thresholds are tightened by a fifth.
    pub tight: bool,
}

impl Seen<'_> {
    /// A threshold that warns or asks, as it holds now.
    pub(crate) fn tightened(&self, threshold: u64) -> u64 {
        if self.tight { threshold.saturating_mul(4) / 5 } else { threshold }
    }
}

/// Questions about the machine, answered by the code that may look.
#[derive(Clone, Copy)]
pub struct Disk<'a> {
    /// Whether a file is there, by a path seen from the project; `None` if
    /// that cannot be told.
    pub is_there: &'a dyn Fn(&str) -> Option<bool>,
    /// The beginning of a file, by its full path.
    pub text: &'a dyn Fn(&str) -> Option<String>,
    /// The branch checked out where a folder lies, by its full path: empty
    /// where there is none, `None` if that cannot be told.
    pub branch: &'a dyn Fn(&str) -> Option<String>,
    /// What a setting of the project says, by its name, wherever the project keeps it.
    pub setting: &'a dyn Fn(&str) -> Option<String>,
    /// What a command of the policy says is missing before the agent may stop; `None` if nothing is.
    pub is_incomplete: &'a dyn Fn(&str) -> Option<String>,
    /// How many minutes the clock on the wall is ahead of UTC.
    pub offset_minutes: &'a dyn Fn() -> Option<i32>,
    /// The programs that run agents and offer the gate a hook.
    pub agents: &'a [&'a AgentProgram],
    /// Why a session of one started in a folder would not be guarded, if it would not.
    pub unguarded: &'a dyn Fn(&AgentProgram, &str) -> Option<Unguarded>,
}

impl Disk<'_> {
    /// Knows nothing.
    pub const BLIND: Disk<'static> = Disk {
        is_there: &|_| None,
        text: &|_| None,
        branch: &|_| None,
        setting: &|_| None,
        is_incomplete: &|command| Some(format!("`{command}` was not asked")),
        offset_minutes: &|| None,
        agents: &[],
        unguarded: &|_, _| None,
    };
}

impl std::fmt::Debug for Disk<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Disk")
    }
}

/// Anything that looks at an event and gives a finding. A gate may wait in one
/// thread for the next call of another.
pub trait Guard: Send {
    /// Stable, unique, kebab-case.
    fn id(&self) -> &str;
    /// Lower runs first: 1–99 built-in, 100 and up everything else.
    fn priority(&self) -> u32;
    /// Tie-break after priority.
    fn category(&self) -> Category;
    /// Tie-break after the category: what matters most is said first.
    fn severity(&self) -> Severity {
        Severity::default()
    }
    /// Whether it is a rule: data alone, so that it is asked even where another guard blocks already.
    fn is_rule(&self) -> bool {
        false
    }
    /// Whether it also looks at calls that have run, and at how they ended. Its objection then is
    /// something the agent hears; the call cannot be taken back.
    fn looks_after(&self) -> bool {
        false
    }
    /// The marks of the session it wants to know before it answers.
    fn asks(&self, _call: &Call, _facts: &Facts, _settings: &Settings) -> Vec<String> {
        Vec::new()
    }
    /// The answer; `None` when the guard has nothing to say about this event.
    fn judge(&self, seen: &Seen<'_>) -> Option<Finding>;
}
