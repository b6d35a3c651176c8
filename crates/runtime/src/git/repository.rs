//! One repository, as its files say it: does git have what a file holds?
//!
//! A file is compared as git does it: by time and size with what the index remembers, and
//! by its content only where those do not settle it.

use super::ignored::Ignored;
use super::index::{Entry, Index, Unreadable};
use sha1::{Digest, Sha1};
use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// More of an index is not read.
const INDEX_MAX: u64 = 128 << 20;
/// More of all files together is not compared by its content: the others count as changed.
const CONTENT_MAX: u64 = 128 << 20;

/// A repository and its working tree.
#[derive(Debug)]
pub(crate) struct Repository {
    /// The top of the working tree.
    pub(crate) top: PathBuf,
    /// The folder shared by its working trees.
    common: PathBuf,
    index: Result<Index, Unreadable>,
    /// When the index was written; what changed in that very moment may look unchanged.
    written: (i64, i64),
    /// When HEAD last moved; none if there is no commit.
    moved: Option<(i64, i64)>,
    ignored: Ignored,
    /// Bytes that may still be compared.
    content_left: u64,
}

/// What git has of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// All of it.
    Committed,
    /// It tracks it, and has another content.
    Changed,
    /// Nothing.
    Untracked,
    /// Nothing, as it was told to.
    Ignored,
}

impl Repository {
    /// The repository whose working tree has its top in this folder.
    pub(crate) fn at(top: &Path) -> Option<Repository> {
        let own = folder_of(&top.join(".git"))?;
        let common = std::fs::read_to_string(own.join("commondir")).ok();
        let common = common.map_or_else(|| own.clone(), |named| own.join(named.trim_end()));
        let index = own.join("index");
        let (written, index) = match std::fs::metadata(&index) {
            Ok(found) => (time_of(&found), read_index(&index, &found, hash_length(&common))),
            // Nothing was ever added.
            Err(_) => ((0, 0), Ok(Index::default())),
        };
        let ignored = Ignored::of(top, &common);
        let moved = std::fs::metadata(own.join("logs/HEAD")).ok();
        let moved = moved.map(|found| time_of(&found)).or_else(|| head_of(&own, &common));
        Some(Repository {
            top: top.to_owned(),
            common,
            index,
            written,
            moved,
            ignored,
            content_left: CONTENT_MAX,
        })
    }

    /// Whether its index could be read.
    pub(crate) fn is_readable(&self) -> bool {
        self.index.is_ok()
    }

    /// Whether git tracks anything below a folder.
    pub(crate) fn tracks_below(&self, folder: &Path) -> bool {
        let Ok(index) = &self.index else { return true };
        self.name_of(folder).is_some_and(|name| index.has_below(&name))
    }

    /// Whether git was told to ignore a folder that is reached from above.
    pub(crate) fn ignores_folder(&mut self, folder: &Path) -> bool {
        self.ignored.is_named(folder, true)
    }

    /// The same for a folder or file of which nothing above was looked at.
    pub(crate) fn ignores(&mut self, path: &Path, is_folder: bool) -> bool {
        self.ignored.holds(path, is_folder)
    }

    /// How a tracked file looked when git had all of it.
    pub(crate) fn stamp_of(&self, path: &Path) -> Option<String> {
        let entry = self.index.as_ref().ok()?.find(&self.name_of(path)?)?;
        Some(stamp_text(i64::from(entry.changed.0), i64::from(entry.changed.1), u64::from(entry.size)))
    }

    /// What git has of a file that is there; `in_ignored` if a folder above it is ignored.
    pub(crate) fn state(&mut self, path: &Path, found: &Metadata, in_ignored: bool) -> State {
        let entry = self.name_of(path).and_then(|name| self.index.as_ref().ok()?.find(&name).cloned());
        match entry {
            Some(entry) if self.has_all(&entry, path, found) => State::Committed,
            Some(_) => State::Changed,
            None if in_ignored || self.ignored.is_named(path, false) => State::Ignored,
            None => State::Untracked,
        }
    }

