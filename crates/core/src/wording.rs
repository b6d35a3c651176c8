//! The sentences people and agents read about a decision.
//!
//! The agent's text is short and ends in the next allowed step (U17); the
//! person's text names rule, file and line (U16). Neither quotes the policy.

use crate::autonomy::Autonomy;
use crate::chain::Decision;
use crate::event::EventKind;
use crate::finding::Finding;
use crate::outcome::Verdict;

/// Characters of what a person says to an agent or beside a request.
pub const WORDS_MAX: usize = 4_000;

/// What is wrong with words a person says, if something is: how long they are,
/// and how long they may be.
#[must_use]
pub fn words_fault(words: &str) -> Option<String> {
    let long = words.chars().count();
    (long > WORDS_MAX).then(|| format!("the words are {long} characters long; at most {WORDS_MAX} are taken"))
}

/// What the agent is told: reason, rule, next step.
#[must_use]
pub fn agent_text(decision: &Decision) -> String {
    let lead = match decision.verdict {
        _ if decision.event.kind == EventKind::Stop => "Not done yet: ",
        _ if !decision.event.kind.is_before() => "It ran, but: ",
        Verdict::Block => "Not run: ",
        Verdict::Ask | Verdict::Check | Verdict::Delay => "Not run yet: ",
        Verdict::Allow | Verdict::Warn | Verdict::Rewrite => "",
    };
    let parts: Vec<String> = decision.decisive().map(agent_part).collect();
    format!("{lead}{}{}{}", parts.join(" "), scripts_text(decision), budget_text(decision))
}

/// What was found, where it may stand in a script and not in the call.
fn scripts_text(decision: &Decision) -> String {
    let call = &decision.event.call;
    let mut found: Vec<&str> =
        decision.decisive().flat_map(|one| &one.evidence).map(|one| one.text.as_str()).collect();
    found.dedup();
    if call.scripts.is_empty() || found.is_empty() || decision.verdict <= Verdict::Allow {
        return String::new();
    }
    let names: Vec<&str> = call.scripts.iter().map(|one| call.shown(&one.path)).collect();
    format!(" Read with the call: {}. Found: {}.", names.join(", "), found.join("; "))
}

/// How freely the agent still works, if that is less than usual.
fn budget_text(decision: &Decision) -> String {
    match decision.autonomy {
        Some((mode, left)) if mode > Autonomy::Standard && decision.verdict > Verdict::Allow => {
            format!(" [{} mode: {left} % of the budget left]", mode.name())
        }
        _ => String::new(),
    }
}

fn agent_part(finding: &Finding) -> String {
    let mut text = format!("{} [{} at {}]", sentence(&finding.message), finding.guard, finding.source);
    if let Some(step) = &finding.remediation {
        text.push(' ');
        text.push_str(&sentence(step));
    }
    if !finding.alternatives.is_empty() {
        text.push_str(" Allowed instead: ");
        text.push_str(&finding.alternatives.join("; "));
        text.push('.');
    }
    text
}

/// Capital first, full stop last.
fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let first: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{stop}", chars.as_str())
}

/// What a person reads, one line a finding.
#[must_use]
pub fn person_text(decision: &Decision) -> String {
    let lines: Vec<String> = decision
        .decisive()
        .map(|finding| format!("{} ({}, {})", sentence(&finding.message), finding.guard, finding.source))
        .collect();
    lines.join("\n")
}
