//! Text of agents and files on a page: what is spelled out of it is in an
//! element of its own, so that `\u{1b}` and what is only written like it look
//! and are different.
//!
//! The only text that goes into a page without being escaped there: it is
//! escaped here, piece by piece.

use askama::filters::{Escaper, Html, HtmlSafe};
use std::fmt::{self, Write};
use std::ops::Range;
use toolgate_core::{Piece, line_pieces, pieces};

/// What a page shows of a text, as HTML.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shown(String);

impl HtmlSafe for Shown {}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Shown {
    /// All of it, line breaks kept.
    pub(crate) fn all(text: &str) -> Shown {
        Shown::of(&pieces(text))
    }

    /// In one line of at most `max` characters.
    pub(crate) fn line(text: &str, max: usize) -> Shown {
        Shown::of(&line_pieces(text, max))
    }

    /// All of it, with what the rules found in it marked.
    pub(crate) fn marked(text: &str, marks: &[Range<usize>]) -> Shown {
        let mut html = String::new();
        let mut at = 0;
        for mark in marks {
            let (Some(before), Some(found)) = (text.get(at..mark.start), text.get(mark.clone())) else {
                continue;
            };
            html.push_str(&Shown::all(before).0);
            html.push_str("<mark class=\"found\">");
            html.push_str(&Shown::all(found).0);
            html.push_str("</mark>");
            at = mark.end;
        }
        html.push_str(&Shown::all(text.get(at..).unwrap_or_default()).0);
        Shown(html)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn of(pieces: &[Piece]) -> Shown {
        let mut html = String::new();
        for piece in pieces.iter().filter(|piece| !piece.text.is_empty()) {
            let (open, close) = if piece.spelled { ("<mark>", "</mark>") } else { ("", "") };
            html.push_str(open);
            // Writing to a string cannot fail; what could not be written is not shown.
            if Html.write_escaped_str(&mut html, &piece.text).is_err() {
                let _ = html.write_str("?");
            }
            html.push_str(close);
        }
        Shown(html)
    }
}

#[cfg(test)]
mod tests {
    use super::Shown;
    use std::ops::Range;

    #[test]
    fn what_is_spelled_out_is_marked_and_the_same_letters_are_not() {
        for (text, shown) in [
            ("a\u{1b}b", "a<mark>\\u{1b}</mark>b"),
            ("a\\u{1b}b", "a\\u{1b}b"),
            ("\u{1b}\u{202e}", "<mark>\\u{1b}\\u{202e}</mark>"),
            ("<mark>x</mark>\n&", "&#60;mark&#62;x&#60;/mark&#62;\n&#38;"),
            ("", ""),
        ] {
            assert_eq!(Shown::all(text).to_string(), shown);
        }
        assert!(Shown::all("").is_empty());
    }

    #[test]
    fn what_rules_found_is_marked_and_everything_stays_escaped() {
        let found = |text: &str| format!("<mark class=\"found\">{text}</mark>");
        for (text, marks, shown) in [
            ("a <b> c", vec![(2, 5)], format!("a {} c", found("&#60;b&#62;"))),
            ("a\u{1b}b", vec![(0, 2)], format!("{}b", found("a<mark>\\u{1b}</mark>"))),
            ("ab", vec![(0, 1), (1, 2)], format!("{}{}", found("a"), found("b"))),
            ("</mark>é", vec![(0, 99), (8, 9)], "&#60;/mark&#62;é".to_owned()),
            ("x", vec![], "x".to_owned()),
        ] {
            let marks: Vec<Range<usize>> = marks.into_iter().map(|(start, end)| start..end).collect();
            assert_eq!(Shown::marked(text, &marks).to_string(), shown);
        }
    }

    #[test]
    fn a_line_is_cut_after_so_many_characters() {
        for (text, max, shown) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("a\nb", 3, "a<mark>⏎</mark>b"),
            ("a⏎b", 3, "a⏎b"),
            ("ab\u{1b}", 4, "ab<mark>\\</mark>…"),
        ] {
            assert_eq!(Shown::line(text, max).to_string(), shown, "{text:?}");
        }
    }
}
