//! What people answered to the very same call before.

use crate::inbox::{Proof, Request, Word};
use serde::Serialize;

/// Answers of people to one exact call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Earlier {
    /// Approved so often.
    pub approved: u32,
    /// Denied so often.
    pub denied: u32,
    /// When the last of these requests was made.
    pub last_ms: i64,
}

/// What people answered to the call of `request` before, by the other requests about it.
#[must_use]
pub fn earlier(request: &Request, others: &[Request]) -> Earlier {
    let mut all = Earlier::default();
    for other in others {
        let is_same = other.arguments == request.arguments
            && other.tool == request.tool
            && other.dir == request.dir
            && other.bypass.is_some() == request.bypass.is_some();
        let answer = other.decisive_answer().or_else(|| other.progress.agreed());
        let by_person = answer.filter(|answer| !matches!(answer.proof, Proof::Supervisor { .. }));
        let Some(answer) = by_person.filter(|_| is_same && other.id != request.id) else { continue };
        match answer.word {
            Word::Approve => all.approved = all.approved.saturating_add(1),
            Word::Deny => all.denied = all.denied.saturating_add(1),
        }
        all.last_ms = all.last_ms.max(other.made_ms);
    }
    all
}

impl Earlier {
    /// In one sentence; nothing where it was never answered.
    #[must_use]
    pub fn words(&self, now_ms: i64) -> Option<String> {
        let times = |word: &str, count: u32| match count {
            0 => None,
            1 => Some(format!("{word} once")),
            count => Some(format!("{word} {count} times")),
        };
        let parts: Vec<String> =
            [times("approved", self.approved), times("denied", self.denied)].into_iter().flatten().collect();
        let is_any = !parts.is_empty();
        is_any.then(|| {
            format!("this exact call was {}, last asked {}", parts.join(" and "), age(self.last_ms, now_ms))
        })
    }
}

/// How long ago something was, in its largest unit; `keys.js` of the web inbox uses the same words.
#[must_use]
pub fn age(at_ms: i64, now_ms: i64) -> String {
    match now_ms.saturating_sub(at_ms).max(0) / 60_000 {
        0 => "just now".to_owned(),
        minutes @ 1..60 => format!("{minutes} min ago"),
        minutes @ 60..1440 => format!("{} h ago", minutes / 60),
        minutes @ 1440..2880 => format!("{} day ago", minutes / 1440),
        minutes => format!("{} days ago", minutes / 1440),
    }
}

#[cfg(test)]
mod tests {
    use super::{Earlier, age};

    #[test]
    fn earlier_answers_are_one_sentence() {
        let words = |approved, denied| Earlier { approved, denied, last_ms: 0 }.words(300_000);
        assert_eq!(words(0, 0), None);
        let expected = "this exact call was approved 2 times and denied once, last asked 5 min ago";
        assert_eq!(words(2, 1).as_deref(), Some(expected));
        assert_eq!(words(0, 3).as_deref(), Some("this exact call was denied 3 times, last asked 5 min ago"));
    }

    #[test]
    fn ages_are_told_in_the_largest_unit() {
        let minute = 60_000;
        for (minutes, words) in [
            (-5, "just now"),
            (0, "just now"),
            (1, "1 min ago"),
            (59, "59 min ago"),
            (60, "1 h ago"),
            (1439, "23 h ago"),
            (1440, "1 day ago"),
            (5000, "3 days ago"),
        ] {
            assert_eq!(age(0, minutes * minute), words, "{minutes}");
        }
    }
}
