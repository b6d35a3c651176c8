//! Programs that start a command in a place made for it: `bwrap`, `ip netns
//! exec`, `start-stop-daemon`, `cmd /c`.

use super::{Inner, arguments, joined};
use crate::reading::{Command, Word};
use crate::stream::Stream;

/// Options of `bwrap` that take two words, and those that take one. All others
/// take none.
const BWRAP_TWO: [&str; 13] = [
    "--bind",
    "--bind-try",
    "--dev-bind",
    "--dev-bind-try",
    "--ro-bind",
    "--ro-bind-try",
    "--bind-fd",
    "--ro-bind-fd",
    "--bind-data",
    "--ro-bind-data",
    "--file",
    "--symlink",
    "--setenv",
];
const BWRAP_ONE: [&str; 33] = [
    "--args",
    "--argv0",
    "--userns",
    "--userns2",
    "--pidns",
    "--uid",
    "--gid",
    "--hostname",
    "--chdir",
    "--unsetenv",
    "--lock-file",
    "--sync-fd",
    "--remount-ro",
    "--overlay-src",
    "--tmp-overlay",
    "--ro-overlay",
    "--exec-label",
    "--file-label",
    "--proc",
    "--dev",
    "--tmpfs",
    "--mqueue",
    "--dir",
    "--seccomp",
    "--add-seccomp-fd",
    "--block-fd",
    "--userns-block-fd",
    "--info-fd",
    "--json-status-fd",
    "--cap-add",
    "--cap-drop",
    "--perms",
    "--size",
];

pub(super) fn open(command: &Command, _: Option<&Stream>) -> Option<Vec<Inner>> {
    let words = arguments(command);
    match command.program.as_str() {
        "bwrap" => Some(vec![Inner::words(behind_bwrap(words))]),
        "ip" => Some(ip(words)),
        "start-stop-daemon" => Some(daemon(words)),
        "cmd" | "cmd.exe" | "CMD.EXE" => Some(windows(words)),
        _ => None,
    }
}

fn behind_bwrap(words: &[Word]) -> &[Word] {
    let mut rest = words;
    while let [option, more @ ..] = rest {
        let skipped = match option.text.as_str() {
            "--" => return more,
            // `--chmod OCTAL PATH`, `--overlay RWSRC WORKDIR DEST`
            "--chmod" => 2,
            "--overlay" => 3,
            text if BWRAP_TWO.contains(&text) => 2,
            text if BWRAP_ONE.contains(&text) => 1,
            text if text.starts_with("--") => 0,
            _ => return rest,
        };
        rest = more.get(skipped..).unwrap_or_default();
    }
    rest
}

/// `ip netns exec NAME command`, `ip vrf exec NAME command`, `ip -all netns exec command`.
fn ip(words: &[Word]) -> Vec<Inner> {
    let all = words.iter().any(|word| matches!(word.text.as_str(), "-a" | "-all" | "--all"));
    let at = words.iter().position(|word| matches!(word.text.as_str(), "netns" | "net" | "vrf"));
    match at.and_then(|at| words.get(at + 1..)) {
        Some([verb, rest @ ..]) if "exec".starts_with(verb.text.as_str()) && verb.text.len() > 1 => {
            vec![Inner::words(rest.get(usize::from(!all)..).unwrap_or_default())]
        }
        _ => Vec::new(),
    }
}

/// `start-stop-daemon --start --exec program -- arguments`.
fn daemon(words: &[Word]) -> Vec<Inner> {
    let starts = |word: &Word| {
        let text = word.text.as_str();
        text == "--start" || text.starts_with('-') && !text.starts_with("--") && text.contains('S')
    };
    if !words.iter().any(starts) {
        return Vec::new();
    }
    let arguments = words.iter().skip_while(|word| word.text != "--").skip(1);
    let named = words.windows(2).filter_map(|pair| match pair {
        [option, program] if matches!(option.text.as_str(), "-x" | "--exec" | "-a" | "--startas") => {
            Some(program.clone())
        }
        [option, _] => {
            let (name, program) = option.text.split_once('=')?;
            let program = Word { text: program.into(), ..option.clone() };
            matches!(name, "--exec" | "--startas").then_some(program)
        }
        _ => None,
    });
    named
        .map(|program| Inner::made(std::iter::once(program).chain(arguments.clone().cloned()).collect()))
        .collect()
}

/// `cmd /c text`. Its language is another one, but programs have the same names.
fn windows(words: &[Word]) -> Vec<Inner> {
    let at = words.iter().position(|word| {
        let text = word.text.trim_start_matches('/');
        word.text.starts_with('/') && matches!(text, "c" | "C" | "k" | "K")
    });
    let rest = at.and_then(|at| words.get(at + 1..)).unwrap_or_default();
    joined(rest).map(Inner::text).into_iter().collect()
}
