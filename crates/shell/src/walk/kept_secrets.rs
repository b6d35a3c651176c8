//! A secret that is put into a variable, or goes to the service it is for, is not
//! shown: `GH_TOKEN=$(gh auth token) npm ci`.
//!
//! Follows the spelling of the substitution, which represents its value wherever that
//! is used. Where it is in any other word, it may be printed.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::effect_kind::EffectKind;
use crate::reading::{Command, Word};

/// Programs that print their environment, or all variables.
const PRINTERS: [&str; 8] = ["env", "printenv", "set", "export", "declare", "typeset", "local", "readonly"];

/// Whose secrets go where. A name that begins with a dot is an ending.
const SERVICES: &[(&str, &[&str])] = &[
    ("gh", &["api.github.com", "github.com", "uploads.github.com"]),
    ("glab", &["gitlab.com"]),
    ("gcloud", &[".googleapis.com", ".run.app", ".cloudfunctions.net"]),
    ("az", &[".azure.com", ".azure.net"]),
];

/// Takes back that commands show a secret where it is only kept or used.
/// `outputs` are substitutions and the command each is made of.
pub(super) fn mark(commands: &mut [Arc<Command>], outputs: &[(SmolStr, usize)]) {
    for (spelling, at) in outputs {
        let Some(command) = commands.get(*at).filter(|command| reveals(command)) else { continue };
        let uses: Vec<Use> =
            commands.iter().flat_map(|one| uses(one, spelling, command.program.as_str())).collect();
        let kept = !uses.is_empty() && uses.iter().all(|one| *one == Use::Kept);
        let names = names_of(commands, spelling);
        let shown = commands.iter().any(|one| prints_all(one) || traces(one) || speaks_of(one, &names));
        if let Some(command) = commands.get_mut(*at).filter(|_| kept && !shown) {
            Arc::make_mut(command).effects.retain(|effect| effect.kind != EffectKind::RevealsSecret);
        }
    }
}

/// The variables it is put into.
fn names_of(commands: &[Arc<Command>], spelling: &str) -> BTreeSet<SmolStr> {
    let assigned = commands.iter().flat_map(|one| &one.assignments);
    let kept = assigned.filter(|one| one.value.text.contains(spelling)).map(|one| one.name.clone());
    let words = commands.iter().flat_map(|one| &one.words).filter(|word| word.text.contains(spelling));
    let declared = words.filter_map(|word| word.text.split_once('=')).map(|(name, _)| name.into());
    kept.chain(declared).collect()
}

/// Is a variable named in what may be a program, or the whole environment?
fn speaks_of(command: &Command, names: &BTreeSet<SmolStr>) -> bool {
    let environments = ["process.env", "os.environ", "ENVIRON", "%ENV", "ENV.to_", "getenv()", "Deno.env"];
    command.words.iter().skip(1).any(|word| {
        let assigns = word.text.split_once('=').is_some_and(|(name, _)| names.contains(name));
        !assigns
            && (words_of(&word.text).any(|word| names.contains(word))
                || environments.iter().any(|sign| word.text.contains(sign)))
    })
}

/// What may be a name in the text.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|one: char| !(one.is_alphanumeric() || one == '_'))
}

/// `set -x`, `bash -x`: what is assigned is shown as it is.
pub(super) fn traces(command: &Command) -> bool {
    let shell = matches!(command.program.as_str(), "set" | "bash" | "sh" | "zsh" | "dash" | "ksh");
    shell
        && command.words.iter().skip(1).any(|word| {
            matches!(word.text.as_str(), "xtrace" | "verbose")
                || word.text.starts_with('-')
                    && !word.text.starts_with("--")
                    && word.text.contains(['x', 'v'])
        })
}

#[derive(Debug, PartialEq, Eq)]
enum Use {
    Kept,
    Shown,
}

fn reveals(command: &Command) -> bool {
    command.effects.iter().any(|effect| effect.kind == EffectKind::RevealsSecret)
}

/// What a command does with what represents the secret.
fn uses(command: &Command, spelling: &str, owner: &str) -> Vec<Use> {
    let holds = |word: &Word| word.text.contains(spelling);
    let assigns = PRINTERS.contains(&command.program.as_str());
    let in_words = command.words.iter().filter(|word| holds(word)).map(|word| {
        let assigned = assigns && word.text.split_once('=').is_some_and(|(name, _)| !name.contains('$'));
        if assigned || goes_home(command, owner) { Use::Kept } else { Use::Shown }
    });
    let redirected = command.redirects.iter().filter(|one| holds(&one.target)).map(|_| Use::Shown);
    let assigned = command.assignments.iter().filter(|one| holds(&one.value)).map(|_| Use::Kept);
    in_words.chain(redirected).chain(assigned).collect()
}

/// Is it a request to the service the secret is for, which prints no headers?
fn goes_home(command: &Command, owner: &str) -> bool {
    let shows = ["--verbose", "--trace", "--trace-ascii"].iter().any(|name| command.usage.has(name));
    let hosts = SERVICES.iter().find(|(name, _)| *name == owner).map_or(&[][..], |(_, hosts)| *hosts);
    let mut reached = command.effects.iter().filter(|one| one.kind == EffectKind::ReachesHost).peekable();
    let is_home = |url: &Word| {
        let host =
            url.text.strip_prefix("https://").unwrap_or("").split(['/', '?', ':']).next().unwrap_or("");
        // A name in front of the host may look like one.
        !url.text.contains('@')
            && hosts.iter().any(|one| if one.starts_with('.') { host.ends_with(one) } else { host == *one })
    };
    command.program == "curl"
        && !shows
        && reached.peek().is_some()
        && reached.all(|one| one.target.as_ref().is_some_and(is_home))
}

/// `env`, `set`, `declare -p`, `export -p`, `declare -x`: everything is shown.
pub(super) fn prints_all(command: &Command) -> bool {
    let words = command.words.get(1..).unwrap_or_default();
    let asked = words.iter().any(|word| word.text.starts_with('-') && word.text.contains('p'));
    match command.program.as_str() {
        "printenv" => true,
        "set" => words.is_empty(),
        "env" => starts_nothing(words),
        program => {
            PRINTERS.contains(&program) && (asked || words.iter().all(|word| word.text.starts_with('-')))
        }
    }
}

/// Do the words of `env` name no program? Then it prints what it would have started one with.
fn starts_nothing(words: &[Word]) -> bool {
    let mut words = words.iter().map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        match word {
            "-u" | "--unset" | "-C" | "--chdir" => drop(words.next()),
            _ if word.starts_with('-') || word.contains('=') => {}
            _ => return false,
        }
    }
    true
}
