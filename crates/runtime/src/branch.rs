//! The branch a repository is on, read from its `HEAD`; git itself is not run,
//! because a repository can make git run anything.

use std::path::{Path, PathBuf};

/// Largest `HEAD` or `.git` file read.
const SIZE_MAX: u64 = 4096;

/// The branch of the repository a folder lies in; `None` if there is none, or
/// no branch is checked out.
pub(crate) fn branch_of(folder: &str) -> Option<String> {
    let mut folder = Path::new(folder);
    loop {
        let git = folder.join(".git");
        if git.exists() {
            let head = read(&git_folder(&git)?.join("HEAD"))?;
            return Some(head.trim().strip_prefix("ref: refs/heads/")?.to_owned());
        }
        folder = folder.parent()?;
    }
}

/// A worktree has a file that says where its folder is.
fn git_folder(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let text = read(git)?;
    let named = Path::new(text.trim().strip_prefix("gitdir:")?.trim()).to_owned();
    Some(if named.is_absolute() { named } else { git.parent()?.join(named) })
}

/// A small plain file: a pipe in its place would hold the gate up.
fn read(path: &Path) -> Option<String> {
    let about = std::fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > SIZE_MAX {
        return None;
    }
    std::fs::read_to_string(path).ok()
}
