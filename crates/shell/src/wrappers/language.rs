//! Programs of other languages given on the line: the shell commands they
//! start with literal text.
//!
//! A scan, not a parser: it looks for the calls that start commands and reads
//! the string literals behind them. What those calls get from elsewhere is
//! opaque.

use super::interpreters::interpreter;
use super::started::started;
use super::values::{Values, shell_text};
use super::{
    Inner, arguments, file_calls, handed, own_calls, plain, queries, quoted, rounds, special, uploads,
};
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

pub(super) fn open(command: &Command, stdin: Option<&Stream>) -> Option<Vec<Inner>> {
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
            // Attached to its option, the program is no word of its own.
            let own = if text.span == word.span { at + 1 } else { at + 2 };
            let behind = words.get(own..).unwrap_or_default();
            let dashed = behind.first().is_some_and(|word| word.text == "--");
            let behind = behind.get(usize::from(dashed)..).unwrap_or_default();
            let input = stdin.and_then(|stream| stream.text.as_deref());
            found.extend(calls(name, &handed::fill(name, command, behind, input, &text)));
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
    let known = matches!(
        crate::programs::base_name(&operand.text),
        "artisan" | "console" | "manage.py" | "rails" | "rake"
    );
    let at = words.iter().position(|word| word.span == operand.span).filter(|_| known)?;
    Some(Inner::words(words.get(at..)?))
}

/// `python -m pip …` is `pip …`.
fn module_words(words: &[Word]) -> Option<Inner> {
    let at = words.iter().position(|word| word.text == "-m")?;
    let is_program = |word: &&Word| {
        matches!(
            word.text.as_str(),
            "pip"
                | "pip3"
                | "uv"
                | "pre_commit"
                | "pipx"
                | "poetry"
                | "twine"
                | "alembic"
                | "flask"
                | "black"
                | "ruff"
                | "pytest"
        )
    };
    let module = words.get(at + 1).filter(is_program)?;
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
    let language = if matches!(language, "tsx" | "ts-node") { "node" } else { language };
    let written_out = plain::of(language, &program.text);
    let text = written_out.as_deref().unwrap_or(program.text.as_str());
    let rounds = rounds::of(language, text);
    let longer = rounds.calls().map(|calls| [text, calls].concat());
    let text = longer.as_deref().unwrap_or(text);
    let mut found = Vec::new();
    for round in 0..rounds.count() {
        let mut values = Values::of(language);
        rounds.bind(round, &mut values);
        found.extend(calls_once(language, text, values, program));
    }
    found.extend(own_calls::of(language, text, &Values::of(language), program));
    if rounds.count() > 1 {
        let mut seen = std::collections::BTreeSet::new();
        found.retain(|inner| seen.insert(format!("{inner:?}")));
    }
    if found.is_empty() && starts_unseen(language, text) {
        let what = format!("{language} program that may start commands");
        found.push(Inner::Opaque { span: program.span, kind: kind_of(text), what });
    }
    found.extend(super::imports::of(language, program));
    found
}

/// The same for one value of each name.
fn calls_once(language: &str, text: &str, mut values: Values, program: &Word) -> Vec<Inner> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut before = ' ';
    let parts = quoted::parts(language, text);
    let mut text_parts = parts.iter().peekable();
    // Each look may go through all of the text.
    let looks = if text.len() > LONG { 8 } else { 256 };
    let mut looked = 0;
    while let Some(first) = rest.chars().next() {
        let at = text.len() - rest.len();
        if let Some(part) = text_parts.next_if(|part| part.start <= at) {
            rest = text.get(part.end.max(at)..).unwrap_or("");
            before = '"';
            continue;
        }
        let (name, after) = name_at(rest);
        if name.is_empty() {
            rest = sign(language, text, rest, first, &values, program, &mut found);
            before = first;
            continue;
        }
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
    found
}

/// The name at the start of `text`, which may be empty, and what follows it.
pub(super) fn name_at(text: &str) -> (&str, &str) {
    let end = text.find(|one: char| !(one.is_alphanumeric() || one == '_')).unwrap_or(text.len());
    text.split_at(end)
}

/// What a sign that is part of no name does; gives what follows.
fn sign<'a>(
    language: &str,
    text: &str,
    rest: &'a str,
    first: char,
    values: &Values,
    program: &Word,
    found: &mut Vec<Inner>,
) -> &'a str {
    let next = rest.get(first.len_utf8()..).unwrap_or("");
    let head = text.get(..text.len() - rest.len()).unwrap_or("");
    if language.ends_with("awk") && matches!(first, '>' | '<') {
        found.extend(file_calls::awk(first, head, next, values, program));
        return next;
    }
    if language.ends_with("awk") && first == '|' {
        found.extend(awk_pipe(head, rest, values, program));
        return next;
    }
    let Some((literal, after)) = special::quoted_command(language, text, rest) else { return next };
    found.push(Inner::text(Word { text: literal.into(), ..program.clone() }));
    after
}

/// Text that unpacks or fetches what it runs hides more than one that computes it.
pub(super) fn kind_of(text: &str) -> Unknown {
    let hides = [
        "b64decode",
        "base64",
        "fromhex",
        "codecs",
        "decompress",
        "unhexlify",
        "atob(",
        "urlopen",
        "requests.get",
        "httpx.get",
        "fetch(",
        "Net::HTTP",
        "LWP::",
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
    // What is before the bar: a literal that ends there, or a name.
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
    let call = file_calls::FunctionCall { name, head, opening, inside, values };
    if let Some(file) = file_calls::open(&call, program).or_else(|| uploads::open(&call, program)) {
        return vec![file];
    }
    let query = inside.and_then(|inside| queries::open(name, inside, text, values, program));
    if let Some(query) = query.or_else(|| queries::emptied(name, head, inside, text, program)) {
        return vec![query];
    }
    if language == "perl"
        && let Some(text) = special::perl(name, opening, inside)
    {
        return vec![Inner::text(Word { text: text.into(), exact: true, ..program.clone() })];
    }
    if let Some(git) = own_calls::by_library(language, name, head, inside, values, program) {
        return vec![git];
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
