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
}

fn look_at_except(entry: &RuleEntry, files: &FileMatch) -> Option<Notice> {
    let is_excepted = |path: &str| files.except.iter().any(|except| except == path || except == "**");
    let all = !files.path.is_empty() && files.path.iter().all(is_excepted);
    let path = files.path.iter().next().filter(|_| all)?;
    let text = format!("`except` excludes everything that `path` names: `{path}`");
    Some(warn(entry, "except", text, "narrow `except`, or remove it"))
}

/// Why no path matches a pattern, and what to write.
fn dead_path(path: &str, around: &Around) -> Option<(String, String)> {
    if path.trim() != path {
        let text = format!("`{path}` begins or ends with a space, and no path does");
        return Some((text, format!("write `{}`", path.trim())));
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
