//! Programs of other languages given on the line: the shell commands they
//! start with literal text.
//!
//! A scan, not a parser: it looks for the calls that start commands and reads
//! the string literals behind them. What those calls get from elsewhere is
//! opaque.

use super::interpreters::interpreter;
use super::values::{Values, is_from_home, shell_text, shell_word};
use super::{Inner, arguments, file_calls, plain, special};
use crate::reading::{Command, Unknown, Word};
use crate::stream::Stream;

/// Calls that hand a line (or a list of words) to the system.
pub(super) const CALLS: &[&str] = &[
    "system",
    "popen",
    "popen2",
    "popen3",
    "exec",
    "execSync",
    "execFileSync",
    "execFile",
    "spawn",
    "spawnSync",
    "run",
    "call",
    "check_call",
    "check_output",
    "Popen",
    "getoutput",
    "getstatusoutput",
    "shell_exec",
    "passthru",
    "proc_open",
    "execute",
    "execv",
    "execvp",
    "execl",
    "execlp",
    "capture2",
    "capture3",
    "capture2e",
    "create_subprocess_shell",
    "startfile",
    "qx",
    "execa",
    "spawnl",
    "spawnlp",
    "system2",
    "Command",
    "cmd",
    "shell",
    "command",
];

/// Calls that run computed program text.
const EVALUATORS: &[&str] = &["exec", "eval", "execfile", "instance_eval", "Function"];

/// Longer program text than this is only looked through for a few calls.
const LONG: usize = 32 << 10;

pub(super) fn open(command: &Command, _: Option<&Stream>) -> Option<Vec<Inner>> {
    let (name, options) = interpreter(&command.program)?;
    let words = arguments(command);
    let mut found = Vec::new();
    let mut has_text = false;
    for (at, word) in words.iter().enumerate() {
        let text = if name.ends_with("awk") {
            let is_program = !word.text.starts_with(['-', '<', '>']) && word.text.contains(['(', '{']);
            is_program.then(|| word.clone())
        } else {
            program_of(word, words.get(at + 1), options)
        };
        if let Some(text) = text {
            has_text = true;
            if !text.exact && text.text.starts_with('$') && !text.text.contains(' ') {
                let what = format!("{name} program in `{}`", text.text);
                found.push(Inner::Opaque { span: text.span, kind: Unknown::Variable, what });
            }
            found.push(Inner::Foreign(text.clone()));
            found.extend(calls(name, &text));
        }
    }
    if let Some(words) = module_words(words) {
        found.push(words);
    }
    if matches!(*name, "deno" | "bun") {
        // They run a program straight from its address.
        let far =
            words.iter().find(|word| ["http://", "https://"].iter().any(|head| word.text.starts_with(head)));
        let runs = words
            .iter()
            .take(2)
            .any(|word| matches!(word.text.as_str(), "run" | "serve" | "test" | "install" | "bench" | "-A"));
        found.extend(far.filter(|_| runs).cloned().map(Inner::Download));
    }
    let operand = words.iter().find(|word| word.text == "-" || !word.text.starts_with('-'));
    let module = words.iter().any(|word| word.text == "-m" || word.text.starts_with("--version"));
    let flags_only =
        words.iter().any(|word| matches!(word.text.as_str(), "-V" | "-v" | "-h" | "--help" | "-i"));
    let reads_script = words.windows(2).any(|pair| {
        matches!(pair, [option, file] if option.text == "-f" && matches!(file.text.as_str(), "-" | "/dev/stdin"))
    });
    if let Some(words) = operand.and_then(|operand| framework_words(operand, words)) {
        found.push(words);
    }
    match operand {
        _ if name.ends_with("awk") && reads_script => found.push(Inner::Program),
        _ if has_text || module || name.ends_with("awk") || *name == "bun" || *name == "deno" => {}
        Some(word) if matches!(word.text.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => {
            found.push(Inner::Program);
        }
        Some(word) if word.text != "-" => found.push(Inner::File(word.clone())),
        None if flags_only => {}
        _ => found.push(Inner::Program),
    }
    Some(found)
}

/// `php artisan …` is `artisan …`, `python manage.py …` is `manage.py …`.
fn framework_words(operand: &Word, words: &[Word]) -> Option<Inner> {
    let known =
        matches!(crate::programs::base_name(&operand.text), "artisan" | "manage.py" | "rails" | "rake");
    let at = words.iter().position(|word| word.span == operand.span).filter(|_| known)?;
    Some(Inner::words(words.get(at..)?))
}

/// `python -m pip …` is `pip …`.
fn module_words(words: &[Word]) -> Option<Inner> {
    let at = words.iter().position(|word| word.text == "-m")?;
    let module = words
        .get(at + 1)
        .filter(|word| matches!(word.text.as_str(), "pip" | "pip3" | "uv" | "pre_commit"))?;
    let name = module.text.replace('_', "-");
    let mut made = vec![Word { text: name.into(), ..module.clone() }];
    made.extend(words.iter().skip(at + 2).cloned());
    Some(Inner::made(made))
}

/// Program text in `word` (attached or clustered) or in the word after it.
fn program_of(word: &Word, next: Option<&Word>, options: &[&str]) -> Option<Word> {
    for option in options {
        if word.text == *option {
            return next.cloned();
        }
        if option.starts_with("--") {
            if let Some(text) = word.text.strip_prefix(option).and_then(|rest| rest.strip_prefix('=')) {
                return Some(Word { text: text.into(), ..word.clone() });
            }
            continue;
        }
        // `perl -ne 'text'`, `python -Bc 'text'`, `python -c'text'`.
        let letter = option.trim_start_matches('-');
        let Some(letters) = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
            continue;
        };
        if let Some((before, after)) = letters.split_once(letter)
            && !letter.is_empty()
            && before.len() <= 4
            && before.bytes().all(|byte| byte.is_ascii_alphabetic())
        {
            return if after.is_empty() {
                next.cloned()
            } else {
                Some(Word { text: after.into(), ..word.clone() })
            };
        }
    }
    None
}

