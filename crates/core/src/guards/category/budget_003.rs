//! `budget-003`: calls to the outside.

use super::{Objection, Standard, parameters};
use crate::call::Kind;
use crate::categories::Categories;
use crate::event::Event;
use crate::facts::Facts;
use crate::guard::Seen;
use crate::guardrail::OnFail;
use toolgate_shell::EffectKind;

parameters! {
    /// `budget-003`.
    ApiCalls {
        /// How many calls of a session may reach the outside; no limit if not given.
        limit: Option<u64> = None,
    }
    patterns {}
}

impl Standard for ApiCalls {
    const ID: &'static str = "budget-003";
    const ACTION: OnFail = OnFail::Block;
    const PAGE: &'static str = "\
budget-003: outside calls.

An outside call fetches an address, uses a tool of an MCP server or runs a command that talks to a host. A session may make
`limit` of them; the next one is blocked. Each is counted when it is allowed, so parallel calls cannot share the last one.

  category_guardrails:
    budget-003: { limit: 200 }
";

    fn section(all: &Categories) -> Option<&ApiCalls> {
        all.budget_003.as_ref()
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        let limit = self.limit?;
        if seen.session.spent.outward < limit || !is_outward(seen.event, seen.facts) {
            return None;
        }
        let message = format!("this session has used all its {limit} outside calls");
        Some(Objection::new(message, "continue without the network and report what is left"))
    }
}

/// Whether a call reaches the outside.
#[must_use]
pub(crate) fn is_outward(event: &Event, facts: &Facts) -> bool {
    let reaches = |kind: EffectKind| {
        matches!(
            kind,
            EffectKind::ReachesHost
                | EffectKind::SendsData
                | EffectKind::SendsFile
                | EffectKind::RunsDownload
                | EffectKind::InstallsPackage
        )
    };
    match &event.call.kind {
        Kind::Fetch { .. } | Kind::Mcp { .. } => true,
        _ => facts.commands().any(|(_, command)| command.effects.iter().any(|one| reaches(one.kind))),
    }
}
