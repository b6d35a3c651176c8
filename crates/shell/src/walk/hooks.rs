//! Hooks of the project that the same text has emptied: `: > .husky/pre-commit && git
//! commit` skips them as a flag would.
//!
//! Only what is written here and known counts; hooks that do something are the
//! project's own matter.

use super::Walker;
use crate::deed::Deed;
use crate::reading::{Command, Effect};

/// Folders hook managers keep the hooks of a project in.
const FOLDERS: [&str; 4] = [".husky/", ".githooks/", ".git-hooks/", ".hooks/"];

impl Walker<'_> {
    /// Adds that a commit or push runs past hooks that were emptied before it.
    pub(super) fn note_emptied_hooks(&self, command: &mut Command) {
        let hooked =
            matches!(command.usage.sub(), "commit" | "push" | "merge" | "rebase" | "am" | "cherry-pick");
        if command.program != "git" || !hooked || self.files.is_empty() {
            return;
        }
        let emptied = self.files.iter().any(|(path, stream)| {
            FOLDERS.iter().any(|folder| path.contains(folder))
                && stream.text.as_deref().is_some_and(does_nothing)
        });
        let effect = Effect { deed: Deed::SkipsCommitHooks, target: None };
        if emptied && !command.effects.contains(&effect) {
            command.effects.push(effect);
        }
    }
}

fn does_nothing(text: &str) -> bool {
    text.lines().map(str::trim).all(|line| {
        line.is_empty()
            || line.starts_with('#')
            || matches!(line, "exit" | "exit 0" | "true" | ":" | "return 0")
    })
}
