//! `make`: the recipes of a makefile that this same text gives it.

use super::{Inner, STARTED_MAX, arguments, names_command};
use crate::reading::{Command, Word};
use crate::stream::Stream;

const NAMES_MAX: usize = 32;

pub(super) fn open(command: &Command, _: Option<&Stream>) -> Option<Vec<Inner>> {
    if !matches!(command.program.as_str(), "make" | "gmake") {
        return None;
    }
    let words = arguments(command);
    let looks = words.iter().any(|word| {
        let letters = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or("");
        matches!(word.text.as_str(), "--dry-run" | "--just-print" | "--recon")
            || letters.bytes().all(|byte| byte.is_ascii_lowercase()) && letters.contains('n')
    });
    if looks {
        return Some(Vec::new());
    }
    let mut found = Vec::new();
    let folder = folder(command);
    let mut named = false;
    for (at, word) in words.iter().enumerate() {
        let text = word.text.as_str();
        let next = || words.get(at + 1).cloned();
        let attached = |head: &str| {
            let rest = text.strip_prefix(head).filter(|rest| !rest.is_empty())?;
            Some(Word { text: rest.into(), ..word.clone() })
        };
        let file = match text {
            "-f" | "--file" | "--makefile" => next(),
            _ if text.starts_with("--") => attached("--file=").or_else(|| attached("--makefile=")),
            _ => attached("-f"),
        };
        if let Some(file) = file {
            named = true;
            found.push(if file.text == "-" || file.text == "/dev/stdin" {
                Inner::Program
            } else {
                Inner::File(inside(folder.as_ref(), file))
            });
        }
        // `SHELL=x` runs every recipe, `CC=x` what they call so.
        if let Some((_, value)) =
            text.split_once('=').filter(|(name, _)| *name == "SHELL" || names_command(name))
        {
            found.push(Inner::text(Word { text: value.into(), ..word.clone() }));
        }
        // Any other value may hold calls, which run where it is used.
        let value = if text.starts_with('-') { "" } else { text };
        found.extend(shell_calls(value).map(|run| Inner::text(Word { text: run.into(), ..word.clone() })));
        let eval = match text {
            "--eval" | "-E" => next(),
            _ => attached("--eval=").or_else(|| attached("-E")),
        };
        found.extend(eval.map(|text| recipes(&text)).unwrap_or_default());
    }
    found.extend(by_variable(command));
    if !named {
        let span = command.span;
        let usual = |name: &str| {
            // One in another folder may be that of the project.
            let exact = folder.is_none();
            Inner::File(inside(folder.as_ref(), Word { text: name.into(), exact, glob: false, span }))
        };
        found.extend(["GNUmakefile", "makefile", "Makefile"].map(usual));
    }
    Some(found)
}

/// `MAKEFLAGS=--eval=x make`.
fn by_variable(command: &Command) -> Vec<Inner> {
    let flags =
        command.assignments.iter().filter(|one| matches!(one.name.as_str(), "MAKEFLAGS" | "GNUMAKEFLAGS"));
    let texts = flags.filter_map(|one| {
        let (_, text) = one.value.text.split_once("--eval")?;
        Some(Word { text: text.trim_start_matches(['=', ' ']).into(), ..one.value.clone() })
    });
    texts.flat_map(|text| recipes(&text)).collect()
}

/// The folder of `make -C x`.
pub(super) fn folder(command: &Command) -> Option<Word> {
    if !matches!(command.program.as_str(), "make" | "gmake") {
        return None;
    }
    let words = arguments(command);
    let mut folder: Option<Word> = None;
    for (at, word) in words.iter().enumerate() {
        let text = word.text.as_str();
        let attached = text.strip_prefix("--directory=").or_else(|| text.strip_prefix("-C"));
        let next = match text {
            "-C" | "--directory" => words.get(at + 1).cloned(),
            _ => attached.map(|text| Word { text: text.into(), ..word.clone() }),
        };
        if let Some(next) = next {
            folder = Some(inside(folder.as_ref(), next));
        }
    }
    folder
}

fn inside(folder: Option<&Word>, file: Word) -> Word {
    match folder {
        Some(folder) => Word {
            text: crate::walk::join_path(&folder.text, &file.text),
            exact: folder.exact && file.exact,
            ..file
        },
        None => file,
    }
}

/// `include a.mk b.mk` and its kin.
fn included(line: &str) -> impl Iterator<Item = &str> {
    let heads = ["include ", "-include ", "sinclude "];
    heads
        .iter()
        .find_map(|head| line.trim_start_matches(' ').strip_prefix(head))
        .unwrap_or("")
        .split_whitespace()
}

/// The lines of a makefile that a shell runs.
pub(super) fn recipes(file: &Word) -> Vec<Inner> {
    let mut known: Vec<(String, String)> = Vec::new();
    let mut found = Vec::new();
    let text = file.text.replace("\\\n", " ");
    for line in text.lines() {
        if found.len() > STARTED_MAX {
            break;
        }
        found.extend(
            shell_calls(line).map(|run| {
                Inner::text(Word { text: filled(run, &known).into(), exact: true, ..file.clone() })
            }),
        );
        found.extend(included(line).take(NAMES_MAX).map(|name| {
            Inner::File(Word { text: filled(name, &known).into(), exact: false, ..file.clone() })
        }));
        let run = match line.strip_prefix('\t') {
            Some(recipe) => Some(recipe),
            None => {
                if let Some((name, value)) = assignment(line).filter(|_| known.len() < NAMES_MAX) {
                    known.push((name, value));
                    continue;
                }
                line.split_once(':').and_then(|(_, rest)| rest.split_once(';')).map(|(_, recipe)| recipe)
            }
        };
        let Some(run) = run else { continue };
        let run = run.trim_start_matches([' ', '\t', '@', '-', '+']);
        found.push(Inner::text(Word { text: filled(run, &known).into(), exact: true, ..file.clone() }));
    }
    found
}

/// The text of each `$(shell …)` in a line, which runs when the file is read.
fn shell_calls(line: &str) -> impl Iterator<Item = &str> {
    line.split("$(shell ").skip(1).map(|behind| {
        let mut open = 0usize;
        let end = behind.bytes().position(|byte| {
            open += usize::from(byte == b'(');
            let closes = byte == b')' && open == 0;
            open -= usize::from(byte == b')' && open > 0);
            closes
        });
        behind.get(..end.unwrap_or(behind.len())).unwrap_or(behind)
    })
}

/// `NAME = value`, `NAME := value`, `NAME ?= value`.
fn assignment(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+', ' ']).trim();
    let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    plain.then(|| (name.to_string(), value.trim().to_string()))
}

/// A recipe as the shell sees it: variables of the makefile in place, `$$` a `$`.
fn filled(recipe: &str, known: &[(String, String)]) -> String {
    let mut text = recipe.to_string();
    for (name, value) in known {
        text = text.replace(&format!("$({name})"), value).replace(&format!("${{{name}}}"), value);
        if text.len() > 16 << 10 {
            break;
        }
    }
    text.replace("$$", "$")
}
