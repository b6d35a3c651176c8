//! PowerShell: another language. Only what is plain in its text is read: what
//! it downloads and runs, what it deletes with all that is below.

use super::{Inner, arguments};
use crate::reading::{Command, Unknown, Word};
use crate::stream::Stream;
use smol_str::format_smolstr;

/// Words that run text.
const RUNNERS: [&str; 2] = ["iex", "invoke-expression"];

/// Words that fetch.
const FETCHERS: [&str; 6] = ["iwr", "irm", "invoke-webrequest", "invoke-restmethod", "curl", "wget"];

/// Words that delete.
const REMOVERS: [&str; 5] = ["remove-item", "ri", "rm", "del", "rmdir"];

pub(super) fn open(command: &Command, stdin: Option<&Stream>) -> Option<Vec<Inner>> {
    if !["pwsh", "powershell"].iter().any(|name| name.eq_ignore_ascii_case(&command.program)) {
        return None;
    }
    let words = arguments(command);
    let encoded = words.iter().find(|word| {
        let text = word.text.to_ascii_lowercase();
        text.starts_with("-e") && "-encodedcommand".starts_with(&text) && text != "-ex"
    });
    if let Some(word) = encoded {
        let what = "encoded text for PowerShell".to_string();
        return Some(vec![Inner::Opaque { span: word.span, kind: Unknown::Decoded, what }]);
    }
    let file = words.iter().any(|word| word.text.to_ascii_lowercase().starts_with("-f"));
    if words.is_empty() || words.iter().any(|word| word.text == "-") {
        return Some(stdin.map(|_| Inner::Program).into_iter().collect());
    }
    if file {
        let at = words.iter().position(|word| word.text.to_ascii_lowercase().starts_with("-f"));
        return Some(at.and_then(|at| words.get(at + 1)).cloned().map(Inner::File).into_iter().collect());
    }
    let texts = words.iter().filter(|word| !word.text.starts_with('-'));
    Some(texts.flat_map(statements).take(64).collect())
}

/// What the statements of `text` amount to.
fn statements(text: &Word) -> Vec<Inner> {
    let lower = text.text.to_ascii_lowercase();
    let has = |names: &[&str]| {
        lower
            .split(|found: char| !(found.is_alphanumeric() || found == '-'))
            .any(|word| names.contains(&word))
    };
    let mut found = Vec::new();
    if has(&RUNNERS) && (has(&FETCHERS) || lower.contains("downloadstring")) {
        let word = |name: &str| Word { text: name.into(), exact: true, glob: false, span: text.span };
        found
            .push(Inner::text(Word { text: format_smolstr!("{} | sh", "curl https://unknown"), ..word("") }));
    } else if has(&RUNNERS) {
        let what = "text run by `Invoke-Expression`".to_string();
        found.push(Inner::Opaque { span: text.span, kind: Unknown::Computed, what });
    }
    for statement in text.text.split([';', '\n', '|', '{', '}']) {
        found.extend(removal(statement, text).or_else(|| started(statement, text)));
    }
    found
}

/// A statement that is a plain command: programs have the same names here.
fn started(statement: &str, text: &Word) -> Option<Inner> {
    let statement = statement.trim().trim_start_matches(['&', '.', ' ']);
    let begins = |first: char| first.is_alphabetic() || matches!(first, '/' | '"' | '\'');
    let word =
        |one: String| Word { exact: !one.contains('$'), text: one.into(), glob: false, span: text.span };
    let words: Vec<Word> = super::split(statement).into_iter().map(word).collect();
    (statement.starts_with(begins) && !statement.contains('=')).then(|| Inner::made(words))
}

/// `Remove-Item -Recurse path` is `rm -r path`.
fn removal(statement: &str, text: &Word) -> Option<Inner> {
    let mut words = statement.split_whitespace();
    let first = words.next()?.to_ascii_lowercase();
    if !REMOVERS.contains(&first.as_str()) {
        return None;
    }
    let word = |name: &str| Word {
        text: name.trim_matches(['"', '\'']).into(),
        exact: !name.contains('$'),
        glob: false,
        span: text.span,
    };
    let rest: Vec<&str> = words.collect();
    let deep = rest.iter().any(|word| word.to_ascii_lowercase().starts_with("-r"));
    let mut made = vec![word("rm"), word(if deep { "-rf" } else { "-f" })];
    made.extend(rest.iter().filter(|word| !word.starts_with('-')).map(|name| word(name)));
    Some(Inner::made(made))
}
