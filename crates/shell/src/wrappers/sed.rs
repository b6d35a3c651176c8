//! sed's own language, as far as it runs commands and touches files: `1e x`,
//! `s/a/b/e`, `w file`, `s/a/b/w file`, `r file`.
//!
//! A walk over the script, command by command. Where it is not what is
//! expected, the rest of the line is left alone.

use super::{Inner, STARTED_MAX};
use crate::reading::{Command, Unknown, Word};

pub(super) fn open(command: &Command) -> Vec<Inner> {
    let usage = &command.usage;
    let given = usage.has("--expression") || usage.has("--file");
    let scripts = usage.values("--expression").chain(usage.operands.iter().take(usize::from(!given)));
    scripts.flat_map(script).collect()
}

/// What a script of its own starts and touches.
pub(super) fn script(word: &Word) -> Vec<Inner> {
    let mut found = Vec::new();
    let mut rest = word.text.as_str();
    // Each round takes at least one letter.
    for _ in 0..=word.text.len() {
        if found.len() > STARTED_MAX {
            break;
        }
        rest = without_address(rest.trim_start_matches([' ', '\t', '\n', ';', '{', '}']));
        let Some(name) = rest.chars().next() else { break };
        let behind = rest.get(name.len_utf8()..).unwrap_or("");
        let (line, after) = behind.split_once('\n').unwrap_or((behind, ""));
        rest = match name {
            'e' => {
                let text = line.trim().trim_end_matches('}').trim();
                match text.is_empty() || text.starts_with(';') {
                    // Without a text it runs the lines it reads.
                    true => found.push(Inner::Opaque {
                        span: word.span,
                        kind: Unknown::Variable,
                        what: "lines run by `e` of `sed`".to_string(),
                    }),
                    false => found.extend(run(text, word)),
                }
                after
            }
            'w' | 'W' => {
                found.extend(touch("tee", line.trim(), word));
                after
            }
            'r' | 'R' => {
                found.extend(touch("cat", line.trim(), word));
                after
            }
            's' => substitution(behind, word, &mut found),
            // Text, labels and what else goes to the end of the line.
            'a' | 'i' | 'c' | 'b' | 't' | 'T' | ':' | '#' => after,
            'y' => parts(behind).map_or(after, |(_, _, after)| after),
            _ => behind,
        };
    }
    found
}

/// `s/a/b/flags`: what follows it.
fn substitution<'a>(behind: &'a str, word: &Word, found: &mut Vec<Inner>) -> &'a str {
    let Some((_, new, after)) = parts(behind) else { return "" };
    let end =
        after.find(|flag: char| !(flag.is_ascii_digit() || "gpiImMe".contains(flag))).unwrap_or(after.len());
    let (flags, mut rest) = after.split_at(end);
    if flags.contains('e') {
        found.extend(run(new, word));
    }
    if let Some(file) = rest.strip_prefix('w') {
        let (file, after) = file.split_once('\n').unwrap_or((file, ""));
        found.extend(touch("tee", file.trim(), word));
        rest = after;
    }
    rest
}

/// Both parts of `/a/b/` and what follows, whatever represents the slash.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let sign = text.chars().next().filter(|sign| !sign.is_alphanumeric() && !matches!(sign, ' ' | '\n'))?;
    let text = text.get(sign.len_utf8()..)?;
    let (first, behind) = up_to(text, sign)?;
    let (second, after) = up_to(behind, sign)?;
    Some((first, second, after))
}

fn up_to(text: &str, sign: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, found) in text.char_indices() {
        if found == sign && !escaped {
            return Some((text.get(..at)?, text.get(at + sign.len_utf8()..)?));
        }
        escaped = found == '\\' && !escaped;
    }
    None
}

/// The command behind `1,5`, `$`, `/a/,/b/`, `!`.
fn without_address(text: &str) -> &str {
    let mut rest = text;
    loop {
        let plain = rest.trim_start_matches(|found: char| {
            found.is_ascii_digit() || matches!(found, '$' | ',' | ' ' | '~' | '+' | '!')
        });
        let behind = plain.strip_prefix('/').and_then(|inside| up_to(inside, '/')).map(|(_, after)| after);
        match behind {
            Some(after) => rest = after.trim_start_matches(['I', 'M']),
            None => return plain,
        }
    }
}

fn run(text: &str, word: &Word) -> Option<Inner> {
    (!text.is_empty()).then(|| Inner::text(Word { text: text.into(), ..word.clone() }))
}

fn touch(does: &str, file: &str, word: &Word) -> Option<Inner> {
    let made = |text: &str| Word { text: text.into(), ..word.clone() };
    let plain = !file.is_empty() && !file.starts_with("/dev/");
    plain.then(|| Inner::made(vec![made(does), made(file)]))
}