/// The commands program text starts, as far as they stand there literally.
pub(super) fn calls(language: &str, program: &Word) -> Vec<Inner> {
    let mut found = Vec::new();
    let mut values = Values::of(language);
    let language = if matches!(language, "tsx" | "ts-node") { "node" } else { language };
    let written_out = plain::of(language, &program.text);
    let text = written_out.as_deref().unwrap_or(program.text.as_str());
    let mut rest = text;
    let mut before = ' ';
    // Each look may go through all of the text.
    let looks = if text.len() > LONG { 8 } else { 256 };
    let mut looked = 0;
    while let Some(first) = rest.chars().next() {
        let name_end = rest.find(|one: char| !(one.is_alphanumeric() || one == '_')).unwrap_or(rest.len());
        if name_end == 0 {
            if language.ends_with("awk") && matches!(first, '>' | '<') {
                let head = text.get(..text.len() - rest.len()).unwrap_or("");
                found.extend(file_calls::awk(first, head, rest.get(1..).unwrap_or(""), &values, program));
                rest = rest.get(1..).unwrap_or("");
            } else if language.ends_with("awk") && first == '|' {
                let head = text.get(..text.len() - rest.len()).unwrap_or("");
                found.extend(awk_pipe(head, rest, &values, program));
                rest = rest.get(1..).unwrap_or("");
            } else if let Some((literal, after)) = special::quoted_command(language, text, rest) {
                found.push(Inner::text(Word { text: literal.into(), ..program.clone() }));
                rest = after;
            } else {
                rest = rest.get(first.len_utf8()..).unwrap_or("");
            }
            before = first;
            continue;
        }
        let (name, after) = (rest.get(..name_end).unwrap_or(""), rest.get(name_end..).unwrap_or(""));
        if [CALLS, EVALUATORS].iter().any(|names| names.contains(&name)) {
            looked += 1;
        }
        values.learn(name, after);
        found.extend(call(language, text, name, before, after, &values, program));
        before = name.chars().last().unwrap_or(' ');
        rest = after;
        if found.len() > 64 || looked > looks {
            let what = format!("{language} program with more than can be followed");
            found.push(Inner::Opaque { span: program.span, kind: Unknown::Limit, what });
            break;
        }
    }
    if found.is_empty() && starts_unseen(language, text) {
        let what = format!("{language} program that may start commands");
        found.push(Inner::Opaque { span: program.span, kind: kind_of(text), what });
    }
    found.extend(super::imports::of(language, program));
    found
}

