//! The read form of an expression, and how it is asked.

use super::Truth;
use super::field::{Field, Target, Type, View};
use crate::rule::{LazyRegex, Pattern, can_hold, is_like, overlap};

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
            Question::Like(pattern) => {
                let below = || target.within.is_some_and(|file| can_hold(pattern, file, view.places));
                is_like(pattern, target.path, view.places) || below()
            }
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
            Question::Like(Pattern::Path { glob, .. } | Pattern::Word(glob)) => meets(glob),
            _ => true,
        }
    }
}
