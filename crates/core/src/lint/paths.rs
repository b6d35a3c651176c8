//! File patterns that no path can match.

use super::{Around, warn};
use crate::policy::{Notice, RuleEntry};
use crate::rule::{FileMatch, Match};

pub(super) fn look(entry: &RuleEntry, one: &Match, around: &Around, notices: &mut Vec<Notice>) {
    let Some(files) = &one.files else { return };
    for path in files.path.iter().chain(files.except.iter()) {
        if let Some((text, help)) = dead_path(path, around) {
            notices.push(warn(entry, path, text, help));
        }
    }
    notices.extend(look_at_except(entry, files));
    notices.extend(look_at_places(entry, files));
}

fn look_at_except(entry: &RuleEntry, files: &FileMatch) -> Option<Notice> {
    let is_excepted = |path: &str| files.except.iter().any(|except| except == path || except == "**");
    let all = !files.path.is_empty() && files.path.iter().all(is_excepted);
    let path = files.path.iter().next().filter(|_| all)?;
    let text = format!("`except` excludes everything that `path` names: `{path}`");
    Some(warn(entry, "except", text, "narrow `except`, or remove it"))
}

/// Places that exclude each other.
fn look_at_places(entry: &RuleEntry, files: &FileMatch) -> Option<Notice> {
    if let Some(place) = files.inside.iter().find(|place| files.outside.iter().any(|other| other == *place)) {
        let text = format!("no file is inside and outside of `{place}`, so this never matches");
        return Some(warn(entry, "outside", text, "remove one of the two"));
    }
    let path = files.path.iter().find(|path| path.starts_with('~'))?;
    let only_project = files.inside.iter().all(|place| place == "workspace") && !files.inside.is_empty();
    let text =
        format!("`{path}` is below your home folder, and `inside: workspace` asks for a file of the project");
    only_project
        .then(|| warn(entry, path, text, "remove `inside`, or write the path as seen from the project"))
}

/// Why no path matches a pattern, and what to write.
fn dead_path(path: &str, around: &Around) -> Option<(String, String)> {
    if path.trim() != path {
        let text = format!("`{path}` begins or ends with a space, and no path does");
        return Some((text, format!("write `{}`", path.trim())));
    }
    if let Some(rest) = path.strip_prefix("file://") {
        let text = format!("`{path}` never matches: paths are compared without a scheme");
        return Some((text, format!("write `{rest}`")));
    }
    if path.contains(['\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}']) {
        let text = format!("`{path}` has typographic quotes, which no path has");
        return Some((text, "write `\"` or `'`, or no quotes".to_owned()));
    }
    if path.contains('$') {
        let fixed = path.replace("${HOME}", "~").replace("$HOME", "~");
        let help = match fixed.contains('$') {
            true => "write the folder itself, or `*` for a name that is not known".to_owned(),
            false => format!("write `{fixed}`"),
        };
        return Some((
            format!("`{path}` never matches: paths are compared with their variables filled in"),
            help,
        ));
    }
    if path.contains('\\') && !path.contains('/') {
        let help = format!("write `{}`", path.replace('\\', "/"));
        return Some((format!("`{path}` never matches: folders are separated by `/`"), help));
    }
    let is_dotted = |part: &str| part == "." || part == "..";
    if path.split('/').any(is_dotted) {
        let kept: Vec<&str> = path.split('/').filter(|part| !is_dotted(part)).collect();
        let text = format!("`{path}` never matches: paths are compared in full, without `.` and `..`");
        let help = match path.split('/').any(|part| part == "..") {
            true => format!("write `{}`, which matches at any depth, or the whole path", kept.join("/")),
            false => format!("write `{}`", kept.join("/")),
        };
        return Some((text, help));
    }
    let first = path.strip_prefix('/')?.split('/').next().filter(|first| !first.is_empty())?;
    let is_pattern = first.contains(['*', '?', '[', '{']);
    let is_there = around.root.is_empty() || around.root.iter().any(|name| name == first);
    (!is_pattern && !is_there).then(|| {
        let text = format!("`{path}` begins at the root of the disk, where there is no `{first}`");
        (text, format!("write `{}` for a folder of the project", path.trim_start_matches('/')))
    })
}
