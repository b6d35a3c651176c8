//! How a program reads a file whose text is known: as shell text, as a program
//! of another language, as settings that name commands.
//!
//! By who reads it first, then by its first line where the file is run by its
//! name. Nothing is opened here; the walker does.

use super::shell::SHELLS;
use super::{Inner, handed, make, program_text, scripts, sed, settings_file, split, targets};
use crate::programs::base_name;
use crate::reading::{Command, Word};
use smol_str::format_smolstr;

/// What the text of a file amounts to for `command`; `None` where it is read as
/// shell text.
pub(crate) fn read_file(command: &Command, path: &Word, text: &Word) -> Option<Vec<Inner>> {
    let program = command.program.as_str();
    if is_run(command, path) {
        return by_first_line(command, path, text);
    }
    if SHELLS.contains(&program) || matches!(program, "." | "source" | "at" | "batch") {
        // They do not look at the first line.
        return None;
    }
    if base_name(&path.text) == "package.json" {
        return Some(scripts::read(command, text));
    }
    if let Some(found) = settings_file::read(command, text) {
        return Some(found);
    }
    if let Some(part) = targets::reached(command, path, text) {
        return Some(program_text("make", &part));
    }
    match program {
        "sed" | "gsed" => return Some(sed::script(text)),
        "run-parts" => return by_first_line(command, path, text),
        _ => {}
    }
    let language = super::language_of(program, "").or_else(|| by_ending(&path.text))?;
    let text = &handed::fill(language, command, behind(command, path), None, text);
    let mut found = from_folder(program_text(language, text), language, path);
    if !path.exact {
        // What a module computes is for anyone who calls it.
        found.retain(|inner| !matches!(inner, Inner::Opaque { .. }));
    }
    Some(found)
}

/// The folder a command changes to before it reads its files.
pub(crate) fn folder(command: &Command) -> Option<Word> {
    scripts::folder(command).or_else(|| make::folder(command))
}

/// The language of a file that a program of another kind loads.
fn by_ending(path: &str) -> Option<&'static str> {
    let (_, ending) = path.rsplit_once('.')?;
    Some(match ending {
        "py" => "python",
        "js" | "mjs" | "cjs" | "ts" | "tsx" => "node",
        "pl" | "pm" => "perl",
        "rb" => "ruby",
        _ => return None,
    })
}

/// Modules lie next to the program that names them; what `make` includes does not.
fn from_folder(mut found: Vec<Inner>, language: &str, path: &Word) -> Vec<Inner> {
    let Some((folder, _)) = path.text.rsplit_once('/').filter(|_| language != "make") else { return found };
    for inner in &mut found {
        if let Inner::File(file) = inner
            && !file.text.starts_with('/')
        {
            file.text = format_smolstr!("{folder}/{}", file.text);
        }
    }
    found
}

/// The words behind a file.
fn behind<'a>(command: &'a Command, path: &Word) -> &'a [Word] {
    let at = command.words.iter().position(|word| word == path);
    at.and_then(|at| command.words.get(at + 1..)).unwrap_or_default()
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
        let text = &handed::fill(language, command, behind(command, path), None, text);
        return Some(from_folder(program_text(language, text), language, path));
    }
    let made = |text: String| Word { text: text.into(), exact: true, glob: false, span: path.span };
    // `run-parts` gives a script nothing but its name.
    let own = if is_run(command, path) { command.words.clone() } else { vec![path.clone()] };
    Some(vec![Inner::made(words.into_iter().map(made).chain(own).collect())])
}

/// What a script is given: the words behind it, behind a name no one asks for. One
/// that goes through them in a loop ends with none left, which would look like
/// words it never got.
pub(crate) fn given(command: &Command, path: &Word, text: &str) -> Vec<Word> {
    let program = command.program.as_str();
    let runs = is_run(command, path) || SHELLS.contains(&program) || matches!(program, "." | "source");
    let at = command.words.iter().position(|word| word == path).filter(|_| runs);
    let behind = at.and_then(|at| command.words.get(at + 1..)).unwrap_or_default();
    let loops = text.contains("shift") && text.contains("done");
    if behind.is_empty() || loops {
        return Vec::new();
    }
    // One that is sourced keeps the name of the shell around it.
    let named = path.exact && !path.glob && !matches!(program, "." | "source");
    let name =
        Word { text: if named { path.text.clone() } else { "$0".into() }, exact: named, ..path.clone() };
    std::iter::once(name).chain(behind.iter().cloned()).collect()
}
