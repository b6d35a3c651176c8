//! How far an answer reaches: this call once, this session, for a time, always.
//!
//! Whatever is wider than once *is*: it is looked up again for later calls.
//! It answers only what the person was asked about, by the same guards, and a
//! pattern covers one plain command whose every word is known – so a yes to
//! `git push origin *` is none to what is chained, piped or hidden behind it.

use crate::call::{Call, Kind};
use crate::facts::Facts;
use crate::inbox::Request;
use crate::leak::MARK;
use crate::path::is_within;
use crate::visible::visible;
use serde::{Deserialize, Serialize};
use toolgate_shell::{Command, ReadContext, Reading, RedirectKind, Word, read};

/// A session that is never closed ends nothing; its grants do, after this.
const SESSION_MS: i64 = 24 * 3_600_000;

/// The longest time an answer can stand without being for always.
pub const MINUTES_MAX: u32 = 7 * 24 * 60;

/// How far an answer reaches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "extent")]
pub enum Extent {
    /// This call, once.
    #[default]
    Once,
    /// This very call as often as this session makes it.
    Session,
    /// This very call in any session, for so long.
    For {
        /// Minutes from the answer on.
        minutes: u32,
    },
    /// Every call that fits, in this folder and below it, until it is revoked.
    Always {
        /// A command in which `*` matches any text of one word; without one, exactly this call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
    },
}

impl Extent {
    /// Whether it is this call, once.
    #[must_use]
    pub fn is_once(&self) -> bool {
        *self == Extent::Once
    }

    /// Whether whatever it reaches is reached by the other one as well, where both
    /// answer one request: a pattern fits the call it answers.
    #[must_use]
    pub fn is_within(&self, other: &Extent) -> bool {
        let lasts_ms = |extent: &Extent| extent.ends_ms(0, 0);
        match (self, other) {
            (Extent::Once, _) | (Extent::Session, Extent::Session) => true,
            (Extent::Always { pattern: Some(own) }, Extent::Always { pattern: Some(wide) }) => own == wide,
            (Extent::Always { pattern: Some(_) }, _) => false,
            (_, Extent::Always { .. }) => true,
            (Extent::Session | Extent::For { .. }, Extent::For { .. }) => lasts_ms(self) <= lasts_ms(other),
            _ => false,
        }
    }

    /// The same for other sessions that ask the same: what holds in any session is
    /// said once, so that it is ended once.
    #[must_use]
    pub fn for_others(&self) -> Extent {
        match self {
            Extent::Once | Extent::For { .. } | Extent::Always { .. } => Extent::Once,
            Extent::Session => Extent::Session,
        }
    }

    /// In plain words, before anybody presses a key.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Extent::Once => "exactly this call, once".to_owned(),
            Extent::Session => "exactly this call, as often as this session makes it within a day".to_owned(),
            Extent::For { minutes: 1 } => "exactly this call in any session, for 1 minute".to_owned(),
            Extent::For { minutes } => format!("exactly this call in any session, for {minutes} minutes"),
            Extent::Always { pattern: None } => "exactly this call, until it is revoked".to_owned(),
            Extent::Always { pattern: Some(pattern) } => {
                format!("every command `{pattern}` in this folder and below, until it is revoked")
            }
        }
    }

    /// What is wrong with it, if something is.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        match self {
            Extent::For { minutes } if *minutes == 0 || *minutes > MINUTES_MAX => {
                Some(format!("`minutes` must be between 1 and {MINUTES_MAX}"))
            }
            Extent::Always { pattern: Some(pattern) } if visible(pattern) != *pattern => {
                Some(format!("the pattern contains invisible characters: `{}`", visible(pattern)))
            }
            Extent::Always { pattern: Some(pattern) } if of_pattern(pattern).is_none() => {
                Some(format!("`{pattern}` must be one plain command that starts with a program name"))
            }
            _ => None,
        }
    }

    /// What is wrong with it as an answer to this request, if something is.
    #[must_use]
    pub fn fault_for(&self, request: &Request) -> Option<String> {
        match self {
            Extent::Once => None,
            _ if request.bypass.is_some() => Some("an approved bypass covers one call, once".to_owned()),
            // Whatever keeps its input next to its title is no command, or runs scripts that may change.
            Extent::Always { pattern: Some(_) } if request.input.is_some() => Some(format!(
                "patterns match commands, and this `{}` call is more than a command; leave the pattern out to approve exactly this call",
                request.tool
            )),
            Extent::Always { pattern: Some(pattern) } => self.fault().or_else(|| {
                let misses = !fits_text(pattern, &request.title);
                misses.then(|| format!("`{pattern}` does not match this call"))
            }),
            _ => self.fault(),
        }
    }

    /// When an answer given at `at_ms` ends; `expires_ms` is when its request does.
    #[must_use]
    pub fn ends_ms(&self, at_ms: i64, expires_ms: i64) -> i64 {
        match self {
            Extent::Once => expires_ms,
            Extent::Session => at_ms.saturating_add(SESSION_MS),
            Extent::For { minutes } => at_ms.saturating_add(i64::from(*minutes).saturating_mul(60_000)),
            Extent::Always { .. } => i64::MAX,
        }
    }

    /// Whether an answer to `request` reaches this call as well.
    #[must_use]
    pub fn reaches(&self, request: &Request, call: &Call) -> bool {
        let same = || request.arguments == call.arguments_digest();
        match self {
            Extent::Once => false,
            Extent::Session => request.session == call.session && same(),
            Extent::For { .. } | Extent::Always { pattern: None } => same(),
            Extent::Always { pattern: Some(pattern) } => {
                // The command as the agent wrote it, which is what people are shown, not
                // as a rule rewrites it.
                request.tool == call.tool
                    && is_bare(call)
                    && is_within(&call.dir, &request.dir)
                    && call.command().is_some_and(|command| fits_text(pattern, command))
            }
        }
    }
}