/// Text that unpacks or fetches what it runs hides more than one that computes it.
fn kind_of(text: &str) -> Unknown {
    let hides = [
        "b64decode",
        "base64",
        "fromhex",
        "codecs",
        "decompress",
        "unhexlify",
        "atob(",
        "urlopen",
        "marshal",
        "xor",
    ];
    if hides.iter().any(|sign| text.contains(sign)) { Unknown::Decoded } else { Unknown::Computed }
}

/// Does the text reach for the means to start commands, under a name of its own?
fn starts_unseen(language: &str, text: &str) -> bool {
    match language {
        "node" | "nodejs" | "bun" | "deno" => text.contains("child_process"),
        "python" | "pypy" => {
            ["import subprocess", "from subprocess", "from os import system", "pty.spawn", "__import__"]
                .iter()
                .any(|sign| text.contains(sign))
        }
        _ => false,
    }
}

/// Is `name` in this language, in this text, a call that starts a command?
fn starts_command(language: &str, text: &str, name: &str, before: char) -> bool {
    if !CALLS.contains(&name) || matches!(before, '$' | '@' | '-') && language != "perl" {
        return false;
    }
    match (language, name) {
        (
            "python" | "pypy",
            "run" | "call" | "check_call" | "check_output" | "Popen" | "getoutput" | "getstatusoutput",
        ) => text.contains("subprocess"),
        ("python" | "pypy", "exec") => false,
        ("deno", "Command") => text.contains("Deno.Command"),
        ("elixir" | "erl", "cmd") | ("raku", "run" | "shell") | ("ocaml", "command") => true,
        (_, "Command" | "cmd" | "shell" | "command") => false,
        ("node" | "nodejs" | "bun" | "deno", _) => {
            text.contains("child_process") || text.contains("execa") || text.contains("Bun")
        }
        ("lua" | "luajit", "execute") => true,
        (_, "run" | "call" | "execute") => false,
        _ => true,
    }
}

/// awk's `command | getline` and `print … | "command"`.
fn awk_pipe(head: &str, rest: &str, values: &Values, program: &Word) -> Vec<Inner> {
    let behind = rest.trim_start_matches(['|', '&']).trim_start();
    let run =
        |text: String| Inner::text(Word { text: shell_text(&text).into(), exact: true, ..program.clone() });
    // What stands before the bar: a literal that ends there, or a name.
    let before = head.trim_end();
    let last = match before.strip_suffix('"') {
        Some(open) => open.rfind('"').and_then(|at| literal(before.get(at..)?)).map(|(text, _)| text),
        None => {
            let at = before.rfind(|found: char| !(found.is_alphanumeric() || found == '_'));
            values.text(before.get(at.map_or(0, |at| at + 1)..).unwrap_or("")).map(|(text, _)| text)
        }
    };
    if behind.starts_with("getline") {
        return last.map(run).into_iter().collect();
    }
    let Some((command, _)) = values.text(behind) else { return Vec::new() };
    let is_shell = super::shell::SHELLS.contains(&command.trim());
    let printed = last.filter(|_| is_shell && !rest.starts_with("||")).map(run);
    std::iter::once(run(command)).filter(|_| !rest.starts_with("||")).chain(printed).collect()
}

fn call(
    language: &str,
    text: &str,
    name: &str,
    before: char,
    after: &str,
    values: &Values,
    program: &Word,
) -> Vec<Inner> {
    let opening = after.trim_start();
    let inside = opening.strip_prefix('(').map(str::trim_start);
    let head = text.get(..text.len() - after.len() - name.len()).unwrap_or("");
    if let Some(file) = file_calls::open(&file_calls::Call { name, head, opening, inside, values }, program) {
        return vec![file];
    }
    if language == "perl"
        && let Some(text) = special::perl(name, opening, inside)
    {
        return vec![Inner::text(Word { text: text.into(), exact: true, ..program.clone() })];
    }
    if starts_command(language, text, name, before) {
        let argument = match inside {
            Some(argument) => argument,
            // Perl, Ruby, awk and others need no parentheses.
            None if matches!(language, "perl" | "ruby" | "raku" | "ghc" | "ocaml")
                || language.ends_with("awk") =>
            {
                opening
            }
            None => return Vec::new(),
        };
        if argument.starts_with(')') || argument.is_empty() {
            return Vec::new();
        }
        return vec![started(name, argument, values, program)];
    }
    let evaluates =
        EVALUATORS.contains(&name) && before != '.' && inside.is_some_and(|inner| literal(inner).is_none());
    if evaluates {
        return vec![Inner::Opaque {
            span: program.span,
            kind: kind_of(text),
            what: format!("computed text run by `{name}` in {language}"),
        }];
    }
    Vec::new()
}

