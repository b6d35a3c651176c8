//! Whether the target of a copy is a folder.
//!
//! `cp a b` writes `b`, or `b/a` where `b` is a folder. The reader cannot know
//! and says both; here the disk is asked, and what cannot be is taken out.

use std::path::Path;
use toolgate_core::{Access, Facts, FileFact};

/// More facts than this are left as they are: each is held against all others.
const FACTS_MAX: usize = 256;

/// The facts without files inside what is no folder.
#[must_use]
pub(crate) fn without_impossible(mut facts: Facts) -> Facts {
    if facts.files.len() > FACTS_MAX {
        return facts;
    }
    let impossible: Vec<bool> = facts.files.iter().map(|file| is_impossible(file, &facts)).collect();
    let mut verdicts = impossible.into_iter();
    facts.files.retain(|_| !verdicts.next().unwrap_or(false));
    facts
}

fn is_impossible(file: &FileFact, facts: &Facts) -> bool {
    if file.command.is_none() || !matches!(file.access, Access::Write | Access::Create) {
        return false;
    }
    let Some((folder, _)) = file.path.rsplit_once('/') else { return false };
    let command = file.command.and_then(|at| facts.reading.commands.get(at));
    // `cp -t x a`: a folder, or it fails.
    if command.is_some_and(|one| one.usage.value("--target-directory").is_some()) {
        return false;
    }
    let target = |other: &&FileFact| {
        other.command == file.command && other.access == file.access && other.path == folder && other.exact
    };
    let Some(target) = facts.files.iter().find(target) else { return false };
    if target.written.ends_with('/') || target.glob {
        return false;
    }
    let made = |other: &FileFact| {
        other.command != target.command && other.access == Access::Create && other.path == target.path
    };
    match std::fs::metadata(Path::new(target.real.as_deref().unwrap_or(&target.path))) {
        Ok(found) => !found.is_dir(),
        // All of a folder may bring the folder itself (`git restore x`).
        Err(_) => !file.glob && !facts.files.iter().any(made),
    }
}
