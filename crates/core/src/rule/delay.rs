//! How a `delay` rule lets a call wait: until a time has passed or
//! something is so, at most for a while, and then another answer.

use crate::digest::Digest;
use crate::expression::Truth;
use crate::finding::Finding;
use crate::guard::Seen;
use crate::outcome::{Outcome, Waiting};
use crate::rule::compiled::{Check, RuleFault};
use crate::rule::context::{CompiledWhen, When};
use crate::rule::data::Otherwise;
use crate::rule::lazy::LazyRegex;
use crate::rule::matching::Hit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long a call waits, and for what. Everything written must be so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Delay {
    /// Seconds since the call was first asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Until this is so around the call: hours, days, branch …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<When>,
    /// Until this file is there, seen from the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Until this file is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone: Option<String>,
    /// Until a command like this has succeeded in the session since a file last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ran: Option<String>,
    /// Longest wait; then `otherwise`. An hour, if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_seconds: Option<u64>,
    /// What happens when the longest wait is over.
    #[serde(skip_serializing_if = "is_block")]
    pub otherwise: Otherwise,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_block(otherwise: &Otherwise) -> bool {
    *otherwise == Otherwise::Block
}

/// Longest wait if none is said, in seconds.
const MAX_UNSAID: u64 = 3600;

/// When to try again if no one can say, in seconds.
const TRY_AGAIN: u64 = 30;

/// Compiled; empty for rules of other kinds.
#[derive(Debug, Default)]
pub(crate) struct CompiledDelay {
    said: Delay,
    until: Option<CompiledWhen>,
    ran: Option<LazyRegex>,
}

impl CompiledDelay {
    pub(crate) fn new(said: Option<&Delay>, check: &Check<'_>) -> Result<CompiledDelay, RuleFault> {
        let Some(said) = said else { return Ok(CompiledDelay::default()) };
        let nothing = said.seconds.is_none()
            && said.until.is_none()
            && said.file.is_none()
            && said.gone.is_none()
            && said.ran.is_none();
        if nothing {
            let cure = "add `seconds`, `until`, `file`, `gone` or `ran`";
            return Err(check.fault("delay", "`delay` does not say what to wait for".to_owned(), cure));
        }
        let ran = said.ran.as_ref().map(|pattern| format!("^(?:{pattern})"));
        let until = said.until.as_ref().map(|until| CompiledWhen::new(until, check)).transpose()?;
        Ok(CompiledDelay { said: said.clone(), until, ran: check.regex(ran.as_ref())? })
    }

    /// The answer now, and a sentence next to the reason; `None` when the wait
    /// is over and the call may run.
    pub(crate) fn answer(&self, seen: &Seen<'_>, hit: &Hit) -> Option<(Outcome, String)> {
        let call = seen.event.call.arguments_digest();
        let since_ms = seen.session.waiting_since(&call).unwrap_or(seen.now_ms);
        let waited = u64::try_from(seen.now_ms.saturating_sub(since_ms) / 1000).unwrap_or(0);
        let (what, seconds) = self.missing(seen, hit, waited)?;
        let longest = self.said.max_seconds.unwrap_or(MAX_UNSAID.max(self.said.seconds.unwrap_or(0)));
        let outcome = |otherwise: Otherwise| match otherwise {
            Otherwise::Block => Outcome::Block,
            Otherwise::Ask => Outcome::Ask,
            Otherwise::Warn => Outcome::Warn,
        };
        if waited >= longest {
            let note = format!("gave up after {waited} s waiting for {what}");
            return Some((outcome(self.said.otherwise), note));
        }
        let again = seconds.min(longest.saturating_sub(waited)).max(1);
        let note = format!("waiting for {what}; repeat exactly this call in {again} s");
        Some((Outcome::Delay(Waiting { call, since_ms, again_seconds: again }), note))
    }

    /// What is not so yet, and in how many seconds it may be.
    fn missing(&self, seen: &Seen<'_>, hit: &Hit, waited: u64) -> Option<(String, u64)> {
        if let Some(left) =
            self.said.seconds.and_then(|wanted| wanted.checked_sub(waited)).filter(|left| *left > 0)
        {
            return Some((format!("{left} more seconds"), left));
        }
        if let Some(until) = &self.until
            && until.holds(seen, hit) != Truth::Yes
        {
            return Some(("the time or folder the rule allows".to_owned(), TRY_AGAIN * 10));
        }
        let is_there = |name: &String| (seen.disk.is_there)(name);
        if let Some(file) = self.said.file.as_ref().filter(|file| is_there(file) != Some(true)) {
            return Some((format!("the file `{file}`"), TRY_AGAIN));
        }
        if let Some(file) = self.said.gone.as_ref().filter(|file| is_there(file) != Some(false)) {
            return Some((format!("the file `{file}` to be gone"), TRY_AGAIN));
        }
        let ran = self.ran.as_ref().filter(|ran| !seen.session.fresh.iter().any(|one| ran.is_match(one)))?;
        Some((format!("a command matching `{ran}` to succeed"), TRY_AGAIN))
    }
}

/// The wait in a finding, if it is one.
pub(crate) fn waiting(finding: &Finding) -> Option<(&Digest, i64)> {
    match &finding.outcome {
        Outcome::Delay(waiting) => Some((&waiting.call, waiting.since_ms)),
        _ => None,
    }
}
