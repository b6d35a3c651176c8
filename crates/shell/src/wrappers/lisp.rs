//! Programs in Lisp given on the line: the commands and files that stand in
//! their calls as literals.
//!
//! A scan for `(name "text" …)`, no parser. What is computed is not guessed at.

use super::language::literal;
use super::{Inner, arguments};
use crate::name_filter::NameFilter;
use crate::programs::is_named;
use crate::reading::{Command, Word};
use crate::stream::Stream;

/// Programs that run Lisp, and the options that carry it.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("emacs", &["--eval", "-eval", "--execute", "-execute"]),
    ("emacsclient", &["--eval", "-e"]),
    ("guile", &["-c"]),
    ("sbcl", &["--eval"]),
    ("clisp", &["-x"]),
    ("ecl", &["--eval", "-eval"]),
    ("racket", &["-e", "--eval"]),
    ("csi", &["-e", "-eval"]),
    ("clojure", &["-e"]),
    ("clj", &["-e"]),
    ("bb", &["-e"]),
];

/// What a call amounts to.
enum Does {
    /// Its first text is a line for a shell.
    Line,
    /// Its texts are the words of a command.
    Words,
    /// This, done to the file that is its first text.
    ToFile(&'static [&'static str]),
}

const CALLS: &[(&str, Does)] = &[
    ("system", Does::Line),
    ("shell", Does::Line),
    ("shell-command", Does::Line),
    ("shell-command-to-string", Does::Line),
    ("async-shell-command", Does::Line),
    ("call-process-shell-command", Does::Line),
    ("run-shell-command", Does::Line),
    ("uiop:run-program", Does::Line),
    ("system*", Does::Words),
    ("call-process", Does::Words),
    ("process-lines", Does::Words),
    ("sh", Does::Words),
    ("shell/sh", Does::Words),
    ("clojure.java.shell/sh", Does::Words),
    ("delete-directory", Does::ToFile(&["rm", "-rf"])),
    ("delete-tree", Does::ToFile(&["rm", "-rf"])),
    ("delete-file", Does::ToFile(&["rm", "-f"])),
    ("insert-file-contents", Does::ToFile(&["cat"])),
    ("find-file", Does::ToFile(&["cat"])),
    ("slurp", Does::ToFile(&["cat"])),
];

/// Calls that are looked at in one text.
const CALLS_MAX: usize = 256;

/// Literals of one call that count.
const WORDS_MAX: usize = 64;

static HEADS: NameFilter = name_filter();

const fn name_filter() -> NameFilter {
    let (mut all, mut rows) = (NameFilter::NONE, PROGRAMS);
    while let [row, more @ ..] = rows {
        all = all.with(row.0);
        rows = more;
    }
    all
}

pub(super) fn open(command: &Command, _: Option<&Stream>) -> Option<Vec<Inner>> {
    if !HEADS.may_hold(&command.program) {
        return None;
    }
    let (_, options) = PROGRAMS.iter().find(|(name, _)| is_named(name, &command.program))?;
    let mut found = Vec::new();
    let mut has_text = false;
    for (at, word) in arguments(command).iter().enumerate() {
        let given = match options.contains(&word.text.as_str()) {
            true => arguments(command).get(at + 1).cloned(),
            false => options.iter().find_map(|option| {
                let text = word.text.strip_prefix(option)?.strip_prefix('=')?;
                Some(Word { text: text.into(), ..word.clone() })
            }),
        };
        found.extend(given.iter().flat_map(calls));
        has_text |= given.is_some();
    }
    if !has_text && runs_files(&command.program) {
        let file = arguments(command).iter().find(|word| !word.text.starts_with('-'));
        let input = file.is_none_or(|file| matches!(file.text.as_str(), "/dev/stdin" | "/dev/fd/0"));
        found.push(match file.filter(|_| !input) {
            Some(file) => Inner::File(file.clone()),
            None => Inner::Program,
        });
    }
    Some(found)
}

/// Does a program of this name run the file it is given, or what comes in?
pub(super) fn runs_files(program: &str) -> bool {
    !program.starts_with("emacs") && PROGRAMS.iter().any(|(name, _)| *name == program)
}

pub(super) fn calls(program: &Word) -> Vec<Inner> {
    let behind = program.text.split('(').skip(1).take(CALLS_MAX);
    behind.filter_map(|call| one(call, program)).collect()
}

/// The call that begins right behind a parenthesis.
fn one(call: &str, program: &Word) -> Option<Inner> {
    let end = call.find(|found: char| found.is_whitespace() || found == ')')?;
    let (name, rest) = call.split_at(end);
    let (_, does) = CALLS.iter().find(|(known, _)| *known == name)?;
    let texts = literals(rest);
    let word = |text: &str| Word { text: text.into(), exact: true, glob: false, span: program.span };
    match does {
        Does::Line => texts.first().map(|text| Inner::text(word(text))),
        Does::Words => {
            (!texts.is_empty()).then(|| Inner::made(texts.iter().map(|text| word(text)).collect()))
        }
        Does::ToFile(amounts) => {
            let file = texts.first()?;
            // A tilde is the home to them, as it is to a shell.
            Some(match file.starts_with("~/") {
                true => Inner::text(word(&format!("{} {file}", amounts.join(" ")))),
                false => Inner::made(amounts.iter().copied().chain([file.as_str()]).map(word).collect()),
            })
        }
    }
}

/// The texts up to the end of the call.
fn literals(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', ')']).filter(|_| found.len() < WORDS_MAX) {
        let from = rest.get(at..).unwrap_or("");
        let Some((text, after)) = literal(from) else { break };
        found.push(text);
        rest = after;
    }
    found
}
