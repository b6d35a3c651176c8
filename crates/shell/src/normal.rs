//! One line per command, the same for every spelling of it.

use crate::programs;
use crate::reading::{Command, Flag, Word};
use std::borrow::Cow;

impl Command {
    /// The command in one line: base name of the program, long option names
    /// where they are known, free text elided as `'…'`.
    #[must_use]
    pub fn normal(&self) -> String {
        let mut line = String::new();
        self.add_normal(&mut line);
        line
    }

    /// Adds that line to a text.
    pub fn add_normal(&self, line: &mut String) {
        match self.words.first() {
            Some(first) if self.program.is_empty() => add(line, &first.text),
            _ => add(line, &self.program),
        }
        for (at, flag) in self.usage.flags.iter().enumerate() {
            if at == self.usage.before_sub {
                self.add_subcommand(line);
            }
            add_flag(line, flag);
        }
        if self.usage.flags.len() <= self.usage.before_sub {
            self.add_subcommand(line);
        }
        let dashed = self.usage.operands.iter().any(|word| word.text.len() > 1 && word.text.starts_with('-'));
        if dashed && !programs::is_wrapper(self) {
            line.push_str(" --");
        }
        for (at, word) in self.usage.operands.iter().enumerate() {
            if is_plain(&word.text) {
                line.push(' ');
                line.push_str(&word.text);
                continue;
            }
            let plain = shown(word);
            let elided = *plain != *word.text && programs::is_text(self, at);
            line.push(' ');
            line.push_str(if elided { "'…'" } else { &plain });
        }
    }

    fn add_subcommand(&self, line: &mut String) {
        for word in &self.usage.subcommand {
            line.push(' ');
            add(line, word);
        }
    }
}

fn add(line: &mut String, text: &str) {
    if is_plain(text) {
        line.push_str(text);
    } else {
        line.push_str(&quote(&flat(text)));
    }
}

/// Does it stand for itself wherever it is? Most words do.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_plain_byte)
}

/// Asked of every byte of every word: a look into a table is the quickest answer.
static PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < plain.len() {
        #[allow(clippy::cast_possible_truncation, clippy::indexing_slicing)] // by the compiler, below 256
        {
            plain[byte] = (byte as u8).is_ascii_alphanumeric()
                || matches!(
                    byte as u8,
                    b'_' | b'-' | b'.' | b'/' | b':' | b'=' | b'@' | b'%' | b'+' | b',' | b'~' | b'^'
                );
        }
        byte += 1;
    }
    plain
};

fn is_plain_byte(byte: u8) -> bool {
    PLAIN.get(usize::from(byte)).copied().unwrap_or(false)
}

fn add_flag(line: &mut String, flag: &Flag) {
    line.push(' ');
    let Some(value) = &flag.value else {
        return add(line, &flag.name);
    };
    line.push_str(&flat(&flag.name));
    let attached = !flag.separate_value && !flag.data && flag.name.starts_with("--");
    line.push(if attached { '=' } else { ' ' });
    match flag.data {
        true => line.push_str("'…'"),
        false if is_plain(&value.text) => line.push_str(&value.text),
        false => line.push_str(&shown(value)),
    }
}

fn shown(word: &Word) -> Cow<'_, str> {
    let text = flat(&word.text);
    if word.exact && !word.glob {
        return match quote(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(quoted) => Cow::Owned(quoted),
        };
    }
    if text.contains([' ', '"']) { format!("\"{}\"", text.replace('"', "\\\"")).into() } else { text }
}

/// Line ends would break the promise of one line.
fn flat(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| (b' '..0x7f).contains(&byte);
    if text.bytes().all(is_plain) || !text.contains(char::is_control) {
        return text.into();
    }
    text.chars().map(|found| if found.is_control() { ' ' } else { found }).collect()
}

/// `text` quoted so that a shell reads it as this one word.
pub(crate) fn quote(text: &str) -> Cow<'_, str> {
    let is_letter = |found: char| !found.is_ascii() && found.is_alphanumeric();
    let plain = || text.chars().all(|found| u8::try_from(found).is_ok_and(is_plain_byte) || is_letter(found));
    if is_plain(text) || !text.is_empty() && !text.is_ascii() && plain() {
        return text.into();
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    for (at, piece) in text.split('\'').enumerate() {
        quoted.push_str(if at > 0 { r"'\''" } else { "" });
        quoted.push_str(piece);
    }
    quoted.push('\'');
    quoted.into()
}
