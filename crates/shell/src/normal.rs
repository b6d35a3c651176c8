//! One line per command, the same for every spelling of it.

use crate::programs;
use crate::reading::{Command, Flag, Word};
use std::borrow::Cow;

impl Command {
    /// The command in one line: base name of the program, long option names
    /// where they are known, free text elided as `'…'`.
    #[must_use]
    pub fn normal(&self) -> String {
        let mut line = String::with_capacity(64);
        match self.words.first() {
            Some(first) if self.program.is_empty() => add(&mut line, &first.text),
            _ => add(&mut line, &self.program),
        }
        for (at, flag) in self.usage.flags.iter().enumerate() {
            if at == self.usage.before_sub {
                self.add_subcommand(&mut line);
            }
            add_flag(&mut line, flag);
        }
        if self.usage.flags.len() <= self.usage.before_sub {
            self.add_subcommand(&mut line);
        }
        let dashed = self.usage.operands.iter().any(|word| word.text.len() > 1 && word.text.starts_with('-'));
        if dashed && !programs::is_wrapper(self) {
            line.push_str(" --");
        }
        for (at, word) in self.usage.operands.iter().enumerate() {
            let plain = shown(word);
            let elided = plain != word.text && programs::is_text(self, at);
            line.push(' ');
            line.push_str(if elided { "'…'" } else { &plain });
        }
        line
    }

    fn add_subcommand(&self, line: &mut String) {
        for word in &self.usage.subcommand {
            line.push(' ');
            add(line, word);
        }
    }
}

fn add(line: &mut String, text: &str) {
    line.push_str(&quote(&flat(text)));
}

fn add_flag(line: &mut String, flag: &Flag) {
    line.push(' ');
    let name = flat(&flag.name);
    let Some(value) = &flag.value else {
        line.push_str(&quote(&name));
        return;
    };
    line.push_str(&name);
    let attached = !flag.apart && !flag.data && flag.name.starts_with("--");
    line.push(if attached { '=' } else { ' ' });
    line.push_str(if flag.data { Cow::from("'…'") } else { shown(value) }.as_ref());
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
    let is_plain = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'_' | b'-' | b'.' | b'/' | b':' | b'=' | b'@' | b'%' | b'+' | b',' | b'~' | b'^'
            )
    };
    let is_letter = |found: char| !found.is_ascii() && found.is_alphanumeric();
    let plain = text.bytes().all(is_plain)
        || text.chars().all(|found| u8::try_from(found).is_ok_and(is_plain) || is_letter(found));
    if !text.is_empty() && plain {
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
