//! Which of several patterns counts where more than one fits a name: the most specific.

use crate::rule::pattern::Pattern;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How much a pattern says; what says more is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Specificity {
    /// It is the name itself.
    is_exact: bool,
    /// Characters that stand for themselves.
    literal: usize,
    wildcards: Reverse<usize>,
}

impl Specificity {
    fn of(pattern: &str, name: &str) -> Specificity {
        let is_wild = |found: &char| matches!(found, '*' | '?' | '[' | ']' | '{' | '}');
        let wildcards = pattern.chars().filter(is_wild).count();
        let literal = pattern.chars().count().saturating_sub(wildcards);
        Specificity { is_exact: pattern == name, literal, wildcards: Reverse(wildcards) }
    }
}

/// What a map of patterns says of a name: the entry under the name itself, else under the pattern
/// with the most literal characters and then the fewest wildcards. Where two say as much, the stricter
/// entry counts: the one with the greater `strictness`.
pub(crate) fn most_specific<'a, T, S: Ord>(
    patterns: &'a BTreeMap<String, T>,
    name: &str,
    strictness: impl Fn(&T) -> S,
) -> Option<&'a T> {
    let fits = |pattern: &str| Pattern::word(pattern).is_ok_and(|pattern| pattern.is_match(name));
    let fitting = patterns.iter().filter(|(pattern, _)| *pattern == name || fits(pattern));
    let best = fitting.max_by_key(|(pattern, said)| (Specificity::of(pattern, name), strictness(said)));
    best.map(|(_, said)| said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_most_counts_and_then_what_is_stricter() {
        let said = |patterns: &[(&str, u8)], name: &str| {
            let map = patterns.iter().map(|(pattern, said)| ((*pattern).to_owned(), *said)).collect();
            most_specific(&map, name, |said: &u8| *said).copied()
        };
        for (patterns, name, expected) in [
            (&[("mcp__*", 0), ("mcp__docs__*", 3)][..], "mcp__docs__read", Some(3)),
            (&[("mcp__docs__*", 3), ("mcp__docs__read", 0)], "mcp__docs__read", Some(0)),
            (&[("*", 3), ("a*", 1), ("ab*", 2)], "abc", Some(2)),
            (&[("a*c", 1), ("a??c*", 2)], "abbc", Some(1)),
            (&[("a*", 1), ("*a", 2)], "aa", Some(2)),
            (&[("a*", 2), ("*a", 1)], "aa", Some(2)),
            (&[("a*", 1)], "b", None),
            // What is no pattern still is a name.
            (&[("a[", 1)], "a[", Some(1)),
        ] {
            assert_eq!(said(patterns, name), expected, "{patterns:?} {name}");
        }
    }
}
