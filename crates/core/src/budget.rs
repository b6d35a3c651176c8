//! What an agent may use up, and what it has.
//!
//! A limit is looked at and counted in one transaction with the decision, so
//! that calls side by side cannot share what is left. What a host does not
//! report is not guessed.

use crate::call::Call;
use crate::facts::{Access, Facts};
use crate::mark::changed_mark;
use crate::rule::most_specific;
use crate::session::Session;
use crate::settings::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// Different files changed or deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// Money, in hundredths, by `prices` and the tokens the host reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_cents: Option<u64>,
    /// What models cost, by name; `*` allowed. A model without a price makes the cost unknown.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, Price>,
}

/// What a million tokens of a model cost, in hundredths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Tokens read.
    pub input_cents: u64,
    /// Tokens written.
    pub output_cents: u64,
    /// Tokens put into the host's cache; as `input_cents`, if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_cents: Option<u64>,
    /// Tokens taken from it; as `input_cents`, if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_cents: Option<u64>,
}

/// Tokens of one model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tokens {
    /// Read.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Put into the host's cache.
    pub cache_write: u64,
    /// Taken from it.
    pub cache_read: u64,
}

impl Tokens {
    #[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
    fn is_none(&self) -> bool {
        *self == Tokens::default()
    }

    /// All of them.
    #[must_use]
    pub fn sum(self) -> u64 {
        [self.input, self.output, self.cache_write, self.cache_read].into_iter().fold(0, u64::saturating_add)
    }

    /// What is more than was counted before, and what is counted now.
    #[must_use]
    pub fn beyond(self, known: Tokens) -> (Tokens, Tokens) {
        let each = |pick: fn(u64, u64) -> u64| Tokens {
            input: pick(self.input, known.input),
            output: pick(self.output, known.output),
            cache_write: pick(self.cache_write, known.cache_write),
            cache_read: pick(self.cache_read, known.cache_read),
        };
        (each(u64::saturating_sub), each(u64::max))
    }

    /// Both together.
    #[must_use]
    pub fn and(self, more: Tokens) -> Tokens {
        Tokens {
            input: self.input.saturating_add(more.input),
            output: self.output.saturating_add(more.output),
            cache_write: self.cache_write.saturating_add(more.cache_write),
            cache_read: self.cache_read.saturating_add(more.cache_read),
        }
    }
}

/// What a session has used up, next to what the session counts anyway.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    /// Tokens.
    pub tokens: u64,
    /// Answers of the model.
    pub api_calls: u64,
    /// Lines written.
    pub lines: u64,
    /// Different files changed, where a budget counts them.
    #[serde(skip_serializing_if = "is_zero")]
    pub files: u64,
    /// Tokens by model.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, Tokens>,
    /// Calls let through that reach the outside.
    #[serde(skip_serializing_if = "is_zero")]
    pub outward: u64,
    /// How far the host's own log has been read, in bytes.
    pub read_to: u64,
    /// The last answer counted: a host may write one in several lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// What was counted for it: a later line may say more.
    #[serde(skip_serializing_if = "Tokens::is_none")]
    pub last_tokens: Tokens,
    /// The host's log became shorter: what was there is not known any more.
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
    /// Tokens by model.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, Tokens>,
    /// How far the host's own log has been read, in bytes.
    pub read_to: u64,
    /// The last answer counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// What was counted for it.
    #[serde(skip_serializing_if = "Tokens::is_none")]
    pub last_tokens: Tokens,
    /// The host's log became shorter.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
}

/// What complete lines of a host's log say was used, given what was counted before
/// them: of an answer that is told again, only what is more.
pub type UsageReader = fn(&[u8], &Spent) -> Usage;

impl Spent {
    /// What is spent after one more look.
    #[must_use]
    pub fn after(mut self, usage: &Usage) -> Spent {
        self.tokens = self.tokens.saturating_add(usage.tokens);
        self.api_calls = self.api_calls.saturating_add(usage.api_calls);
        for (model, tokens) in &usage.models {
            let known = self.models.entry(model.clone()).or_default();
            *known = known.and(*tokens);
        }
        self.read_to = usage.read_to;
        self.last = usage.last.clone();
        self.last_tokens = usage.last_tokens;
        self.lost |= usage.lost;
        self
    }
}

