//! How freely an agent works, derived from what is left of its
//! budget. Never configured: spending sets it.

use crate::agent::AgentEntry;
use crate::budget::{Budget, seconds};
use crate::session::Session;
use serde::{Deserialize, Serialize};

/// The mode. Declared in rising strictness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Autonomy {
    /// More than half is left, or nothing is limited.
    #[default]
    Standard,
    /// A fifth to a half: thresholds are tightened by a fifth.
    Strict,
    /// Less than a fifth: what would warn blocks.
    Lockdown,
    /// Nothing: everything is blocked.
    Halt,
}

impl Autonomy {
    /// The name used everywhere.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Autonomy::Standard => "standard",
            Autonomy::Strict => "strict",
            Autonomy::Lockdown => "lockdown",
            Autonomy::Halt => "halt",
        }
    }

    /// The mode with so much left, in per cent: 50 and 20 are strict.
    fn of(left: &Left) -> Autonomy {
        let share = |percent: u128| left.limit.saturating_mul(percent);
        let rest = left.rest.saturating_mul(100);
        match () {
            () if left.rest == 0 => Autonomy::Halt,
            () if rest > share(50) => Autonomy::Standard,
            () if rest >= share(20) => Autonomy::Strict,
            () => Autonomy::Lockdown,
        }
    }

    /// Who must say yes to a bypass in this mode, given who the guardrail
    /// names; `None` if no one can.
    #[must_use]
    pub fn approver(self, role: Option<&str>) -> Option<String> {
        match self {
            Autonomy::Standard => Some(role.unwrap_or("human_operator").to_owned()),
            Autonomy::Strict => Some(format!("supervisor ({})", role.unwrap_or("human_operator"))),
            Autonomy::Lockdown => Some("human_operator".to_owned()),
            Autonomy::Halt => None,
        }
    }
}

/// What is left of one limit.
struct Left {
    rest: u128,
    limit: u128,
}

/// The mode of an agent and what is left, in per cent rounded down, of the
/// limit that is nearest; `None` if nothing is limited.
#[must_use]
pub fn autonomy<'a>(
    agents: impl Iterator<Item = &'a AgentEntry>,
    session: &Session,
    now_ms: i64,
) -> Option<(Autonomy, u8)> {
    let budgets = agents.filter_map(|entry| entry.agent.budget.as_ref());
    let all = budgets.flat_map(|budget| left(budget, session, now_ms));
    let modes = all.map(|left| {
        let percent = left.rest.saturating_mul(100).checked_div(left.limit).unwrap_or(0);
        (Autonomy::of(&left), u8::try_from(percent).unwrap_or(100))
    });
    modes.reduce(|near, next| (near.0.max(next.0), near.1.min(next.1)))
}

fn left(budget: &Budget, session: &Session, now_ms: i64) -> impl Iterator<Item = Left> {
    let minutes = budget.minutes.map(|minutes| minutes.saturating_mul(60));
    let limits = [
        (budget.tokens, session.spent.tokens),
        (minutes, seconds(session, now_ms)),
        (budget.calls, session.calls),
        (budget.api_calls, session.spent.api_calls),
        (budget.lines, session.spent.lines),
    ];
    limits.into_iter().filter_map(|(limit, used)| {
        let limit = limit?;
        Some(Left { rest: u128::from(limit.saturating_sub(used)), limit: u128::from(limit) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_borders_are_those_of_c_17() {
        for (rest, expected) in [
            (1000, Autonomy::Standard),
            (501, Autonomy::Standard),
            (500, Autonomy::Strict),
            (200, Autonomy::Strict),
            (199, Autonomy::Lockdown),
            (1, Autonomy::Lockdown),
            (0, Autonomy::Halt),
        ] {
            assert_eq!(Autonomy::of(&Left { rest, limit: 1000 }), expected, "{rest}");
        }
        assert_eq!(Autonomy::of(&Left { rest: 0, limit: 0 }), Autonomy::Halt);
    }
}
