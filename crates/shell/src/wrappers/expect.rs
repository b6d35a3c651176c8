//! `expect`: programs it starts, and what it types into a shell.

use super::language::literal;
use super::{Inner, STARTED_MAX, arguments};
use crate::reading::{Command, Word};
use crate::stream::Stream;

pub(super) fn open(command: &Command, _: Option<&Stream>) -> Option<Vec<Inner>> {
    // `expect` is Tcl with more words.
    if !matches!(command.program.as_str(), "expect" | "tclsh" | "wish") {
        return None;
    }
    let words = arguments(command);
    let mut found = Vec::new();
    let mut rest = words.iter();
    let mut script = None;
    while let Some(word) = rest.next() {
        match word.text.as_str() {
            "-c" => found.extend(rest.next().map(starts).unwrap_or_default()),
            "-f" | "-b" => script = rest.next(),
            text if text.starts_with("-c") => {
                found.extend(starts(&Word { text: text.get(2..).unwrap_or("").into(), ..word.clone() }));
            }
            text if text.starts_with('-') && text.len() > 1 => {}
            _ => {
                script = script.or(Some(word));
                break;
            }
        }
    }
    match script {
        Some(word) if word.text != "-" => found.push(Inner::File(word.clone())),
        None if !found.is_empty() => {}
        _ => found.push(Inner::Program),
    }
    Some(found)
}

/// The commands a script starts, and what it sends to a shell it started.
pub(super) fn starts(script: &Word) -> Vec<Inner> {
    let mut found = Vec::new();
    let mut in_shell = false;
    let text = |text: &str| Inner::text(Word { text: text.into(), exact: script.exact, ..script.clone() });
    for statement in script.text.split(['\n', ';']) {
        if found.len() > STARTED_MAX {
            break;
        }
        let statement = statement.trim().trim_start_matches(['{', '}', ' ']);
        let Some((verb, rest)) = statement.split_once([' ', '\t']) else { continue };
        let rest = rest.trim();
        match verb {
            "spawn" | "system" | "exec" => {
                let run = rest.trim_start_matches("-noecho ").trim_start_matches("-ignore HUP ");
                let program = run.split_ascii_whitespace().next().unwrap_or("");
                in_shell |= super::shell::SHELLS.contains(&crate::programs::base_name(program));
                found.push(text(run));
            }
            "send" | "exp_send" if in_shell => {
                let rest = rest.trim_start_matches("-- ");
                let sent = literal(rest).map_or_else(|| rest.to_string(), |(sent, _)| sent);
                found.push(text(sent.trim_end_matches('r').trim_end_matches('\\').trim_end()));
            }
            _ => {}
        }
    }
    found
}
