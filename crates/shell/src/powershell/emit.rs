//! Words of PowerShell as words of a shell, with what of them is known.

use super::split::{Argument, Part, Token, known_text};
use std::collections::BTreeMap;

type Known = BTreeMap<String, String>;

/// What a word is for: a path of a cmdlet (backslashes divide, quoted patterns are patterns too),
/// a path as it is written, or any other text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Path,
    LiteralPath,
    Text,
}

/// The word for a shell.
pub(super) fn word(parts: &[Part], sort: Sort, known: &Known) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Text(text, was_quoted) => {
                let pattern = sort == Sort::Path || sort == Sort::Text && !was_quoted;
                let text = if sort == Sort::Text { text.clone() } else { text.replace('\\', "/") };
                let is_first = out.is_empty() && sort != Sort::Text;
                add(&mut out, without_drive(&text, is_first), pattern);
            }
            Part::Variable(name) => add_variable(&mut out, name, sort, known),
            // What it prints is not known.
            Part::Inner(_) => out.push_str("\"${PS_output:?}\""),
        }
    }
    if out.is_empty() { "''".to_owned() } else { out }
}

fn add_variable(out: &mut String, name: &str, sort: Sort, known: &Known) {
    let lower = name.to_ascii_lowercase();
    if let Some(text) = known.get(&lower) {
        let text = if sort == Sort::Text { text.clone() } else { text.replace('\\', "/") };
        let is_first = out.is_empty() && sort != Sort::Text;
        return add(out, without_drive(&text, is_first), sort == Sort::Path);
    }
    match lower.as_str() {
        "home" | "env:home" | "env:userprofile" => out.push_str("\"$HOME\""),
        "pwd" => out.push_str("\"$PWD\""),
        "psscriptroot" => out.push('.'),
        "env:temp" | "env:tmp" => out.push_str("/tmp"),
        "null" => out.push_str("''"),
        other => match other.strip_prefix("env:") {
            // Names of the environment are in capitals wherever it matters.
            Some(_) => out.push_str(&format!("\"${}\"", plain(name.get(4..).unwrap_or_default()))),
            None => out.push_str(&format!("\"${{{}:?}}\"", plain(&lower))),
        },
    }
}

fn plain(name: &str) -> String {
    let name: String =
        name.chars().map(|found| if found.is_ascii_alphanumeric() { found } else { '_' }).collect();
    if name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        name
    } else {
        format!("_{name}")
    }
}

/// A drive is a root.
fn without_drive(text: &str, is_first: bool) -> &str {
    let mut chars = text.chars();
    let drive = chars.next().is_some_and(|first| first.is_ascii_alphabetic()) && chars.next() == Some(':');
    let rest = text.get(2..).filter(|rest| is_first && drive && rest.starts_with('/'));
    rest.unwrap_or(text)
}

fn add(out: &mut String, text: &str, pattern: bool) {
    for (at, found) in text.chars().enumerate() {
        let tilde = found == '~' && at == 0 && out.is_empty();
        if found.is_alphanumeric()
            || "-_./:@%+=,".contains(found)
            || tilde
            || pattern && "*?[]".contains(found)
        {
            out.push(found);
        } else if found == '\n' {
            out.push_str("$'\\n'");
        } else {
            out.push('\\');
            out.push(found);
        }
    }
}

/// The text as one word.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::new();
    add(&mut out, text, false);
    if out.is_empty() { "''".to_owned() } else { out.replacen('~', "\\~", usize::from(out.starts_with('~'))) }
}

/// Methods of .NET that touch files or the network, and the command each amounts to.
const METHODS: [(&str, &str); 17] = [
    ("file]::readalltext", "cat --"),
    ("file]::readalllines", "cat --"),
    ("file]::readallbytes", "cat --"),
    ("file]::readlines", "cat --"),
    ("file]::openread", "cat --"),
    ("file]::writealltext", "tee --"),
    ("file]::writealllines", "tee --"),
    ("file]::writeallbytes", "tee --"),
    ("file]::appendalltext", "tee -a --"),
    ("file]::appendalllines", "tee -a --"),
    ("file]::create", "tee --"),
    ("file]::delete", "rm -f --"),
    ("directory]::delete", "rm -rf --"),
    ("file]::move", "mv --"),
    ("directory]::move", "mv --"),
    ("file]::copy", "cp --"),
    ("downloadstring", "curl"),
];

/// `[IO.File]::Delete('x')`, `….DownloadString('url')`: calls with known arguments.
pub(super) fn static_calls(tokens: &[Token], known: &Known) -> Vec<String> {
    let mut found = Vec::new();
    for token in tokens {
        let Token::Word(parts) = token else { continue };
        for pair in parts.windows(2) {
            let [Part::Text(name, false), Part::Inner(inside)] = pair else { continue };
            let name = name.to_ascii_lowercase();
            if name.ends_with("downloadfile") {
                let arguments = arguments(inside, known);
                if let [address, file, ..] = arguments.as_slice() {
                    found.push(format!("curl -o {file} {address}"));
                }
            } else if let Some((method, does)) = METHODS.iter().find(|(method, _)| name.ends_with(method)) {
                let takes = if method.ends_with("move") || method.ends_with("copy") { 2 } else { 1 };
                let words: Vec<String> = arguments(inside, known).into_iter().take(takes).collect();
                found.push(format!("{does} {}", words.join(" ")));
            }
        }
    }
    found
}

/// The arguments in the parentheses of a method.
fn arguments(inside: &str, known: &Known) -> Vec<String> {
    let words =
        super::split::statements(inside).into_iter().flat_map(super::split::Statement::stages).flatten();
    words
        .filter_map(|token| if let Token::Word(parts) = token { Some(parts) } else { None })
        .map(|parts: Argument| match known_text(&parts, known) {
            Some(text) => quoted(without_drive(&text.replace('\\', "/"), true)),
            None => word(&parts, Sort::LiteralPath, known),
        })
        .collect()
}
