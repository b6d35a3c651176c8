//! `budget-001`: tokens.

use super::{Objection, Standard, parameters};
use crate::budget::{Budget, Thresholds, nearness};
use crate::categories::Categories;
use crate::guard::Seen;
use crate::guardrail::OnFail;
use crate::outcome::Outcome;

parameters! {
    /// `budget-001`.
    TokenBudget {
        /// Per cent of the tokens from which the agent is warned.
        warn: u64 = 90,
        /// Tokens, where `agents.*.budget` does not say it.
        limit: Option<u64> = None,
    }
    patterns {}
}

impl Standard for TokenBudget {
    const ID: &'static str = "budget-001";
    const ACTION: OnFail = OnFail::Ask;
    const PAGE: &'static str = "\
budget-001: tokens.

Warns at `warn` percent of a session's tokens and asks a person when they are used up. The limit is `limit` or the agent's own
(`agents.*.budget.tokens`). builtin-001 applies as well, and the stricter of the two counts.

  category_guardrails:
    budget-001: { warn: 90, limit: 500000 }
";

    fn section(all: &Categories) -> Option<&TokenBudget> {
        all.budget_001.as_ref()
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        let limit = limit_of(seen, self.limit, |budget| budget.tokens)?;
        let used = seen.session.spent.tokens;
        let text = format!("{used} of {limit} tokens are used");
        if seen.session.spent.lost {
            let text = "the host's log was shortened, so the tokens used are unknown";
            return Some(Objection::new(text, "a person decides whether you may use more").unsure());
        }
        share(seen, used, limit, self.warn, &text)
    }
}

/// The smallest limit that holds.
pub(super) fn limit_of(seen: &Seen<'_>, own: Option<u64>, of: fn(&Budget) -> Option<u64>) -> Option<u64> {
    let agents = seen.settings.agents_of(&seen.event.call);
    agents.filter_map(|entry| of(entry.agent.budget.as_ref()?)).chain(own).min()
}

/// The objection to what is used: warned from a share on, as the action says
/// when nothing is left.
pub(super) fn share(seen: &Seen<'_>, used: u64, limit: u64, warn: u64, text: &str) -> Option<Objection> {
    let warn = seen.tightened(warn);
    let over = used >= limit;
    let near = nearness(used, limit, Thresholds { warn, ask: u64::MAX });
    if !over && near == crate::budget::Nearness::Far {
        return None;
    }
    let step = if over {
        "stop here and report what is left; a person decides whether you may use more"
    } else {
        "finish soon"
    };
    let objection = Objection::new(text, step);
    Some(Objection { outcome: (!over).then_some(Outcome::Warn), ..objection })
}
