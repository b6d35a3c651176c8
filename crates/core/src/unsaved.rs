//! Work that is nowhere else: what a call would delete or replace although no commit and
//! no stash holds it.
//!
//! Which files a call may lose work of is read from its facts here. What there is to lose
//! only the disk and the session know; `toolgate-runtime` fills it in.

use crate::facts::{Access, Facts, FileFact};
use toolgate_shell::{Command, Loss, SavedWork};

/// How many files are named.
const NAMED_MAX: usize = 3;

/// What would be lost with a file or a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unsaved {
    /// Files git tracks that hold something no commit holds.
    pub changed: usize,
    /// Files git neither tracks nor ignores; without a repository, all of them.
    pub untracked: usize,
    /// The first of them, as seen from the project.
    pub first: Vec<String>,
    /// No repository holds it.
    pub no_repository: bool,
    /// A repository that goes with it, whose commits are in no other.
    pub history: Option<String>,
    /// Why not all of it is known.
    pub doubt: Option<Doubt>,
}

/// Why it cannot be told what would be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// There are more files than are looked at.
    TooMany,
    /// Git's index is damaged, or of a form that is not read.
    Index,
}

impl Unsaved {
    /// Whether nothing would be lost.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.changed == 0 && self.untracked == 0 && self.doubt.is_none() && self.history.is_none()
    }

    /// One more file that git tracks.
    pub fn add_changed(&mut self, name: impl FnOnce() -> String) {
        self.changed = self.changed.saturating_add(1);
        self.name(name);
    }

    /// One more file that git does not track.
    pub fn add_untracked(&mut self, name: impl FnOnce() -> String) {
        self.untracked = self.untracked.saturating_add(1);
        self.name(name);
    }

    fn name(&mut self, name: impl FnOnce() -> String) {
        if self.first.len() < NAMED_MAX {
            self.first.push(name());
        }
    }

    fn add(&mut self, other: &Unsaved) {
        self.changed = self.changed.saturating_add(other.changed);
        self.untracked = self.untracked.saturating_add(other.untracked);
        let room = NAMED_MAX.saturating_sub(self.first.len());
        self.first.extend(other.first.iter().take(room).cloned());
        self.no_repository |= other.no_repository;
        self.doubt = self.doubt.or(other.doubt);
        self.history = self.history.take().or_else(|| other.history.clone());
    }

    /// `2 files with uncommitted changes: src/a.js, src/b.js`
    fn words(&self) -> String {
        let many = |count: usize| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
        let whose = match (self.changed, self.untracked) {
            (0, 0) => String::new(),
            (0, count) if self.no_repository => format!("{} that no git repository holds", many(count)),
            (0, count) => format!("{} that git does not track", many(count)),
            (count, 0) => format!("{} with uncommitted changes", many(count)),
            (count, more) => {
                format!("{} with uncommitted changes and {more} that git does not track", many(count))
            }
        };
        let more = self.changed.saturating_add(self.untracked).saturating_sub(self.first.len());
        let names = self.first.join(", ");
        let listed = match more {
            _ if whose.is_empty() => String::new(),
            0 => format!("{whose}: {names}"),
            more => format!("{whose}: {names} and {more} more"),
        };
        let listed = match &self.history {
            Some(name) if listed.is_empty() => format!("the only copy of the commits in {name}"),
            Some(name) => format!("{listed}, and the only copy of the commits in {name}"),
            None => listed,
        };
        match (self.doubt, listed.is_empty()) {
            (None, _) => listed,
            (Some(doubt), true) => doubt.words().to_owned(),
            (Some(Doubt::TooMany), false) => format!("{listed}, and more files than Toolgate checks"),
            (Some(Doubt::Index), false) => {
                format!("{listed}, and files whose git index Toolgate cannot read")
            }
        }
    }
}

impl Doubt {
    fn words(self) -> &'static str {
        match self {
            Doubt::TooMany => "more files than Toolgate checks for uncommitted work",
            Doubt::Index => "files that may hold uncommitted work: Toolgate cannot read their git index",
        }
    }
}

