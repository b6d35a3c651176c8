//! Paths as text: made absolute, cleaned of `.` and `..`, compared by parts.
//!
//! Where symlinks lead is a fact of the file system and comes in from
//! `toolgate-runtime`; comparing never happens on raw prefixes, so
//! `/work/app2` is not inside `/work/app`.

use toolgate_shell::{SmolStr, SmolStrBuilder, is_clean_path};

/// `path` seen from `dir`, cleaned.
#[must_use]
pub fn absolute(path: &str, dir: &str) -> String {
    let mut clean = String::with_capacity(dir.len() + path.len() + 2);
    if !path.starts_with('/') {
        add_parts(&mut clean, dir);
    }
    add_parts(&mut clean, path);
    rooted(clean)
}

/// The same as [`absolute`], for a path that is kept: most are short and clean,
/// and then take no memory of their own.
pub(crate) fn kept(path: &str, dir: &str) -> SmolStr {
    let is_rooted = |path: &str| path.strip_prefix('/').is_some_and(is_clean_path);
    if is_rooted(path) {
        return path.into();
    }
    if !is_clean_path(path) || !is_rooted(dir) {
        return absolute(path, dir).into();
    }
    let mut kept = SmolStrBuilder::new();
    kept.push_str(dir);
    kept.push('/');
    kept.push_str(path);
    kept.finish()
}

/// An absolute path without `.`, `..`, doubled or trailing slashes.
#[must_use]
pub fn normalise(path: &str) -> String {
    let mut clean = String::with_capacity(path.len() + 1);
    add_parts(&mut clean, path);
    rooted(clean)
}

/// Adds the parts of `path`, each behind a slash. Most are a few bytes long, so
/// the slashes are looked for byte by byte.
fn add_parts(clean: &mut String, path: &str) {
    let below = path.strip_prefix('/').unwrap_or(path);
    if is_clean_path(below) {
        clean.push('/');
        clean.push_str(below);
        return;
    }
    let mut rest = path;
    while !rest.is_empty() {
        let end = rest.bytes().position(|byte| byte == b'/').unwrap_or(rest.len());
        let (part, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        rest = behind.get(1..).unwrap_or("");
        match part {
            "" | "." => {}
            ".." => clean.truncate(clean.rfind('/').unwrap_or(0)),
            name => {
                clean.push('/');
                clean.push_str(name);
            }
        }
    }
}

fn rooted(clean: String) -> String {
    if clean.is_empty() { "/".to_owned() } else { clean }
}

/// Whether `path` is `folder` or lies below it. Both must be normalised.
#[must_use]
pub fn is_within(path: &str, folder: &str) -> bool {
    folder == "/" || path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, dir: &str, expected: &str) {
        assert_eq!(absolute(path, dir), expected);
        assert_eq!(kept(path, dir), expected);
    }

    #[test]
    fn paths_are_cleaned_without_looking_at_files() {
        check("a", "/w", "/w/a");
        check("./a/../b//c/", "/w", "/w/b/c");
        check("../../..", "/w/x", "/");
        check("/etc/./passwd", "/w", "/etc/passwd");
        check("", "/w", "/w");
        check("a", "/", "/a");
        check("a/b", "w/x", "/w/x/a/b");
        check("a/b", "/w/../x", "/x/a/b");
        check("/etc/passwd", "/w", "/etc/passwd");
    }

    #[test]
    fn inside_is_decided_by_parts_not_by_prefix() {
        assert!(is_within("/work/app/src", "/work/app"));
        assert!(is_within("/work/app", "/work/app"));
        assert!(!is_within("/work/app2", "/work/app"));
        assert!(is_within("/anything", "/"));
    }
}