/// What may are next to the command of a call without changing what it does.
const BESIDE: &[&str] = &["description", "timeout", "run_in_background"];

/// Whether a call is its command and nothing more: a pattern speaks of the
/// command only, so whatever else the input says – another machine, no sandbox –
/// no one has said yes to.
fn is_bare(call: &Call) -> bool {
    let (Kind::Shell { field, .. }, Some(fields)) = (&call.kind, call.input.as_object()) else {
        return false;
    };
    fields.keys().all(|key| key == field || BESIDE.contains(&key.as_str()))
}

/// A pattern that fits a call and a little more, for the person to edit: the
/// last plain operand may be another one.
#[must_use]
pub fn proposed_pattern(command: &str) -> Option<String> {
    let words = of_pattern(&any_for_redacted(command))?;
    let last = words.len().checked_sub(1).filter(|last| *last > 1)?;
    let widened = |(at, word): (usize, &Word)| {
        if at == last && !word.text.starts_with('-') { "*".to_owned() } else { word.text.to_string() }
    };
    let pattern: Vec<String> = words.iter().enumerate().map(widened).collect();
    let is_plain =
        pattern.iter().all(|word| !word.contains(|c: char| c.is_whitespace() || "'\"\\$`".contains(c)));
    let widens = pattern.iter().any(|word| word == "*");
    (is_plain && widens).then(|| pattern.join(" "))
}

/// What was taken out of a recorded command may be anything.
fn any_for_redacted(command: &str) -> String {
    let mut pieces = command.split(MARK);
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        text.push('*');
        text.push_str(piece.split_once('}').map_or("", |(_, rest)| rest));
    }
    text
}

/// Whether a call is one plain command that fits a pattern.
#[must_use]
pub fn fits(pattern: &str, facts: &Facts) -> bool {
    reading_fits(pattern, &facts.reading)
}

/// The same for the text of a command, to show what a pattern would cover.
#[must_use]
pub fn fits_text(pattern: &str, command: &str) -> bool {
    reading_fits(pattern, &read(command, &ReadContext::default()))
}

fn reading_fits(pattern: &str, reading: &Reading) -> bool {
    let (Some(pattern), Some(command)) = (of_pattern(pattern), only_command(reading)) else { return false };
    let known = command.words.iter().all(|word| word.exact && !word.glob);
    known
        && pattern.len() == command.words.len()
        && pattern.iter().zip(&command.words).all(|(one, word)| word_fits(&one.text, &word.text))
}

/// The words of a pattern: one plain command whose program is named.
fn of_pattern(pattern: &str) -> Option<Vec<Word>> {
    let reading = read(pattern, &ReadContext::default());
    let command = only_command(&reading)?;
    let named = command.words.first().is_some_and(|word| word.exact && !word.glob && !word.text.is_empty());
    named.then(|| command.words.clone())
}

fn only_command(reading: &Reading) -> Option<&Command> {
    let [command] = reading.commands.as_slice() else { return None };
    (reading.opaque.is_empty() && reading.fault.is_none() && is_plain(command)).then_some(command)
}

/// Nothing set, nothing around it, nothing read or written next to it.
fn is_plain(command: &Command) -> bool {
    let harmless = command.redirects.iter().all(|one| one.kind == RedirectKind::Duplicate);
    command.assignments.is_empty() && command.via.is_empty() && command.dir.is_none() && harmless
}

/// `*` is any text, but never makes an option of a word that is none.
fn word_fits(pattern: &str, word: &str) -> bool {
    if word.starts_with('-') && !pattern.starts_with('-') {
        return false;
    }
    // `..` would lead out of the folder a pattern names.
    if pattern.contains('*') && word.split('/').any(|part| part == "..") {
        return false;
    }
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| word.strip_prefix(first)) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.split_once(piece) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}
