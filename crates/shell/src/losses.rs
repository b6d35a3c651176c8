//! What a command loses of a file it deletes or writes: all it held, only what git
//! tracks, only what git does not track, or nothing.
//!
//! Moving a file and adding to it lose nothing; git itself refuses some losses. Whether
//! there is anything to lose only the disk knows.

use crate::programs::{copies, moves};
use crate::reading::{Command, RedirectKind};

/// What of a file goes with what a command does to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

impl Command {
    /// What goes with a file this command deletes.
    #[must_use]
    pub fn loses_deleted(&self) -> Loss {
        match (self.program.as_str(), self.usage.sub()) {
            // Without force it refuses to delete what differs from the last commit.
            ("git", "rm") if self.usage.has("--force") => Loss::TRACKED,
            ("git", "clean") => Loss::UNTRACKED,
            ("git", _) => Loss::NONE,
            (program, _) if moves(program) => Loss::NONE,
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
            ("git", _) => Loss::NONE,
            ("tee" | "sponge", _) if self.usage.has("--append") => Loss::NONE,
            ("truncate" | "tee" | "sponge", _) => Loss::ALL,
            (program, _) if moves(program) || copies(program) => match self.usage.has("--no-clobber") {
                true => Loss::NONE,
                false => Loss::ALL,
            },
            _ => Loss::NONE,
        }
    }
}