/// What calls that are about to run will use: counted before they run, so that
/// calls side by side cannot share what is left, and let go when they end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserved {
    /// The host's id of the call; of one without an id, the hash of its arguments.
    pub call: Option<String>,
    /// Lines it writes.
    pub lines: u64,
    /// Files it changes that no call changed before.
    pub files: Vec<String>,
}

/// How near a limit is. Declared in rising strictness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Nearness {
    Far,
    Warn,
    Ask,
    Over,
}

/// Thresholds in per cent of a limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Thresholds {
    pub warn: u64,
    pub ask: u64,
}

/// Inclusive thresholds; over means nothing is left.
pub(crate) fn nearness(used: u64, limit: u64, at: Thresholds) -> Nearness {
    let reaches = |percent: u64| u128::from(used) * 100 >= u128::from(limit) * u128::from(percent);
    match () {
        () if used >= limit => Nearness::Over,
        () if reaches(at.ask) => Nearness::Ask,
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
            || over(self.files, session.spent.files)
            || over(self.cost_cents, self.cost_cents_of(&session.spent).unwrap_or(0))
    }

    /// Whether the host's own log is needed to know it.
    #[must_use]
    pub fn needs_log(&self) -> bool {
        self.tokens.is_some() || self.api_calls.is_some() || self.cost_cents.is_some()
    }

    /// What was spent, in whole hundredths, rounded up.
    ///
    /// # Errors
    /// The model whose price no one said.
    pub fn cost_cents_of(&self, spent: &Spent) -> Result<u64, String> {
        let mut millionths: u128 = 0;
        for (model, tokens) in &spent.models {
            let dearest = |price: &Price| price.input_cents.saturating_add(price.output_cents);
            let price = most_specific(&self.prices, model, dearest).ok_or_else(|| model.clone())?;
            let of = |count: u64, cents: u64| u128::from(count) * u128::from(cents);
            millionths = millionths
                .saturating_add(of(tokens.input, price.input_cents))
                .saturating_add(of(tokens.output, price.output_cents))
                .saturating_add(of(tokens.cache_write, price.cache_write_cents.unwrap_or(price.input_cents)))
                .saturating_add(of(tokens.cache_read, price.cache_read_cents.unwrap_or(price.input_cents)));
        }
        Ok(u64::try_from(millionths.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }
}

/// Seconds since a session began.
pub(crate) fn seconds(session: &Session, now_ms: i64) -> u64 {
    let since = session.started_ms.map_or(0, |start| now_ms.saturating_sub(start));
    u64::try_from(since / 1000).unwrap_or(0)
}

/// The files a call would change, by their real paths, as far as they are known.
pub(crate) fn changed_files(facts: &Facts) -> Vec<String> {
    let changes = facts.files.iter().filter(|file| file.access != Access::Read);
    let mut paths: Vec<String> =
        changes.map(|file| file.real.as_deref().unwrap_or(&file.path).to_owned()).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Of them, those no call of the session changed before.
pub(crate) fn new_files(facts: &Facts, session: &Session) -> Vec<String> {
    let known = |path: &String| session.mark(&changed_mark(path)).is_some();
    changed_files(facts).into_iter().filter(|path| !known(path)).collect()
}

/// What a call will use, where a budget of its agent counts it before it runs.
#[must_use]
pub fn reserves(call: &Call, facts: &Facts, settings: &Settings, session: &Session) -> Option<Reserved> {
    let budgets = || settings.agents_of(call).filter_map(|entry| entry.agent.budget.as_ref());
    let counts_lines = budgets().any(|budget| budget.lines.is_some());
    let counts_files = budgets().any(|budget| budget.files.is_some());
    let lines = if counts_lines { call.lines() } else { 0 };
    let files = if counts_files { new_files(facts, session) } else { Vec::new() };
    (lines > 0 || !files.is_empty()).then(|| {
        let call = call.id.clone().unwrap_or_else(|| call.arguments_digest());
        Reserved { call: Some(call), lines, files }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_inclusive_and_over_means_nothing_left() {
        let at = Thresholds { warn: 80, ask: 95 };
        for (used, expected) in [
            (0, Nearness::Far),
            (799, Nearness::Far),
            (800, Nearness::Warn),
            (949, Nearness::Warn),
            (950, Nearness::Ask),
            (999, Nearness::Ask),
            (1000, Nearness::Over),
            (u64::MAX, Nearness::Over),
        ] {
            assert_eq!(nearness(used, 1000, at), expected, "{used}");
        }
        assert_eq!(nearness(0, 0, at), Nearness::Over, "a budget of nothing");
    }
}
