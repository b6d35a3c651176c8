//! Files a program reads next to what is on its line: modules named by an
//! option or a variable, the scripts of a project, files of settings.
//!
//! Names only, and guesses at those: only what this same text wrote counts.

use super::{Inner, STARTED_MAX, arguments, imports, interpreters, program_text, scripts};
use crate::reading::{Command, Word};
use smol_str::format_smolstr;

/// Options of an interpreter: those that load a file or module, and those whose
/// value is neither that nor the script.
struct Options {
    load: &'static [&'static str],
    skip: &'static [&'static str],
    /// Behind one of these is program text: no script follows.
    ends: &'static [&'static str],
}

const PYTHON: Options =
    Options { load: &["-m"], skip: &["-W", "-X", "-Q", "--check-hash-based-pycs"], ends: &["-c"] };
const NODE: Options = Options {
    load: &["-r", "--require", "--import", "--loader", "--experimental-loader"],
    skip: &["-C", "--conditions", "--env-file", "--title", "--test-name-pattern", "--test-reporter"],
    ends: &["-e", "--eval", "-p", "--print"],
};
const PERL: Options = Options { load: &["-M", "-m"], skip: &["-I"], ends: &["-e", "-E"] };
const RUBY: Options = Options { load: &["-r"], skip: &["-I", "-C", "-E"], ends: &["-e"] };
const AWK: Options =
    Options { load: &["-f", "--file", "-E", "--exec", "-i", "--include"], skip: &["-F", "-v"], ends: &[] };

/// Programs of Node, which all heed `NODE_OPTIONS`.
const NODE_PROGRAMS: [&str; 18] = [
    "node", "nodejs", "npm", "npx", "pnpm", "yarn", "tsx", "ts-node", "tsc", "jest", "vitest", "eslint",
    "webpack", "vite", "next", "mocha", "prettier", "bun",
];

/// The files `command` loads.
pub(super) fn open(command: &Command) -> Vec<Inner> {
    let words = arguments(command);
    let program = command.program.as_str();
    let mut found: Vec<Inner> = scripts::open(command).into_iter().collect();
    if !command.assignments.is_empty() {
        found.extend(by_variable(command));
    }
    match program {
        "sed" | "gsed" => found.extend(guesses(command.usage.values("--file"))),
        "ssh" | "scp" | "sftp" | "autossh" => found.extend(guesses(behind(words, "-F").iter())),
        "at" | "batch" => found.extend(guesses(behind(words, "-f").iter())),
        "crontab" => found.extend(guesses(words.iter().filter(|word| !word.text.starts_with('-')))),
        "run-parts" => {
            let folder = words.iter().rev().find(|word| !word.text.starts_with('-'));
            let all = |word: &Word| format_smolstr!("{}/*", word.text.trim_end_matches('/'));
            found
                .extend(folder.map(|word| Inner::File(Word { text: all(word), glob: true, ..word.clone() })));
        }
        "just" => found.extend(just(words, command)),
        "git" => found.extend(git(command)),
        "uv" | "poetry" | "pipenv" | "pdm" | "rye" | "hatch" => {
            let runs = words.iter().any(|word| word.text == "run");
            found.extend(guesses(words.iter().filter(|word| runs && word.text.ends_with(".py"))));
        }
        "bun" | "deno" => {
            let runs = words
                .iter()
                .take(2)
                .any(|word| matches!(word.text.as_str(), "run" | "serve" | "test" | "bench"));
            let first = usize::from(program == "bun");
            let file = |word: &&Word| {
                [".js", ".ts", ".mjs", ".cjs", ".tsx"].iter().any(|end| word.text.ends_with(end))
            };
            let named = words.iter().take(if runs { usize::MAX } else { first }).find(file);
            found.extend(guesses(named.into_iter()));
        }
        _ => {}
    }
    if let Some((language, options)) = interpreters::name_of(program).and_then(options_of) {
        found.extend(by_options(language, words, options));
    }
    found
}

fn options_of(language: &'static str) -> Option<(&'static str, &'static Options)> {
    Some(match language {
        "python" | "pypy" => ("python", &PYTHON),
        "node" | "nodejs" | "tsx" | "ts-node" => ("node", &NODE),
        "perl" => ("perl", &PERL),
        "ruby" => ("ruby", &RUBY),
        awk if awk.ends_with("awk") => ("awk", &AWK),
        _ => return None,
    })
}

/// A file that may be another one than that of this text.
fn guess(word: &Word) -> Inner {
    Inner::File(Word { exact: false, ..word.clone() })
}

fn guesses<'a>(words: impl Iterator<Item = &'a Word>) -> Vec<Inner> {
    words.take(STARTED_MAX + 1).map(guess).collect()
}

/// The values of an option with one letter.
fn behind(words: &[Word], option: &str) -> Vec<Word> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        match word.text.strip_prefix(option) {
            Some("") => found.extend(words.get(at + 1).cloned()),
            Some(rest) => found.push(Word { text: rest.into(), ..word.clone() }),
            None => {}
        }
    }
    found
}

