//! What is wrong with a pattern: where in it, in our words, and what to write.

use fast_glob::ErrorKind as GlobKind;
use regex_syntax::ast::{ErrorKind, Span};
use std::fmt;

/// What is wrong with a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PatternFault {
    pub message: String,
    pub help: String,
    /// Where in the pattern, in characters: where it begins, and how long it is.
    pub at: (usize, usize),
}

impl fmt::Display for PatternFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)
    }
}

impl PatternFault {
    pub(crate) fn new(
        message: impl Into<String>,
        help: impl Into<String>,
        start: usize,
        length: usize,
    ) -> PatternFault {
        PatternFault { message: message.into(), help: help.into(), at: (start, length) }
    }

    /// What is wrong with a glob.
    pub(crate) fn of_glob(text: &str, error: &fast_glob::Error) -> PatternFault {
        let start = text.get(..error.index).map_or(0, |before| before.chars().count());
        let (message, help) = match error.kind {
            GlobKind::UnclosedBracket => (
                "invalid pattern: `[` is never closed",
                "write `]` after its letters, or `\\[` for the bracket itself",
            ),
            GlobKind::UnclosedBrace => (
                "invalid pattern: `{` is never closed",
                "write `}` after its words, or `\\{` for the brace itself",
            ),
            GlobKind::TrailingBackslash => (
                "invalid pattern: nothing follows the last `\\`",
                "remove it, or write `\\\\` for a backslash",
            ),
            GlobKind::BraceNestingTooDeep => {
                ("invalid pattern: too many `{` in each other", "write several patterns")
            }
            _ => ("invalid pattern: too many `{…}`", "write several patterns"),
        };
        PatternFault::new(message, help, start, 1)
    }
}

/// What is wrong with a regular expression, if anything is.
pub(crate) fn regex_fault(pattern: &str) -> Option<PatternFault> {
    let error = regex::Regex::new(pattern).err()?;
    let fault = match regex_syntax::parse(pattern) {
        Err(regex_syntax::Error::Parse(parsed)) => of_syntax(pattern, parsed.kind(), parsed.span()),
        Err(regex_syntax::Error::Translate(found)) => {
            let (start, length) = place(pattern, found.span());
            let message = "invalid regular expression: this class or flag is not known".to_owned();
            PatternFault::new(message, "write the letters it should match: `[a-z]`", start, length)
        }
        _ if matches!(error, regex::Error::CompiledTooBig(_)) => {
            let help = "use smaller numbers in `{…}`, or several rules";
            PatternFault::new("this regular expression is too large", help, 0, pattern.chars().count())
        }
        _ => PatternFault::new("this is not a regular expression", ESCAPES, 0, pattern.chars().count()),
    };
    Some(fault)
}

const ESCAPES: &str = "write `\\` before a character that is meant as itself";

/// Where a stretch begins, and how long it is, in characters.
fn place(pattern: &str, span: &Span) -> (usize, usize) {
    let count = |from: usize, to: usize| pattern.get(from..to).map_or(0, |text| text.chars().count());
    (count(0, span.start.offset), count(span.start.offset, span.end.offset).max(1))
}

fn of_syntax(pattern: &str, kind: &ErrorKind, span: &Span) -> PatternFault {
    let (start, length) = place(pattern, span);
    let text: String = pattern.chars().skip(start).take(length).collect();
    let (what, help) = match kind {
        ErrorKind::GroupUnclosed => (
            "`(` is never closed".to_owned(),
            "write `)` where the group ends, or `\\(` for the parenthesis itself",
        ),
        ErrorKind::GroupUnopened => {
            ("`)` closes nothing".to_owned(), "remove it, or write `\\)` for the parenthesis itself")
        }
        ErrorKind::ClassUnclosed => {
            ("`[` is never closed".to_owned(), "write `]` after its letters, or `\\[` for the bracket itself")
        }
        ErrorKind::ClassRangeInvalid => {
            (format!("the range `{text}` is backwards"), "write the lower letter first: `a-z`")
        }
        ErrorKind::ClassRangeLiteral | ErrorKind::ClassEscapeInvalid => (
            format!("`{text}` cannot stand in `[…]`"),
            "put a `-` that is meant as itself at the end: `[a-z-]`",
        ),
        ErrorKind::EscapeUnrecognized => (format!("`{text}` means nothing"), "remove the backslash"),
        ErrorKind::EscapeUnexpectedEof => {
            ("nothing follows the last `\\`".to_owned(), "remove it, or write `\\\\` for a backslash")
        }
        ErrorKind::RepetitionMissing => (
            format!("`{text}` repeats nothing"),
            "write `.*` for any text, or `\\*` for the character itself; a name with `*` is a glob and belongs under `command` or `files`",
        ),
        ErrorKind::RepetitionCountInvalid
        | ErrorKind::RepetitionCountDecimalEmpty
        | ErrorKind::RepetitionCountUnclosed
        | ErrorKind::DecimalEmpty
        | ErrorKind::DecimalInvalid => (
            format!("`{text}` is not a number of repetitions"),
            "write `{2}` or `{2,5}`, or `\\{` for the brace itself",
        ),
        ErrorKind::UnsupportedLookAround => (
            format!("look-around `{text}` is not supported"),
            "say what a call must have with `kind: require`, and exclude the rest with `unless`; or use two rules",
        ),
        ErrorKind::UnsupportedBackreference => {
            (format!("the back-reference `{text}` is not supported"), "write the text out once more")
        }
        ErrorKind::FlagUnrecognized | ErrorKind::FlagUnexpectedEof | ErrorKind::FlagDanglingNegation => {
            (format!("`{text}` is not a flag"), "write `(?i)` for any case, or `(?:…)` for a group")
        }
        ErrorKind::UnicodeClassInvalid => (format!("`{text}` is not a class"), "write the letters: `[a-z]`"),
        _ => (format!("`{text}` cannot be read"), ESCAPES),
    };
    PatternFault::new(format!("invalid regular expression: {what}"), help, start, length)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::regex_fault;

    #[test]
    fn the_place_is_the_character_at_fault() {
        for (pattern, at, says) in [
            ("git (commit", (4, 1), "`(` is never closed"),
            ("ä[b", (1, 1), "`[` is never closed"),
            ("a)b", (1, 1), "closes nothing"),
            ("*.pem", (0, 1), "repeats nothing"),
            ("push(?! --dry)", (4, 3), "look-around `(?!`"),
            ("[z-a]", (1, 3), "backwards"),
            ("\\y", (0, 2), "means nothing"),
            ("a{5,2}", (1, 5), "repetitions"),
        ] {
            let fault = regex_fault(pattern).unwrap();
            assert_eq!(fault.at, at, "{pattern}: {}", fault.message);
            assert!(fault.message.contains(says) && !fault.help.is_empty(), "{pattern}: {}", fault.message);
        }
        assert_eq!(regex_fault("^git (commit|push)"), None);
    }
}
