//! The environment is printed: `env`, `export -p`, `printenv API_TOKEN`. It often holds logins.
//!
//! Only what reaches the end of a pipeline as it is counts: names alone, or lines picked by a
//! word that is no secret's, do not. Must not guess at variables that are named one by one.

use std::sync::Arc;

use crate::effect_kind::EffectKind;
use crate::reading::{Command, Effect, RedirectKind};

use super::kept_secrets::prints_all;

/// Parts of names that logins have.
const SECRETS: [&str; 9] =
    ["token", "secret", "passw", "api_key", "apikey", "access_key", "private_key", "credential", "auth"];

/// Programs that hand on every line.
const PASSES: [&str; 8] = ["sort", "uniq", "cat", "less", "more", "head", "tail", "column"];

/// Programs that pick lines by a pattern.
const PICKS: [&str; 5] = ["grep", "egrep", "rg", "awk", "sed"];

/// Programs in other languages, and how each names all of its environment.
const WHOLE: [&str; 5] = ["(os.environ)", "dict(os.environ)", "log(process.env)", "p ENV", "ENV.to_h"];

pub(super) fn mark(commands: &mut [Arc<Command>]) {
    for at in 0..commands.len() {
        let Some(command) = commands.get(at) else { return };
        if names_print(command)
            && is_seen(commands, at)
            && let Some(command) = commands.get_mut(at)
        {
            Arc::make_mut(command).effects.push(Effect { kind: EffectKind::RevealsSecret, target: None });
        }
    }
}

/// Does its name and do its words say that it prints what may be a secret?
fn names_print(command: &Command) -> bool {
    match command.program.as_str() {
        "printenv" => {
            let mut names =
                command.words.iter().skip(1).filter(|word| !word.text.starts_with('-')).peekable();
            names.peek().is_none() || names.any(|word| is_secret(&word.text))
        }
        "env" | "set" => prints_all(command),
        "export" | "declare" | "typeset" => {
            prints_all(command)
                && command
                    .words
                    .iter()
                    .skip(1)
                    .all(|word| matches!(word.text.as_str(), "-p" | "-x" | "-px" | "-xp"))
        }
        "python" | "python3" | "node" | "ruby" => command
            .words
            .iter()
            .skip(2)
            .any(|word| WHOLE.iter().any(|sign| word.text.contains(sign)) || word.text == "process.env"),
        _ => false,
    }
}

fn is_secret(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    SECRETS.iter().any(|part| lower.contains(part))
}

/// Does what it prints come out at the end?
fn is_seen(commands: &[Arc<Command>], at: usize) -> bool {
    let mut at = at;
    for _ in 0..8 {
        let goes_elsewhere = |one: &Arc<Command>| {
            one.redirects
                .iter()
                .any(|redirect| matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append))
        };
        if commands.get(at).is_none_or(goes_elsewhere) || commands.iter().any(|one| one.quotes.contains(&at))
        {
            return false;
        }
        let Some(next) = commands.iter().position(|one| one.piped_from == Some(at)) else { return true };
        let Some(reader) = commands.get(next) else { return true };
        let program = reader.program.as_str();
        let picked =
            PICKS.contains(&program) && reader.words.iter().skip(1).any(|word| is_secret(&word.text));
        let quiet = ["--quiet", "-q", "-c", "--count"].iter().any(|name| reader.usage.has(name));
        if quiet || !picked && !PASSES.contains(&program) {
            return false;
        }
        at = next;
    }
    true
}
