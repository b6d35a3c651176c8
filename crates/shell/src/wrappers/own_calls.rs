//! Functions a program defines to start commands, and what it calls them with:
//! `def git(*a): subprocess.run(['git', *a])` and then `git('push', '-f')`.
//!
//! Looks for the call in the body that is given the function's own parameter. No
//! parser: bodies end at the next definition, and only literal arguments count.

use super::Inner;
use super::language::{CALLS, literal, name_at};
use super::started::words_of;
use super::values::{Values, shell_text};
use crate::reading::Word;

/// Longer programs, more functions and more calls than these are not looked at.
const PROGRAM_MAX: usize = 16 << 10;
const FUNCTIONS_MAX: usize = 8;
const CALLS_MAX: usize = 32;

/// A function that starts what it is given.
struct Starter<'a> {
    name: &'a str,
    /// Words in front of those it is given.
    lead: Vec<String>,
    /// Where its definition begins.
    at: usize,
}

/// What such functions of the program start.
pub(super) fn of(language: &str, text: &str, values: &Values, program: &Word) -> Vec<Inner> {
    if text.len() > PROGRAM_MAX || !matches!(language, "python" | "pypy" | "node" | "nodejs" | "bun" | "deno")
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    for starter in starters(text) {
        for (at, _) in text.match_indices(starter.name) {
            let before = text.get(..at).and_then(|front| front.chars().next_back());
            let whole = !before.is_some_and(|one| one.is_alphanumeric() || "_.$".contains(one));
            let inside = text.get(at + starter.name.len()..).and_then(|rest| rest.strip_prefix('('));
            let Some(inside) = inside.filter(|_| whole && at != starter.at) else { continue };
            found.extend(started(&starter, inside, values, program));
            if found.len() >= CALLS_MAX {
                return found;
            }
        }
    }
    found
}

/// GitPython's `repo.git.push('-f')` is `git push -f`.
pub(super) fn by_library(
    language: &str,
    name: &str,
    head: &str,
    inside: Option<&str>,
    values: &Values,
    program: &Word,
) -> Option<Inner> {
    let inside = inside.filter(|_| head.ends_with(".git.") && matches!(language, "python" | "pypy"))?;
    let list = format!("[{}]", inside.split(')').next().unwrap_or(""));
    let arguments = values.words(&list).map(|(words, _)| words).unwrap_or_default();
    let words = ["git".to_string(), name.replace('_', "-")].into_iter().chain(arguments);
    Some(words_of(&words.collect::<Vec<String>>(), program))
}

/// The functions that hand their parameter to a call that starts commands.
fn starters(text: &str) -> Vec<Starter<'_>> {
    let signs = ["def ", "function ", "const ", "let ", "var "];
    let mut heads: Vec<usize> =
        signs.iter().flat_map(|sign| text.match_indices(sign).map(|(at, _)| at + sign.len())).collect();
    heads.sort_unstable();
    let mut found = Vec::new();
    for (number, at) in heads.iter().enumerate() {
        let end = heads.get(number + 1).copied().unwrap_or(text.len());
        let Some((name, rest)) = text.get(*at..end).map(name_at).filter(|(name, _)| !name.is_empty()) else {
            continue;
        };
        let Some((parameter, body)) = parameter(rest) else { continue };
        if let Some(lead) = lead_of(body, parameter)
            && found.len() < FUNCTIONS_MAX
        {
            found.push(Starter { name, lead, at: *at });
        }
    }
    found
}

/// The first parameter, and what follows the head: `(*a):`, `= (...a) =>`, `= c =>`.
fn parameter(rest: &str) -> Option<(&str, &str)> {
    let given = rest.trim_start().trim_start_matches('=').trim_start();
    let given = given.strip_prefix("async").map_or(given, str::trim_start);
    let given = given.trim_start_matches('(').trim_start_matches(['*', '.', ' ']);
    let (name, after) = name_at(given);
    let listed = after.split_once(')').filter(|(front, _)| !front.contains('\n'));
    let body = match listed {
        Some((_, body)) if !after.trim_start().starts_with("=>") => body,
        _ => after,
    };
    let is_head = body.trim_start().starts_with([':', '{', '-']) || body.trim_start().starts_with("=>");
    (is_head && !name.is_empty()).then_some((name, body))
}

/// The words in front of the parameter, in the first call that starts something with it.
fn lead_of(body: &str, parameter: &str) -> Option<Vec<String>> {
    let mut rest = body;
    while !rest.is_empty() {
        let (name, after) = name_at(rest);
        if name.is_empty() {
            rest = rest.get(rest.chars().next().map_or(1, char::len_utf8)..).unwrap_or("");
            continue;
        }
        rest = after;
        let Some(inside) = after.strip_prefix('(').filter(|_| CALLS.contains(&name)) else { continue };
        if let Some(lead) = lead_in(inside, parameter) {
            return Some(lead);
        }
    }
    None
}

/// `['git', *a]`, `['git'] + a`, `'git', a`, or the parameter itself.
fn lead_in(inside: &str, parameter: &str) -> Option<Vec<String>> {
    let mut lead = Vec::new();
    let mut rest = inside.trim_start().trim_start_matches(['[', '(']).trim_start();
    for _ in 0..8 {
        let bare = rest.trim_start_matches(['*', '.', '[', ' ']);
        let (name, after) = name_at(bare);
        if name == parameter {
            return (!after.starts_with('[')).then_some(lead);
        }
        let (text, after) = literal(rest)?;
        lead.push(text);
        let after = after.trim_start().trim_start_matches([']', ',', '+', ' ']);
        rest = after.trim_start();
    }
    None
}

/// One call: its literal arguments behind the words in front.
fn started(starter: &Starter, inside: &str, values: &Values, program: &Word) -> Option<Inner> {
    let mut words = starter.lead.clone();
    let word = |text: &str| Word { text: text.into(), exact: true, glob: false, span: program.span };
    if let Some((list, _)) = values.words(inside.trim_start()) {
        words.extend(list);
    } else {
        let mut rest = inside.trim_start();
        while let Some((text, after)) = values.text(rest) {
            words.push(text);
            let Some(more) = after.trim_start().strip_prefix(',') else { break };
            rest = more.trim_start();
        }
    }
    match words.as_slice() {
        given if given.len() == starter.lead.len() => None,
        [line] => Some(Inner::text(word(&shell_text(line)))),
        words => Some(Inner::made(words.iter().map(|text| word(text)).collect())),
    }
}