/// What the options load, and the script itself behind them.
fn by_options(language: &str, words: &[Word], options: &Options) -> Vec<Inner> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        at += 1;
        if options.ends.contains(&text) || text == "--" {
            break;
        }
        if options.skip.contains(&text) {
            at += 1;
            continue;
        }
        let attached = options.load.iter().find_map(|option| {
            let rest = text.strip_prefix(option)?;
            if option.starts_with("--") {
                rest.strip_prefix('=')
            } else {
                Some(rest).filter(|rest| !rest.is_empty())
            }
        });
        let value = match attached {
            Some(value) => Some(Word { text: value.into(), ..word.clone() }),
            None if options.load.contains(&text) => {
                at += 1;
                words.get(at - 1).cloned()
            }
            None => None,
        };
        if let Some(value) = value {
            found.extend(loaded(language, &value));
            if text == "-m" && language == "python" {
                break;
            }
        } else if !text.starts_with('-') {
            if language != "awk" {
                found.extend(script(language, word));
            }
            break;
        }
    }
    found
}

/// A module or file named by an option.
fn loaded(language: &str, value: &Word) -> Vec<Inner> {
    match language {
        "perl" => {
            // `-MA=b` imports `b` from it, `-M'A;x'` runs `x`.
            let name = value.text.split(['=', ';', ' ', '(']).next().unwrap_or("").replace("::", "/");
            let mut found = imports::files(language, &name, value);
            if value.text.contains([';', '(']) {
                found.extend(program_text(language, value));
            }
            found
        }
        "awk" => vec![guess(value)],
        _ => imports::files(language, &value.text, value),
    }
}

/// The script; `node .` and `python dir` run a file in the folder.
fn script(language: &str, word: &Word) -> Vec<Inner> {
    let made = |end: &str| {
        Inner::File(Word { text: format_smolstr!("{}{end}", word.text), exact: false, ..word.clone() })
    };
    match language {
        "python" => vec![guess(word), made("/__main__.py")],
        "node" => vec![guess(word), made(".js"), made("/index.js")],
        _ => vec![guess(word)],
    }
}

/// `NODE_OPTIONS=--require=./x.js`, `PYTHONSTARTUP=x.py`, `MAKEFILES=x.mk`.
fn by_variable(command: &Command) -> Vec<Inner> {
    let program = command.program.as_str();
    let language = interpreters::name_of(program).unwrap_or("");
    let mut found = Vec::new();
    for one in &command.assignments {
        let value = &one.value;
        let cut = || -> Vec<Word> {
            let words = value.text.split_ascii_whitespace();
            words.map(|text| Word { text: text.into(), ..value.clone() }).collect()
        };
        match one.name.as_str() {
            "NODE_OPTIONS" if NODE_PROGRAMS.contains(&program) => {
                found.extend(by_options("node", &cut(), &NODE))
            }
            "PERL5OPT" if language == "perl" => found.extend(by_options("perl", &cut(), &PERL)),
            "RUBYOPT" if language == "ruby" => found.extend(by_options("ruby", &cut(), &RUBY)),
            "PYTHONSTARTUP" if language == "python" => found.push(guess(value)),
            "PYTHONPATH" if language == "python" => {
                let folders = value.text.split(':').take(STARTED_MAX + 1).filter(|folder| !folder.is_empty());
                let own = |folder: &str| format_smolstr!("{}/sitecustomize.py", folder.trim_end_matches('/'));
                found.extend(folders.map(|folder| guess(&Word { text: own(folder), ..value.clone() })));
            }
            "MAKEFILES" if matches!(program, "make" | "gmake") => found.extend(guesses(cut().iter())),
            _ => {}
        }
    }
    found
}

fn just(words: &[Word], command: &Command) -> Vec<Inner> {
    let mut named = behind(words, "-f");
    named.extend(behind(words, "--justfile"));
    if named.is_empty() {
        let usual = |name: &str| Word { text: name.into(), exact: false, glob: false, span: command.span };
        named = ["justfile", "Justfile", ".justfile"].map(usual).to_vec();
    }
    guesses(named.iter())
}

/// Files of settings: those a variable names, those another setting brings in,
/// and that of the repository.
fn git(command: &Command) -> Vec<Inner> {
    let named = command
        .assignments
        .iter()
        .filter(|one| matches!(one.name.as_str(), "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" | "GIT_CONFIG"));
    let settings = super::git::settings(command);
    let brought = settings.iter().filter(|(name, _)| {
        let name = name.to_ascii_lowercase();
        name == "include.path" || name.starts_with("includeif.") && name.ends_with(".path")
    });
    let own = Word { text: ".git/config".into(), exact: false, glob: false, span: command.span };
    guesses(named.map(|one| &one.value).chain(brought.map(|(_, value)| value)).chain(std::iter::once(&own)))
}