/// What a call does to work that is not saved, in one sentence: `command` as the agent wrote it.
pub(crate) fn sentence<'a>(
    files: impl Iterator<Item = &'a FileFact>,
    command: Option<&str>,
) -> Option<String> {
    let mut all = Unsaved::default();
    let mut seen: Vec<&str> = Vec::new();
    let mut deletes = false;
    for (file, unsaved) in files.filter_map(|file| Some((file, file.unsaved.as_deref()?))) {
        deletes |= file.access != Access::Write;
        // A loop says the same of a file once for each round.
        if !seen.contains(&file.path.as_str()) {
            seen.push(&file.path);
            all.add(unsaved);
        }
    }
    if all.is_nothing() {
        return None;
    }
    let what = command.map_or_else(|| "this".to_owned(), |text| format!("`{text}`"));
    Some(format!("{what} {} {}", if deletes { "deletes" } else { "replaces" }, all.words()))
}

/// A file a call may lose work of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lossy<'a> {
    /// Which of the facts.
    pub at: usize,
    /// The file, folder or pattern.
    pub file: &'a FileFact,
    /// What of it goes.
    pub loss: Loss,
    /// What is below it goes as well.
    pub tree: bool,
    /// A pattern of `find`: it means names at any depth.
    pub any_depth: bool,
    /// What was saved before, in the same call.
    pub saved: Option<&'a SavedWork>,
}

/// The files a call may lose work of, by what it says.
#[must_use]
pub fn losses(facts: &Facts) -> Vec<Lossy<'_>> {
    let files = facts.files.iter().enumerate();
    let lossy = files.filter_map(|(at, file)| {
        let command = command_of(facts, file);
        let loss = match (file.access, command) {
            (Access::Delete | Access::DeleteTree, Some(command)) => command.loses_deleted(),
            // A tool that also writes moves the file.
            (Access::Delete | Access::DeleteTree, None) if !writes_plainly(facts) => Loss::ALL,
            (Access::Write, Some(command)) => command.loses_written(&file.written),
            // The other end of a move.
            (Access::Write, None) if moves_plainly(facts) => Loss::ALL,
            _ => return None,
        };
        let loss = if loss.is_any() && stays(facts, file) { Loss::default() } else { loss };
        let any_depth = is_sought(file);
        let restores = file.access == Access::Write && command.is_some_and(|one| one.program == "git");
        (loss.is_any() && (file.exact || any_depth)).then_some(Lossy {
            at,
            file,
            loss,
            tree: file.access == Access::DeleteTree || restores,
            any_depth,
            saved: command.and_then(|one| one.saved.as_deref()),
        })
    });
    lossy.collect()
}

fn command_of<'a>(facts: &'a Facts, file: &FileFact) -> Option<&'a Command> {
    file.command.and_then(|at| facts.reading.commands.get(at)).map(AsRef::as_ref)
}

