//! The words and signs of an expression, with their places.

use super::ExpressionFault;

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// A keyword or a field.
    Word,
    /// A quoted text, without its quotes.
    Text(String),
    Number(f64),
    /// `==`, `(`, `,` …
    Sign,
}

/// One word or sign.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// Longest first.
const SIGNS: [&str; 18] =
    ["==", "!=", "<>", "<=", ">=", "=~", "!~", "&&", "||", "(", ")", "[", "]", ",", "<", ">", "!", "="];

/// The tokens of a text.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, ExpressionFault> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or_default();
        let (kind, length) = match first {
            _ if first.is_whitespace() => {
                at += first.len_utf8();
                continue;
            }
            '\'' | '"' => quoted(rest, first).ok_or_else(|| not_closed(at, text.len(), first))?,
            _ if first.is_ascii_digit() => number(rest).ok_or_else(|| no_number(at, rest))?,
            _ if first.is_ascii_alphabetic() || first == '_' => (Kind::Word, run(rest, is_of_word)),
            _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => (Kind::Sign, sign.len()),
                None => return Err(unknown_sign(at, first)),
            },
        };
        found.push(Token { kind, start: at, end: at + length });
        at += length;
    }
    Ok(found)
}

fn is_of_word(found: char) -> bool {
    found.is_ascii_alphanumeric() || found == '_' || found == '.'
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|found: char| !belongs(found)).unwrap_or(text.len())
}

/// A text up to its closing quote. Only the quote itself is escaped, so that
/// patterns keep their backslashes.
fn quoted(text: &str, quote: char) -> Option<(Kind, usize)> {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, found)) = chars.next() {
        if found == quote {
            return Some((Kind::Text(value), at + 1));
        }
        match chars.peek() {
            Some((_, next)) if found == '\\' && *next == quote => {
                value.push(quote);
                chars.next();
            }
            _ => value.push(found),
        }
    }
    None
}

fn number(text: &str) -> Option<(Kind, usize)> {
    let length = run(text, is_of_word);
    let digits = text.get(..length)?.replace('_', "");
    let plain = digits.chars().all(|found| found.is_ascii_digit() || found == '.');
    let value = digits.parse::<f64>().ok().filter(|value| plain && value.is_finite())?;
    Some((Kind::Number(value), length))
}

fn not_closed(start: usize, end: usize, quote: char) -> ExpressionFault {
    let message = "the text is never closed".to_owned();
    ExpressionFault { start, end, message, cure: format!("add a closing `{quote}`") }
}

fn no_number(start: usize, rest: &str) -> ExpressionFault {
    let end = start + run(rest, is_of_word);
    let message = "this is not a number".to_owned();
    ExpressionFault {
        start,
        end,
        message,
        cure: "write a number such as 100 or 0.9; put text in quotes".to_owned(),
    }
}

fn unknown_sign(start: usize, found: char) -> ExpressionFault {
    let cure = match found {
        '‘' | '’' | '“' | '”' | '`' => "use plain quotes: 'text'",
        '&' => "write `AND`",
        '|' => "write `OR`",
        _ => "expected a field, 'text', a number, AND, OR, NOT, a parenthesis or a comparison",
    };
    let message = format!("unexpected `{found}`");
    ExpressionFault { start, end: start + found.len_utf8(), message, cure: cure.to_owned() }
}
