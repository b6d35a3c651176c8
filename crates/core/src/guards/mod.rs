//! The built-in guards: always active, in no policy file, priority 1–99.
//!
//! One guard, one file, one line in [`built_in`].

mod about;
mod agent_hooks;
mod broken_rule;
mod budget;
mod canary;
pub(crate) mod category;
mod done;
mod escalation_trap;
mod filesystem_safety;
mod handoff;
mod installation_prevention;
mod network_operations;
mod order;
mod output_empty;
mod output_schema;
mod output_secrets;
mod pinned;
mod read_first;
mod recovery;
mod risk;
mod scope;
mod self_protection;
mod tools;
mod verified;

pub use about::{About, about};
pub(crate) use broken_rule::BROKEN_RULE;
pub use canary::{CANARY, CANARY_ID, PROBE_SESSION};
pub use output_secrets::ID as OUTPUT_SECRETS_ID;
pub(crate) use verified::ID as VERIFIED_ID;

use crate::agent::AgentEntry;
use crate::evidence::Evidence;
use crate::finding::{Finding, Source};
use crate::guard::{Category, Guard, Severity};
use crate::outcome::Outcome;

/// Every built-in guard.
#[must_use]
pub fn built_in() -> Vec<Box<dyn Guard>> {
    let mut guards: Vec<Box<dyn Guard>> = vec![
        Box::new(canary::Canary),
        Box::new(self_protection::SelfProtection),
        Box::new(agent_hooks::AgentHooks),
        Box::new(scope::InScope),
        Box::new(tools::Tools),
        Box::new(order::ToolOrder),
        Box::new(read_first::ReadFirst),
        Box::new(done::Done),
        Box::new(budget::Spending::Tokens),
        Box::new(budget::Spending::Time),
        Box::new(budget::Spending::Limits),
        Box::new(verified::Verified),
        Box::new(pinned::Pinned),
        Box::new(installation_prevention::InstallationPrevention),
        Box::new(filesystem_safety::FilesystemSafety),
        Box::new(network_operations::NetworkOperations),
        Box::new(escalation_trap::EscalationTrap),
        Box::new(handoff::HandedOver),
        Box::new(recovery::Recovery),
        Box::new(risk::CriticalRisk),
    ];
    guards.extend(category::all());
    guards
}

/// Every built-in guard that looks at calls that have run.
#[must_use]
pub fn after() -> Vec<Box<dyn Guard>> {
    vec![
        Box::new(output_secrets::OutputSecrets),
        Box::new(output_schema::OutputSchema),
        Box::new(output_empty::OutputEmpty),
    ]
}

/// The page of a built-in guard, for `toolgate explain`.
#[must_use]
pub fn page(id: &str) -> Option<&'static str> {
    match id {
        CANARY_ID => Some(canary::PAGE),
        self_protection::ID => Some(self_protection::PAGE),
        agent_hooks::ID => Some(agent_hooks::PAGE),
        scope::ID => Some(scope::PAGE),
        tools::ID => Some(tools::PAGE),
        verified::ID => Some(verified::PAGE),
        pinned::ID => Some(pinned::PAGE),
        budget::TOKENS_ID | budget::TIME_ID | budget::LIMITS_ID => Some(budget::PAGE),
        done::ID => Some(done::PAGE),
        order::ID => Some(order::PAGE),
        read_first::ID => Some(read_first::PAGE),
        output_secrets::ID => Some(output_secrets::PAGE),
        output_schema::ID => Some(output_schema::PAGE),
        output_empty::ID => Some(output_empty::PAGE),
        installation_prevention::ID => Some(installation_prevention::PAGE),
        filesystem_safety::ID => Some(filesystem_safety::PAGE),
        network_operations::ID => Some(network_operations::PAGE),
        escalation_trap::ID => Some(escalation_trap::PAGE),
        handoff::ID => Some(handoff::PAGE),
        recovery::ID => Some(recovery::PAGE),
        risk::ID => Some(risk::PAGE),
        _ => category::page(id),
    }
}

/// Built-in guards whose block a person may override for one call: it may be wrong about what a
/// failure was about.
pub(crate) const MAY_BE_OVERRIDDEN: [&str; 1] = [installation_prevention::ID];

/// The block of a built-in guard that enforces what is said about an agent.
fn of_agent(id: &str, entry: &AgentEntry, message: String, remediation: String) -> Finding {
    let finding = block(id, message, "", Vec::new());
    Finding {
        source: entry.source.clone(),
        category: Category::Scope,
        severity: Severity::High,
        remediation: Some(remediation),
        ..finding
    }
}

fn block(id: &str, message: String, remediation: &str, evidence: Vec<Evidence>) -> Finding {
    Finding {
        guard: id.to_owned(),
        source: Source::built_in(),
        category: Category::Safety,
        severity: Severity::Critical,
        outcome: Outcome::Block,
        message,
        remediation: Some(remediation.to_owned()),
        alternatives: Vec::new(),
        evidence,
        confidence: 1.0,
        duration_us: 0,
    }
}
