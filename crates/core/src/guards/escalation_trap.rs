//! `escalation-trap`: a failure with a known simple cause gets its simple fix

use super::block;
use super::installation_prevention::{installed, is_browser_install};
use crate::call::Call;
use crate::event::EventKind;
use crate::evidence::Evidence;
use crate::facts::Facts;
use crate::failure::Failure;
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen, Severity};
use crate::outcome::Outcome;
use crate::traps::IssueAnswer;
use serde_json::Value;

pub(crate) const ID: &str = "escalation-trap";

pub(crate) const PAGE: &str = "\
escalation-trap: known failures get their simple fix.

The complexity trap: the simple fix is known, but the agent does something bigger.
`.toolgate/knowledge.toml` lists known issues: the error text, the fix, and what
agents wrongly do instead. If a recent failure has the error text and a call does
the wrong thing, a person is asked (with `answer: block`, the call is blocked) and
the agent is told the simple fix. This ends when the failed call succeeds.

Allowed instead: the simple fix.

  traps:
    known_issues: { on: true, answer: ask }
";

/// See the module.
pub(crate) struct EscalationTrap;

impl Guard for EscalationTrap {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        33
    }

    fn category(&self) -> Category {
        Category::Quality
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        if seen.event.kind != EventKind::PreExecution || seen.settings.knowledge.is_empty() {
            return None;
        }
        let failures: Vec<&Failure> = seen.session.recent_failures().collect();
        if failures.is_empty() {
            return None;
        }
        let armed = seen.settings.issue_trap();
        let blocks = armed.iter().any(|(_, trap)| trap.answer == IssueAnswer::Block);
        armed.first()?;
        let described = described(&seen.event.call, seen.facts);
        seen.settings.knowledge.iter().find_map(|entry| {
            let issue = entry.knowledge.detect_escalation_trap(&described, &failures)?;
            let message = format!(
                "complexity trap: \u{201c}{}\u{201d} mostly means: {}; \u{201c}{}\u{201d} does not fix that",
                issue.symptom, issue.common_cause, issue.escalation_trap
            );
            let told = failures.iter().find(|failure| failure.tells(&issue.symptom));
            let evidence = told.iter().map(|failure| Evidence::remark(&failure.message)).collect();
            Some(Finding {
                source: entry.source.clone(),
                category: Category::Quality,
                severity: Severity::Medium,
                outcome: if blocks { Outcome::Block } else { Outcome::Ask },
                alternatives: vec![issue.simple_fix.clone()],
                ..block(ID, message, &format!("try the simple fix first: {}", issue.simple_fix), evidence)
            })
        })
    }
}

/// What a call says it does: its text, the words the agent put next to it, and
/// in plain words what it installs. A command that only mentions an
/// installation makes none.
fn described(call: &Call, facts: &Facts) -> String {
    let description = call.input.get("description").and_then(Value::as_str).unwrap_or_default();
    let installs = installed(call, facts);
    let title = call.title();
    let title =
        if installs.is_none() && call.command().is_some() { title.replace("install", "") } else { title };
    let mut text = format!("{title} {description}");
    if let Some(what) = installs {
        text.push_str(&format!(" install dependencies packages software {what}"));
    }
    if facts.commands().any(|(_, command)| is_browser_install(command)) {
        text.push_str(" install browsers browser");
    }
    text
}
