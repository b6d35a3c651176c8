//! Paths as the shell puts them together: text only, files are never looked at.

use super::Walker;
use crate::reading::Word;
use crate::scope::{DIR, Text, concat};
use smol_str::SmolStr;

impl Walker<'_> {
    pub(super) fn path_key(&self, word: &Word) -> SmolStr {
        let moved = self.moved_to().map_or("", |text| text.text.as_str());
        match &self.setting.pwd {
            Some(pwd) if moved.is_empty() => join_path(pwd, &word.text),
            Some(pwd) if !moved.starts_with('/') => join_path(&join_path(pwd, moved), &word.text),
            _ => join_path(moved, &word.text),
        }
    }

    /// Where the text has gone to by now, if it went anywhere.
    pub(crate) fn moved_to(&self) -> Option<&Text> {
        let options = self.scope.folders()?;
        options.get(self.choice.picked(DIR, options.len()))?.first()
    }

    pub(super) fn dir_now(&self) -> Option<Word> {
        let text = self.moved_to().filter(|text| !text.text.is_empty())?;
        let glob = !text.exact && crate::expand::carries_glob(&text.text);
        Some(Word { text: text.text.clone(), exact: text.exact, glob, ..Word::default() })
    }
}

/// Has a path without its first slash nothing to be cleaned of? Most have not.
#[must_use]
pub fn is_clean_path(path: &str) -> bool {
    let path = path.as_bytes();
    let is_odd = |pair: &[u8]| matches!(pair, [b'/', b'/' | b'.']);
    matches!(path, [first, ..] if !matches!(first, b'/' | b'.'))
        && path.last() != Some(&b'/')
        && !path.windows(2).any(is_odd)
}

/// `path` as seen from `dir`, without `.` and `..` where they can be resolved.
pub(crate) fn join_path(dir: &str, path: &str) -> SmolStr {
    if path.starts_with('~') || path.starts_with('/') && is_clean_path(path.get(1..).unwrap_or("")) {
        return path.into();
    }
    if path == "." && dir.strip_prefix('/').is_some_and(is_clean_path) {
        return dir.into();
    }
    if is_clean_path(path) && is_clean_path(dir.strip_prefix('/').unwrap_or(dir)) {
        return concat(&[dir, "/", path]);
    }
    let dir = if path.starts_with('/') { "/" } else { dir };
    let absolute = dir.starts_with('/');
    // Each part behind a slash, which the first of a relative path loses again.
    let mut joined = String::with_capacity(dir.len() + path.len() + 2);
    for part in dir.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if joined.is_empty() && absolute => {}
            ".." if !joined.is_empty() && !joined.ends_with("/..") => {
                joined.truncate(joined.rfind('/').unwrap_or(0));
            }
            part => {
                joined.push('/');
                joined.push_str(part);
            }
        }
    }
    match (absolute, joined.strip_prefix('/')) {
        (true, None) => "/".into(),
        (true, Some(_)) => joined.into(),
        (false, None) => ".".into(),
        (false, Some(relative)) => relative.into(),
    }
}
