//! Options whose value is a line for a shell: `man -P x`, `fzf --preview x`.
//!
//! A row a program. Values that hold more than the line itself have a function
//! of their own.

use super::{Inner, arguments, split};
use crate::name_filter::NameFilter;
use crate::programs::is_named;
use crate::reading::{Command, Word};

const ROWS: &[(&str, &[&str])] = &[
    ("man", &["-P", "--pager"]),
    ("zip", &["-TT", "--unzip-command"]),
    ("split", &["--filter"]),
    ("gsplit", &["--filter"]),
    ("sftp", &["-S", "-D"]),
    ("wget", &["--use-askpass"]),
    ("gcc", &["-wrapper"]),
    ("g++", &["-wrapper"]),
    ("cc", &["-wrapper"]),
    ("c++", &["-wrapper"]),
    ("go", &["-exec", "--exec", "-toolexec", "--toolexec", "-vettool", "--vettool"]),
    ("fzf", &["--preview"]),
    ("sk", &["--preview", "-c", "--cmd"]),
    ("chokidar", &["-c", "--command"]),
    // With a function of their own.
    ("vagrant", &[]),
    ("sops", &[]),
    ("air", &["--build.cmd", "-build.cmd", "--build.bin", "--build.full_bin", "--build.pre_cmd"]),
    ("asciinema", &["-c", "--command"]),
    ("ttyrec", &["-e"]),
    ("when-changed", &["-c"]),
    ("dtrace", &["-c"]),
    ("bpftrace", &["-c"]),
    ("bazel", &["--run_under"]),
    ("et", &["-c", "--command"]),
    ("assume", &["--exec"]),
    ("execlineb", &["-c"]),
    ("gcloud", &["--command"]),
    ("fly", &["-C", "--command"]),
    ("flyctl", &["-C", "--command"]),
];

static HEADS: NameFilter = name_filter();

const fn name_filter() -> NameFilter {
    let (mut all, mut rows) = (NameFilter::NONE, ROWS);
    while let [row, more @ ..] = rows {
        all = all.with(row.0);
        rows = more;
    }
    all
}

pub(super) fn open(command: &Command) -> Vec<Inner> {
    if !HEADS.may_hold(&command.program) {
        return Vec::new();
    }
    let mut found = match ROWS.iter().find(|(name, _)| is_named(name, &command.program)) {
        Some((_, options)) => values(command, options).into_iter().map(Inner::text).collect(),
        None => Vec::new(),
    };
    match command.program.as_str() {
        "fzf" | "sk" => found.extend(values(command, &["--bind"]).iter().flat_map(bindings)),
        "vagrant" => found.extend(behind(command, "ssh", &["-c", "--command"])),
        "sops" => found.extend(sops(arguments(command))),
        _ => {}
    }
    found
}

/// The values of an option, however they are attached.
pub(super) fn values(command: &Command, names: &[&str]) -> Vec<Word> {
    let mut words = arguments(command).to_vec();
    words.extend(by_variable(command));
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if names.contains(&word.text.as_str()) {
            found.extend(words.get(at + 1).cloned());
            continue;
        }
        let attached = names.iter().find_map(|name| {
            let rest = word.text.strip_prefix(name)?;
            let is_long = name.starts_with("--");
            rest.strip_prefix('=').or_else(|| Some(rest).filter(|_| !is_long))
        });
        let attached = attached.filter(|text| !text.is_empty());
        found.extend(attached.map(|text| Word { text: text.into(), ..word.clone() }));
    }
    found
}

/// Options that stand in a variable.
fn by_variable(command: &Command) -> Vec<Word> {
    let name = match command.program.as_str() {
        "fzf" => "FZF_DEFAULT_OPTS",
        "sk" => "SKIM_DEFAULT_OPTIONS",
        "go" => "GOFLAGS",
        _ => return Vec::new(),
    };
    let given = command.assignments.iter().filter(|one| one.name == name);
    let cut = |value: &Word| -> Vec<Word> {
        split(&value.text).into_iter().map(|text| Word { text: text.into(), ..value.clone() }).collect()
    };
    given.flat_map(|one| cut(&one.value)).collect()
}

fn behind(command: &Command, sub: &str, names: &[&str]) -> Vec<Inner> {
    let is_sub = arguments(command).iter().any(|word| word.text == sub);
    values(command, names).into_iter().filter(|_| is_sub).map(Inner::text).collect()
}

/// Actions of `fzf --bind` that run a line.
const ACTIONS: [&str; 8] =
    ["execute", "execute-silent", "execute-multi", "become", "reload", "reload-sync", "preview", "transform"];

/// Actions of one binding that are looked at.
const ACTIONS_MAX: usize = 64;

/// `enter:execute(x)+abort`, `start:reload:x`.
fn bindings(value: &Word) -> Vec<Inner> {
    let mut found = Vec::new();
    let mut rest = value.text.as_str();
    while let Some(at) = rest.find([':', '+', ',']).filter(|_| found.len() < ACTIONS_MAX) {
        rest = rest.get(at + 1..).unwrap_or("");
        let is_name = |found: char| found.is_ascii_alphanumeric() || found == '-';
        let (name, behind) = rest.split_at(rest.find(|found| !is_name(found)).unwrap_or(rest.len()));
        if !ACTIONS.contains(&name) {
            continue;
        }
        let Some(open) = behind.chars().next() else { break };
        let inside = behind.get(open.len_utf8()..).unwrap_or("");
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            other => other,
        };
        // Behind a colon all the rest is the line.
        let end = inside.rfind(close).filter(|_| open != ':').unwrap_or(inside.len());
        let (line, after) = inside.split_at(end);
        found.push(Inner::text(Word { text: line.into(), ..value.clone() }));
        rest = after;
    }
    found
}

/// `sops exec-env FILE line`.
fn sops(words: &[Word]) -> Option<Inner> {
    let at = words.iter().position(|word| matches!(word.text.as_str(), "exec-env" | "exec-file"))?;
    let mut operands = words.get(at + 1..)?.iter().filter(|word| !word.text.starts_with('-'));
    operands.next_back().cloned().map(Inner::text)
}
