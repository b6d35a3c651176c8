//! `m4`: `syscmd` and its kin give their argument to a shell.

use super::{Inner, STARTED_MAX, arguments};
use crate::reading::{Command, Word};
use crate::stream::Stream;

pub(super) fn open(command: &Command, _: Option<&Stream>) -> Option<Vec<Inner>> {
    if !matches!(command.program.as_str(), "m4" | "gm4") {
        return None;
    }
    let is_file = |word: &&Word| !word.text.starts_with('-') && !word.text.contains('=');
    let files: Vec<Inner> = arguments(command).iter().filter(is_file).cloned().map(Inner::File).collect();
    Some(if files.is_empty() { vec![Inner::Program] } else { files })
}

/// What a text of `m4` gives to a shell.
pub(super) fn starts(text: &Word) -> Vec<Inner> {
    // `esyscmd(` ends like it.
    let behind = text.text.split("syscmd(").skip(1);
    let run = |argument: &str| {
        let inside = argument.split(')').next().unwrap_or(argument);
        let line = inside.trim().trim_start_matches(['`', '[']).trim_end_matches(['\'', ']', '`']);
        Inner::text(Word { text: line.into(), exact: true, ..text.clone() })
    };
    behind.take(STARTED_MAX + 1).map(run).collect()
}
