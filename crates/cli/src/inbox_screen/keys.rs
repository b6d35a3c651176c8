//! What a terminal sends for a key, and which key that is.

/// One key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A letter, digit or sign.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Backspace.
    Backspace,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the beginning.
    Home,
    /// To the end.
    End,
    /// Ctrl-U: empties the line.
    Clear,
    /// Ctrl-C or Ctrl-D: ends the program.
    Interrupt,
}

impl Key {
    /// Whether it only moves the cursor or the page.
    pub fn is_movement(self) -> bool {
        matches!(
            self,
            Key::Up
                | Key::Down
                | Key::PageUp
                | Key::PageDown
                | Key::Home
                | Key::End
                | Key::Char('j' | 'k' | ' ' | 'b')
        )
    }
}

/// The keys in what was read at once. Unknown sequences are left out: they must never be taken for
/// the letters they end in.
pub fn keys(bytes: &[u8]) -> Vec<Key> {
    let text = String::from_utf8_lossy(bytes);
    let mut chars = text.chars().peekable();
    let mut found = Vec::new();
    while let Some(c) = chars.next() {
        let key = match c {
            '\r' | '\n' => Some(Key::Enter),
            '\u{3}' | '\u{4}' => Some(Key::Interrupt),
            '\u{8}' | '\u{7f}' => Some(Key::Backspace),
            '\u{15}' => Some(Key::Clear),
            '\u{1b}' => match chars.peek() {
                Some('[' | 'O') => {
                    chars.next();
                    sequence(&mut chars)
                }
                // Alt and a letter is no letter.
                Some(_) => {
                    chars.next();
                    None
                }
                None => Some(Key::Escape),
            },
            c if c.is_control() || c == char::REPLACEMENT_CHARACTER => None,
            c => Some(Key::Char(c)),
        };
        found.extend(key);
    }
    found
}

/// What follows `ESC [`: parameters, and a last byte that ends it.
fn sequence(chars: &mut impl Iterator<Item = char>) -> Option<Key> {
    let mut parameters = String::new();
    let last = loop {
        match chars.next()? {
            c @ '\u{40}'..='\u{7e}' => break c,
            c => parameters.push(c),
        }
    };
    match (last, parameters.as_str()) {
        ('A', "") => Some(Key::Up),
        ('B', "") => Some(Key::Down),
        ('H', "") | ('~', "1" | "7") => Some(Key::Home),
        ('F', "") | ('~', "4" | "8") => Some(Key::End),
        ('~', "5") => Some(Key::PageUp),
        ('~', "6") => Some(Key::PageDown),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, keys};

    #[test]
    fn keys_are_told_from_what_the_terminal_sends() {
        let check = |sent: &str, expected: &[Key]| assert_eq!(keys(sent.as_bytes()), expected, "{sent:?}");
        check("jé", &[Key::Char('j'), Key::Char('é')]);
        check("\r\u{7f}\u{3}\u{15}", &[Key::Enter, Key::Backspace, Key::Interrupt, Key::Clear]);
        check("\u{1b}", &[Key::Escape]);
        check("\u{1b}[A\u{1b}OB\u{1b}[5~\u{1b}[6~", &[Key::Up, Key::Down, Key::PageUp, Key::PageDown]);
        check("\u{1b}[H\u{1b}[4~", &[Key::Home, Key::End]);
        check("\u{1b}y\u{1b}[1;5y\u{1b}[200~", &[]);
        check("\u{1b}[1;", &[]);
        assert_eq!(keys(b"\xff\x01y"), [Key::Char('y')]);
    }
}
