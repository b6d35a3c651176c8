//! `error-recovery`: what keeps failing the same way is not tried again.

use super::block;
use crate::event::EventKind;
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen, Severity};
use crate::outcome::Outcome;
use crate::recovery::Quarantine;

pub(crate) use crate::recovery::ID;

pub(crate) const PAGE: &str = "\
error-recovery: calls that keep failing are not repeated.

With a section `errors`, the agent is told after a failed call whether and when to retry. A failure is recoverable (a busy
lock, a timeout, a connection), fatal (missing permission, missing program) or unknown; the wait doubles from 100 ms to 5 s. A
call that fails `retries` times in a row in the same way is quarantined: it is blocked or, with `quarantine: agent`, a person
is asked about every call of that agent. Any success ends the quarantine.

  errors: { retries: 3, quarantine: call, fatal: [quota exceeded], recoverable: [flaky] }
";

/// See the module.
pub(crate) struct Recovery;

impl Guard for Recovery {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        9
    }

    fn category(&self) -> Category {
        Category::Quality
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        if seen.event.kind != EventKind::PreExecution || seen.settings.errors.is_empty() {
            return None;
        }
        let call = &seen.event.call;
        let failing = seen.session.failing.iter().find(|one| one.agent == call.agent)?;
        let due = |retries: u32| failing.count >= retries.max(1);
        let findings =
            seen.settings.errors.iter().filter(|entry| due(entry.errors.retries)).filter_map(|entry| {
                let count = failing.count;
                let (outcome, message, step) = match entry.errors.quarantine {
                    Quarantine::Call if failing.arguments == call.arguments_digest() => (
                        Outcome::Block,
                        format!("this exact call has failed {count} times in a row in the same way"),
                        "do something else first: read the error, fix its cause, or ask the user",
                    ),
                    Quarantine::Call => return None,
                    Quarantine::Agent => (
                        Outcome::Ask,
                        format!(
                            "`{}` is quarantined: one of its calls failed {count} times in a row in the same way",
                            call.agent
                        ),
                        "wait for the user; report what fails and what was tried",
                    ),
                };
                let finding = block(ID, message, step, Vec::new());
                let (source, category, severity) =
                    (entry.source.clone(), Category::Quality, Severity::Medium);
                Some(Finding { source, category, severity, outcome, ..finding })
            });
        findings.max_by_key(|finding| finding.outcome.verdict())
    }
}
