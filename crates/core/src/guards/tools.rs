//! `builtin-004`: an agent uses the tools it was given.

use super::of_agent;
use crate::agent::AgentEntry;
use crate::call::Call;
use crate::event::EventKind;
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen};
use crate::rule::Pattern;

pub(crate) const ID: &str = "builtin-004";

pub(crate) const PAGE: &str = "\
builtin-004: agents use only their tools.

If a policy lists `tools` for an agent, every other tool is blocked for it.
`task_tools` adds to the list. Without a list every tool is allowed.

  agents:
    reviewer:
      tools: [Read, Grep, Glob]
";

/// See the module.
pub(crate) struct Tools;

impl Guard for Tools {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        4
    }

    fn category(&self) -> Category {
        Category::Scope
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        let call = &seen.event.call;
        if seen.event.kind != EventKind::PreExecution && seen.event.kind != EventKind::PreHandoff {
            return None;
        }
        let entry = seen.settings.agents_of(call).find(|entry| !is_open(entry, call))?;
        let listed: Vec<&str> = entry.agent.tools.iter().flat_map(|tools| tools.iter()).collect();
        let listed = if listed.is_empty() { "none".to_owned() } else { listed.join(", ") };
        let message = format!("the tool `{}` is not one of the tools of `{}`", call.tool, entry.name);
        Some(of_agent(ID, entry, message, format!("use one of its tools ({listed}), or hand this step over")))
    }
}

fn is_open(entry: &AgentEntry, call: &Call) -> bool {
    let Some(tools) = &entry.agent.tools else { return true };
    let server_tool = call.server_tool();
    let words = call.tool_words();
    // A list of what is allowed: every word of the tool must be in it, or its name.
    let by_words = !words.is_empty()
        && words
            .iter()
            .all(|word| tools.iter().chain(entry.agent.task_tools.iter()).any(|name| name == *word));
    let fits = |name: &str| {
        Pattern::word(name).is_ok_and(|pattern| {
            pattern.is_match(&call.tool) || server_tool.as_ref().is_some_and(|tool| pattern.is_match(tool))
        })
    };
    by_words || tools.iter().chain(entry.agent.task_tools.iter()).any(fits)
}
