//! What a policy says about an agent: its role, tools and files.
//!
//! Definitions are data, portable over hosts. A definition only ever narrows
//! what an agent may do; where several speak of one agent – from several
//! layers, or a name and `*` – each of them holds.

use crate::budget::Budget;
use crate::call::Call;
use crate::completion::Completion;
use crate::feedback::Provider;
use crate::finding::Source;
use crate::risk::Risk;
use crate::rule::{Names, Pattern, PatternFault, RuleFault};
use crate::session::Session;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One agent, or one sort of agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Agent {
    /// What it is here for: `implementer`. Its name, if nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The tools it may use, `*` allowed in names. Not given: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Names>,
    /// Tools this task needs besides.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub task_tools: Names,
    /// Tools that need others before them: each tool with those that must have
    /// succeeded in this session.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub after: BTreeMap<String, Names>,
    /// A file that is there must have been read before it is changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub read_before_write: bool,
    /// Tools whose success counts as reading, `*` allowed. Not given: tools that show a file,
    /// and commands that do, such as `cat` and `head`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_tools: Option<Names>,
    /// Tools whose changes need a read before them, `*` allowed. Not given: all that edit files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_tools: Option<Names>,
    /// Minutes from the start of the session until the task must be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_minutes: Option<u32>,
    /// What it may use up in a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// Feedback to the agent during its work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub feedback: Vec<Provider>,
    /// What must be there before it may stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion: Option<Completion>,
    /// The files it may touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// What it can do: `read`, `write`, `delete`, `run`, `network`, `install`, `commit`, `push`, `mcp`, `handoff`
    /// Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Names>,
    /// What it may decide alone, from 0 to 3. Not given: everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 3))]
    pub autonomy: Option<u8>,
    /// How much could go wrong with what it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
}

impl Agent {
    /// Whether the success of this tool counts as reading; `None` if that is not said by name.
    #[must_use]
    pub fn reads_with(&self, tool: &str) -> Option<bool> {
        self.read_tools.as_ref().map(|names| is_among(names, tool))
    }

    /// The same for changing files.
    #[must_use]
    pub fn writes_with(&self, tool: &str) -> Option<bool> {
        self.write_tools.as_ref().map(|names| is_among(names, tool))
    }

    /// When the task must be done, in milliseconds since 1970.
    #[must_use]
    pub fn deadline_ms(&self, session: &Session) -> Option<i64> {
        let minutes = i64::from(self.deadline_minutes?);
        Some(session.started_ms?.saturating_add(minutes.saturating_mul(60_000)))
    }
}

/// The files an agent may touch. A list that is not given leaves all; one that
/// is given and empty leaves none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Scope {
    /// Path patterns it may change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Names>,
    /// Path patterns it may read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Names>,
    /// Path patterns it may neither change nor read, whatever the others say.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub deny: Names,
}

fn is_among(names: &Names, tool: &str) -> bool {
    names.iter().any(|name| Pattern::word(name).is_ok_and(|pattern| pattern.is_match(tool)))
}

/// An agent in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentEntry {
    /// Where it is written.
    pub source: Source,
    /// The name or pattern it is for.
    pub name: String,
    /// What is said.
    pub agent: Agent,
}

impl AgentEntry {
    /// Whether it speaks of the agent that makes a call: by its role, or by
    /// `main` for the one the person talks to.
    #[must_use]
    pub fn is_for(&self, call: &Call) -> bool {
        let own = call.role.as_deref().unwrap_or(&call.agent);
        // Hosts do not agree on how they write the name of a role.
        let is = |name: &str| self.name.eq_ignore_ascii_case(name);
        self.name == "*" || is(own) || is(&call.agent)
    }

    /// The patterns in it that are none.
    pub(crate) fn faults(&self) -> Vec<RuleFault> {
        let listed = [&self.agent.tools, &self.agent.read_tools, &self.agent.write_tools];
        let tools = listed.into_iter().flatten().flat_map(Names::iter).chain(self.agent.task_tools.iter());
        let tools = tools.map(|name| (name, Pattern::word(name)));
        let scope = self.agent.scope.iter();
        let lists = scope.flat_map(|scope| [scope.write.as_ref(), scope.read.as_ref(), Some(&scope.deny)]);
        let paths = lists.flatten().flat_map(Names::iter).map(|name| (name, Pattern::path(name)));
        let fault = |(name, pattern): (&str, Result<Pattern, PatternFault>)| {
            Some(RuleFault::of_pattern(format!("agents.{}", self.name), name, pattern.err()?))
        };
        let prices = self.agent.budget.iter().flat_map(|budget| budget.prices.keys());
        let prices = prices.map(|name| (name.as_str(), Pattern::word(name)));
        tools.chain(paths).chain(prices).filter_map(fault).chain(self.unknown_words()).collect()
    }

    /// Words and numbers that mean nothing.
    fn unknown_words(&self) -> impl Iterator<Item = RuleFault> {
        let known = crate::guards::category::CAPABILITIES;
        let own = self.agent.capabilities.iter().flat_map(Names::iter);
        let words = own.filter(|name| !known.contains(name)).map(|name| RuleFault {
            rule: format!("agents.{}", self.name),
            message: format!("unknown capability `{name}`"),
            at: None,
            needle: name.to_owned(),
            cure: format!("known: {}", known.join(", ")),
        });
        let level = self.agent.autonomy.filter(|level| *level > 3).map(|level| RuleFault {
            rule: format!("agents.{}", self.name),
            message: format!("unknown autonomy level {level}"),
            at: None,
            needle: "autonomy".to_owned(),
            cure: "use a level from 0 (only reads) to 3 (decides everything)".to_owned(),
        });
        words.chain(level)
    }

    /// The role.
    #[must_use]
    pub fn role(&self) -> &str {
        self.agent.role.as_deref().unwrap_or(&self.name)
    }
}