/// What a call with this argument starts.
fn started(name: &str, argument: &str, values: &Values, program: &Word) -> Inner {
    let word = |text: String| Word { text: text.into(), exact: true, glob: false, span: program.span };
    let words_of = |texts: &[String]| {
        if texts.iter().any(|text| is_from_home(text)) {
            let line: Vec<String> = texts.iter().map(|text| shell_word(text)).collect();
            return Inner::text(word(line.join(" ")));
        }
        Inner::made(texts.iter().cloned().map(word).collect())
    };
    let argument = argument.strip_prefix("args=").unwrap_or(argument);
    let list = argument.strip_prefix('[').map(|list| values.list(list));
    // A tuple is a list; one text in brackets is not.
    let tuple = argument.strip_prefix('(').map(|list| values.list(list)).filter(|list| list.len() > 1);
    let list = list.or(tuple);
    let list = list.or_else(|| values.list_named(argument).map(<[String]>::to_vec));
    if let Some(texts) = list {
        if !texts.is_empty() {
            return words_of(&texts);
        }
    } else if let Some((first, after)) = literal(argument).or_else(|| values.text(argument)) {
        let (first, after) = values.text(argument).unwrap_or((first, after));
        let after = after.trim_start();
        let takes_list = name.starts_with("spawn") || name.starts_with("execFile") || name == "execa";
        if let Some(more) = after.strip_prefix(',').map(str::trim_start) {
            let list = special::list_of(more);
            let named = values.list_named(more).unwrap_or_default().to_vec();
            let all = values.list(list).into_iter().chain(named);
            // `execvp("git", ["git", "push"])`: the name it shall go by comes again.
            let again = usize::from(matches!(name, "execv" | "execvp" | "execl" | "execlp"));
            let words: Vec<String> = std::iter::once(first.clone()).chain(all.skip(again)).collect();
            if words.len() > 1 || takes_list {
                return words_of(&words);
            }
        }
        let mut line = first;
        let mut rest = after;
        // awk and Python join what stands side by side.
        while rest.starts_with(['"', '\''])
            && let Some((text, after)) = literal(rest)
        {
            line.push_str(&text);
            rest = after.trim_start();
        }
        while let Some(more) = rest.strip_prefix(['+', '.']).map(str::trim_start) {
            match literal(more) {
                Some((text, after)) => {
                    line.push_str(&text);
                    rest = after.trim_start();
                }
                None => {
                    line.push_str("$unknown");
                    break;
                }
            }
        }
        return Inner::text(word(shell_text(&line)));
    }
    let kind = kind_of(&program.text);
    Inner::Opaque { span: program.span, kind, what: format!("command computed for `{name}`") }
}

/// A string literal at the start of `text`, and what follows it.
pub(super) fn literal(text: &str) -> Option<(String, &str)> {
    let bare = text.trim_start_matches(['r', 'b', 'u', 'f', 'R', 'B', 'U', 'F']);
    let bare = if text.len() - bare.len() <= 2 { bare } else { text };
    for quotes in ["'''", "\"\"\""] {
        if let Some((inside, after)) = bare.strip_prefix(quotes).and_then(|rest| rest.split_once(quotes)) {
            return Some((inside.to_string(), after));
        }
    }
    let open = bare.chars().next().filter(|first| matches!(first, '\'' | '"' | '`'))?;
    Some(quoted(bare.get(1..)?, open))
}

/// Text up to the closing quote, escapes resolved.
pub(super) fn quoted(text: &str, close: char) -> (String, &str) {
    let mut value = String::new();
    let mut chars = text.chars();
    while let Some(found) = chars.next() {
        match found {
            '\\' => match chars.next() {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('x') => {
                    let digits: String = chars.clone().take(2).collect();
                    match u8::from_str_radix(&digits, 16) {
                        Ok(byte) => {
                            value.push(char::from(byte));
                            chars.nth(1);
                        }
                        Err(_) => value.push_str("\\x"),
                    }
                }
                Some(other) => value.push(other),
                None => {}
            },
            found if found == close => return (value, chars.as_str()),
            found => value.push(found),
        }
    }
    (value, "")
}
