//! `env`, `su`, and variables whose value some program will run.

use super::{Inner, arguments, split};
use crate::options::{self, Spec};
use crate::reading::{Assignment, Command, Unknown, Usage, Word};
use crate::stream::Stream;

/// Variables that name a command other programs start.
const COMMANDS: &[&str] = &[
    "EDITOR",
    "VISUAL",
    "PAGER",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PAGER",
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "GIT_PROXY_COMMAND",
    "PROMPT_COMMAND",
    "MANPAGER",
    "LESSOPEN",
    "BROWSER",
    "SUDO_EDITOR",
    "SYSTEMD_EDITOR",
    "KUBE_EDITOR",
    "GH_EDITOR",
    "SVN_EDITOR",
    "HGEDITOR",
    "FCEDIT",
    "SYSTEMD_PAGER",
    "AWS_PAGER",
    "GH_PAGER",
    "BAT_PAGER",
    "SVN_SSH",
    "RSYNC_RSH",
    "FZF_DEFAULT_COMMAND",
    "CC",
    "CXX",
    "LD",
    "RUSTC",
    "RUSTDOC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
];

/// More `-S` in each other than this are not followed.
const SPLITS_MAX: usize = 4;

/// How far a `-S` is looked for.
const WORDS_MAX: usize = 64;

const ENV: Spec = Spec {
    options: "i,ignore-environment 0,null u,unset= C,chdir= S,split-string= v,debug block-signal? default-signal? \
              ignore-signal? P=",
    leading: true,
    short_names: true,
    one_dash: false,
};

const SU: Spec = Spec {
    options: "c,command= session-command= s,shell= l,login m,preserve-environment p f g,group= G,supp-group= P,pty u,user= \
              w,whitelist-environment=",
    leading: false,
    short_names: true,
    one_dash: false,
};

pub(super) fn open(command: &Command, _: Option<&Stream>) -> Option<Vec<Inner>> {
    match command.program.as_str() {
        "env" => Some(env(arguments(command), 0)),
        "su" | "runuser" => {
            let mut usage = Usage::default();
            options::sort(arguments(command), &SU, &mut usage);
            let text = usage.value("--command").or(usage.value("--session-command")).cloned();
            Some(match text {
                Some(text) => vec![Inner::text(text)],
                None if usage.value("--user").is_some() => vec![Inner::words(&usage.operands)],
                None => vec![Inner::Input],
            })
        }
        _ => None,
    }
}

fn env(words: &[Word], level: usize) -> Vec<Inner> {
    let mut usage = Usage::default();
    let mut at = options::sort(words, &ENV, &mut usage);
    if usage.has("--split-string") {
        // What follows its text is split already: no option of `env`.
        let given = |count: &usize| {
            let mut some = Usage::default();
            options::sort(words.get(..*count).unwrap_or_default(), &ENV, &mut some);
            some.value("--split-string").is_some()
        };
        at = (1..=words.len().min(WORDS_MAX)).find(given).unwrap_or(at);
    }
    let mut assignments = Vec::new();
    while let Some(word) = words.get(at).filter(|_| !usage.has("--split-string")) {
        let Some((name, value)) = word.text.split_once('=') else { break };
        let value = Word { text: value.into(), ..word.clone() };
        assignments.push(Assignment { name: name.into(), value });
        at += 1;
    }
    let rest = words.get(at..).unwrap_or_default();
    if let Some(text) = usage.value("--split-string") {
        // Its words may be options and variables of `env` itself.
        let cut =
            |one: String| Word { exact: text.exact && !one.contains('$'), text: one.into(), ..text.clone() };
        let again: Vec<Word> = split(&text.text).into_iter().map(cut).chain(rest.iter().cloned()).collect();
        if level >= SPLITS_MAX {
            let what = "words split too often by `env -S`".to_string();
            return vec![Inner::Opaque { span: text.span, kind: Unknown::Limit, what }];
        }
        return moved(env(&again, level + 1));
    }
    let dir = usage.value("--chdir").cloned();
    vec![Inner::Words { words: rest.to_vec(), assignments, dir, moved: false, same_shell: false }]
}

/// Words that no longer stand in the text.
fn moved(mut found: Vec<Inner>) -> Vec<Inner> {
    for inner in &mut found {
        if let Inner::Words { moved, .. } = inner {
            *moved = true;
        }
    }
    found
}

/// Does a variable of this name hold a command?
pub(crate) fn names_command(name: &str) -> bool {
    let by_target = || name.ends_with("_RUNNER") || name.ends_with("_LINKER");
    COMMANDS.contains(&name) || name.starts_with("CARGO_TARGET_") && by_target()
}

/// Builtins that start nothing, whatever is set.
const QUIET: [&str; 21] = [
    "[", "test", "echo", "printf", "cd", "set", "shift", "read", ":", "true", "false", "local", "unset",
    "exit", "return", "break", "continue", "umask", "getopts", "pwd", "wait",
];

/// Commands named by the variables in front of `command`.
pub(crate) fn editors(command: &Command) -> Vec<Inner> {
    let program = command.program.as_str();
    if command.assignments.is_empty() || QUIET.contains(&program) {
        return Vec::new();
    }
    // What `export` sets is asked of `export`; what was set before, of those that could start it.
    let own = |one: &&Assignment| {
        !matches!(program, "export" | "declare" | "typeset" | "readonly")
            || command.words.iter().any(|word| word.text.starts_with(one.name.as_str()))
    };
    let named = command.assignments.iter().filter(|one| names_command(&one.name)).filter(own);
    // `LESSOPEN='|x'` is a pipe, not a part of the command.
    let plain = |one: &Assignment| one.value.text.trim_start_matches(['|', '-', ' ']).into();
    let started = named.map(|one| Word { text: plain(one), ..one.value.clone() });
    started.filter(|word| !word.text.is_empty()).map(Inner::text).collect()
}
