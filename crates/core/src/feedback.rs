//! Feedback: messages to the agent after a tool call; they never block it.
//!
//! Each provider has its own cadence, kept as marks of the session. What is
//! said is recorded like everything else.

use crate::agent::{Agent, AgentEntry};
use crate::call::Call;
use crate::guard::Disk;
use crate::mark::{advice_mark, file_advice_mark};
use crate::rule::Names;
use crate::session::Session;
use crate::settings::Settings;
use crate::wording::count;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How urgent a piece of guidance is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Urgency {
    /// Good to know.
    #[default]
    Info,
    /// Mind this.
    Caution,
    /// Act on this.
    Warning,
}

/// A source of feedback. Without a trigger it is never used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Provider {
    /// Its name, unique within the agent.
    pub name: String,
    /// What it says; with `deadline`, what it says besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What it proposes.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub suggestions: Names,
    /// It tells the time left; below this many seconds it urges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u32>,
    /// A command that says it instead: it is told about the session as JSON on its stdin and prints
    /// `{"text": …, "urgency": …, "suggestions": […]}`, or nothing. Not for projects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// How urgent it is.
    pub urgency: Urgency,
    /// Speaks after so many calls since it last spoke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every_calls: Option<u64>,
    /// Speaks at the first call, then after so many seconds since it last spoke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every_seconds: Option<u64>,
    /// Speaks once in a session, when this file is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_file: Option<String>,
}

/// One thing said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// Who says it.
    pub provider: String,
    /// How urgent it is.
    pub urgency: Urgency,
    /// What is said, first the summary.
    pub text: String,
    /// What is proposed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    /// The file that made it speak, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl Advice {
    /// The block the agent reads.
    #[must_use]
    pub fn render(&self) -> String {
        let name = self.provider.replace('&', "&amp;").replace('\'', "&apos;").replace('<', "&lt;");
        let mut block = format!("<feedback provider='{name}'>\n{}\n", self.text.trim());
        for (at, suggestion) in self.suggestions.iter().enumerate() {
            block.push_str(if at == 0 { "\n→ " } else { "→ " });
            block.push_str(suggestion.trim());
            block.push('\n');
        }
        block.push_str("</feedback>");
        block
    }
}

/// The marks needed to know who speaks after a call.
#[must_use]
pub fn feedback_asks(call: &Call, settings: &Settings) -> Vec<String> {
    let providers = settings.agents_of(call).flat_map(|entry| &entry.agent.feedback);
    let keys = |one: &Provider| {
        let file = one.on_file.as_ref().map(|file| file_advice_mark(&one.name, file));
        std::iter::once(advice_mark(&one.name)).chain(file).collect::<Vec<_>>()
    };
    providers.flat_map(keys).collect()
}

/// What is said after a call, everybody whose turn it is.
#[must_use]
pub fn feedback(
    call: &Call,
    settings: &Settings,
    session: &Session,
    now_ms: i64,
    disk: Disk<'_>,
) -> Vec<Advice> {
    let mut said: Vec<Advice> = Vec::new();
    for entry in settings.agents_of(call) {
        // What a command says is asked of it elsewhere.
        for provider in entry.agent.feedback.iter().filter(|one| one.command.is_none()) {
            let speaks = turn(provider, session, now_ms, disk);
            let is_new = said.iter().all(|other| other.provider != provider.name);
            if let Some(file) = speaks.filter(|_| is_new) {
                said.extend(advice(provider, entry, session, now_ms, file));
            }
        }
    }
    said
}

/// Whether it is a provider's turn.
#[must_use]
pub fn is_turn(provider: &Provider, session: &Session, now_ms: i64, disk: Disk<'_>) -> bool {
    turn(provider, session, now_ms, disk).is_some()
}

