//! Shells and the builtins that read text as commands.

use super::{Inner, arguments, joined};
use crate::options::may_vanish;
use crate::reading::{Assignment, Command, Word};
use crate::stream::Stream;
use smol_str::format_smolstr;

pub(super) const SHELLS: [&str; 19] = [
    "bash", "sh", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "fish", "csh", "tcsh", "osh", "ysh", "yash",
    "nu", "xonsh", "elvish", "posh", "loksh",
];

pub(super) fn open(command: &Command, stdin: Option<&Stream>) -> Option<Vec<Inner>> {
    let words = arguments(command);
    match command.program.as_str() {
        name if SHELLS.contains(&name) => {
            let known = stdin.is_some_and(|stream| stream.text.is_some());
            Some(shell(command, words, known))
        }
        "eval" => {
            let skip = usize::from(words.first().is_some_and(|word| word.text == "--"));
            let text = joined(words.get(skip..).unwrap_or_default())?;
            Some(vec![Inner::Text { text, arguments: Vec::new(), same_shell: true }])
        }
        "source" | "." => Some(words.first().cloned().map(source).into_iter().collect()),
        "trap" => {
            let text = words.iter().find(|word| !word.text.starts_with('-'))?;
            Some(vec![Inner::text(text.clone())])
        }
        "jobs" => {
            let at = words.iter().position(|word| word.text == "-x")?;
            Some(vec![Inner::words(words.get(at + 1..)?)])
        }
        "at" | "batch" => Some(vec![Inner::Input]),
        _ => None,
    }
}

fn source(path: Word) -> Inner {
    if matches!(path.text.as_str(), "/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0") {
        Inner::Input
    } else {
        Inner::File(path)
    }
}

/// What a shell runs because a variable says so: a file read at its start, whose
/// name is expanded first, a prompt when it is shown, a function.
fn from_variable(assignment: &Assignment) -> Vec<Inner> {
    let value = &assignment.value;
    let file = matches!(assignment.name.as_str(), "BASH_ENV" | "ENV");
    let expanded = file || matches!(assignment.name.as_str(), "PS0" | "PS1" | "PS2" | "PS4");
    let runs = expanded && (value.text.contains("$(") || value.text.contains('`'));
    let text = || Inner::text(Word { text: format_smolstr!(": {}", value.text), ..value.clone() });
    let read = file.then(|| Inner::File(value.clone()));
    read.into_iter().chain(runs.then(text)).chain(function(assignment)).collect()
}

/// `BASH_FUNC_ls%%='() { … }'` is a function of the shell that starts.
fn function(assignment: &Assignment) -> Option<Inner> {
    let value = &assignment.value;
    let body = value.text.strip_prefix("()").filter(|_| assignment.name.starts_with("BASH_FUNC_"))?;
    Some(Inner::text(Word { text: body.trim_start().into(), ..value.clone() }))
}

/// `bash -s -- x`: what the text that comes in is given, behind the name.
pub(crate) fn input_arguments(command: &Command) -> Vec<Word> {
    if !SHELLS.contains(&command.program.as_str()) {
        return Vec::new();
    }
    let (mut rest, mut from_input) = (arguments(command), false);
    while let [word, more @ ..] = rest
        && word.text.len() > 1
        && word.text.starts_with(['-', '+'])
        && word.text != "--"
    {
        let long = word.text.starts_with("--");
        from_input |= !long && word.text.contains('s');
        // `-o posix`
        let takes = matches!(word.text.as_str(), "--rcfile" | "--init-file")
            || !long && word.text.ends_with(['o', 'O']);
        rest = more.get(usize::from(takes)..).unwrap_or_default();
    }
    if !from_input {
        return Vec::new();
    }
    let skip = usize::from(rest.first().is_some_and(|word| word.text == "--"));
    command.words.first().into_iter().chain(rest.iter().skip(skip)).cloned().collect()
}

/// `bash [options] -c text name arguments`, `bash script`, or plain `bash`. What
/// comes in counts where a script may not be named, if it is `known`.
fn shell(command: &Command, words: &[Word], known: bool) -> Vec<Inner> {
    let mut found: Vec<Inner> = command.assignments.iter().flat_map(from_variable).collect();
    let mut wants_text = false;
    let mut from_input = false;
    let mut unsure = false;
    let (mut only_reads, mut talks) = (false, false);
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if may_vanish(word) && !wants_text {
            found.push(Inner::File(word.clone()));
            unsure = true;
            at += 1;
            continue;
        }
        let option = text.len() > 1 && (text.starts_with('-') || text.starts_with('+'));
        if !option || text == "--" {
            at += usize::from(text == "--");
            break;
        }
        at += 1;
        if let Some(value) = text.strip_prefix("--command=") {
            let text = Word { text: value.into(), ..word.clone() };
            found.push(Inner::text(text));
            return found;
        }
        if text.starts_with("--") {
            wants_text |= text == "--command";
            if matches!(text, "--rcfile" | "--init-file") {
                found.extend(words.get(at).cloned().map(Inner::File));
                at += 1;
            }
            continue;
        }
        let letters = text.get(1..).unwrap_or("");
        wants_text |= text.starts_with('-') && letters.contains('c');
        from_input |= text.starts_with('-') && letters.contains('s');
        if letters.contains('n') {
            only_reads = text.starts_with('-');
        }
        talks |= text.starts_with('-') && letters.contains('i');
        if letters.ends_with(['o', 'O']) {
            at += 1;
        }
    }
    // `bash -n` looks at the text and runs nothing; one that talks runs it all the same.
    if only_reads && !talks {
        return found;
    }
    let rest = words.get(at..).unwrap_or_default();
    match rest.split_first() {
        Some((text, arguments)) if wants_text => {
            let arguments = arguments.to_vec();
            found.push(Inner::Text { text: text.clone(), arguments, same_shell: false });
        }
        Some((first, _)) if !from_input && first.text != "-" => {
            found.extend(printer(words.get(..at).unwrap_or_default(), first));
            found.push(source(first.clone()));
        }
        _ if wants_text || unsure && !known => {}
        _ => found.push(Inner::Input),
    }
    found
}

/// `bash -v x` prints the file, line by line.
fn printer(options: &[Word], file: &Word) -> Option<Inner> {
    let prints = |word: &&Word| {
        matches!(word.text.as_str(), "verbose" | "xtrace" | "--verbose")
            || word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(['v', 'x'])
    };
    options.iter().find(prints).map(|option| super::reader_of(file, option))
}
