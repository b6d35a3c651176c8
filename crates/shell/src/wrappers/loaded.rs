//! How a program reads a file whose text is known: as shell text, as a program
//! of another language, as settings that name commands.
//!
//! By who reads it first, then by its first line where the file is run by its
//! name. Nothing is opened here; the walker does.

use super::shell::SHELLS;
use super::{Inner, program_text, split};
use crate::programs::base_name;
use crate::reading::{Command, Word};

/// What the text of a file amounts to for `command`; `None` where it is read as
/// shell text.
pub(crate) fn read_file(command: &Command, path: &Word, text: &Word) -> Option<Vec<Inner>> {
    let program = command.program.as_str();
    if is_run(command, path) {
        return by_first_line(command, path, text);
    }
    if SHELLS.contains(&program) || matches!(program, "." | "source") {
        // They do not look at the first line.
        return None;
    }
    super::language_of(program, "").map(|language| program_text(language, text))
}

/// Is it the file itself that is run, not a program that reads it?
fn is_run(command: &Command, path: &Word) -> bool {
    command.words.first().is_some_and(|first| first == path)
}

/// `#!/usr/bin/env -S python3 -u`: who reads the file, and with which words.
fn by_first_line(command: &Command, path: &Word, text: &Word) -> Option<Vec<Inner>> {
    let line = text.text.lines().next()?.strip_prefix("#!")?;
    let mut words = split(line);
    if words.first().is_some_and(|word| base_name(word) == "env") {
        let own = |word: &String| word.starts_with('-') || word.contains('=');
        let at = words.iter().skip(1).position(|word| !own(word)).map_or(words.len(), |at| at + 1);
        words.drain(..at);
    }
    let name = base_name(words.first()?);
    if SHELLS.contains(&name) {
        return None;
    }
    if let Some(language) = super::language_of(name, "") {
        return Some(program_text(language, text));
    }
    let made = |text: String| Word { text: text.into(), exact: true, glob: false, span: path.span };
    let words = words.into_iter().map(made).chain(command.words.iter().cloned());
    Some(vec![Inner::made(words.collect())])
}

/// What a script is given: the words behind it, behind a name nobody asks for.
pub(crate) fn given(command: &Command, path: &Word) -> Vec<Word> {
    let program = command.program.as_str();
    let runs = is_run(command, path) || SHELLS.contains(&program) || matches!(program, "." | "source");
    let at = command.words.iter().position(|word| word == path).filter(|_| runs);
    let behind = at.and_then(|at| command.words.get(at + 1..)).unwrap_or_default();
    if behind.is_empty() {
        return Vec::new();
    }
    let name = Word { text: "$0".into(), exact: false, ..path.clone() };
    std::iter::once(name).chain(behind.iter().cloned()).collect()
}
