//! Files a program of another language deletes one by one: those it lists by a
//! literal name somewhere (`for f in glob("x/*"): os.remove(f)`).
//!
//! Speculative: the list is in the line that names its items, and where the
//! program chooses among them nothing is said.

use super::Inner;
use super::file_calls::{FunctionCall, named, path};
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
const PATTERNS: [&str; 4] = ["globSync(", "Dir[", "glob(", "glob "];

/// Signs that only some of what is listed goes.
const CHOOSES: [&str; 8] = ["if ", "if(", "filter", "unless", "grep", "select", "match", "endsWith"];

/// The `rm` that a deletion of `argument`, a name no one knows, may amount to.
pub(super) fn deletion(call: &FunctionCall, argument: &str, option: &str, program: &Word) -> Option<Inner> {
    let named =
        argument.trim_start().starts_with(|first: char| first.is_alphabetic() || "_$@".contains(first));
    let chooses = |text: &str| CHOOSES.iter().any(|sign| text.contains(sign));
    if !named
        || call.head.len() + call.opening.len() > PROGRAM_MAX
        || chooses(call.head)
        || chooses(call.opening)
    {
        return None;
    }
    let names = names_in(argument);
    let mut listed = Vec::new();
    // The list is in the line that gives its items that name.
    for line in call.head.lines().chain(call.opening.lines()).filter(|line| has_name(line, &names)) {
        add(line, &FOLDERS, "/*", call, &mut listed);
        add(line, &PATTERNS, "", call, &mut listed);
        add_of_paths(line, call, &mut listed);
    }
    if listed.is_empty() {
        return None;
    }
    let line = format!("rm {option} {}", listed.join(" "));
    Some(Inner::text(Word { text: line.into(), exact: true, ..program.clone() }))
}

fn is_name(found: char) -> bool {
    found.is_alphanumeric() || found == '_'
}

/// The names in what a call is given.
fn names_in(argument: &str) -> Vec<&str> {
    let end = argument.find(['\n', ';', '}', '{', ']']).unwrap_or(argument.len());
    argument
        .get(..end)
        .unwrap_or("")
        .split(|found| !is_name(found))
        .filter(|name| !name.is_empty())
        .take(8)
        .collect()
}

/// Is one of the names given to what this line lists?
fn has_name(line: &str, names: &[&str]) -> bool {
    let gives = ["for ", "=>", "|", "map(", "each", " of ", "unlink"].iter().any(|sign| line.contains(sign));
    gives && line.split(|found| !is_name(found)).any(|word| names.contains(&word))
}

/// What calls of these names list.
fn add(text: &str, names: &[&str], below: &str, call: &FunctionCall, listed: &mut Vec<String>) {
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
fn add_of_paths(text: &str, call: &FunctionCall, listed: &mut Vec<String>) {
    for (at, name) in text.match_indices("Path(") {
        let inside = text.get(at + name.len()..).unwrap_or("");
        let Some((folder, rest)) = path(inside, call.values) else { continue };
        let Some(method) = rest.strip_prefix(").") else { continue };
        let lists =
            ["glob(", "rglob(", "iterdir(", "walk("].iter().find_map(|name| method.strip_prefix(name));
        let pattern =
            lists.map(|given| named(given, call.values).map_or("*".to_string(), |(pattern, _)| pattern));
        if let Some(pattern) = pattern.filter(|_| listed.len() < LISTS_MAX) {
            listed.push(format!("{}/{}", shown(&folder), shown(&pattern)));
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
