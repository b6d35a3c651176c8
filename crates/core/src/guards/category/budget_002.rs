//! `budget-002`: time.

use super::budget_001::{limit_of, share};
use super::{Objection, Standard, parameters};
use crate::budget::seconds;
use crate::categories::Categories;
use crate::feedback::duration;
use crate::guard::Seen;
use crate::guardrail::OnFail;

parameters! {
    /// `budget-002`.
    TimeBudget {
        /// Per cent of the time from which the agent is warned.
        warn: u64 = 80,
        /// Minutes, where `agents.*.budget` does not say it.
        limit: Option<u64> = None,
    }
    patterns {}
}

impl Standard for TimeBudget {
    const ID: &'static str = "budget-002";
    const ACTION: OnFail = OnFail::Ask;
    const PAGE: &'static str = "\
budget-002: time.

Warns at `warn` percent of a session's time and asks a person when it is used up. The limit is `limit` in minutes or the
agent's own (`agents.*.budget.minutes`). builtin-002 applies as well, and the stricter of the two counts.

  category_guardrails:
    budget-002: { warn: 80, limit: 60 }
";

    fn section(all: &Categories) -> Option<&TimeBudget> {
        all.budget_002.as_ref()
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        let limit = limit_of(seen, self.limit, |budget| budget.minutes)?.saturating_mul(60);
        let used = seconds(seen.session, seen.now_ms);
        share(seen, used, limit, self.warn, &format!("{} of {} are used", duration(used), duration(limit)))
    }
}
