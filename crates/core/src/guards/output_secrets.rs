//! `safety-003`: no secrets and no personal data in what a tool gives back

use super::block;
use crate::event::EventKind;
use crate::evidence::Evidence;
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen, Severity};
use crate::guardrail::OnFail;
use crate::outcome::Outcome;
use crate::output::leaks_in;
use crate::rule::Pattern;

/// Its id.
pub const ID: &str = "safety-003";

pub(crate) const PAGE: &str = "\
safety-003: no secrets in output.

Checks tool output for API keys and tokens, private keys, values of secret-sounding settings, passwords in URLs and
the numbers of cards and bank accounts before the model reads it. If the host lets Toolgate replace output, they are
redacted (`[redacted: github-token]`); if not, agent and person are warned. The ledger records the kind of secret,
never its text.

  output:
    secrets: { personal: [card, iban, ssn, email], action_on_fail: block, except: [mcp__vault__*] }

Allowed instead: using the names of secrets, not their values. To turn this off, set
`output: { secrets: { on: false } }` in your user policy.
";

/// Looks for secrets in output.
pub(super) struct OutputSecrets;

impl Guard for OutputSecrets {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        10
    }

    fn category(&self) -> Category {
        Category::Safety
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        if !matches!(seen.event.kind, EventKind::PostExecution | EventKind::OnError) {
            return None;
        }
        let tool = &seen.event.call.tool;
        let findings = seen.settings.secret_checks().into_iter().filter_map(|(source, check)| {
            let spared = |name: &str| Pattern::word(name).is_ok_and(|pattern| pattern.is_match(tool));
            if check.except.iter().any(spared) {
                return None;
            }
            let counts = leaks_in(seen.event, &check.personal);
            if counts.is_empty() {
                return None;
            }
            let found: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            let outcome = match check.action_on_fail {
                OnFail::Block | OnFail::Ask => Outcome::Block,
                OnFail::Warn => Outcome::Warn,
                OnFail::Log => Outcome::Log,
            };
            let message = format!("the output contains secrets or personal data ({})", found.join(", "));
            let step = "do not repeat them or send them anywhere; use their names, or ask the user";
            let evidence = found.into_iter().map(Evidence::remark).collect();
            let finding = block(ID, message, step, evidence);
            Some(Finding { source, severity: Severity::Critical, outcome, ..finding })
        });
        findings.max_by_key(|finding| finding.outcome.verdict())
    }
}
