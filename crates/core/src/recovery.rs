//! What follows when a call fails: the failure is classified,
//! the agent is told what to do next, and what fails the same way three times
//! in a row is not tried a fourth time.
//!
//! Pure: waiting is the agent's affair, and nothing is undone here.

use crate::digest::{Digest, digest_of};
use crate::failure::is_connection_failure;
use crate::feedback::{Advice, Urgency};
use crate::finding::Source;
use crate::ledger::Resulted;
use crate::rule::Names;
use crate::session::Session;
use crate::settings::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who speaks.
pub(crate) const ID: &str = "error-recovery";

/// Agents whose failures are counted.
const AGENTS_MAX: usize = 16;

/// The first pause and the longest, in milliseconds.
const PAUSE_MS: (u64, u64) = (100, 5_000);

/// What is quarantined when a call keeps failing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quarantine {
    /// The very same call.
    #[default]
    Call,
    /// Everything of that agent, until a person says yes.
    Agent,
}

/// The section `errors`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Errors {
    /// How often the same call may fail the same way in a row.
    #[schemars(range(min = 1))]
    pub retries: u32,
    /// What is quarantined.
    pub quarantine: Quarantine,
    /// Texts of failures that may work next time, in addition to the built-in ones.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub recoverable: Names,
    /// Texts of failures that will not, in addition to the built-in ones.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub fatal: Names,
}

impl Default for Errors {
    fn default() -> Errors {
        Errors {
            retries: 3,
            quarantine: Quarantine::Call,
            recoverable: Names::default(),
            fatal: Names::default(),
        }
    }
}

/// What one layer says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorsEntry {
    /// Where it is written.
    pub source: Source,
    /// What is said.
    pub errors: Errors,
}

/// What a failure means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// It may work next time.
    Recoverable,
    /// It will not.
    Fatal,
    /// That cannot be told.
    Unknown,
}

impl ErrorClass {
    /// The name used everywhere.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ErrorClass::Recoverable => "recoverable",
            ErrorClass::Fatal => "fatal",
            ErrorClass::Unknown => "unknown",
        }
    }
}

const RECOVERABLE: &[&str] = &[
    "timed out",
    "timeout",
    "temporarily unavailable",
    "try again",
    "too many requests",
    "rate limit",
    "429",
    "503",
    "resource busy",
    "database is locked",
    "index.lock",
    "could not acquire lock",
    "text file busy",
];

const FATAL: &[&str] = &[
    "permission denied",
    "operation not permitted",
    "command not found",
    "no such file or directory",
    "not found",
    "no space left",
    "read-only file system",
    "syntax error",
    "unauthorized",
    "forbidden",
    "401",
    "403",
    "authentication failed",
    "invalid option",
    "unrecognized option",
    "unknown option",
];

impl Errors {
    /// What a failure that said this means. What the policy says comes first,
    /// and of the two the one that ends the trying.
    #[must_use]
    pub fn class(&self, message: &str) -> ErrorClass {
        let message = message.to_lowercase();
        let own = |names: &Names| names.iter().any(|text| message.contains(&text.to_lowercase()));
        let known = |texts: &[&str]| texts.iter().any(|text| message.contains(text));
        match () {
            () if own(&self.fatal) => ErrorClass::Fatal,
            () if own(&self.recoverable) => ErrorClass::Recoverable,
            () if known(FATAL) => ErrorClass::Fatal,
            () if known(RECOVERABLE) || is_connection_failure(&message) => ErrorClass::Recoverable,
            () => ErrorClass::Unknown,
        }
    }
}

/// A call of an agent that keeps failing the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failing {
    /// The agent.
    pub agent: String,
    /// The exact call.
    pub arguments: Digest,
    /// What it said, as a hash.
    pub said: Digest,
    /// How often in a row.
    pub count: u32,
}

impl Failing {
    /// Counts one more result of an agent. Any success ends the row.
    pub(crate) fn fold(all: &mut Vec<Failing>, agent: &str, resulted: &Resulted) {
        let at = all.iter().position(|one| one.agent == agent);
        let (Some(arguments), Some(message)) = (&resulted.arguments, &resulted.message) else {
            if let Some(at) = at.filter(|_| resulted.succeeded()) {
                all.remove(at);
            }
            return;
        };
        let before = at.map(|at| all.remove(at));
        let said = digest_of(message.as_bytes());
        let same = before.filter(|one| one.arguments == *arguments && one.said == said);
        let count = same.map_or(0, |one| one.count).saturating_add(1);
        all.push(Failing { agent: agent.to_owned(), arguments: arguments.clone(), said, count });
        let surplus = all.len().saturating_sub(AGENTS_MAX);
        all.drain(..surplus);
    }
}

/// What the agent is told after a call failed; `session` knows of the failure
/// already.
#[must_use]
pub fn recovery(settings: &Settings, session: &Session, agent: &str, said: &str) -> Option<Advice> {
    let errors = settings.errors.iter().map(|entry| &entry.errors).min_by_key(|errors| errors.retries)?;
    let failed = session.failing.iter().find(|one| one.agent == agent).map_or(1, |one| one.count);
    let class = errors.class(said);
    let left = errors.retries.saturating_sub(failed);
    let text = match class {
        _ if left == 0 => format!("{}: failed {failed} times in a row in the same way", class.name()),
        ErrorClass::Recoverable => format!("recoverable: attempt {failed} of {} failed", errors.retries),
        ErrorClass::Fatal => "fatal: repeating the same call will not help".to_owned(),
        ErrorClass::Unknown => format!("unknown: attempt {failed} of {} failed", errors.retries),
    };
    let step = match class {
        _ if left == 0 => {
            "do something else: read the error, fix its cause, or ask the user; this call is quarantined"
                .to_owned()
        }
        ErrorClass::Recoverable => format!("try again after {} ms", pause_ms(failed)),
        ErrorClass::Fatal => "fix the cause or ask the user; undo what was half done".to_owned(),
        ErrorClass::Unknown => "find out why before you try again".to_owned(),
    };
    let urgency = if left == 0 { Urgency::Warning } else { Urgency::Caution };
    Some(Advice { provider: ID.to_owned(), urgency, text, suggestions: vec![step], file: None })
}

/// Doubling from the first pause to the longest.
fn pause_ms(failed: u32) -> u64 {
    let doubled = 1_u64.checked_shl(failed.saturating_sub(1)).unwrap_or(u64::MAX);
    PAUSE_MS.0.saturating_mul(doubled).min(PAUSE_MS.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_five_seconds() {
        let pauses: Vec<u64> = (1..=8).map(pause_ms).collect();
        assert_eq!(pauses, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        assert_eq!(pause_ms(u32::MAX), 5000);
    }

    #[test]
    fn failures_are_told_apart() {
        let own =
            Errors { fatal: Names::of(&["boom"]), recoverable: Names::of(&["soon"]), ..Errors::default() };
        for (said, expected) in [
            ("curl: (7) Failed to connect to localhost: Connection refused", ErrorClass::Recoverable),
            ("error: database is locked", ErrorClass::Recoverable),
            ("bash: foo: command not found", ErrorClass::Fatal),
            ("open /etc/x: Permission denied", ErrorClass::Fatal),
            ("Exit code 101", ErrorClass::Unknown),
            ("soon, maybe", ErrorClass::Recoverable),
            ("boom, timed out", ErrorClass::Fatal),
        ] {
            assert_eq!(own.class(said), expected, "{said}");
        }
    }
}
