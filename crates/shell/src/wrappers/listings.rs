//! Files a program of another language deletes one by one: those it lists by a
//! literal name somewhere (`for f in glob("x/*"): os.remove(f)`).
//!
//! Which list the name is from is not followed: all that stand in the program count.

use super::Inner;
use super::file_calls::{Call, path};
use crate::reading::Word;

/// Longer programs are not searched: each deletion looks through all of one.
const PROGRAM_MAX: usize = 8 << 10;

/// Lists of one program that are looked at.
const LISTS_MAX: usize = 8;

/// Calls that give the files of a folder, or those of a pattern.
const FOLDERS: [&str; 8] = [
    "listdir(",
    "scandir(",
    "walk(",
    "readdirSync(",
    "readdir(",
    "Dir.children(",
    "Dir.entries(",
    "Dir.each_child(",
];
const PATTERNS: [&str; 6] = ["iglob(", "globSync(", "Dir[", "glob(", "glob ", "Dir.glob "];

/// The `rm` that a deletion of `argument`, a name nobody knows, may amount to.
pub(super) fn deletion(call: &Call, argument: &str, option: &str, program: &Word) -> Option<Inner> {
    let named =
        argument.trim_start().starts_with(|first: char| first.is_alphabetic() || "_$@".contains(first));
    if !named || call.head.len() + call.opening.len() > PROGRAM_MAX {
        return None;
    }
    let mut listed = Vec::new();
    for text in [call.head, call.opening] {
        add(text, &FOLDERS, "/*", call, &mut listed);
        add(text, &PATTERNS, "", call, &mut listed);
        add_of_paths(text, call, &mut listed);
    }
    if listed.is_empty() {
        return None;
    }
    let line = format!("rm {option} {}", listed.join(" "));
    Some(Inner::text(Word { text: line.into(), exact: true, ..program.clone() }))
}

/// What calls of these names list.
fn add(text: &str, names: &[&str], below: &str, call: &Call, listed: &mut Vec<String>) {
    for name in names {
        for (at, _) in text.match_indices(name) {
            let inside = text.get(at + name.len()..).unwrap_or("");
            if text.get(..at).is_some_and(|front| front.ends_with(").") || front.ends_with(").r")) {
                // That of a path; see below.
                continue;
            }
            let found = path(inside, call.values).filter(|_| listed.len() < LISTS_MAX);
            listed.extend(found.map(|(path, _)| format!("{}{below}", shown(&path))));
        }
    }
}

/// `Path("x").glob("*")`, `Path("x").iterdir()`.
fn add_of_paths(text: &str, call: &Call, listed: &mut Vec<String>) {
    for (at, name) in text.match_indices("Path(") {
        let inside = text.get(at + name.len()..).unwrap_or("");
        let Some((folder, rest)) = path(inside, call.values) else { continue };
        let lists = rest.strip_prefix(").").is_some_and(|method| {
            ["glob(", "rglob(", "iterdir(", "walk("].iter().any(|name| method.starts_with(name))
        });
        if lists && listed.len() < LISTS_MAX {
            listed.push(format!("{}/*", shown(&folder)));
        }
    }
}

/// A path as a shell reads it, its patterns still patterns.
fn shown(path: &str) -> String {
    let is_plain = |found: char| found.is_alphanumeric() || "/._-~*?[]{},".contains(found);
    let kept = path.trim_end_matches('/');
    if kept.is_empty() {
        String::new()
    } else if kept.chars().all(is_plain) {
        kept.to_string()
    } else {
        super::values::shell_word(kept)
    }
}
