//! One line per command, the same for every spelling of it.

use crate::programs;
use crate::reading::{Command, Word};

impl Command {
    /// The command in one line: base name of the program, long option names
    /// where they are known, free text elided as `'…'`.
    #[must_use]
    pub fn normal(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        let name = match self.words.first() {
            Some(first) if self.program.is_empty() => first.text.clone(),
            _ => self.program.clone(),
        };
        parts.push(spelled(&name));
        let before = programs::flags_before_sub(self);
        for (at, flag) in self.usage.flags.iter().enumerate() {
            if at == before {
                parts.extend(self.usage.subcommand.iter().map(|word| spelled(word)));
            }
            let attached = flag.name.starts_with("--") && !programs::takes_next(self, &flag.name);
            let name = flat(&flag.name);
            match (&flag.value, flag.data) {
                (None, _) => parts.push(quote(&name)),
                (Some(_), true) => parts.push(format!("{name} '…'")),
                (Some(value), false) if attached => parts.push(format!("{name}={}", shown(value))),
                (Some(value), false) => parts.push(format!("{name} {}", shown(value))),
            }
        }
        if self.usage.flags.len() <= before {
            parts.extend(self.usage.subcommand.iter().map(|word| spelled(word)));
        }
        let dashed = self.usage.operands.iter().any(|word| word.text.len() > 1 && word.text.starts_with('-'));
        if dashed && !programs::is_wrapper(self) {
            parts.push("--".to_string());
        }
        for (at, word) in self.usage.operands.iter().enumerate() {
            let plain = shown(word);
            let elided = programs::is_text(self, at) && plain != word.text;
            parts.push(if elided { "'…'".to_string() } else { plain });
        }
        parts.join(" ")
    }
}

fn shown(word: &Word) -> String {
    let text = flat(&word.text);
    match (word.exact && !word.glob, text.contains([' ', '"'])) {
        (true, _) => quote(&text),
        (false, true) => format!("\"{}\"", text.replace('"', "\\\"")),
        (false, false) => text,
    }
}

fn spelled(text: &str) -> String {
    quote(&flat(text))
}

/// Line ends would break the promise of one line.
fn flat(text: &str) -> String {
    text.chars().map(|found| if found.is_control() { ' ' } else { found }).collect()
}

/// `text` quoted so that a shell reads it as this one word.
pub(crate) fn quote(text: &str) -> String {
    let plain = |found: char| found.is_alphanumeric() || "_-./:=@%+,~^".contains(found);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_string();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
