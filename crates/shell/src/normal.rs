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
        parts.extend(self.usage.subcommand.iter().map(|word| spelled(word)));
        for flag in &self.usage.flags {
            let attached = flag.name.starts_with("--") && !programs::takes_next(self, &flag.name);
            match (&flag.value, flag.data) {
                (None, _) => parts.push(spelled(&flag.name)),
                (Some(_), true) => parts.push(format!("{} '…'", flag.name)),
                (Some(value), false) if attached => parts.push(format!("{}={}", flag.name, shown(value))),
                (Some(value), false) => parts.push(format!("{} {}", flag.name, shown(value))),
            }
        }
        if self.usage.operands.iter().any(|word| word.text.len() > 1 && word.text.starts_with('-')) {
            parts.push("--".to_string());
        }
        parts.extend(self.usage.operands.iter().map(shown));
        parts.join(" ")
    }
}

fn shown(word: &Word) -> String {
    if word.exact && !word.glob { spelled(&word.text) } else { flat(&word.text) }
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
