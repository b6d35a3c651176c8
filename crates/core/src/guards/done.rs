//! `completion`: an agent stops when it is done.
//!
//! Off unless a policy says what done means. Not asked of sub-agents, and not
//! when time or budget for the task are used up: then there is nothing left to do it with.

use super::of_agent;
use crate::agent::AgentEntry;
use crate::event::EventKind;
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen, Severity};

pub(crate) const ID: &str = "completion";

pub(crate) const PAGE: &str = "\
completion: agents finish before they stop.

A policy lists what an agent must finish before it stops: files that exist,
commands that succeeded after the last change, and combinations with `all` and
`any`. A stop before that is refused, with a list of what is missing, at most ten
times in a row.

  agents:
    main:
      completion:
        files: [report.md]
        ran: [cargo test]
";

/// See the module.
pub(crate) struct Done;

impl Guard for Done {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        22
    }

    fn category(&self) -> Category {
        Category::Quality
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        let call = &seen.event.call;
        if seen.event.kind != EventKind::Stop || call.agent != "main" {
            return None;
        }
        seen.settings.agents_of(call).find_map(|entry| {
            let completion = entry.agent.completion.as_ref().filter(|_| !is_late(entry, seen))?;
            let missing = completion.missing(seen.session, seen.disk)?;
            let finding = of_agent(ID, entry, missing, "finish that, then stop".to_owned());
            Some(Finding { category: Category::Quality, severity: Severity::Medium, ..finding })
        })
    }
}

fn is_late(entry: &AgentEntry, seen: &Seen<'_>) -> bool {
    let spent = entry.agent.budget.as_ref().is_some_and(|budget| budget.is_spent(seen.session, seen.now_ms));
    spent || entry.agent.deadline_ms(seen.session).is_some_and(|end| seen.now_ms >= end)
}
