//! Files reached under another name: what the same text moved or linked before.
//!
//! `mv app /tmp/x; rm -rf /tmp/x` deletes `app`, and behind `ln -s .host c`
//! anyone who writes `c/settings.json` writes `.host/settings.json`. Links that
//! are on the disk already are for `toolgate-runtime`.

use std::sync::Arc;

use crate::facts::{Access, FileFact};
use crate::path::{absolute, is_within};
use toolgate_shell::{Command, Word};

/// Moves and links that are remembered, and facts that are looked at.
const MOVES_MAX: usize = 64;
const FACTS_MAX: usize = 512;

/// One name that represents another from some command on.
struct PathAlias {
    /// The command that made it so.
    by: usize,
    /// The new name, and what it represents.
    name: String,
    stands_for: String,
    /// The last part of `stands_for` is a pattern.
    glob: bool,
    is_link: bool,
}

/// The facts that `files` amount to once moves and links are followed.
pub(crate) fn of(commands: &[Arc<Command>], files: &[FileFact], start: &str) -> Vec<FileFact> {
    let moves: Vec<PathAlias> = commands
        .iter()
        .enumerate()
        .flat_map(|(at, command)| displaced(at, command, start))
        .take(MOVES_MAX)
        .collect();
    if moves.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<FileFact> = Vec::new();
    for file in files.iter().filter(|file| file.exact).take(FACTS_MAX) {
        // A link may lead to a link, or into what was moved.
        let mut at = 0;
        let mut round = vec![file.clone()];
        while let Some(fact) = round.get(at).cloned().filter(|_| round.len() < 8) {
            round.extend(moves.iter().filter_map(|one| followed(&fact, one)));
            at += 1;
        }
        for fact in round.into_iter().skip(1) {
            if !files.contains(&fact) && !found.contains(&fact) {
                found.push(fact);
            }
        }
    }
    found
}

fn displaced(at: usize, command: &Command, start: &str) -> Vec<PathAlias> {
    let usage = &command.usage;
    let moves = matches!(command.program.as_str(), "mv" | "gmv");
    let is_link = command.program == "ln" && usage.has("--symbolic")
        || matches!(command.program.as_str(), "cp" | "gcp") && usage.has("--symbolic-link");
    if !moves && !is_link {
        return Vec::new();
    }
    let dir = match &command.dir {
        Some(dir) if dir.exact => absolute(&dir.text, start),
        Some(_) => return Vec::new(),
        None => start.to_owned(),
    };
    let (to, from): (Word, &[Word]) = match (usage.value("--target-directory"), usage.operands.split_last()) {
        (Some(folder), _) => (folder.clone(), &usage.operands),
        (None, Some((only, []))) if is_link => (Word { text: ".".into(), ..only.clone() }, &usage.operands),
        (None, Some((to, from))) => (to.clone(), from),
        (None, None) => return Vec::new(),
    };
    let target = absolute(&to.text, &dir);
    let mut found = Vec::new();
    for source in from.iter().filter(|source| source.exact && to.exact && !to.glob) {
        let text = source.text.trim_end_matches('/');
        let name = text.rsplit('/').next().filter(|name| !matches!(*name, "" | "." | ".."));
        // What a link says counts from where the link lies; a move from here.
        let seen_from = |link: &str| {
            let folder = link.rsplit_once('/').map_or("/", |(folder, _)| folder).to_owned();
            if is_link && !usage.has("--relative") { folder } else { dir.clone() }
        };
        let mut add = |link: String| {
            let stands_for = absolute(&source.text, &seen_from(&link));
            found.push(PathAlias { by: at, name: link, stands_for, glob: source.glob, is_link });
        };
        let into_folder = matches!(to.text.as_str(), "." | "..") || to.text.ends_with('/') && is_link;
        if !into_folder {
            add(target.clone());
        }
        if let Some(name) = name {
            add(format!("{}/{name}", target.trim_end_matches('/')));
        }
    }
    found
}

/// The fact about what a name represents, if `fact` is about that name.
fn followed(fact: &FileFact, one: &PathAlias) -> Option<FileFact> {
    let deletes = matches!(fact.access, Access::Delete | Access::DeleteTree);
    if fact.command.is_none_or(|at| at <= one.by) || !one.is_link && !deletes && fact.access != Access::Read {
        return None;
    }
    let folder = fact.path.strip_suffix("/*").or_else(|| fact.path.strip_suffix("/**"));
    let whole = folder.filter(|_| fact.glob).unwrap_or(&fact.path);
    // A link that is deleted leaves what it leads to; a folder takes along what was moved into it.
    let takes_all = !one.is_link && fact.access == Access::DeleteTree && is_within(&one.name, whole);
    let path = if takes_all {
        one.stands_for.clone()
    } else if is_within(&fact.path, &one.name) && !(one.is_link && deletes && fact.path == one.name) {
        let rest = fact.path.get(one.name.len()..).unwrap_or("");
        // Nothing lies below a file: the link went into a folder of that name.
        let file =
            one.stands_for.rsplit('/').next().is_some_and(|name| name.trim_start_matches('.').contains('.'));
        if one.is_link && file && !rest.is_empty() {
            return None;
        }
        format!("{}{rest}", one.stands_for.trim_end_matches('/'))
    } else {
        return None;
    };
    if path == fact.path || path.len() > 4096 {
        return None;
    }
    let glob = if takes_all { one.glob } else { fact.glob };
    Some(FileFact { raw: None, path: path.into(), glob, ..fact.clone() })
}