/// Whether what a file held is still there afterwards: it was copied before it is deleted, or what
/// takes its place was made from it (`jq . f > x && mv x f`).
fn stays(facts: &Facts, file: &FileFact) -> bool {
    let Some(at) = file.command.filter(|_| !file.glob) else { return false };
    let Some(command) = facts.reading.commands.get(at) else { return false };
    let of = |other: &FileFact, access: &[Access]| access.contains(&other.access) && !other.glob;
    if file.access == Access::Write {
        // A program that reads it as well changes it in place; so do the commands its result is moved from.
        let reads = |by: usize| {
            let one = facts.reading.commands.get(by);
            let same = one.is_some_and(|one| {
                by == at || one.started_by.is_some() && one.started_by == command.started_by
            });
            same && by <= at
        };
        let is_input = |other: &FileFact, by: &dyn Fn(usize) -> bool| {
            of(other, &[Access::Read]) && other.path == file.path && other.command.is_some_and(by)
        };
        // What a redirect empties is gone before anything is read.
        let emptied = command.redirects.iter().any(|one| one.target.text == file.written);
        let in_place = !emptied && !toolgate_shell::is_copier(&command.program);
        if in_place && facts.files.iter().any(|other| is_input(other, &reads)) {
            return true;
        }
        let sources = facts.files.iter().filter(|other| {
            other.command == Some(at) && of(other, &[Access::Read, Access::Delete]) && other.path != file.path
        });
        let made_from = |source: &FileFact| {
            facts.files.iter().any(|other| {
                let maker =
                    other.command.filter(|maker| *maker < at && of(other, &[Access::Write, Access::Create]));
                other.path == source.path
                    && maker.is_some_and(|maker| {
                        facts.files.iter().any(|read| is_input(read, &|by| feeds(facts, by, maker)))
                    })
            })
        };
        return sources.into_iter().any(made_from);
    }
    let deleted = |path: &str| {
        facts.files.iter().any(|gone| {
            matches!(gone.access, Access::Delete | Access::DeleteTree)
                && crate::path::is_within(path, &gone.path)
        })
    };
    file.access == Access::Delete
        && facts.files.iter().any(|read| {
            let by =
                read.command.filter(|by| *by < at && of(read, &[Access::Read]) && read.path == file.path);
            let copied = by.filter(|by| {
                facts.reading.commands.get(*by).is_some_and(|one| toolgate_shell::is_copier(&one.program))
            });
            copied.is_some_and(|by| {
                let targets = facts
                    .files
                    .iter()
                    .filter(|to| to.command == Some(by) && of(to, &[Access::Write, Access::Create]));
                let mut targets = targets.peekable();
                targets.peek().is_some()
                    && targets.all(|to| to.exact && !to.path.starts_with("/dev/") && !deleted(&to.path))
            })
        })
}

/// Whether the output of one command goes, through pipes, into what another writes.
fn feeds(facts: &Facts, from: usize, to: usize) -> bool {
    let mut at = Some(to);
    for _ in 0..8 {
        match at {
            Some(now) if now == from => return true,
            Some(now) => at = facts.reading.commands.get(now).and_then(|one| one.piped_from),
            None => return false,
        }
    }
    false
}

/// A tool that is no command takes one file away and writes another.
fn moves_plainly(facts: &Facts) -> bool {
    facts.files.iter().any(|file| file.access == Access::Delete && file.command.is_none())
}

fn writes_plainly(facts: &Facts) -> bool {
    facts
        .files
        .iter()
        .any(|file| matches!(file.access, Access::Write | Access::Create) && file.command.is_none())
}

/// `find . -name '*.js'` is read as `./*.js`, which it is not to the letter. Of what is picked by
/// names that are not known (`ls | grep old | xargs rm`) nothing can be told.
fn is_sought(file: &FileFact) -> bool {
    let is_pattern = file.glob && !file.exact && !file.path.contains(['$', '`', '(']);
    is_pattern && !file.path.ends_with("/?*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_names_the_first_three() {
        let file = |changed: &[&str], untracked: &[&str]| {
            let mut unsaved = Unsaved::default();
            changed.iter().for_each(|name| unsaved.add_changed(|| (*name).to_owned()));
            untracked.iter().for_each(|name| unsaved.add_untracked(|| (*name).to_owned()));
            unsaved
        };
        for (unsaved, expected) in [
            (file(&["a", "b"], &[]), "2 files with uncommitted changes: a, b"),
            (file(&["a"], &[]), "1 file with uncommitted changes: a"),
            (file(&[], &["x"]), "1 file that git does not track: x"),
            (file(&[], &["w", "x", "y", "z"]), "4 files that git does not track: w, x, y and 1 more"),
            (
                Unsaved { history: Some("m".to_owned()), ..Unsaved::default() },
                "the only copy of the commits in m",
            ),
            (file(&["a"], &["x"]), "1 file with uncommitted changes and 1 that git does not track: a, x"),
            (
                Unsaved { doubt: Some(Doubt::TooMany), ..Unsaved::default() },
                "more files than Toolgate checks for uncommitted work",
            ),
        ] {
            assert_eq!(unsaved.words(), expected);
        }
    }
}
