//! `package.json`: which of its scripts a package manager would run.
//!
//! The file is looked through for the strings below `scripts`, by a scan that
//! takes any text. Packages of other folders are not looked for.

use super::{Inner, arguments};
use crate::normal::quote;
use crate::reading::{Command, Word};
use smol_str::format_smolstr;

const MANAGERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// Options that name the folder to work in, and those that name other packages.
const FOLDERS: [&str; 4] = ["--prefix", "-C", "--cwd", "--dir"];
const ELSEWHERE: [&str; 10] =
    ["--filter", "-F", "-r", "--recursive", "-ws", "--workspaces", "-w", "--workspace", "-g", "--global"];

/// What runs around an installation, and around a publication.
const INSTALL: [&str; 7] =
    ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];
const PUBLISH: [&str; 6] = ["prepublishOnly", "prepack", "prepare", "postpack", "publish", "postpublish"];

/// What a package manager is asked to run.
struct Asked<'a> {
    folder: Option<Word>,
    names: Vec<String>,
    /// Words for the script.
    rest: &'a [Word],
}

/// The folder it works in, where one is named.
pub(super) fn folder(command: &Command) -> Option<Word> {
    asked(command)?.folder
}

/// The file that is read for it.
pub(super) fn open(command: &Command) -> Option<Inner> {
    let asked = asked(command).filter(|asked| !asked.names.is_empty())?;
    let span = command.span;
    let text = match &asked.folder {
        Some(folder) => format_smolstr!("{}/package.json", folder.text.trim_end_matches('/')),
        None => "package.json".into(),
    };
    Some(Inner::File(Word { text, exact: false, glob: false, span }))
}

fn asked(command: &Command) -> Option<Asked<'_>> {
    let program = command.program.as_str();
    if !MANAGERS.contains(&program) {
        return None;
    }
    let words = arguments(command);
    let mut folder = None;
    let mut at = 0;
    let mut operands: Vec<(usize, &str)> = Vec::new();
    while let Some(word) = words.get(at).filter(|word| word.text != "--") {
        let text = word.text.as_str();
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        at += 1;
        if FOLDERS.contains(&name) {
            let next = || words.get(at).cloned();
            folder = value.map(|value| Word { text: value.into(), ..word.clone() }).or_else(next);
            at += usize::from(value.is_none());
        } else if ELSEWHERE.contains(&name) || name == "--ignore-scripts" {
            return None;
        } else if !text.starts_with('-') {
            operands.push((at, text));
        }
        if operands.len() >= 2 && program != "npm" {
            break;
        }
    }
    let (names, used) = names(program, &operands);
    Some(Asked { folder, names, rest: words.get(used..).unwrap_or_default() })
}

/// The scripts that run, in order, and how many words say so.
fn names(program: &str, operands: &[(usize, &str)]) -> (Vec<String>, usize) {
    let around = |name: &str| vec![format!("pre{name}"), name.to_string(), format!("post{name}")];
    let all = |names: &[&str]| names.iter().map(|name| (*name).to_string()).collect();
    match operands {
        [(_, "run" | "run-script" | "rum" | "urn"), (at, name), ..] => (around(name), *at),
        [(at, "test" | "t" | "tst"), ..] if program != "bun" => (around("test"), *at),
        [(at, name @ ("start" | "stop" | "restart")), ..] => (around(name), *at),
        [(at, "install" | "i" | "in" | "ins" | "ci" | "clean-install" | "isntall")] => (all(&INSTALL), *at),
        [(at, "publish" | "pack"), ..] => (all(&PUBLISH), *at),
        [(at, "version"), ..] => (around("version"), *at),
        [] if program == "yarn" => (all(&INSTALL), 0),
        [(at, name), ..] if program != "npm" => (around(name), *at),
        _ => (Vec::new(), 0),
    }
}

