//! Hooks of the project that the same text has emptied: `: > .husky/pre-commit && git
//! commit` skips them as a flag would. And folders of hooks that are the project's own,
//! named by their whole path.
//!
//! Only what is written here and known counts; hooks that do something are the
//! project's own matter.

use super::Walker;
use crate::effect_kind::EffectKind;
use crate::reading::{Command, Effect};

/// Folders hook managers keep the hooks of a project in.
const FOLDERS: [&str; 4] = [".husky/", ".githooks/", ".git-hooks/", ".hooks/"];

impl Walker<'_> {
    pub(super) fn look_at_hooks(&self, command: &mut Command) {
        if command.program == "git" {
            self.spare_own_hooks(command);
            self.note_emptied_hooks(command);
        }
    }

    /// `git config core.hooksPath "$PWD/.githooks"` names hooks of this repository.
    fn spare_own_hooks(&self, command: &mut Command) {
        if command.usage.sub() != "config" {
            return;
        }
        let mut operands = command.usage.operands.iter().filter(|word| word.text != "set");
        let named = operands.next().is_some_and(|word| word.text.eq_ignore_ascii_case("core.hookspath"));
        let Some(path) = operands.next().filter(|word| named && word.exact) else { return };
        let top = self.setting.project.as_ref().or(self.setting.pwd.as_ref());
        let inside = top.and_then(|top| path.text.strip_prefix(top.as_str())?.strip_prefix('/'));
        let own = |inside: &str| {
            (inside.contains("hook") || inside.contains("husky"))
                && !inside.split('/').any(|part| part == "..")
        };
        if inside.is_some_and(own) {
            command.effects.retain(|one| one.kind != EffectKind::SkipsCommitHooks);
        }
    }

    /// Adds that a commit or push runs past hooks that were emptied before it.
    fn note_emptied_hooks(&self, command: &mut Command) {
        let hooked =
            matches!(command.usage.sub(), "commit" | "push" | "merge" | "rebase" | "am" | "cherry-pick");
        if !hooked || self.files.is_empty() {
            return;
        }
        let emptied = self.files.iter().any(|(path, stream)| {
            FOLDERS.iter().any(|folder| path.contains(folder))
                && stream.text.as_deref().is_some_and(does_nothing)
        });
        let effect = Effect { kind: EffectKind::SkipsCommitHooks, target: None };
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
