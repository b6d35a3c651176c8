//! `budget-004`: cost.

use super::budget_001::share;
use super::{Objection, Standard, parameters};
use crate::categories::Categories;
use crate::guard::Seen;
use crate::guardrail::OnFail;

parameters! {
    /// `budget-004`.
    CostCeiling {
        /// Cents a session may cost; no limit if not given.
        cents: Option<u64> = None,
        /// Cents a million tokens cost.
        cents_per_million_tokens: u64 = 500,
        /// Per cent of the ceiling from which the agent is warned.
        warn: u64 = 80,
    }
    patterns {}
}

impl Standard for CostCeiling {
    const ID: &'static str = "budget-004";
    const ACTION: OnFail = OnFail::Ask;
    const PAGE: &'static str = "\
budget-004: cost.

The cost of a session is its tokens, as counted in the host's log, times `cents_per_million_tokens`. The agent is warned at
`warn` percent of `cents`, and a person is asked once they are used up.

  category_guardrails:
    budget-004: { cents: 500, cents_per_million_tokens: 300 }
";

    fn section(all: &Categories) -> Option<&CostCeiling> {
        all.budget_004.as_ref()
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        let limit = self.cents?;
        if seen.session.spent.lost {
            let text = "the host's log was shortened, so the cost is unknown";
            return Some(Objection::new(text, "a person decides whether you may use more").unsure());
        }
        let used = cents(seen.session.spent.tokens, self.cents_per_million_tokens);
        share(seen, used, limit, self.warn, &format!("this session has cost {used} of {limit} cents"))
    }
}

/// Rounded up: a begun cent is spent.
fn cents(tokens: u64, per_million: u64) -> u64 {
    let all = u128::from(tokens).saturating_mul(u128::from(per_million));
    u64::try_from(all.div_ceil(1_000_000)).unwrap_or(u64::MAX)
}