/// What the scripts start that are asked for.
pub(super) fn read(command: &Command, file: &Word) -> Vec<Inner> {
    let Some(asked) = asked(command) else { return Vec::new() };
    let known = scripts(&file.text);
    let mut found = Vec::new();
    for name in &asked.names {
        // Of two with one name the last counts.
        let Some((_, script)) = known.iter().rev().find(|(known, _)| known == name) else { continue };
        let mut text = script.clone();
        let own = !name.starts_with("pre") && !name.starts_with("post");
        for word in asked.rest.iter().filter(|word| own && word.text != "--") {
            text.push(' ');
            text.push_str(&if word.exact { quote(&word.text) } else { word.text.as_str().into() });
        }
        found.push(Inner::text(Word { text: text.into(), exact: true, ..file.clone() }));
    }
    found
}

/// Names and texts of the strings in the object `scripts` of a JSON text.
fn scripts(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let (mut depth, mut inside) = (0usize, false);
    let (mut last, mut key): (Option<String>, Option<String>) = (None, None);
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}', '[', ']', ':', ',', '"']) {
        let sign = rest.get(at..at + 1).unwrap_or("");
        rest = rest.get(at + 1..).unwrap_or("");
        match sign {
            "{" | "[" => {
                depth += 1;
                inside |= depth == 2 && sign == "{" && key.as_deref() == Some("scripts");
                (last, key) = (None, None);
            }
            "}" | "]" => {
                depth = depth.saturating_sub(1);
                inside &= depth >= 2;
                (last, key) = (None, None);
            }
            ":" => key = last.take(),
            "," => (last, key) = (None, None),
            _ => {
                let (value, after) = string(rest);
                rest = after;
                match key.take().filter(|_| inside && depth == 2) {
                    Some(name) => found.push((name, value)),
                    _ => last = Some(value),
                }
            }
        }
    }
    found
}

/// The rest of a JSON string, and what follows it.
fn string(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut chars = text.chars();
    while let Some(found) = chars.next() {
        match found {
            '"' => return (value, chars.as_str()),
            '\\' => match chars.next() {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('r') => value.push('\r'),
                Some('u') => {
                    let digits: String = chars.clone().take(4).collect();
                    let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    value.push(code.unwrap_or(char::REPLACEMENT_CHARACTER));
                    chars.nth(3);
                }
                Some('b' | 'f') => value.push(' '),
                Some(other) => value.push(other),
                None => {}
            },
            found => value.push(found),
        }
    }
    (value, "")
}

/// `npm pkg set scripts.x='…'`: the folder, and what that adds to the file.
pub(crate) fn set_scripts(command: &Command) -> Option<(Option<Word>, String)> {
    if !MANAGERS.contains(&command.program.as_str()) {
        return None;
    }
    let words = arguments(command);
    let set = words.iter().position(|word| word.text == "pkg")?;
    if words.get(set + 1).is_none_or(|word| word.text != "set") {
        return None;
    }
    let mut added = String::new();
    for word in words.iter().skip(set + 2).filter(|word| word.exact) {
        let Some((name, value)) = word.text.strip_prefix("scripts.").and_then(|rest| rest.split_once('='))
        else {
            continue;
        };
        let separator = if added.is_empty() { "" } else { "," };
        added.push_str(&format!("{separator}\"{}\":\"{}\"", escaped(name), escaped(value)));
    }
    let folder = asked(command).and_then(|asked| asked.folder);
    (!added.is_empty()).then(|| (folder, format!("{{\"scripts\":{{{added}}}}}\n")))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::scripts;

    #[test]
    fn only_the_scripts_of_the_file_itself_are_found() {
        let text =
            r#"{"a":{"scripts":{"x":"1"}},"scripts":{"y":"2","z":"\u0061\"b"},"w":["scripts",{"v":"3"}]}"#;
        let found = scripts(text);
        let found: Vec<(&str, &str)> =
            found.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        assert_eq!(found, [("y", "2"), ("z", "a\"b")]);
        for text in ["", "{", "}}}", "{\"scripts\":{\"x", "\"\\", "{\"scripts\":[\"x\"]}"] {
            assert!(scripts(text).is_empty(), "{text}");
        }
    }
}
