//! Programs that start other commands: which words, which text.
//!
//! Each family is one file with a function from the command to what it
//! starts. Nothing here walks or lists; the walker does.

use crate::reading::{Assignment, Command, Span, Word};
use crate::stream::Stream;

/// Something a wrapper starts.
#[derive(Debug)]
pub(crate) enum Inner {
    /// A command made of words.
    Words {
        words: Vec<Word>,
        assignments: Vec<Assignment>,
        dir: Option<Word>,
        /// Some words are not the ones in the text.
        moved: bool,
        /// What it changes (folder, variables) stays in force.
        same_shell: bool,
    },
    /// Text a shell reads, with its positional parameters.
    Text { text: Word, arguments: Vec<Word>, same_shell: bool },
    /// Whatever comes in on the standard input.
    Input,
    /// A script file.
    File(Word),
    /// Something that cannot be told.
    Opaque { span: Span, what: String },
}

/// Everything `command` starts.
pub(crate) fn open(_command: &Command, _stdin: Option<&Stream>) -> Vec<Inner> {
    Vec::new()
}
