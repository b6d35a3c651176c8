//! Which of the gate's own files git would take away as untracked.
//!
//! `git stash -u` puts every file away that git does not track. Whether that
//! meets the policy only the repository can tell, so it is looked up here, and
//! only for such a command.

use crate::scene::Setup;
use std::path::{Path, PathBuf};
use toolgate_core::shell::Reach;
use toolgate_core::{Access, Facts, FileFact};

/// Adds the gate's own files such a command would take along.
#[must_use]
pub(crate) fn with_taken_files(mut facts: Facts, setup: &Setup) -> Facts {
    let Some((at, ignored_too)) = facts.takes_untracked() else { return facts };
    for path in taken(setup, ignored_too) {
        let text = path.to_string_lossy().into_owned();
        facts.files.push(FileFact {
            access: Access::Delete,
            written: path.strip_prefix(&setup.project).unwrap_or(&path).to_string_lossy().into(),
            path: text.into(),
            raw: None,
            real: None,
            spelled: None,
            exists: None,
            unsaved: None,
            exact: true,
            glob: false,
            below: Reach::Itself,
            command: Some(at),
        });
    }
    facts
}

fn taken(setup: &Setup, ignored_too: bool) -> Vec<PathBuf> {
    let project = &setup.project;
    // Without an index there is no commit to stash upon.
    let Ok(index) = std::fs::read(git_folder(project).join("index")) else { return Vec::new() };
    let policy = project.join(".toolgate/policy.yaml");
    let own = std::iter::once(policy).chain(setup.host_files.iter().cloned());
    let ignored = if ignored_too { String::new() } else { ignore_lines(setup) };
    own.filter(|path| path.exists())
        .filter(|path| {
            let Ok(inside) = path.strip_prefix(project) else { return false };
            let inside = inside.to_string_lossy();
            !holds(&index, inside.as_bytes()) && !is_ignored(&inside, &ignored)
        })
        .collect()
}

/// The folder of the repository; in a linked worktree `.git` is a file that
/// names it.
fn git_folder(project: &Path) -> PathBuf {
    let git = project.join(".git");
    let named = std::fs::read_to_string(&git).ok();
    let named = named.as_deref().and_then(|text| text.strip_prefix("gitdir:")).map(str::trim);
    named.map_or(git, |folder| project.join(folder))
}

/// The index holds the paths it tracks in full, but for its rarest format;
/// there a tracked file counts as untracked, which is the safe side.
fn holds(index: &[u8], path: &[u8]) -> bool {
    index.windows(path.len()).any(|window| window == path)
}

fn ignore_lines(setup: &Setup) -> String {
    let own = [setup.project.join(".gitignore"), git_folder(&setup.project).join("info/exclude")];
    let home = setup.dirs.home.iter().map(|home| home.join(".config/git/ignore"));
    own.into_iter()
        .chain(home)
        .filter_map(|file| std::fs::read_to_string(file).ok())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Only lines that name the file or a folder of it; what a pattern would
/// ignore besides is taken for tracked by no one.
fn is_ignored(path: &str, lines: &str) -> bool {
    let named = |line: &str| {
        let line = line.trim().trim_start_matches("**/").trim_matches('/');
        !line.is_empty()
            && (line == path || path.strip_prefix(line).is_some_and(|rest| rest.starts_with('/')))
    };
    lines.lines().any(named)
}

#[cfg(test)]
mod tests {
    use super::{holds, is_ignored};

    #[test]
    fn tracked_and_ignored_files_stay() {
        assert!(holds(b"DIRC..x.toolgate/policy.yaml\0", b".toolgate/policy.yaml"));
        assert!(!holds(b"DIRC", b".toolgate/policy.yaml"));
        assert!(is_ignored(".host/settings.local.json", "target\n**/.host/settings.local.json\n"));
        assert!(is_ignored(".toolgate/policy.yaml", "/.toolgate/"));
        assert!(!is_ignored(".toolgate/policy.yaml", "# .toolgate\n!.toolgate\n.tool"));
    }
}
