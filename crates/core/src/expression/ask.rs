//! The read form of an expression, and how it is asked.

use super::Truth;
use super::field::{Field, Target, Type, View};
use crate::rule::{LazyRegex, Pattern, is_like};

/// A part of an expression.
#[derive(Debug)]
pub(super) enum Node {
    Always(bool),
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Asked(Field, Question),
}

/// What is asked of one field.
#[derive(Debug)]
pub(super) enum Question {
    IsOneOf(Vec<String>),
    IsNumber(Vec<f64>),
    Below(f64),
    AtMost(f64),
    Above(f64),
    AtLeast(f64),
    Like(Pattern),
    Regex(LazyRegex),
    Holds(String),
    Begins(String),
    Ends(String),
}

impl Node {
    /// Linear in the number of parts; the reader limits their depth.
    pub(super) fn holds(&self, view: &View<'_>) -> Truth {
        match self {
            Node::Always(value) => Truth::of(*value),
            Node::All(parts) => parts.iter().map(|part| part.holds(view)).min().unwrap_or(Truth::Yes),
            Node::Any(parts) => parts.iter().map(|part| part.holds(view)).max().unwrap_or(Truth::No),
            Node::Not(part) => part.holds(view).not(),
            Node::Asked(field, question) => match field.holds_a() {
                Type::Number => match view.number(*field) {
                    Some(number) => Truth::of(question.of_number(number)),
                    None => Truth::Unclear,
                },
                Type::Text | Type::Sort => Truth::of(question.of_text(view.text(*field))),
                Type::Path => view.target.map_or(Truth::No, |target| question.of_path(target, view)),
            },
        }
    }

    /// The first pattern in it that is not a regular expression, and why.
    pub(super) fn bad_regex(&self) -> Option<(&str, String)> {
        match self {
            Node::Always(_) => None,
            Node::All(parts) | Node::Any(parts) => parts.iter().find_map(Node::bad_regex),
            Node::Not(part) => part.bad_regex(),
            Node::Asked(_, Question::Regex(regex)) => regex.fault().map(|why| (regex.text(), why)),
            Node::Asked(..) => None,
        }
    }
}

impl Question {
    #[expect(clippy::cast_precision_loss, reason = "counters of a session stay far below 2^52")]
    fn of_number(&self, number: u64) -> bool {
        let number = number as f64;
        match self {
            Question::IsNumber(values) => values.iter().any(|value| (number - value).abs() < f64::EPSILON),
            Question::Below(limit) => number < *limit,
            Question::AtMost(limit) => number <= *limit,
            Question::Above(limit) => number > *limit,
            Question::AtLeast(limit) => number >= *limit,
            _ => false,
        }
    }

    fn of_text(&self, text: &str) -> bool {
        match self {
            Question::IsOneOf(values) => values.iter().any(|value| value == text),
            Question::Like(pattern) => pattern.is_match(text),
            Question::Regex(regex) => regex.is_match(text),
            Question::Holds(piece) => text.contains(piece.as_str()),
            Question::Begins(piece) => text.starts_with(piece.as_str()),
            Question::Ends(piece) => text.ends_with(piece.as_str()),
            _ => false,
        }
    }

    /// A path that cannot be known is unclear unless what is known of it
    /// already says yes.
    fn of_path(&self, target: Target<'_>, view: &View<'_>) -> Truth {
        let holds = match self {
            Question::Like(pattern) => is_like(pattern, target.path, view.places),
            _ => view.names(target.path).any(|name| self.of_text(&name)),
        };
        if holds {
            return Truth::Yes;
        }
        let unclear = !target.exact || target.glob && self.could_be(target.path);
        if unclear { Truth::Unclear } else { Truth::No }
    }

    /// Whether a pattern of the call could mean a file this asks for, by the
    /// last part of both.
    fn could_be(&self, path: &str) -> bool {
        let (folder, last) = path.rsplit_once('/').unwrap_or(("", path));
        let meets = |text: &str| match text.rsplit('/').next().unwrap_or(text) {
            // Below a folder: the folder of the call has been compared already.
            "**" => folder.contains(['*', '?', '[', '{']),
            own => overlap(own.as_bytes(), last.as_bytes()),
        };
        match self {
            Question::IsOneOf(values) => values.iter().any(|value| meets(value)),
            Question::Like(Pattern::Path(pattern) | Pattern::Word(pattern)) => meets(pattern),
            _ => true,
        }
    }
}

/// Whether one name could match two patterns. What is more than `*` and `?`
/// could be anything.
fn overlap(one: &[u8], other: &[u8]) -> bool {
    let is_plain = |glob: &[u8]| glob.len() <= 256 && !glob.iter().any(|byte| b"[]{}\\()!+@".contains(byte));
    if !is_plain(one) || !is_plain(other) {
        return true;
    }
    // Each row says which beginnings of `one` meet the part of `other` read so far.
    let mut row = vec![true];
    row.extend(one.iter().scan(true, |stars, byte| {
        *stars &= *byte == b'*';
        Some(*stars)
    }));
    for byte in other {
        let mut left = *byte == b'*' && row.first() == Some(&true);
        let mut next = vec![left];
        for (own, (before, above)) in one.iter().zip(row.iter().zip(row.iter().skip(1))) {
            let same = own == byte || *own == b'?' || *byte == b'?';
            let star = *own == b'*' || *byte == b'*';
            left = if star { left || *above } else { *before && same };
            next.push(left);
        }
        row = next;
    }
    row.last() == Some(&true)
}