/// Whether it is a provider's turn, with the file that makes it so.
fn turn(provider: &Provider, session: &Session, now_ms: i64, disk: Disk<'_>) -> Option<Option<String>> {
    let last = session.mark(&advice_mark(&provider.name));
    let file = provider.on_file.as_ref().filter(|file| {
        session.mark(&file_advice_mark(&provider.name, file)).is_none() && (disk.is_there)(file) == Some(true)
    });
    let calls = provider.every_calls.is_some_and(|every| {
        every > 0 && session.calls.saturating_sub(last.map_or(0, |mark| mark.call)) >= every
    });
    let seconds = provider.every_seconds.is_some_and(|every| {
        let pause = i64::try_from(every).unwrap_or(i64::MAX).saturating_mul(1000);
        last.is_none_or(|mark| now_ms.saturating_sub(mark.time_ms) >= pause)
    });
    (file.is_some() || calls || seconds).then(|| file.cloned())
}

fn advice(
    provider: &Provider,
    entry: &AgentEntry,
    session: &Session,
    now_ms: i64,
    file: Option<String>,
) -> Option<Advice> {
    let mut advice = Advice {
        provider: provider.name.clone(),
        urgency: provider.urgency,
        text: provider.text.clone().unwrap_or_default(),
        suggestions: provider.suggestions.iter().map(str::to_owned).collect(),
        file,
    };
    if let Some(threshold) = provider.deadline {
        let time = time_left(&entry.agent, session, now_ms, threshold)?;
        advice.urgency = time.urgency;
        advice.text = format!("{} {}", time.text, advice.text);
        if time.urgency != Urgency::Warning {
            advice.suggestions.clear();
        } else if advice.suggestions.is_empty() {
            advice.suggestions = time.suggestions;
        }
    }
    (!advice.text.trim().is_empty()).then_some(advice)
}

/// Elapsed and remaining, and what to do when little is left.
fn time_left(agent: &Agent, session: &Session, now_ms: i64, threshold: u32) -> Option<Advice> {
    let end = agent.deadline_ms(session)?;
    let seconds = |ms: i64| u64::try_from(ms.max(0) / 1000).unwrap_or(0);
    let took = duration(seconds(now_ms.saturating_sub(session.started_ms?)));
    let left = seconds(end.saturating_sub(now_ms));
    let mut advice = Advice {
        provider: String::new(),
        urgency: Urgency::Info,
        text: format!(
            "The work so far took {took}. You have {} remaining to complete the task.",
            duration(left)
        ),
        suggestions: Vec::new(),
        file: None,
    };
    if left <= u64::from(threshold) {
        advice.urgency = Urgency::Warning;
        advice.suggestions = vec![
            "Prioritize completing critical remaining work.".to_owned(),
            "Leave the work in a state others can continue from.".to_owned(),
        ];
    }
    if now_ms >= end {
        advice.text = format!("The work so far took {took}. The time for this task is used up.");
    }
    Some(advice)
}

/// `45 seconds`, `1 minute`, `5 minutes`, `1.5 hours`; cut, never rounded up.
#[must_use]
pub fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => count(seconds, "second"),
        60..3600 => count(seconds / 60, "minute"),
        _ => format!("{}.{} hours", seconds / 3600, seconds % 3600 / 360),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_cut() {
        for (seconds, text) in [
            (1, "1 second"),
            (45, "45 seconds"),
            (60, "1 minute"),
            (119, "1 minute"),
            (300, "5 minutes"),
            (3600, "1.0 hours"),
            (6119, "1.6 hours"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn a_block_has_the_form_of_the_seed() {
        let advice = Advice {
            provider: "Dead'line".to_owned(),
            urgency: Urgency::Warning,
            text: "Some time.".to_owned(),
            suggestions: vec!["Do this.".to_owned(), "And that.".to_owned()],
            file: None,
        };
        assert_eq!(
            advice.render(),
            "<feedback provider='Dead&apos;line'>\nSome time.\n\n→ Do this.\n→ And that.\n</feedback>"
        );
    }
}
