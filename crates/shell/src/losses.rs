//! What a command loses of a file it deletes or writes: all it held, only what git
//! tracks, only what git does not track, or nothing.
//!
//! Moving a file and adding to it lose nothing; git itself refuses some losses. Whether
//! there is anything to lose only the disk knows.

use crate::programs::{copies, moves};
use crate::reading::{Command, RedirectKind};
use crate::wrappers::is_interpreter;

/// What of a file goes with what a command does to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Loss {
    /// Changes of files git tracks.
    pub tracked: bool,
    /// Files git does not track.
    pub untracked: bool,
}

impl Loss {
    /// Whatever is there.
    pub const ALL: Loss = Loss { tracked: true, untracked: true };
    const NONE: Loss = Loss { tracked: false, untracked: false };
    const TRACKED: Loss = Loss { tracked: true, untracked: false };
    const UNTRACKED: Loss = Loss { tracked: false, untracked: true };

    /// Whether anything can be lost.
    #[must_use]
    pub fn is_any(self) -> bool {
        self.tracked || self.untracked
    }
}

/// Whether a program puts a copy in the place of a file, or the file itself.
#[must_use]
pub fn is_copier(program: &str) -> bool {
    copies(program) || moves(program)
}

impl Command {
    /// What goes with a file this command deletes.
    #[must_use]
    pub fn loses_deleted(&self) -> Loss {
        match (self.program.as_str(), self.usage.sub()) {
            // Without force it refuses to delete what differs from the last commit.
            ("git", "rm") if self.usage.has("--force") => Loss::TRACKED,
            ("git", "clean") => Loss::UNTRACKED,
            ("git", _) => Loss::NONE,
            // `mv x /dev/null`
            (program, _)
                if moves(program)
                    && !self.usage.operands.last().is_some_and(|to| to.text.starts_with("/dev/")) =>
            {
                Loss::NONE
            }
            _ => Loss::ALL,
        }
    }

    /// What goes with what a file held that this command writes, by the path as written.
    #[must_use]
    pub fn loses_written(&self, path: &str) -> Loss {
        let emptied = |kind: RedirectKind| kind == RedirectKind::Write;
        if self.redirects.iter().any(|one| emptied(one.kind) && one.target.text == path) {
            return Loss::ALL;
        }
        match (self.program.as_str(), self.usage.sub()) {
            ("git", "checkout" | "restore" | "checkout-index") => Loss::TRACKED,
            ("tee" | "sponge", _) if self.usage.has("--append") => match self.is_in_program() {
                // What a program opens to write it empties; what it adds to is `>>`.
                true => Loss::ALL,
                false => Loss::NONE,
            },
            ("truncate" | "tee" | "sponge", _) => Loss::ALL,
            ("git", "mv") if self.usage.has("--force") => Loss::ALL,
            ("curl" | "sort" | "ln" | "gln", _) => Loss::ALL,
            ("wget", _) if self.usage.has("--output-document") => Loss::ALL,
            ("dd", _) if !self.words.iter().any(|word| word.text.contains("notrunc")) => Loss::ALL,
            (program, _) if moves(program) || copies(program) => match self.usage.has("--no-clobber") {
                true => Loss::NONE,
                false => Loss::ALL,
            },
            _ => Loss::NONE,
        }
    }

    /// Whether a program in another language does it.
    fn is_in_program(&self) -> bool {
        self.via.iter().any(|name| is_interpreter(name))
    }
}
