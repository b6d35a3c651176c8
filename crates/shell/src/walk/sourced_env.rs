//! A dotenv file that is sourced for the commands after it is not shown:
//! `set -a; . ./.env; set +a; npm start`.
//!
//! The shell reads the file, but its values reach only the programs that run next, as with
//! `node --env-file=.env`. The file counts as read as soon as anything in the call could print a
//! value: an expansion, `env`, `set -x`, code that looks into its environment. Must not follow the
//! values: what is not plainly quiet stays a read.

use std::sync::Arc;

use super::kept_secrets::{prints_all, traces};
use crate::effect_kind::EffectKind;
use crate::reading::{Command, Reading, Word};

/// Builtins that prepare or end a call and make no use of the values.
const SETUP: [&str; 14] =
    ["", ".", "source", "set", "unset", "cd", "true", "false", ":", "[", "test", "echo", "exit", "export"];

/// Programs that show the environment, or evaluate a name without a `$`.
const SHOWS: [&str; 6] = ["ps", "envsubst", "let", "declare", "typeset", "local"];

/// Names in a program's words by which it may reach its environment.
const ENVIRONMENT: [&str; 12] = [
    "env", "ENV", "ENVIRON", "environ", "environb", "getenv", "printenv", "envsubst", "export", "declare",
    "typeset", "phpinfo",
];

/// What may stand in front of `.env` in a file's name.
const FRONTS: [&str; 8] = ["", "prod", "production", "staging", "dev", "development", "secrets", "local"];

/// Comparisons of `[[ … ]]` that evaluate a bare name, and print its value where it is not a number.
const ARITHMETIC: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

/// Takes back that a dotenv file is read where it is only sourced. `source` is the outermost text.
pub(super) fn mark(source: &str, reading: &mut Reading) {
    let sourced = |command: &Arc<Command>| env_file(source, command).is_some();
    let commands = &reading.commands;
    let Some(first) = commands.iter().position(sourced) else { return };
    let is_known = reading.opaque.is_empty() && reading.fault.is_none() && !evaluates(source);
    let used = commands.iter().skip(first).any(|one| !SETUP.contains(&one.program.as_str()));
    if !is_known || !used || !commands.iter().all(|one| sourced(one) || is_quiet(one)) {
        return;
    }
    for command in &mut reading.commands {
        if let Some(file) = env_file(source, command).map(|word| word.text.clone()) {
            let is_read = |kind, target: &Option<Word>| {
                kind == EffectKind::ReadsFile && target.as_ref().is_some_and(|one| one.text == file)
            };
            Arc::make_mut(command).effects.retain(|effect| !is_read(effect.kind, &effect.target));
        }
    }
}

/// The dotenv file a command sources. One inside a script on disk is not looked at.
fn env_file<'a>(source: &str, command: &'a Command) -> Option<&'a Word> {
    let [program, file] = command.words.as_slice() else { return None };
    // Nearly every command ends here; what follows looks through its text.
    if !matches!(program.text.as_str(), "." | "source") {
        return None;
    }
    let name = file.text.rsplit('/').next().unwrap_or_default();
    let written = source.get(command.span.start..command.span.end).is_some_and(|text| text.contains(name));
    let is_named = file.exact && !file.glob && is_dotenv(&file.text);
    (is_named && written).then_some(file)
}

/// Could the shell itself put a value somewhere?
fn evaluates(source: &str) -> bool {
    let subscript = source
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [name, b'['] if name.is_ascii_alphanumeric() || *name == b'_'));
    let compares = source.contains("[[") && ARITHMETIC.iter().any(|sign| source.contains(sign));
    source.contains(['$', '`']) || source.contains("((") || source.contains("xtrace") || subscript || compares
}

/// Can a command not show what is in its environment, as far as its words tell?
fn is_quiet(command: &Command) -> bool {
    let words = command.words.get(1..).unwrap_or_default();
    let targets = command.redirects.iter().map(|redirect| &redirect.target);
    let values = command.assignments.iter().map(|one| &one.value);
    let prints_rules = matches!(command.program.as_str(), "make" | "gmake")
        && words.iter().any(|word| word.text.starts_with("-p") || word.text.starts_with("--print-data"));
    !prints_all(command)
        && !traces(command)
        && !prints_rules
        && !SHOWS.contains(&command.program.as_str())
        && !words.iter().chain(targets).any(|word| expands(word) || names_environment(&word.text))
        && !values.into_iter().any(expands)
}

fn expands(word: &Word) -> bool {
    word.text.contains(['$', '`'])
}

/// Does a word name the environment: `process.env`, `npm run env`? Names of dotenv files do not, and
/// neither do options such as `--env=production`, which only choose one.
fn names_environment(text: &str) -> bool {
    let pieces = text.split(|one: char| one.is_whitespace() || ";|&()<>'\"".contains(one));
    let mut telling = pieces.filter(|one| !is_dotenv(one) && *one != "--env" && !one.starts_with("--env="));
    telling.any(|piece| {
        piece
            .split(|one: char| !(one.is_alphanumeric() || one == '_'))
            .any(|name| ENVIRONMENT.contains(&name))
    })
}

/// Is it a dotenv file by its name? Not any name that ends so: `process.env` is none.
fn is_dotenv(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.starts_with(".env.") || name.strip_suffix(".env").is_some_and(|front| FRONTS.contains(&front))
}
