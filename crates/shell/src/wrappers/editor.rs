//! `ed` and its like, `dc` and `ftp`: a line of their input that begins with `!`,
//! or that reads from or writes to one, is given to a shell.

use super::{Inner, STARTED_MAX};
use crate::reading::{Command, Word};
use crate::stream::Stream;

pub(super) fn open(command: &Command, stdin: Option<&Stream>) -> Option<Vec<Inner>> {
    if !matches!(command.program.as_str(), "ed" | "ex" | "dc" | "ftp" | "lftp" | "sftp") {
        return None;
    }
    let known = stdin.and_then(|stream| stream.text.as_deref()).unwrap_or_default();
    // `dc -e '!x'`, `lftp -c '!x'`
    let orders = |word: &Word| matches!(word.text.as_str(), "-e" | "-c");
    let given = command.words.windows(2).filter_map(|pair| match pair {
        [option, text] if orders(option) => Some(text.text.as_str()),
        [option, _] => option.text.strip_prefix("--expression="),
        _ => None,
    });
    let given: Vec<&str> = given.collect();
    let last = command.words.last().and_then(|word| word.text.strip_prefix("--expression="));
    let run = |line: &str| {
        let (front, line) = line.split_once('!')?;
        // An address and perhaps `r` or `w` in front, nothing else.
        let reads = |found: char| found.is_ascii_digit() || ",.$% rw".contains(found);
        let word = Word { text: line.into(), exact: true, glob: false, span: command.span };
        front.chars().all(reads).then(|| Inner::text(word))
    };
    let lines = given.into_iter().chain(last).chain([known]).flat_map(str::lines);
    Some(lines.filter_map(run).take(STARTED_MAX + 1).collect())
}