    /// Whether a commit holds what the file holds.
    fn has_all(&mut self, entry: &Entry, path: &Path, found: &Metadata) -> bool {
        if entry.stage != 0 || entry.is_intent || self.is_only_added(entry) {
            return false;
        }
        // Of two, the coarser clock decides.
        let (seconds, nanos) = time_of(found);
        let same_time = i64::from(entry.changed.0) == seconds & 0xffff_ffff
            && (i64::from(entry.changed.1) == nanos || entry.changed.1 == 0);
        let same_size = u64::from(entry.size) == found.size() & 0xffff_ffff;
        let settled = (i64::from(entry.changed.0), i64::from(entry.changed.1)) < self.written;
        if same_time && same_size && settled {
            return true;
        }
        let Some(left) = self.content_left.checked_sub(found.len()) else { return false };
        self.content_left = left;
        is_content(path, found, &entry.hash)
    }

    /// Whether the content was added and not committed: git keeps it in a file of its own
    /// that is newer than the last commit.
    fn is_only_added(&self, entry: &Entry) -> bool {
        let Some(moved) = self.moved else { return true };
        let name = toolgate_core::hex(&entry.hash);
        let Some((folder, rest)) = name.split_at_checked(2) else { return false };
        let object = self.common.join("objects").join(folder).join(rest);
        std::fs::symlink_metadata(object).is_ok_and(|found| time_of(&found) > moved)
    }

    fn name_of(&self, path: &Path) -> Option<String> {
        Some(path.strip_prefix(&self.top).ok()?.to_string_lossy().into_owned())
    }
}

/// Whether a `.git` folder holds commits and names no other repository they could be in.
pub(crate) fn is_only_copy(git: &Path) -> bool {
    let has_branch = || {
        let branches = std::fs::read_dir(git.join("refs/heads")).into_iter().flatten().flatten().next();
        branches.is_some() || git.join("packed-refs").exists()
    };
    let config = std::fs::read_to_string(git.join("config"));
    config.is_ok_and(|text| !text.contains("[remote ")) && has_branch()
}

/// How a file looks: when it changed, and its size.
pub(crate) fn stamp(found: &Metadata) -> String {
    let (seconds, nanos) = time_of(found);
    stamp_text(seconds & 0xffff_ffff, nanos, found.size() & 0xffff_ffff)
}

fn stamp_text(seconds: i64, nanos: i64, size: u64) -> String {
    format!("{seconds}.{nanos:09}.{size}")
}

fn time_of(found: &Metadata) -> (i64, i64) {
    (found.mtime(), found.mtime_nsec())
}

/// The folder a `.git` names; in a linked working tree it is a file that names it.
fn folder_of(git: &Path) -> Option<PathBuf> {
    let found = std::fs::metadata(git).ok()?;
    if found.is_dir() {
        return ["HEAD", "index"].iter().any(|name| git.join(name).exists()).then(|| git.to_owned());
    }
    let text = found.is_file().then(|| std::fs::read_to_string(git).ok()).flatten()?;
    let named = text.strip_prefix("gitdir:")?.trim();
    Some(git.parent()?.join(named))
}

fn read_index(path: &Path, found: &Metadata, hash_length: usize) -> Result<Index, Unreadable> {
    if !found.is_file() || found.len() > INDEX_MAX {
        return Err(Unreadable);
    }
    let bytes = std::fs::read(path).map_err(|_| Unreadable)?;
    Index::parse(&bytes, hash_length)
}

/// 32 in a repository that says it uses SHA-256.
fn hash_length(common: &Path) -> usize {
    let config = std::fs::read_to_string(common.join("config")).unwrap_or_default();
    let newer = |line: &str| {
        let line = line.to_ascii_lowercase();
        line.split_once('=')
            .is_some_and(|(name, value)| name.trim() == "objectformat" && value.trim() == "sha256")
    };
    if config.lines().any(newer) { 32 } else { 20 }
}

/// When the branch HEAD names was written, where HEAD keeps no log; none if there is no commit.
fn head_of(own: &Path, common: &Path) -> Option<(i64, i64)> {
    let head = std::fs::read_to_string(own.join("HEAD")).ok()?;
    let Some(branch) = head.strip_prefix("ref:").map(str::trim) else { return Some((i64::MAX, 0)) };
    if let Ok(found) = std::fs::metadata(common.join(branch)) {
        return Some(time_of(&found));
    }
    let packed = std::fs::read_to_string(common.join("packed-refs")).ok()?;
    packed.lines().any(|line| line.ends_with(branch)).then_some((i64::MAX, 0))
}

