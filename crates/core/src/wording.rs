//! The sentences people and agents read about a decision.
//!
//! The agent's text is short and ends in the next allowed step; the person's
//! text names rule, file and line. Neither quotes the policy.

use crate::autonomy::Autonomy;
use crate::call::Call;
use crate::chain::Decision;
use crate::event::EventKind;
use crate::evidence::{Evidence, Origin, shortened};
use crate::finding::Finding;
use crate::outcome::Verdict;

/// Longest message of a person to an agent, in characters.
pub const WORDS_MAX: usize = 4_000;

/// Why a person's message cannot be taken, if it cannot: how long it is, and the limit.
#[must_use]
pub fn words_fault(words: &str) -> Option<String> {
    let long = words.chars().count();
    (long > WORDS_MAX).then(|| format!("the message is {long} characters long; the limit is {WORDS_MAX}"))
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
    // After a colon the sentence goes on as it was written.
    let part = |(at, finding)| agent_part(finding, at > 0 || lead.is_empty());
    let parts: Vec<String> = decision.decisive().enumerate().map(part).collect();
    format!("{lead}{}{}{}", parts.join(" "), found_text(decision), budget_text(decision))
}

/// What a call was changed to: without it the agent goes on believing in its own command.
#[must_use]
pub fn rewritten_text(asked: &Call, runs: &Call) -> String {
    if let Some(command) = runs.command() {
        let is_plain = !command.contains(['\n', '`']);
        return if is_plain { format!("Changed to `{command}`.") } else { format!("Changed to:\n{command}") };
    }
    let empty = serde_json::Map::new();
    let (before, after) = (asked.input.as_object(), runs.input.as_object());
    let (before, after) = (before.unwrap_or(&empty), after.unwrap_or(&empty));
    let new = after.iter().filter(|(key, value)| before.get(*key) != Some(value));
    let new = new.map(|(key, value)| format!("`{key}` is {}", abridged(&value.to_string())));
    let gone = before.keys().filter(|key| !after.contains_key(*key)).map(|key| format!("`{key}` is gone"));
    format!("Changed: {}.", new.chain(gone).collect::<Vec<_>>().join(", "))
}

/// The beginning of a text that may be long.
fn abridged(text: &str) -> String {
    let beginning = shortened(text);
    let more = text.len().saturating_sub(beginning.len());
    if more == 0 { text.to_owned() } else { format!("{beginning}… ({more} more bytes)") }
}

/// Most quotations a message has; more of them say nothing more.
const QUOTED_MAX: usize = 3;

/// The words that were found, unless they are all of the call: of a long command the agent would
/// otherwise not know which part is meant.
fn found_text(decision: &Decision) -> String {
    let call = &decision.event.call;
    if decision.verdict <= Verdict::Allow {
        return String::new();
    }
    let mut found: Vec<String> = Vec::new();
    for one in decision.decisive().flat_map(|one| &one.evidence).filter_map(|one| found_part(one, call)) {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    if found.is_empty() {
        return String::new();
    }
    let more = found.len().saturating_sub(QUOTED_MAX);
    found.truncate(QUOTED_MAX);
    let more = if more == 0 { String::new() } else { format!("; and {more} more") };
    let names: Vec<&str> = call.scripts.iter().map(|one| call.shown(&one.path)).collect();
    let scripts =
        if names.is_empty() { String::new() } else { format!(" Scripts read: {}.", names.join(", ")) };
    format!("{scripts} Found: {}{more}.", found.join("; "))
}

fn found_part(evidence: &Evidence, call: &Call) -> Option<String> {
    match &evidence.origin {
        Some(Origin::File { file, line, .. }) => {
            Some(format!("{} ({}:{line})", quotation(&evidence.text), call.shown(file)))
        }
        Some(Origin::Field { line, .. }) => {
            let command = call.command().filter(|command| command.trim() != evidence.text.trim())?;
            let line = if command.trim().contains('\n') { format!(" (line {line})") } else { String::new() };
            Some(format!("{}{line}", quotation(&evidence.text)))
        }
        None => (!call.scripts.is_empty()).then(|| evidence.text.clone()),
    }
}

/// A quotation inside a sentence: its first line, if it is not too long for one.
fn quotation(text: &str) -> String {
    let first = shortened(text.lines().next().unwrap_or_default());
    let cut = if first.len() < text.len() { "…" } else { "" };
    format!("`{first}`{cut}")
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

fn agent_part(finding: &Finding, begins: bool) -> String {
    let reason = if begins { sentence(&finding.message) } else { closed(finding.message.trim()) };
    let mut text = format!("{reason} [{}]", finding.citation());
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

/// A reviewer's message in quotes; an AI supervisor's comes quoted already.
#[must_use]
pub fn quoted_message(words: &str) -> String {
    if words.starts_with('“') { words.to_owned() } else { format!("“{words}”") }
}

/// A number with its noun: `1 record`, `12,345 records`.
#[must_use]
pub fn count(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// `12,345`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && digits.len().saturating_sub(at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time span as people write it: `45 s`, `29 min`, `9 h 58 min`, `3 d 2 h`.
#[must_use]
pub fn span(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let pair = |large: i64, large_unit: &str, small: i64, small_unit: &str| {
        let rest = if small == 0 { String::new() } else { format!(" {small} {small_unit}") };
        format!("{large} {large_unit}{rest}")
    };
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => pair(seconds / 3_600, "h", seconds % 3_600 / 60, "min"),
        _ => pair(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h"),
    }
}

/// Capital first, full stop last.
fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let first: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    closed(&format!("{first}{}", chars.as_str()))
}

/// A text with the stop its sentence ends in.
fn closed(text: &str) -> String {
    let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{text}{stop}")
}

/// What a person reads, one line a finding.
#[must_use]
pub fn person_text(decision: &Decision) -> String {
    let lines: Vec<String> = decision
        .decisive()
        .map(|finding| format!("{} [{}]", sentence(&finding.message), finding.citation()))
        .collect();
    lines.join("\n")
}
