//! A dotenv file that is sourced for the commands after it is not shown:
//! `set -a; . ./.env; set +a; npm start`.
//!
//! The shell reads the file, but its values reach only the programs that run next, as with
//! `node --env-file=.env`; so do those of `export $(cat .env | xargs)`. The file counts as read as soon as anything in the call could print a
//! value: an expansion, `env`, `set -x`, code that looks into its environment. Must not follow the
//! values: what is not plainly quiet stays a read.

use std::sync::Arc;

use super::kept_secrets::{prints_all, traces};
use crate::effect_kind::EffectKind;
use crate::reading::{Command, Reading, Word};

/// Programs that take a connection or a password in a word and do not print it.
const CLIENTS: [&str; 22] = [
    "psql",
    "pg_dump",
    "pg_restore",
    "pg_isready",
    "createdb",
    "dropdb",
    "mysql",
    "mysqldump",
    "mysqladmin",
    "mariadb",
    "mongosh",
    "mongo",
    "mongodump",
    "mongorestore",
    "redis-cli",
    "valkey-cli",
    "clickhouse-client",
    "sqlcmd",
    "migrate",
    "goose",
    "dbmate",
    "sqlx",
];

/// Options of theirs whose value is run, and shown where it is wrong.
const STATEMENTS: [&str; 6] = ["-c", "-e", "--command", "--eval", "--execute", "-q"];

/// Programs of a pipeline that puts a dotenv file into words.
const SHAPERS: [&str; 8] = ["cat", "grep", "egrep", "xargs", "sed", "tr", "cut", "awk"];

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
    let commands = &reading.commands;
    // Nearly every text ends here.
    if !commands.iter().any(|one| matches!(one.program.as_str(), "." | "source" | "export")) {
        return;
    }
    let loads: Vec<bool> = commands.iter().map(|one| env_file(source, one).is_some()).collect();
    let exported =
        if commands.iter().any(|one| one.program == "export") { exports(source, commands) } else { None };
    if exported.is_none() && !loads.contains(&true) {
        return;
    }
    let (inside, text) = exported.unwrap_or_default();
    let is_known = reading.opaque.is_empty() && reading.fault.is_none() && !evaluates(source, &text);
    let given = commands.iter().map(|one| clients_use(one)).sum::<usize>();
    let accounted = given + dollars(&text) == dollars(source);
    let quiet =
        |at: usize, one: &Command| loads.get(at) == Some(&true) || inside.contains(&at) || is_quiet(one);
    if !is_known || !accounted || !commands.iter().enumerate().all(|(at, one)| quiet(at, one)) {
        return;
    }
    for (at, command) in reading.commands.iter_mut().enumerate() {
        if inside.contains(&at) {
            let reads = |effect: &crate::reading::Effect| {
                effect.kind == EffectKind::ReadsFile
                    && effect.target.as_ref().is_some_and(|one| is_dotenv(&one.text))
            };
            Arc::make_mut(command).effects.retain(|effect| !reads(effect));
        }
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
fn evaluates(source: &str, known: &str) -> bool {
    let subscript = source
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [name, b'['] if name.is_ascii_alphanumeric() || *name == b'_'));
    let compares = source.contains("[[") && ARITHMETIC.iter().any(|sign| source.contains(sign));
    let subscript = subscript && known.is_empty();
    source.contains('`') || source.contains("((") || source.contains("xtrace") || subscript || compares
}

/// The commands of `export $(cat .env | xargs)`, and the substitution as it is written.
fn exports(source: &str, commands: &[Arc<Command>]) -> Option<(Vec<usize>, String)> {
    let is_substitution = |word: &Word| {
        let inner = word.text.strip_prefix("$(").and_then(|text| text.strip_suffix(')'));
        inner.is_some_and(|inner| !inner.contains("$(") && inner.contains(".env"))
    };
    let at = commands.iter().position(|one| {
        let [_, word] = one.words.as_slice() else { return false };
        one.program == "export" && is_substitution(word)
    })?;
    let word = commands.get(at)?.words.get(1)?;
    let text = source.get(word.span.start..word.span.end)?.to_owned();
    let within = |one: &Command| one.span.start >= word.span.start && one.span.end <= word.span.end;
    let inside: Vec<usize> =
        commands.iter().enumerate().filter(|(_, one)| within(one)).map(|(at, _)| at).collect();
    let plain = inside.iter().filter_map(|at| commands.get(*at)).all(|one| {
        let writes = one.redirects.iter().any(|redirect| {
            !matches!(
                redirect.kind,
                crate::reading::RedirectKind::Read | crate::reading::RedirectKind::Duplicate
            )
        });
        SHAPERS.contains(&one.program.as_str())
            && !writes
            && !one.effects.iter().any(|effect| effect.kind != EffectKind::ReadsFile)
    });
    let all = inside.into_iter().chain([at]).collect();
    plain.then_some((all, text))
}

fn dollars(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'$').count()
}

/// Words of a client that are one variable and nothing else: it connects with them.
fn clients_use(command: &Command) -> usize {
    connections(command).count()
}

fn connections(command: &Command) -> impl Iterator<Item = &Word> {
    let is_client = CLIENTS.contains(&command.program.as_str());
    let pairs = command.words.iter().zip(command.words.iter().skip(1)).filter(move |_| is_client);
    pairs
        .filter(|(before, word)| !STATEMENTS.contains(&before.text.as_str()) && is_variable(&word.text))
        .map(|(_, word)| word)
}

/// `$NAME`, `${NAME}`.
fn is_variable(text: &str) -> bool {
    let name = text.strip_prefix('$').map(|name| name.trim_start_matches('{').trim_end_matches('}'));
    name.is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
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
        && !words.iter().chain(targets).any(|word| {
            let connects = || connections(command).any(|one| one.span == word.span && one.text == word.text);
            expands(word) && !connects() || names_environment(&word.text)
        })
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
