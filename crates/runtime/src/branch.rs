//! Which branch is checked out, read from the repository's own files. Git is
//! not started: it may run programs the repository names.

use std::path::{Path, PathBuf};

/// Most of a file of the repository that is read.
const READ_MAX: u64 = 4096;

/// The branch where a folder lies: empty where there is no repository or no
/// branch is checked out, `None` if that cannot be told.
pub(crate) fn branch_of(folder: &str) -> Option<String> {
    let Some(git) = Path::new(folder).ancestors().map(|above| above.join(".git")).find(|git| git.exists())
    else {
        return Some(String::new());
    };
    let head = text(&git_folder(git)?.join("HEAD"))?;
    let head = head.trim();
    match head.strip_prefix("ref:") {
        Some(name) => Some(name.trim().trim_start_matches("refs/heads/").to_owned()),
        // A commit alone: no branch is checked out.
        None => head.bytes().all(|byte| byte.is_ascii_hexdigit()).then(String::new),
    }
}

/// Where a repository keeps its records: a worktree says it in a file.
fn git_folder(git: PathBuf) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git);
    }
    let said = text(&git)?;
    let target = Path::new(said.trim().strip_prefix("gitdir:")?.trim()).to_path_buf();
    Some(if target.is_absolute() { target } else { git.parent()?.join(target) })
}

/// The beginning of a regular file.
pub(crate) fn text(path: &Path) -> Option<String> {
    beginning(path, READ_MAX)
}

/// So much of a regular file; `None` for anything else, so that nothing waits.
pub(crate) fn beginning(path: &Path, max: u64) -> Option<String> {
    use std::io::Read;
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(max).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::branch_of;

    #[test]
    fn the_branch_is_read_without_git() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name).display().to_string();
        std::fs::create_dir_all(top.path().join("a/.git/worktrees/w")).unwrap();
        std::fs::create_dir_all(top.path().join("a/src")).unwrap();
        std::fs::create_dir_all(top.path().join("w")).unwrap();
        assert_eq!(branch_of(&at("a/src")), None, "a repository without HEAD");
        std::fs::write(top.path().join("a/.git/HEAD"), "ref: refs/heads/feature/x-1\n").unwrap();
        assert_eq!(branch_of(&at("a/src")).as_deref(), Some("feature/x-1"));
        std::fs::write(top.path().join("a/.git/worktrees/w/HEAD"), "ref: refs/heads/other\n").unwrap();
        std::fs::write(top.path().join("w/.git"), format!("gitdir: {}\n", at("a/.git/worktrees/w"))).unwrap();
        assert_eq!(branch_of(&at("w")).as_deref(), Some("other"));
        std::fs::write(top.path().join("a/.git/HEAD"), "1f3870be274f6c49b3e31a0c6728957f12345678\n").unwrap();
        assert_eq!(branch_of(&at("a")).as_deref(), Some(""), "no branch is checked out");
        assert_eq!(branch_of("/"), Some(String::new()));
    }
}
