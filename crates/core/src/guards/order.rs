//! `tool-order`: some tools come after others.
//!
//! Not transitive: what the earlier tool itself needs is its own affair. A tool
//! that failed earns nothing.

use super::of_agent;
use crate::call::Call;
use crate::event::EventKind;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen};
use crate::mark::tool_mark;
use crate::settings::Settings;

pub(crate) const ID: &str = "tool-order";

pub(crate) const PAGE: &str = "\
tool-order: some tools come after others.

A policy can list tools that must succeed before another tool, in the same
session. Until then the other tool is blocked.

  agents:
    main:
      after:
        mcp__ci__deploy: [mcp__ci__test, mcp__ci__lint]
";

/// See the module.
pub(crate) struct ToolOrder;

impl Guard for ToolOrder {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        20
    }

    fn category(&self) -> Category {
        Category::Compliance
    }

    fn asks(&self, call: &Call, _: &Facts, settings: &Settings) -> Vec<String> {
        let entries = settings.agents_of(call).filter_map(|entry| entry.agent.after.get(&call.tool));
        entries.flat_map(|names| names.iter().map(tool_mark)).collect()
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        let call = &seen.event.call;
        if seen.event.kind != EventKind::PreExecution {
            return None;
        }
        seen.settings.agents_of(call).find_map(|entry| {
            let needed = entry.agent.after.get(&call.tool)?;
            let is_missing = |tool: &&str| seen.session.mark(&tool_mark(tool)).is_none();
            let mut missing: Vec<&str> = needed.iter().filter(is_missing).collect();
            missing.sort_unstable();
            if missing.is_empty() {
                return None;
            }
            let missing = missing.join(", ");
            let message = format!("`{}` may run only after {missing}", call.tool);
            let finding = of_agent(ID, entry, message, format!("run {missing} successfully first"));
            Some(Finding { category: Category::Compliance, ..finding })
        })
    }
}
