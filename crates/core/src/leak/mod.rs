//! Secrets and personal data in text: what a tool gave back, before a model
//! reads it.
//!
//! Four readers look at the text: `token` for what begins in a known way,
//! `named` for values behind a telling name, `placed` for headers, options and
//! login files, `personal` for numbers with check digits. Each looks a bounded way ahead from places a literal search finds,
//! so the time is linear in the text. A false alarm destroys output someone
//! needs, so each demands more than a shape: a check digit, enough chance in
//! the letters, no sign of a sample.

mod chance;
mod named;
mod outward;
mod personal;
mod placed;
mod recorded;
mod token;

pub use outward::outward;
pub(crate) use recorded::{MARK, Recorded};
pub use recorded::{recorded, without_secrets_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kinds of personal data that can be looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Personal {
    /// Numbers of payment cards, by their check digit.
    Card,
    /// Bank accounts, by their check digits.
    Iban,
    /// Social security numbers of the United States, where the text calls them so.
    Ssn,
    /// Addresses of electronic mail.
    Email,
}

/// One secret or personal datum in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leak {
    /// What it is: `github-token`.
    pub kind: &'static str,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// Every secret in a text, and the personal data asked for; in order, none
/// overlapping another.
#[must_use]
pub fn leaks(text: &str, personal: &[Personal]) -> Vec<Leak> {
    merged(found_in(text, personal))
}

fn found_in(text: &str, personal: &[Personal]) -> Vec<Leak> {
    let mut found = token::find(text);
    found.extend(named::find(text));
    found.extend(placed::find(text));
    found.extend(personal::find(text, personal));
    found
}

/// In order; of two that overlap, one.
fn merged(mut found: Vec<Leak>) -> Vec<Leak> {
    found.sort_by_key(|leak| (leak.start, std::cmp::Reverse(leak.end)));
    let mut kept: Vec<Leak> = Vec::new();
    for leak in found {
        match kept.last_mut() {
            // Of two that overlap, one stretch under the first one's name.
            Some(last) if leak.start < last.end => last.end = last.end.max(leak.end),
            _ => kept.push(leak),
        }
    }
    kept
}

/// The text with every leak replaced by what it was.
#[must_use]
pub fn redacted(text: &str, leaks: &[Leak]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for leak in leaks {
        clean.push_str(text.get(from..leak.start).unwrap_or_default());
        clean.push_str(&format!("[redacted: {}]", leak.kind));
        from = leak.end;
    }
    clean.push_str(text.get(from..).unwrap_or_default());
    clean
}

#[cfg(test)]
mod tests;
