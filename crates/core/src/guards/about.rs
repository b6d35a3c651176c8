//! What is said about a built-in guard besides its page: what it does to a call, how severe that is,
//! and how to change it.

use super::{
    agent_hooks, budget, canary, category, done, escalation_trap, filesystem_safety, handoff,
    installation_prevention, network_operations, order, output_empty, output_schema, output_secrets, pinned,
    read_first, recovery, risk, scope, self_protection, tools, verified,
};
use serde::Serialize;

/// What a guard does and how to change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct About {
    /// Its verdict, or each it can have.
    pub verdict: &'static str,
    /// The severity of what it finds.
    pub severity: &'static str,
    /// How to turn it off or change it.
    pub change: &'static str,
}

const ALWAYS: &str = "always on; no policy can turn it off";
const SECTION: &str = "change or remove the section of the policy that sets it";
const TRAP: &str = "set `on: false` for it under `traps`";

/// About a guard, by its id.
#[must_use]
pub fn about(id: &str) -> Option<About> {
    let (verdict, severity, change) = match id {
        canary::CANARY_ID | self_protection::ID => ("block", "critical", ALWAYS),
        agent_hooks::ID => ("ask", "high", ALWAYS),
        scope::ID | tools::ID | order::ID => ("block", "high", SECTION),
        done::ID | handoff::ID => ("block", "medium", SECTION),
        pinned::ID => {
            ("block", "critical", "`toolgate pins approve` accepts a change; `verification` sets what counts")
        }
        read_first::ID | recovery::ID => ("ask or block", "medium", SECTION),
        budget::TOKENS_ID | budget::TIME_ID => ("warn, ask or block", "high", SECTION),
        budget::LIMITS_ID => ("block", "high", SECTION),
        verified::ID => ("warn, ask or block", "medium or high", SECTION),
        risk::ID => ("ask", "high", SECTION),
        output_secrets::ID => ("block unless the policy says otherwise", "critical", SECTION),
        output_schema::ID => ("as the policy says", "medium", SECTION),
        output_empty::ID => ("as the policy says", "low", SECTION),
        installation_prevention::ID | filesystem_safety::ID => ("check", "medium", TRAP),
        network_operations::ID => ("ask", "medium", TRAP),
        escalation_trap::ID => ("ask", "medium", "set `known_issues: { on: false }` under `traps`"),
        _ => {
            let (verdict, severity) = category::verdict_and_severity(id)?;
            (verdict, severity, "set it under `category_guardrails` in a policy")
        }
    };
    Some(About { verdict, severity, change })
}

#[cfg(test)]
mod tests {
    use super::about;
    use crate::guards::{after, built_in, page};

    #[test]
    fn every_guard_with_a_page_says_what_it_does() {
        for guard in built_in().iter().chain(&after()) {
            assert_eq!(page(guard.id()).is_some(), about(guard.id()).is_some(), "{}", guard.id());
        }
    }
}
