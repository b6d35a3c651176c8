//! `${x#w}`, `${x/a/b}`, `${x:1:2}`, `${x^^}` on values that are known.
//!
//! Patterns are matched as bash does. Where one asks for more than `*`, `?` and
//! plain choices, the caller treats the value as unknown.

use super::pattern::Pattern;

/// The edited value, or `None` where it cannot be told. `glob` says whether the
/// signs of patterns in `word` are meant as such.
pub(crate) fn edit(value: &str, op: &str, word: &str, glob: bool) -> Option<String> {
    match op {
        ":" => substring(value, word),
        "^^" if word.is_empty() => Some(value.to_uppercase()),
        ",," if word.is_empty() => Some(value.to_lowercase()),
        "^" if word.is_empty() => first(value, |found| found.to_uppercase().to_string()),
        "," if word.is_empty() => first(value, |found| found.to_lowercase().to_string()),
        "?" | ":?" => Some(value.to_string()),
        "#" | "##" => {
            let lengths = Pattern::new(word, glob)?.heads(value)?;
            let found = if op == "#" { lengths.first() } else { lengths.last() };
            Some(found.map_or(value, |length| value.get(*length..).unwrap_or_default()).to_string())
        }
        "%" | "%%" => {
            let starts = Pattern::new(word, glob)?.tails(value)?;
            let found = if op == "%" { starts.last() } else { starts.first() };
            Some(found.map_or(value, |start| value.get(..*start).unwrap_or_default()).to_string())
        }
        "/" | "//" | "/#" | "/%" => replaced(value, op, word, glob),
        _ => None,
    }
}

fn replaced(value: &str, op: &str, word: &str, glob: bool) -> Option<String> {
    let (from, to) = word.split_once('/').unwrap_or((word, ""));
    if from.is_empty() && !matches!(op, "/#" | "/%") {
        return None;
    }
    // A `&` may stand for what was found.
    if to.contains(['&', '\\']) {
        return None;
    }
    let pattern = Pattern::new(from, glob)?;
    match op {
        "/#" => {
            let length = pattern.heads(value)?.last().copied();
            Some(
                length.map_or(value.to_string(), |length| to.to_string() + value.get(length..).unwrap_or("")),
            )
        }
        "/%" => {
            let start = pattern.tails(value)?.first().copied();
            Some(start.map_or(value.to_string(), |start| value.get(..start).unwrap_or("").to_string() + to))
        }
        _ => pattern.replace(value, to, op == "//"),
    }
}

fn first(value: &str, change: impl Fn(char) -> String) -> Option<String> {
    let mut chars = value.chars();
    let found = chars.next().map(change).unwrap_or_default();
    Some(found + chars.as_str())
}

fn substring(value: &str, word: &str) -> Option<String> {
    let mut fields = word.split(':');
    let start: i64 = fields.next()?.trim().parse().ok()?;
    let count = match fields.next() {
        Some(text) => Some(text.trim().parse::<i64>().ok()?),
        None => None,
    };
    let total = i64::try_from(value.chars().count()).ok()?;
    let from = if start < 0 { (total + start).max(0) } else { start.min(total) };
    let to = match count {
        Some(count) if count < 0 => (total + count).max(from),
        Some(count) => from.saturating_add(count).min(total),
        None => total,
    };
    let skip = usize::try_from(from).ok()?;
    let take = usize::try_from(to - from).ok()?;
    Some(value.chars().skip(skip).take(take).collect())
}

/// `${a[@]:1:2}`: some of `items`, whose first has the number `first`.
pub(crate) fn slice<T: Clone>(items: &[T], word: &str, first: usize) -> Option<Vec<T>> {
    let (from, count) = match word.split_once(':') {
        Some((from, count)) => (from, Some(count.trim().parse::<usize>().ok()?)),
        None => (word, None),
    };
    // Below the first there is the name of the shell itself.
    let skip = match from.trim().parse::<isize>().ok()? {
        back @ ..0 => items.len().checked_sub(back.unsigned_abs())?,
        from => from.unsigned_abs().checked_sub(first)?,
    };
    Some(items.iter().skip(skip).take(count.unwrap_or(usize::MAX)).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::edit;

    #[test]
    fn known_values_are_edited_as_in_bash() {
        for (value, op, word, expected) in [
            ("xxrm", "#", "xx", Some("rm")),
            ("rm.sh", "%", ".sh", Some("rm")),
            ("arm", ":", "1", Some("rm")),
            ("armx", ":", "1:2", Some("rm")),
            ("RM", ",,", "", Some("rm")),
            ("rXm", "/", "X", Some("rm")),
            ("rXmX", "//", "X/", Some("rm")),
            ("m", "/#", "/r", Some("rm")),
            ("r", "/%", "/m", Some("rm")),
            ("rm", "/", "/x", None),
            ("rm", "#", "*", Some("rm")),
            ("rm", "##", "*", Some("")),
            ("/etc/passwd", "%", "/*", Some("/etc")),
            ("/etc/passwd", "%%", "/*", Some("")),
            ("/etc/passwd", "##", "*/", Some("passwd")),
            ("/etc/passwd", "#", "*/", Some("etc/passwd")),
            ("a.rm", "#", "*.", Some("rm")),
            ("rxx", "/", "x*", Some("r")),
            ("a1b2", "//", "[0-9]/-", Some("a-b-")),
            ("a1b2", "//", "[!0-9]", Some("12")),
            ("ab", "/%", "b/c", Some("ac")),
            ("ab", "/#", "?/c", Some("cb")),
            ("ab", "#", "@(a)", None),
            ("ab", "#", "[[:alpha:]]", None),
            ("ab", "/", "a/&&", None),
        ] {
            assert_eq!(edit(value, op, word, true).as_deref(), expected, "{value} {op} {word}");
        }
    }
}
