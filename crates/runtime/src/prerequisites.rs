//! From the checks guards ask for to an answer: machine checks
//! first, then – if they pass – whatever else the guards say, a person last.
//!
//! Checks run between two transactions, so that no other process waits for
//! them. What they found is recorded in the transaction that records the
//! answer, before there is one.

use toolgate_core::{
    Autonomy, CheckResult, Decision, Finding, Outcome, Policy, Prerequisite, Verdict, in_order, way_past_text,
};

/// The checks a decision waits for that need no person, the most critical
/// first.
pub(crate) fn wanted(decision: &Decision) -> Vec<Prerequisite> {
    if decision.verdict != Verdict::Check {
        return Vec::new();
    }
    let machine = checks_of(decision).filter(|check| !check.method.is_for_a_person());
    in_order(machine.cloned())
}

fn checks_of(decision: &Decision) -> impl Iterator<Item = &Prerequisite> {
    decision.findings.iter().flat_map(|finding| match &finding.outcome {
        Outcome::Check(checks) => checks.as_slice(),
        _ => &[],
    })
}

/// The decision after a check failed: denied, with the check and what to do.
pub(crate) fn failed(policy: &Policy, mut decision: Decision, result: &CheckResult) -> Decision {
    let asks = |finding: &&Finding| match &finding.outcome {
        Outcome::Check(checks) => checks.iter().any(|check| check.method == result.check.method),
        _ => false,
    };
    // Anyone who asked for it may see the world otherwise by now; then nothing failed.
    let Some(asked) = decision.findings.iter().find(asks) else { return decision };
    let mut finding = Finding {
        outcome: Outcome::Block,
        message: format!(
            "PrerequisiteFailed: {} – {} ({})",
            result.check.description, result.found, asked.message
        ),
        remediation: Some(format!("{}; then repeat the call", result.cure)),
        ..asked.clone()
    };
    finding.alternatives.extend(way_past(policy, &decision, &finding.guard));
    decision.findings.push(finding);
    decision.verdict = Verdict::Block;
    decision
}

/// How a person can be asked to let the call run although a check failed.
fn way_past(policy: &Policy, decision: &Decision, guard: &str) -> Option<String> {
    let role = policy.bypass(guard)?.requires_approval.as_deref();
    let (mode, _) = decision.autonomy.unwrap_or((Autonomy::Standard, 100));
    Some(way_past_text(guard, &mode.approver(role)?, &decision.event.call))
}

/// The decision when there is no end of new checks.
pub(crate) fn endless(policy: &Policy, decision: Decision) -> Decision {
    let Some(check) = wanted(&decision).into_iter().next() else { return decision };
    let found = "the checks for this call kept asking for further checks".to_owned();
    let cure = "this is a bug in Toolgate; ask the user to run `toolgate doctor`".to_owned();
    failed(policy, decision, &CheckResult { check, passed: false, found, cure, duration_ms: 0 })
}
