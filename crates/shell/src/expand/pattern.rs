//! Patterns of the shell on text that is known: `*`, `?`, `[a-z]`.
//!
//! Only what every shell reads alike; groups and classes by name are left to
//! the caller as unknown. Bounded: long texts are not matched.

use crate::tree::Part;

/// Longer texts and patterns than this are not matched.
const TEXT_MAX: usize = 512;
const SIGNS_MAX: usize = 48;

/// Does a pattern as it is written fit all of `text`? `None` where shells, or their
/// settings, differ.
pub(crate) fn fits_whole(parts: &[Part], text: &str) -> Option<bool> {
    let mut signs = Vec::new();
    for part in parts {
        let (written, glob) = match part {
            Part::Plain(written) if written.contains(['[', '~']) => return None,
            Part::Plain(written) => (written, true),
            Part::Quoted(written) => (written, false),
            _ => return None,
        };
        signs.extend(Pattern::new(written, glob)?.0);
    }
    let whole = |pattern: &Pattern, text: &str| Some(pattern.heads(text)?.contains(&text.len()));
    let pattern = Pattern(signs);
    if whole(&pattern, text)? {
        return Some(true);
    }
    // With `nocasematch` letters of the other case fit as well.
    let lower = |sign: Sign| match sign {
        Sign::Is(letter) => Sign::Is(letter.to_ascii_lowercase()),
        other => other,
    };
    let lowered = Pattern(pattern.0.into_iter().map(lower).collect());
    (!whole(&lowered, &text.to_ascii_lowercase())?).then_some(false)
}

/// One sign of a pattern.
enum Sign {
    Is(char),
    Any,
    Every,
    /// Ranges, and whether none of them is meant.
    Among(Vec<(char, char)>, bool),
}

impl Sign {
    fn takes(&self, found: char) -> bool {
        match self {
            Sign::Is(wanted) => *wanted == found,
            Sign::Any | Sign::Every => true,
            Sign::Among(ranges, none) => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&found)) != *none
            }
        }
    }
}

pub(super) struct Pattern(Vec<Sign>);

impl Pattern {
    /// Reads a pattern; where `glob` is not set, every sign represents itself.
    pub(super) fn new(text: &str, glob: bool) -> Option<Pattern> {
        if text.len() > SIGNS_MAX || glob && text.contains(['(', ')', '\\']) {
            return None;
        }
        let mut signs = Vec::new();
        let mut rest = text.chars();
        while let Some(found) = rest.next() {
            signs.push(match found {
                _ if !glob => Sign::Is(found),
                '*' => Sign::Every,
                '?' => Sign::Any,
                '[' => among(&mut rest)?,
                other => Sign::Is(other),
            });
        }
        Some(Pattern(signs))
    }

    /// The lengths of all beginnings of `text` it fits, shortest first.
    pub(super) fn heads(&self, text: &str) -> Option<Vec<usize>> {
        let text: Vec<(usize, char)> = bounded(text)?;
        Some(fits(&self.0.iter().collect::<Vec<_>>(), &text))
    }

    /// Where all ends of `text` begin that it fits, longest first.
    pub(super) fn tails(&self, text: &str) -> Option<Vec<usize>> {
        let signs: Vec<&Sign> = self.0.iter().rev().collect();
        let mut from_behind: Vec<(usize, char)> = bounded(text)?;
        from_behind.reverse();
        from_behind.iter_mut().for_each(|(at, found)| *at = text.len() - *at - found.len_utf8());
        let mut starts: Vec<usize> =
            fits(&signs, &from_behind).into_iter().map(|length| text.len() - length).collect();
        starts.reverse();
        Some(starts)
    }

    /// `text` with the first or with every place it fits replaced, the longest
    /// at each.
    pub(super) fn replace(&self, text: &str, by: &str, every: bool) -> Option<String> {
        let signs: Vec<&Sign> = self.0.iter().collect();
        let chars = bounded(text)?;
        let mut out = String::new();
        let mut at = 0;
        while let Some((place, found)) = chars.get(at) {
            let rest: Vec<(usize, char)> =
                chars.iter().skip(at).map(|(other, found)| (other - place, *found)).collect();
            match fits(&signs, &rest).last().filter(|length| **length > 0) {
                Some(length) => {
                    out.push_str(by);
                    let behind = place + length;
                    at = chars.iter().position(|(other, _)| *other >= behind).unwrap_or(chars.len());
                    if !every {
                        out.push_str(text.get(behind..).unwrap_or_default());
                        return Some(out);
                    }
                }
                None => {
                    out.push(*found);
                    at += 1;
                }
            }
        }
        Some(out)
    }
}

fn bounded(text: &str) -> Option<Vec<(usize, char)>> {
    (text.len() <= TEXT_MAX).then(|| text.char_indices().collect())
}

/// The rest of `[…]`, behind the bracket.
fn among(rest: &mut std::str::Chars<'_>) -> Option<Sign> {
    let (inside, behind) =
        rest.as_str().split_at(rest.as_str().char_indices().skip(1).find(|(_, found)| *found == ']')?.0);
    let (inside, none) = match inside.strip_prefix(['!', '^']) {
        Some(inside) => (inside, true),
        None => (inside, false),
    };
    if inside.is_empty() || inside.contains('[') {
        return None;
    }
    let chars: Vec<char> = inside.chars().collect();
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(low) = chars.get(at) {
        match (chars.get(at + 1), chars.get(at + 2)) {
            (Some('-'), Some(high)) => {
                ranges.push((*low, *high));
                at += 3;
            }
            _ => {
                ranges.push((*low, *low));
                at += 1;
            }
        }
    }
    *rest = behind.get(1..)?.chars();
    Some(Sign::Among(ranges, none))
}

/// The lengths of beginnings that fit: all ways are followed at once.
fn fits(signs: &[&Sign], text: &[(usize, char)]) -> Vec<usize> {
    let mut open = vec![false; signs.len() + 1];
    let mut lengths = Vec::new();
    let skip_every = |open: &mut Vec<bool>| {
        for (at, sign) in signs.iter().enumerate() {
            if open.get(at) == Some(&true)
                && matches!(sign, Sign::Every)
                && let Some(next) = open.get_mut(at + 1)
            {
                *next = true;
            }
        }
    };
    if let Some(first) = open.first_mut() {
        *first = true;
    }
    skip_every(&mut open);
    if open.last() == Some(&true) {
        lengths.push(0);
    }
    for (place, found) in text {
        let mut next = vec![false; signs.len() + 1];
        for (at, sign) in signs.iter().enumerate().filter(|(at, _)| open.get(*at) == Some(&true)) {
            let to = if matches!(sign, Sign::Every) { at } else { at + 1 };
            if sign.takes(*found)
                && let Some(slot) = next.get_mut(to)
            {
                *slot = true;
            }
        }
        skip_every(&mut next);
        open = next;
        if open.last() == Some(&true) {
            lengths.push(place + found.len_utf8());
        }
        if !open.contains(&true) {
            break;
        }
    }
    lengths
}
