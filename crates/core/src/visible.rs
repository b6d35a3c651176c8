//! Text of agents and files as people are shown it: nothing hides in it, and
//! nothing in it moves what stands around it.

/// Control characters made visible, so that shown text cannot hide or fake
/// anything; line breaks kept.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        // What follows a picture only says how it is drawn.
        let drawn = c == '\u{fe0f}' && !before.is_ascii() && !before.is_alphanumeric();
        if c == '\n' || drawn || !is_hidden(c) {
            shown.push(c);
        } else {
            shown.extend(c.escape_unicode());
        }
        before = c;
    }
    shown
}

/// The same in one line of at most `max` characters.
#[must_use]
pub fn one_line(text: &str, max: usize) -> String {
    let flat: String = visible(text).replace('\n', "⏎");
    if flat.chars().count() <= max {
        flat
    } else {
        flat.chars().take(max.saturating_sub(1)).chain(['…']).collect()
    }
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        // Every blank but the usual one: they look alike and part no words, or lines where none should be.
        || c.is_whitespace() && c != ' '
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn nothing_hides() {
        for code in [
            0x1b, 0x7f, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180e, 0x2000, 0x2003, 0x200b,
            0x2028, 0x2029, 0x202e, 0x202f, 0x205f, 0x206a, 0x2800, 0x3000, 0x3164, 0xfe00, 0xfe0f, 0xffa0,
            0xfff9, 0x1d173, 0xe0100,
        ] {
            let hidden = char::from_u32(code).unwrap();
            assert_eq!(visible(&format!("a{hidden}b")), format!("a\\u{{{code:x}}}b"));
        }
        assert_eq!(visible("a b\nc ⚠\u{fe0f} é 漢"), "a b\nc ⚠\u{fe0f} é 漢");
    }
}
