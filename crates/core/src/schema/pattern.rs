//! Patterns of a schema are ECMA-262 regular expressions; here they become ones that match in linear time.
//!
//! Where the two dialects read the same text differently, the text is
//! translated; what has no counterpart (look-around, back-references) is refused.

use regex::{Regex, RegexBuilder};

/// A compiled pattern may take this many bytes: schemas come from repositories.
const SIZE_MAX: usize = 1 << 20;

pub(super) fn compile(pattern: &str) -> Result<Regex, String> {
    let why = |error: regex::Error| match error {
        regex::Error::CompiledTooBig(_) => format!("pattern `{pattern}` is too large"),
        other => {
            let text = other.to_string();
            let last = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            format!("pattern `{pattern}` is not a supported regular expression: {last}")
        }
    };
    RegexBuilder::new(&translated(pattern)?).size_limit(SIZE_MAX).build().map_err(why)
}

fn translated(pattern: &str) -> Result<String, String> {
    let mut text = String::with_capacity(pattern.len() + 8);
    let mut in_class = false;
    let refused = |what: &str| Err(format!("pattern `{pattern}` {what}"));
    for (text, what) in [
        ("[]", "has an empty character class"),
        ("[^]", "has an empty character class; write `[\\s\\S]`"),
        ("\\B", "has `\\B`, which is not supported"),
    ] {
        if pattern.contains(text) {
            return refused(what);
        }
    }
    let mut rest = pattern.chars().peekable();
    while let Some(next) = rest.next() {
        match (next, in_class) {
            ('\\', _) => escape(rest.next(), in_class, &mut text),
            ('[', false) => {
                in_class = true;
                text.push('[');
            }
            (']', true) => {
                in_class = false;
                text.push(']');
            }
            // In a class of ours these begin nested classes and set operations.
            ('[' | '&' | '~', true) => text.extend(['\\', next]),
            ('-', true) if rest.peek() == Some(&'-') => {
                return refused("has `--` in a character class; write `\\-`");
            }
            // `.` stops at every line end of JavaScript, not only at `\n`.
            ('.', false) => text.push_str(r"[^\n\r\u{2028}\u{2029}]"),
            (other, _) => text.push(other),
        }
    }
    Ok(text)
}

fn escape(escaped: Option<char>, in_class: bool, text: &mut String) {
    match escaped {
        // Of ASCII there, of Unicode here.
        Some('d') => text.push_str("[0-9]"),
        Some('D') => text.push_str("[^0-9]"),
        Some('w') => text.push_str("[0-9A-Za-z_]"),
        Some('W') => text.push_str("[^0-9A-Za-z_]"),
        Some('s') => text.push_str(r"[\s\u{feff}--\u{85}]"),
        Some('S') => text.push_str(r"[^\s\u{feff}--\u{85}]"),
        Some('b') if in_class => text.push_str(r"\x08"),
        Some('b') => text.push_str(r"(?-u:\b)"),
        // A word boundary of ASCII also holds between the bytes of one character.
        Some(other) => text.extend(['\\', other]),
        None => text.push('\\'),
    }
}
