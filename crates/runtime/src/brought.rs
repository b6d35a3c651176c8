//! Files a version control command just brought that take the gate's hook out of
//! the path of agents: a cloned repository can switch the user's hooks off.
//!
//! Which files do is data of the hosts. Nothing here stops a call; the agent is told,
//! and it is recorded.

use crate::scene::Setup;
use crate::unguarded::bytes_of;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use toolgate_core::{Advice, Event, EventKind, Facts, Record, Urgency, absolute};
use toolgate_core::{Entry, shell::Command};

/// Programs that bring files of other people's.
const BRINGERS: [&str; 6] = ["git", "gh", "glab", "hg", "jj", "svn"];

/// Subcommands that only look, or only send.
const LOOKERS: [&str; 14] = [
    "status",
    "log",
    "diff",
    "show",
    "add",
    "commit",
    "push",
    "branch",
    "fetch",
    "blame",
    "config",
    "remote",
    "rev-parse",
    "grep",
];

/// Folders of one call that are looked through.
const FOLDERS_MAX: usize = 8;

/// What a call that ended brought, as remarks for the agent. `recent` are records of the
/// session, which say when the call was let through.
pub(crate) fn brought(
    setup: &Setup,
    event: &Event,
    facts: &Facts,
    recent: impl FnOnce() -> Vec<Record>,
) -> Vec<Advice> {
    if event.kind != EventKind::PostExecution {
        return Vec::new();
    }
    let mut folders: Vec<PathBuf> = Vec::new();
    for (_, command) in facts.commands().filter(|(_, command)| brings(command)) {
        for folder in folders_of(command, &event.call.dir) {
            if folders.len() < FOLDERS_MAX && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }
    let mut found = Vec::new();
    for folder in folders.iter().filter(|folder| Some(folder.as_path()) != setup.dirs.home.as_deref()) {
        for agent in setup.agents {
            let told = (agent.brought)(folder, &bytes_of);
            found.extend(told.into_iter().map(|(path, off)| (agent.title, path, off)));
        }
    }
    if found.is_empty() {
        return Vec::new();
    }
    let since = let_through_ms(event, &recent());
    found.retain(|(_, path, _)| since.is_none_or(|since| changed_ms(path).is_none_or(|at| at >= since)));
    found
        .into_iter()
        .map(|(title, path, off)| Advice {
            provider: "toolgate".to_owned(),
            urgency: Urgency::Warning,
            text: format!(
                "This call brought a file that keeps Toolgate out of sessions of {title} in that folder: {}.",
                off.why
            ),
            suggestions: vec![format!("tell the user; they can {}", off.fix)],
            file: Some(path.display().to_string()),
        })
        .collect()
}

fn brings(command: &Command) -> bool {
    let program = command.program.as_str();
    let first = command.usage.subcommand.first().map_or("", |word| word.as_str());
    BRINGERS.contains(&program) && !LOOKERS.contains(&first)
}

/// Where the command may have put files: where it ran, and every folder it names.
fn folders_of(command: &Command, start: &str) -> Vec<PathBuf> {
    let base = command.dir.as_ref().map_or_else(|| start.to_owned(), |dir| absolute(&dir.text, start));
    let mut names = vec![base.clone()];
    for word in command.words.iter().skip(2) {
        let last = word.text.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
        let named = last.strip_suffix(".git").unwrap_or(last);
        names.extend([absolute(&word.text, &base), absolute(named, &base)]);
    }
    let mut folders: Vec<PathBuf> =
        names.into_iter().map(PathBuf::from).filter(|path| path.is_dir()).collect();
    folders.dedup();
    folders
}

/// When the call that ended was let through.
fn let_through_ms(event: &Event, recent: &[Record]) -> Option<i64> {
    let arguments = event.call.arguments_digest();
    let is_it = |record: &&Record| match &record.entry {
        Entry::Decided(decided) if decided.event == EventKind::PreExecution => match &event.call.id {
            Some(id) => decided.call.as_ref() == Some(id),
            None => decided.arguments == arguments,
        },
        _ => false,
    };
    recent.iter().find(is_it).map(|record| record.time_ms)
}

fn changed_ms(path: &Path) -> Option<i64> {
    let about = std::fs::metadata(path).ok()?;
    Some(about.ctime().saturating_mul(1_000).saturating_add(about.ctime_nsec() / 1_000_000))
}
