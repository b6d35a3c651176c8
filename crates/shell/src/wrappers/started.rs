//! What a call that starts a command amounts to: a line for a shell, or words.
//!
//! What the call gets from elsewhere is opaque.

use super::language::{kind_of, literal};
use super::lists::GAP;
use super::values::{Values, is_from_home, shell_text, shell_word};
use super::{Inner, special};
use crate::reading::Word;

/// A word no one knows, in a line.
const UNKNOWN: &str = "$unknown";

/// What a call with this argument starts.
pub(super) fn started(name: &str, argument: &str, values: &Values, program: &Word) -> Inner {
    let argument = argument.strip_prefix("args=").unwrap_or(argument);
    values.with_environment(bare(name, behind_table(argument), values, program), argument, program)
}

/// Ruby's `system({'A' => 'b'}, 'x')`: the variables come first.
fn behind_table(argument: &str) -> &str {
    let behind = argument.strip_prefix('{').and_then(|rest| rest.split_once('}'));
    behind.and_then(|(_, rest)| rest.trim_start().strip_prefix(',')).map_or(argument, str::trim_start)
}

fn bare(name: &str, argument: &str, values: &Values, program: &Word) -> Inner {
    if let Some((texts, _)) = values.words(argument) {
        if texts.first().is_some_and(|first| first != GAP) {
            return words_of(&texts, program);
        }
    } else if let Some((first, after)) = values.text(argument) {
        let after = after.trim_start();
        if let Some(words) = further(name, &first, after, values) {
            return words_of(&words, program);
        }
        return line_of(first, after, program);
    }
    let kind = kind_of(&program.text);
    Inner::Opaque { span: program.span, kind, what: format!("command computed for `{name}`") }
}

fn word(text: &str, program: &Word) -> Word {
    Word { text: text.into(), exact: true, glob: false, span: program.span }
}

pub(super) fn words_of(texts: &[String], program: &Word) -> Inner {
    if texts.iter().any(|text| is_from_home(text)) {
        let line: Vec<String> = texts
            .iter()
            .map(|text| if text == GAP { UNKNOWN.to_string() } else { shell_word(text) })
            .collect();
        return Inner::text(word(&line.join(" "), program));
    }
    let known = |text: &String| match text.as_str() {
        GAP => Word { exact: false, ..word(UNKNOWN, program) },
        text => word(text, program),
    };
    Inner::made(texts.iter().map(known).collect())
}

/// `spawn('git', ['push'])`: the words behind the first, where they come apart.
fn further(name: &str, first: &str, after: &str, values: &Values) -> Option<Vec<String>> {
    let takes_list = name.starts_with("spawn") || name.starts_with("execFile") || name == "execa";
    let more = after.strip_prefix(',').map(str::trim_start)?;
    let all =
        values.words(more).map(|(words, _)| words).unwrap_or_else(|| values.list(special::list_of(more)));
    // `execvp("git", ["git", "push"])`: the name it shall go by comes again.
    let again = usize::from(matches!(name, "execv" | "execvp" | "execl" | "execlp"));
    let words: Vec<String> = std::iter::once(first.to_string()).chain(all.into_iter().skip(again)).collect();
    (words.len() > 1 || takes_list).then_some(words)
}

/// A line, and what is joined to it as far as that is known.
fn line_of(first: String, after: &str, program: &Word) -> Inner {
    let mut line = first;
    let mut rest = after;
    // awk and Python join what is side by side.
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
                line.push_str(UNKNOWN);
                break;
            }
        }
    }
    Inner::text(word(&shell_text(&line), program))
}
