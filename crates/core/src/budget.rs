//! What an agent may use up, and what it has (S2-21 to S2-24, S2-39, S2-40, C-04).
//!
//! A limit is looked at and counted in one transaction with the decision, so
//! that calls side by side cannot share what is left. What a host does not
//! report is not guessed.

use crate::session::Session;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Limits for a session; what is not given is not limited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// Tokens read and written by the model, as the host reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Minutes since the session began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u64>,
    /// Tool calls judged, also denied ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// Answers of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_calls: Option<u64>,
    /// Lines written by edit tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
}

/// What a session has used up, beside what the session counts anyway.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    /// Tokens.
    pub tokens: u64,
    /// Answers of the model.
    pub api_calls: u64,
    /// Lines written.
    pub lines: u64,
    /// Calls let through that reach the outside.
    #[serde(skip_serializing_if = "is_zero")]
    pub outward: u64,
    /// How far the host's own log has been read, in bytes.
    pub read_to: u64,
    /// The last answer counted: a host may write one in several lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// The host's log became shorter: what stood there is not known any more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What was used since it was last looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens.
    pub tokens: u64,
    /// Answers of the model.
    pub api_calls: u64,
    /// How far the host's own log has been read, in bytes.
    pub read_to: u64,
    /// The last answer counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// The host's log became shorter.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
}

/// What complete lines of a host's log say was used, given the answer counted
/// last before them.
pub type UsageReader = fn(&[u8], Option<&str>) -> Usage;

impl Spent {
    /// What is spent after one more look.
    #[must_use]
    pub fn after(mut self, usage: &Usage) -> Spent {
        self.tokens = self.tokens.saturating_add(usage.tokens);
        self.api_calls = self.api_calls.saturating_add(usage.api_calls);
        self.read_to = usage.read_to;
        self.last = usage.last.clone();
        self.lost |= usage.lost;
        self
    }
}

/// How near a limit is. Declared in rising strictness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Nearness {
    Far,
    Warn,
    Escalate,
    Over,
}

/// Thresholds in per cent of a limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Thresholds {
    pub warn: u64,
    pub escalate: u64,
}

/// Inclusive thresholds; over means nothing is left (C-04).
pub(crate) fn nearness(used: u64, limit: u64, at: Thresholds) -> Nearness {
    let reaches = |percent: u64| u128::from(used) * 100 >= u128::from(limit) * u128::from(percent);
    match () {
        () if used >= limit => Nearness::Over,
        () if reaches(at.escalate) => Nearness::Escalate,
        () if reaches(at.warn) => Nearness::Warn,
        () => Nearness::Far,
    }
}

impl Budget {
    /// Whether anything with an end is used up.
    #[must_use]
    pub fn is_spent(&self, session: &Session, now_ms: i64) -> bool {
        let over = |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used >= limit);
        over(self.tokens, session.spent.tokens)
            || over(self.minutes.map(|minutes| minutes.saturating_mul(60)), seconds(session, now_ms))
            || over(self.calls, session.calls)
            || over(self.api_calls, session.spent.api_calls)
            || over(self.lines, session.spent.lines)
    }

    /// Whether the host's own log is needed to know it.
    #[must_use]
    pub fn needs_log(&self) -> bool {
        self.tokens.is_some() || self.api_calls.is_some()
    }
}

/// Seconds since a session began.
pub(crate) fn seconds(session: &Session, now_ms: i64) -> u64 {
    let since = session.started_ms.map_or(0, |start| now_ms.saturating_sub(start));
    u64::try_from(since / 1000).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_inclusive_and_over_means_nothing_left() {
        let at = Thresholds { warn: 80, escalate: 95 };
        for (used, expected) in [
            (0, Nearness::Far),
            (799, Nearness::Far),
            (800, Nearness::Warn),
            (949, Nearness::Warn),
            (950, Nearness::Escalate),
            (999, Nearness::Escalate),
            (1000, Nearness::Over),
            (u64::MAX, Nearness::Over),
        ] {
            assert_eq!(nearness(used, 1000, at), expected, "{used}");
        }
        assert_eq!(nearness(0, 0, at), Nearness::Over, "a budget of nothing");
    }
}
