//! Work that is safe before it would be thrown away: `git stash && git reset --hard`,
//! `git clone … x && cd x && git reset --hard`.
//!
//! Only within one chain of `&&`, where the one cannot run unless the other has
//! succeeded, and in one folder. What a stash or a commit does not take along is not
//! safe; anyone who drops the stash in between loses it all the same.

use smol_str::SmolStr;
use std::sync::Arc;

use super::Walker;
use crate::effect_kind::EffectKind;
use crate::reading::{Command, SavedWork, Word};
use crate::tree::Node;

/// What is safe by now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Saved {
    /// Where; `None` if it is the folder the text began in.
    dir: Option<SmolStr>,
    /// Changes of files git knows.
    tracked: bool,
    /// Files git does not know, but for those it ignores.
    untracked: bool,
    /// All is ready for a commit.
    added: bool,
    /// What `added`, `tracked` and `untracked` say holds only below the folder.
    below: bool,
    /// It was just fetched: there is no work in it.
    fresh: bool,
}

impl Walker<'_> {
    /// Looks at what a link of the chain has just done; `before` commands were listed
    /// in front of it.
    pub(super) fn note_saved(&mut self, node: &Node, before: usize) {
        let command = match self.commands.get(before..) {
            Some([command]) if matches!(node, Node::Simple(_)) => command,
            // A test lists what it asks as well.
            Some([.., command]) if matches!(command.program.as_str(), "test" | "[") => command,
            _ => return,
        };
        if !matches!(command.program.as_str(), "git" | "test" | "[") {
            return;
        }
        let dir = command.dir.as_ref().map(|word| word.text.clone());
        if command.program == "git" && command.usage.sub() == "clone" {
            let dir = folder_of_clone(command);
            self.saved = dir.map(|dir| Saved { dir: Some(dir), fresh: true, ..Saved::default() });
            return;
        }
        let known = std::mem::take(&mut self.saved);
        let known = known.filter(|saved| saved.dir == dir).unwrap_or_default();
        self.saved = after(command, known).map(|saved| Saved { dir, ..saved });
    }

    /// Takes the kind of throwing work away from who throws away what is safe, and tells
    /// every other command what is.
    pub(super) fn drop_effects_when_saved(&self, command: &mut Command) {
        let Some(saved) = &self.saved else { return };
        if saved.tracked || saved.untracked {
            let Saved { dir, below, tracked, untracked, .. } = saved.clone();
            command.saved = Some(Arc::new(SavedWork { dir, below, tracked, untracked }));
        }
        if command.program != "git" || saved.below {
            return;
        }
        let same = saved.dir == command.dir.as_ref().map(|word| word.text.clone());
        let usage = &command.usage;
        let safe = match usage.sub() {
            "reset" | "checkout" | "switch" | "restore" | "checkout-index" | "read-tree" => saved.tracked,
            "clean" => saved.untracked && !usage.has("-x"),
            _ => false,
        };
        let safe = safe || saved.fresh;
        if same && safe && !names_repository(command) {
            command
                .effects
                .retain(|one| !matches!(one.kind, EffectKind::DiscardsWork | EffectKind::DiscardsNamedWork));
        }
    }
}

/// Where a clone is put: the folder that is named, or one called like the repository.
fn folder_of_clone(command: &Command) -> Option<SmolStr> {
    let (from, named) = (command.usage.operands.first()?, command.usage.operands.get(1));
    let usual = || from.text.trim_end_matches('/').trim_end_matches(".git").rsplit(['/', ':']).next();
    let folder = named.map(|word| word.text.as_str()).or_else(usual).filter(|folder| !folder.is_empty())?;
    let here = command.dir.as_ref().map_or("", |dir| dir.text.as_str());
    (!names_repository(command)).then(|| super::join_path(here, folder))
}

/// Is another repository named in the command itself?
fn names_repository(command: &Command) -> bool {
    command.usage.has("--git-dir")
        || command.usage.has("--work-tree")
        || command.assignments.iter().any(|one| one.name.starts_with("GIT_"))
}

/// What is safe behind this command, if it succeeded.
fn after(command: &Command, known: Saved) -> Option<Saved> {
    if command.program != "git" {
        let clean = |word: &Word| word.text == "$(git status --porcelain)" || word.text == "$(git status -s)";
        let asks = command.words.iter().any(|word| word.text == "-z") && command.words.iter().any(clean);
        return asks.then_some(Saved { tracked: true, untracked: true, ..known });
    }
    if known.fresh && !names_repository(command) {
        return Some(known);
    }
    let usage = &command.usage;
    let has = |names: &[&str]| usage.flags.iter().any(|flag| names.contains(&flag.name.as_str()));
    if names_repository(command) || has(&["--dry-run", "--patch", "-p", "--interactive", "--staged", "-S"]) {
        return None;
    }
    let second = usage.subcommand.get(1).map_or("", SmolStr::as_str);
    let whole = usage.operands.is_empty() && !command.words.iter().any(|word| word.text == "--");
    match usage.sub() {
        "stash" if matches!(second, "" | "push" | "save") && (whole || second == "save") => {
            let untracked = has(&["--include-untracked", "--all", "-u", "-a"]);
            Some(Saved { tracked: true, untracked: known.untracked || untracked, ..known })
        }
        "stash" => None,
        "add" if whole && has(&["--all"]) => Some(Saved { added: true, below: false, ..known }),
        "add" if is_here(&usage.operands) => Some(Saved { added: true, below: !known.added, ..known }),
        "commit" if known.added && whole => Some(Saved { tracked: true, untracked: true, ..known }),
        "commit" if whole && has(&["--all"]) => Some(Saved { tracked: true, below: false, ..known }),
        "diff" | "diff-index"
            if has(&["--quiet"]) && usage.operands.iter().any(|word| word.text == "HEAD") =>
        {
            Some(Saved { tracked: true, ..known })
        }
        // What these do to work is their own matter, and what they leave is not looked at.
        "fetch" | "status" | "log" | "rev-parse" | "branch" | "diff" | "show" => Some(known),
        _ => None,
    }
}

/// Is it the folder it runs in, and nothing else?
fn is_here(operands: &[Word]) -> bool {
    matches!(operands, [only] if matches!(only.text.as_str(), "." | "./"))
}