/// Whether git has what a file holds, as it is or with the line ends it keeps. Where filters are
/// at work, a file that was touched counts as changed.
fn is_content(path: &Path, found: &Metadata, hash: &[u8]) -> bool {
    let Some(content) = content_of(path, found) else { return false };
    let plain = || {
        let mut lines = Vec::with_capacity(content.len());
        let next = content.iter().skip(1).map(Some).chain([None]);
        lines.extend(
            content
                .iter()
                .zip(next)
                .filter(|(one, next)| **one != b'\r' || *next != Some(&b'\n'))
                .map(|(one, _)| *one),
        );
        lines
    };
    hash_of(&content, hash.len()) == hash
        || found.is_file() && content.contains(&b'\r') && hash_of(&plain(), hash.len()) == hash
}

fn content_of(path: &Path, found: &Metadata) -> Option<Vec<u8>> {
    let content = if found.is_symlink() {
        std::fs::read_link(path).ok()?.as_os_str().as_bytes().to_vec()
    } else {
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(CONTENT_MAX).read_to_end(&mut bytes).ok()?;
        bytes
    };
    Some(content)
}

/// The name git gives to a content.
fn hash_of(content: &[u8], length: usize) -> Vec<u8> {
    let head = format!("blob {}\0", content.len());
    match length {
        20 => Sha1::new().chain_update(&head).chain_update(content).finalize().to_vec(),
        _ => sha2::Sha256::new().chain_update(&head).chain_update(content).finalize().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::process::Command;

    fn git(top: &Path, args: &[&str]) -> String {
        let who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.excludesFile="];
        let ended = Command::new("git").args(who).args(args).current_dir(top).output().unwrap();
        assert!(ended.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&ended.stderr));
        String::from_utf8(ended.stdout).unwrap()
    }

    fn write(top: &Path, name: &str, text: &str) {
        std::fs::create_dir_all(top.join(name).parent().unwrap()).unwrap();
        std::fs::write(top.join(name), text).unwrap();
    }

    /// What `git status` says of every file that is there and not all in a commit.
    fn status(top: &Path) -> BTreeMap<String, State> {
        let said = git(top, &["status", "--porcelain", "-uall", "--ignored=matching"]);
        let state = |sign: &str| match sign {
            "??" => State::Untracked,
            "!!" => State::Ignored,
            _ => State::Changed,
        };
        let line =
            |line: &str| line.split_at_checked(3).map(|(sign, name)| (name.to_owned(), state(sign.trim())));
        said.lines().filter_map(line).filter(|(name, _)| top.join(name).is_file()).collect()
    }

    /// Git is asked about the same files, before and after each kind of change.
    #[test]
    fn git_says_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let top = std::fs::canonicalize(folder.path()).unwrap();
        let names = ["a.txt", "b.txt", "src/a.js", "src/b.js", "src/c.js", "docs/x.md", "docs/keep.log"];
        git(&top, &["init", "-q"]);
        for name in names {
            write(&top, name, name);
        }
        write(&top, ".gitignore", "*.log\n!keep.log\n/only\n");
        git(&top, &["add", "-A"]);
        let check = |when: &str| {
            // Git does not look at files again that it compared in the same second.
            let _ = Command::new("git")
                .args(["update-index", "-q", "--really-refresh"])
                .current_dir(&top)
                .output();
            let said = status(&top);
            let mut repository = Repository::at(&top).unwrap();
            let known = ["new.txt", "src/new.js", "x.log", "only", "src/only", ".gitignore"];
            for name in names.iter().chain(&known).filter(|name| top.join(name).is_file()) {
                let found = std::fs::symlink_metadata(top.join(name)).unwrap();
                let expected = said.get(*name).copied().unwrap_or(State::Committed);
                assert_eq!(repository.state(&top.join(name), &found, false), expected, "{when}: {name}");
            }
        };
        let commit = || {
            // Objects are told apart from the last commit by their time.
            std::thread::sleep(std::time::Duration::from_millis(20));
            git(&top, &["commit", "-qam", "x"]);
            std::thread::sleep(std::time::Duration::from_millis(20));
        };
        check("added");
        commit();
        check("committed");
        write(&top, "src/a.js", "longer than before");
        write(&top, "src/b.js", "src/B.js");
        write(&top, "new.txt", "new");
        write(&top, "src/new.js", "new");
        write(&top, "x.log", "new");
        write(&top, "only", "new");
        write(&top, "src/only", "new");
        check("changed");
        git(&top, &["add", "src/a.js", "src/new.js"]);
        check("partly added");
        commit();
        check("committed again");
        git(&top, &["update-index", "--index-version", "4"]);
        write(&top, "b.txt", "B.TXT");
        check("another version of the index");
        git(&top, &["stash", "-q"]);
        check("stashed");
    }
}
