//! `ed` and its like: a line of their input that begins with `!`, or that reads
//! from or writes to one, is given to a shell.

use super::Inner;
use crate::reading::{Command, Word};
use crate::stream::Stream;

/// Lines that are looked at.
const LINES_MAX: usize = 64;

pub(super) fn open(command: &Command, stdin: Option<&Stream>) -> Option<Vec<Inner>> {
    if !matches!(command.program.as_str(), "ed" | "ex") {
        return None;
    }
    let text = stdin.and_then(|stream| stream.text.as_deref()).unwrap_or_default();
    let run = |line: &str| {
        let (front, line) = line.split_once('!')?;
        // An address and perhaps `r` or `w` in front, nothing else.
        let reads = |found: char| found.is_ascii_digit() || ",.$% rw".contains(found);
        let word = Word { text: line.into(), exact: true, glob: false, span: command.span };
        front.chars().all(reads).then(|| Inner::text(word))
    };
    Some(text.lines().take(LINES_MAX).filter_map(run).collect())
}
