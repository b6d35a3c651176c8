//! `tool-verification`: a tool is known to be what it says (S4).

use super::block;
use crate::call::Call;
use crate::event::EventKind;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen, Severity};
use crate::mark::unverified_mark;
use crate::outcome::Outcome;
use crate::pin::PinState;
use crate::settings::{Settings, VerificationEntry};
use crate::verification::{Enforced, Status, ToolStatus, ToolVerification};

pub(crate) const ID: &str = "tool-verification";

pub(crate) const PAGE: &str = "\
tool-verification: only verified tools run.

If a policy has the section `verification`, the status of every tool is checked.
Tools of the host count as verified; others are pending until the policy lists
them. `strict` blocks tools that are not verified, `permissive` and `development`
warn about most of them, `disabled` allows everything. If several policies have
the section, all of them apply. A tool that is pinned (`toolgate mcp`) counts as
verified; what the policy says about it by name comes first.

  verification:
    mode: strict
    tools:
      mcp__docs__*: { status: verified, reason: our own server }
";

/// See the module.
pub(crate) struct Verified;

impl Guard for Verified {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        5
    }

    fn category(&self) -> Category {
        Category::Safety
    }

    fn asks(&self, call: &Call, _: &Facts, settings: &Settings) -> Vec<String> {
        if settings.verification.is_empty() { Vec::new() } else { vec![unverified_mark(&call.tool)] }
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        if seen.event.kind != EventKind::PreExecution {
            return None;
        }
        let findings = seen.settings.verification.iter().filter_map(|entry| of_entry(entry, seen));
        findings.max_by_key(|finding| finding.outcome.verdict())
    }
}

fn of_entry(entry: &VerificationEntry, seen: &Seen<'_>) -> Option<Finding> {
    let said = &entry.verification;
    let tool = &seen.event.call.tool;
    let mut found = of_call(said, &seen.event.call);
    if found.status == Status::Verified && found.until_ms.is_some_and(|until| seen.now_ms >= until) {
        found = ToolStatus {
            status: Status::Pending,
            reason: Some("its verification has expired".to_owned()),
            ..found
        };
    }
    let mode = found.mode.unwrap_or(said.mode);
    let source = entry.source.clone();
    if said.is_loose_in_production(mode) {
        let message = format!("Tool invocation blocked: {tool} - a loose mode of verification in production");
        let step = "ask the user to set `verification.mode`, or `loose_in_production: true`";
        return Some(Finding { source, ..block(ID, message, step, Vec::new()) });
    }
    let enforced = said.enforce(mode, found.status);
    let (message, step) = match enforced {
        Enforced::Allow => return None,
        _ => words(tool, &found, enforced),
    };
    let finding = Finding { source, ..block(ID, message, step, Vec::new()) };
    Some(match enforced {
        Enforced::Warn => warned(finding, seen, said.warnings_before_escalation),
        _ => finding,
    })
}

/// What the policy says of the tool, or what its pin does.
fn of_call(said: &ToolVerification, call: &Call) -> ToolStatus {
    let Some(standing) = &call.standing else { return said.of_tool(&call.tool, call.server().is_none()) };
    let status = match standing.state {
        Some(PinState::Trusted) => Status::Verified,
        Some(PinState::Changed | PinState::Revoked) => Status::Failed,
        Some(PinState::Pending) | None => Status::Pending,
    };
    let unlisted = || standing.state.is_none().then(|| "its server does not list it".to_owned());
    said.of_pinned_tool(&call.tool, status, standing.why.clone().or_else(unlisted))
}

/// The message that fits the cause, with its reason.
fn words(tool: &str, found: &ToolStatus, enforced: Enforced) -> (String, &'static str) {
    let reason = found.reason.as_deref();
    match (found.status, enforced) {
        (Status::Failed, _) => (
            format!("Tool verification failed: {tool} - {}", reason.unwrap_or("the check did not pass")),
            "use another tool; ask the user to review what its verification found",
        ),
        (status, Enforced::Warn) => (
            format!(
                "Verification required but tool is not verified: {tool} (status: {}){}",
                status.name(),
                reason.map_or_else(String::new, |reason| format!(" - {reason}"))
            ),
            "do not trust what it returns; the user can verify it in the policy",
        ),
        (status, _) => (
            match reason {
                Some(reason) => {
                    format!("Tool invocation blocked: {tool} - {reason} (status: {})", status.name())
                }
                None => format!(
                    "Verification required but tool is not verified: {tool} (status: {})",
                    status.name()
                ),
            },
            "use a verified tool; the user can verify this one in the policy",
        ),
    }
}

/// Every n-th warning about a tool is raised.
fn warned(finding: Finding, seen: &Seen<'_>, every: u64) -> Finding {
    let count = seen.session.mark(&unverified_mark(&seen.event.call.tool)).map_or(0, |mark| mark.count) + 1;
    let raised = every > 0 && count.is_multiple_of(every);
    let message =
        if raised { format!("{} – warned {count} times", finding.message) } else { finding.message };
    let severity = if raised { Severity::High } else { Severity::Medium };
    Finding { outcome: Outcome::Warn, message, severity, ..finding }
}
