//! Text of agents and files as people are shown it: nothing hides in it, and
//! nothing in it moves what stands around it.

/// Control characters made visible, so that shown text cannot hide or fake
/// anything; line breaks kept.
#[must_use]
pub fn visible(text: &str) -> String {
    text.chars()
        .flat_map(|c| if c == '\n' || !is_hidden(c) { vec![c] } else { c.escape_unicode().collect() })
        .collect()
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
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{ad}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}
