//! `error-recovery`: what keeps failing the same way is not tried again (S2-08, C-31).

use super::block;
use crate::event::EventKind;
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen, Severity};
use crate::outcome::Outcome;
use crate::recovery::Quarantine;

pub(crate) use crate::recovery::ID;

pub(crate) const PAGE: &str = "\
error-recovery: what keeps failing the same way is not tried again.

With a section `errors`, after a call that failed the agent hears whether trying again can help: a failure is recoverable (a
busy lock, a time-out, a connection), fatal (no rights, no such program) or unknown; and after how long, 100 ms doubling to
5 s. The same call that failed the same way `retries` times in a row is set aside: it is blocked, or with `quarantine: agent`
everything of that agent is asked about first. Any success ends the row.

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
                        format!("this very call has failed {count} times in a row, the same way"),
                        "do something else first: read what it said, mend the cause, or ask the person",
                    ),
                    Quarantine::Call => return None,
                    Quarantine::Agent => (
                        Outcome::Ask,
                        format!(
                            "`{}` is set aside: a call of it has failed {count} times in a row, the same way",
                            call.agent
                        ),
                        "wait for the person; report what fails and what was tried",
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
