//! What is wrong with a text that is no YAML, and the line to write instead.
//!
//! The parser knows where it stopped, not what the person meant: the line
//! itself tells more. Its own words are never shown.

use super::tree::{Mistake, Place};
use serde_saphyr::granit_parser::{ErrorKind, ScanError};
use std::ops::Range;

/// A line and a column, from 1.
#[derive(Clone, Copy)]
struct At {
    line: usize,
    column: usize,
}

/// The mistake the parser stopped at.
pub(super) fn explain(lines: &[&str], error: &ScanError) -> Mistake {
    let mark = error.marker();
    let last = lines.iter().rposition(|line| !line.trim().is_empty()).unwrap_or(0).saturating_add(1);
    let at = match mark.line() > last {
        true => At { line: last, column: line_of(lines, last).chars().count().max(1) },
        false => At { line: mark.line().max(1), column: mark.col().saturating_add(1) },
    };
    if let Some(found) = dash_alone(lines, at) {
        return found;
    }
    if let Some(found) =
        tab(lines, at).or_else(|| tab(lines, At { line: at.line.saturating_add(1), column: 1 }))
    {
        return found;
    }
    let found = match error.kind() {
        ErrorKind::UnclosedQuotedScalar | ErrorKind::DocumentIndicatorInQuotedScalar => {
            Some(open_quote(lines, at))
        }
        ErrorKind::InvalidQuotedScalarIndent => Some(open_quote(lines, at)),
        ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            Some(behind_quote(lines, at))
        }
        ErrorKind::UnknownQuotedScalarEscape
        | ErrorKind::InvalidQuotedScalarHexEscape
        | ErrorKind::InvalidUnicodeEscape => escape(lines, at),
        ErrorKind::UnclosedFlowCollection { open } => Some(open_bracket(lines, at, *open)),
        ErrorKind::UnexpectedEofFlowSequence => Some(open_bracket(lines, at, '[')),
        ErrorKind::UnexpectedEofFlowMapping | ErrorKind::UnexpectedEofImplicitFlowMapping => {
            Some(open_bracket(lines, at, '{'))
        }
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            Some(wrong_bracket(lines, at, *open, *close))
        }
        ErrorKind::MisplacedFlowCollectionEnd => Some(stray_bracket(lines, at)),
        ErrorKind::ExpectedFlowSequenceSeparator | ErrorKind::ExpectedFlowMappingSeparator => {
            Some(no_comma(lines, at))
        }
        ErrorKind::UnexpectedCharacter { .. }
        | ErrorKind::MissingAnchorOrAliasName
        | ErrorKind::PlainScalarStartsWithDashFlowIndicator
        | ErrorKind::UndeclaredTagHandle
        | ErrorKind::InvalidTagTerminator
        | ErrorKind::InvalidGlobalTagCharacter
        | ErrorKind::ExpectedTagBang
        | ErrorKind::InvalidBlockScalarHeader
        | ErrorKind::ExpectedNodeContent => Some(needs_quotes(lines, at)),
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => no_colon(lines, at),
        _ => None,
    };
    found
        .or_else(|| colon_in_text(lines, at))
        .or_else(|| indentation(lines, at))
        .or_else(|| no_colon(lines, at))
        .unwrap_or_else(|| plain(lines, at))
}

/// The lines of the list item, or else the key of the file, that a line belongs to: counted from 0.
pub(super) fn block_around(lines: &[&str], mistake: usize, error: usize) -> Range<usize> {
    let from = mistake.min(error).max(1).saturating_sub(1);
    let begins = |line: &str| {
        let text = line.trim_start();
        text.starts_with("- ") || text.trim_end() == "-" || is_top(line)
    };
    let start = (0..=from).rev().find(|at| lines.get(*at).is_some_and(|line| begins(line))).unwrap_or(from);
    let depth = lines.get(start).map_or(0, |line| depth_of(line));
    // How deep a tab indents cannot be told.
    let is_tabbed = |line: &str| line.chars().take(depth_of(line)).any(|found| found == '\t');
    let ends = |line: &&str| says_something(line) && !is_tabbed(line) && depth_of(line) <= depth;
    let rest = lines.iter().skip(start.saturating_add(1));
    let end =
        rest.clone().position(ends).map_or(lines.len(), |more| start.saturating_add(1).saturating_add(more));
    start..end.max(from.saturating_add(1))
}

/// A key of the file itself.
fn is_top(line: &str) -> bool {
    line.starts_with(|first: char| first.is_alphanumeric() || matches!(first, '"' | '\'' | '_'))
}

fn depth_of(line: &str) -> usize {
    line.chars().take_while(|found| matches!(found, ' ' | '\t')).count()
}

fn line_of<'a>(lines: &[&'a str], number: usize) -> &'a str {
    lines.get(number.saturating_sub(1)).copied().unwrap_or_default().trim_end()
}

fn mistake(at: At, length: usize, message: impl Into<String>, help: impl Into<String>) -> Mistake {
    let place = Place::in_line(at.line, at.column, length.max(1));
    Mistake { place, message: message.into(), help: help.into() }
}

/// Text as a YAML value that means just this text.
pub(super) fn quoted(text: &str) -> String {
    if text.contains(['"', '\\']) { format!("'{}'", text.replace('\'', "''")) } else { format!("\"{text}\"") }
}

/// `key: ` or `- ` at the start of a line, and what follows.
fn split(line: &str) -> (&str, &str) {
    let text = line.trim_start();
    let dash = text.len().saturating_sub(text.strip_prefix('-').map_or(text, str::trim_start).len());
    let (lead, rest) = text.split_at_checked(dash).unwrap_or(("", text));
    let Some((key, value)) = rest.split_once(": ") else { return (lead, rest) };
    let head = lead.len().saturating_add(key.len()).saturating_add(2);
    (text.get(..head).unwrap_or(lead), value)
}

/// The line with its value in quotes.
fn with_quotes(line: &str) -> String {
    let (head, value) = split(line);
    format!("{head}{}", quoted(value.trim()))
}

fn tab(lines: &[&str], at: At) -> Option<Mistake> {
    let line = line_of(lines, at.line);
    let column = line.chars().position(|found| found == '\t').filter(|column| *column < depth_of(line))?;
    let text = line.trim_start();
    let above = lines.get(..at.line.saturating_sub(1))?.iter().rev().find(|above| says_something(above));
    let above = above.map_or("", |above| above.trim_end());
    let depth = match (above.ends_with(':'), text.starts_with("- "), above.trim_start().starts_with("- ")) {
        (true, ..) => key_column(above).saturating_add(2),
        (false, true, true) => depth_of(above),
        _ => key_column(above),
    };
    let at = At { column: column.saturating_add(1), ..at };
    let help = format!("write `{}{text}`", " ".repeat(depth));
    Some(mistake(at, 1, "a tab indents this line; YAML takes only spaces", help))
}

fn says_something(line: &str) -> bool {
    !line.trim().is_empty() && !line.trim_start().starts_with('#')
}

/// What a line leaves open at its end: a quote, or brackets.
#[derive(Default)]
struct Unclosed {
    quote: Option<(usize, char)>,
    brackets: Vec<(usize, char)>,
}

fn unclosed(line: &str) -> Unclosed {
    let mut found = Unclosed::default();
    let mut before = ' ';
    let mut is_escaped = false;
    for (column, letter) in line.chars().enumerate() {
        match found.quote {
            Some((_, '"')) if is_escaped => is_escaped = false,
            Some((_, '"')) if letter == '\\' => is_escaped = true,
            Some((_, quote)) if letter == quote => found.quote = None,
            Some(_) => {}
            None => match letter {
                '"' | '\'' if matches!(before, ' ' | '[' | '{' | ',') => found.quote = Some((column, letter)),
                '[' | '{' => found.brackets.push((column, letter)),
                ']' | '}' => drop(found.brackets.pop()),
                '#' if before == ' ' => break,
                _ => {}
            },
        }
        before = letter;
    }
    found
}

/// The line at or above this one that leaves something open.
fn opened<T>(lines: &[&str], line: usize, of: impl Fn(Unclosed) -> Option<T>) -> Option<(usize, T)> {
    (1..=line).rev().find_map(|number| Some((number, of(unclosed(line_of(lines, number)))?)))
}

fn open_quote(lines: &[&str], at: At) -> Mistake {
    let (line, (column, quote)) =
        opened(lines, at.line, |one| one.quote).unwrap_or((at.line, (at.column.saturating_sub(1), '"')));
    let text = line_of(lines, line);
    let value: String = text.chars().skip(column.saturating_add(1)).collect();
    let help = match value.contains([',', '}', ']']) {
        false => format!("write `{}{quote}`", text.trim_start()),
        true => format!("write {quote} where the text ends"),
    };
    let at = At { line, column: column.saturating_add(1) };
    mistake(at, 1, format!("the quote {quote} is never closed"), help)
}

fn behind_quote(lines: &[&str], at: At) -> Mistake {
    let line = line_of(lines, at.line);
    let help = format!("put the whole text in quotes: `{}`", with_quotes(line));
    mistake(at, 1, "there is text after the closing quote", help)
}

fn escape(lines: &[&str], at: At) -> Option<Mistake> {
    let line = line_of(lines, at.line);
    let known =
        ['0', 'a', 'b', 't', 'n', 'v', 'f', 'r', 'e', '"', '/', '\\', 'N', '_', 'L', 'P', 'x', 'u', 'U', ' '];
    let mut found = None;
    let mut is_escaped = false;
    for (column, (byte, letter)) in line.char_indices().enumerate() {
        if is_escaped && !known.contains(&letter) {
            found = Some((column, byte, letter));
            break;
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    let (column, byte, letter) = found?;
    let start = line.get(..byte)?.rfind('"')?;
    let end = line.get(byte..)?.find('"').map_or(line.len(), |more| byte.saturating_add(more));
    let text = line.get(start.saturating_add(1)..end)?;
    let help = format!("use single quotes, where a backslash is one: `'{}'`", text.replace('\'', "''"));
    Some(mistake(
        At { column, ..at },
        2,
        format!("`\\{letter}` is not a valid escape in double quotes"),
        help,
    ))
}

fn close_of(open: char) -> char {
    if open == '[' { ']' } else { '}' }
}

fn open_bracket(lines: &[&str], at: At, open: char) -> Mistake {
    let close = close_of(open);
    let last = |one: Unclosed| one.brackets.iter().rev().find(|(_, found)| *found == open).copied();
    let at = match opened(lines, at.line, last) {
        Some((line, (column, _))) => At { line, column: column.saturating_add(1) },
        None => at,
    };
    let line = line_of(lines, at.line);
    if let Some(found) = comment_in_text(line, at) {
        return found;
    }
    let after: String = line.chars().skip(at.column).collect();
    let blank = if open == '{' { " " } else { "" };
    let help = match after.trim().is_empty() {
        true => format!("write `{close}` after its last item"),
        false => format!("write `{}{blank}{close}`", line.trim_start()),
    };
    mistake(at, 1, format!("`{open}` is never closed"), help)
}

/// `{ regex: git push #force }`: what follows ` #` is a comment.
fn comment_in_text(line: &str, at: At) -> Option<Mistake> {
    let (before, behind) = line.split_once(" #")?;
    if before.matches('"').count() % 2 == 1 || before.matches('\'').count() % 2 == 1 {
        return None;
    }
    let start = before.rfind(": ")?.saturating_add(2);
    let closing = behind.len().saturating_sub(behind.trim_end_matches([' ', '}', ']']).len());
    let (rest, end) = behind.split_at(behind.len().saturating_sub(closing));
    let value = format!("{} #{rest}", before.get(start..)?);
    if closing == 0 || value.starts_with(['"', '\'', '{', '[']) {
        return None;
    }
    let help = format!("write `{}{}{end}`", before.get(..start)?.trim_start(), quoted(&value));
    let column = before.chars().count().saturating_add(2);
    Some(mistake(At { column, ..at }, 1, "` #` begins a comment, which hides the rest of the line", help))
}

/// `-id: a`: without a space the dash belongs to the key.
fn dash_alone(lines: &[&str], at: At) -> Option<Mistake> {
    let is_it = |line: &str| {
        let text = line.trim_start();
        let name = text.strip_prefix('-').and_then(|rest| rest.split_once(':')).map_or("", |(name, _)| name);
        !name.is_empty() && name.chars().all(|found| found.is_alphanumeric() || found == '_')
    };
    let number =
        [at.line, at.line.saturating_sub(1)].into_iter().find(|number| is_it(line_of(lines, *number)))?;
    let line = line_of(lines, number);
    let text = line.trim_start();
    let help = format!("write `- {}`", text.trim_start_matches('-'));
    let place = At { line: number, column: depth_of(line).saturating_add(1) };
    Some(mistake(place, 1, "the dash of a list item needs a space after it", help))
}

fn wrong_bracket(lines: &[&str], at: At, open: char, close: char) -> Mistake {
    let mut rest = line_of(lines, at.line).chars().skip(at.column.saturating_sub(1));
    let column = rest.position(|found| found == close).unwrap_or(0).saturating_add(at.column);
    let help = format!("write `{}` before it", close_of(open));
    mistake(At { column, ..at }, 1, format!("`{close}` cannot close a `{open}`"), help)
}

fn stray_bracket(lines: &[&str], at: At) -> Mistake {
    let found = line_of(lines, at.line).chars().nth(at.column.saturating_sub(1)).unwrap_or(']');
    mistake(
        at,
        1,
        format!("`{found}` closes nothing"),
        format!("remove the `{found}`, or put the text in quotes"),
    )
}

fn no_comma(lines: &[&str], at: At) -> Mistake {
    let line = line_of(lines, at.line);
    let is_new = line.trim_start().starts_with("- ") || begins_with_key(line);
    let above = at.line.saturating_sub(1);
    if let (true, Some((number, (_, open)))) =
        (is_new, opened(lines, above, |one| one.brackets.last().copied()))
    {
        return open_bracket(lines, At { line: number, ..at }, open);
    }
    let start = match line.chars().nth(at.column.saturating_sub(1)) {
        Some(':') => line.chars().take(at.column.saturating_sub(1)).collect::<Vec<char>>(),
        _ => Vec::new(),
    };
    let column = match start.iter().rposition(|found| found.is_whitespace()) {
        Some(before) if !start.is_empty() => before.saturating_add(2),
        _ => at.column,
    };
    mistake(
        At { column, ..at },
        1,
        "a comma is missing before this",
        "write `,` between two items, and close `[` and `{`",
    )
}

/// Whether a line begins with a key: `kind: block`.
fn begins_with_key(line: &str) -> bool {
    let key = line.trim_start().split(':').next().unwrap_or_default();
    let is_word = key.chars().all(|found| found.is_alphanumeric() || matches!(found, '_' | '-'));
    is_word && !key.is_empty() && key.len() < line.trim_start().len()
}

/// Characters that mean something at the start of a value.
const SIGNS: [char; 11] = ['*', '&', '!', '@', '`', '%', '|', '>', '?', '-', '#'];

fn needs_quotes(lines: &[&str], at: At) -> Mistake {
    let line = line_of(lines, at.line);
    let (head, value) = split(line);
    let is_value = value.starts_with(SIGNS);
    let column = match is_value {
        true => depth_of(line).saturating_add(head.chars().count()).saturating_add(1),
        false => at.column,
    };
    let sign = line.chars().nth(column.saturating_sub(1));
    let Some(sign) = sign.filter(|sign| SIGNS.contains(sign)) else { return plain(lines, at) };
    let help = match is_value {
        true => format!("write `{}`", with_quotes(line)),
        false => "put the text in quotes".to_owned(),
    };
    let place = At { line: at.line, column };
    {
        let shown = if sign == '`' { "a backtick".to_owned() } else { format!("`{sign}`") };
        mistake(place, 1, format!("text that begins with {shown} needs quotes"), help)
    }
}

/// The line as a fix proposes it, if the fix is all of the line.
pub(super) fn repaired(line: &str, help: &str) -> Option<String> {
    let fix = help.strip_prefix("write `").or_else(|| help.strip_prefix("put the text in quotes: `"))?;
    let fix = fix.strip_suffix('`')?;
    let text = line.trim_start();
    let key = |text: &str| {
        let text = text.trim_start().trim_start_matches('-').trim_start();
        text.split_once(':').map(|(key, _)| key.to_owned())
    };
    key(fix).filter(|own| Some(own) == key(text).as_ref())?;
    let indent = line.get(..line.len().saturating_sub(text.len())).unwrap_or_default();
    let indent = if fix.starts_with(' ') { "" } else { indent };
    let dash = if text.starts_with("- ") && !fix.trim_start().starts_with("- ") { "- " } else { "" };
    Some(format!("{indent}{dash}{fix}")).filter(|fixed| fixed != line)
}

/// An alias without an anchor: nearly always a pattern that begins with `*`.
pub(super) fn unknown_alias(lines: &[&str], place: Place, name: &str) -> Mistake {
    let text = format!("*{name}");
    let line = line_of(lines, place.line);
    let (_, value) = split(line);
    let help = match value.trim() == text {
        true => format!("write `{}`", with_quotes(line)),
        false => format!("write `{}`", quoted(&text)),
    };
    let is_name = name.chars().all(|found| found.is_alphanumeric() || matches!(found, '-' | '_'));
    let message = match is_name {
        true => format!("there is no anchor `&{name}` above"),
        false => "text that begins with `*` needs quotes".to_owned(),
    };
    let help = if is_name {
        format!("define `&{name}` above this line, or {help} for the text itself")
    } else {
        help
    };
    Mistake { place, message, help }
}

/// A tag: nearly always a text that begins with `!`.
pub(super) fn unknown_tag(lines: &[&str], line: usize, column: usize) -> Mistake {
    let text: String = line_of(lines, line).chars().skip(column.saturating_sub(1)).collect();
    let text = text.split([',', ']', '}']).next().unwrap_or_default().trim();
    let help = format!("write `{}`", quoted(text));
    mistake(At { line, column }, text.chars().count(), "text that begins with `!` needs quotes", help)
}

/// `reason: keys: never`.
fn colon_in_text(lines: &[&str], at: At) -> Option<Mistake> {
    let line = line_of(lines, at.line);
    let (head, value) = split(line);
    let second = value.find(": ").or_else(|| value.ends_with(':').then(|| value.len().saturating_sub(1)))?;
    if !head.ends_with(": ") || value.starts_with(['"', '\'', '{', '[']) {
        return None;
    }
    let before = head.chars().count().saturating_add(value.get(..second)?.chars().count());
    let column = depth_of(line).saturating_add(before).saturating_add(1);
    let help = format!("put the text in quotes: `{}`", with_quotes(line));
    Some(mistake(At { column, ..at }, 1, "this text has a colon in it and no quotes", help))
}

/// The column of the first key of a line, after its dash.
fn key_column(line: &str) -> usize {
    let text = line.trim_start();
    let rest = text.strip_prefix('-').map_or(text, str::trim_start);
    depth_of(line).saturating_add(text.len().saturating_sub(rest.len()))
}

fn indentation(lines: &[&str], at: At) -> Option<Mistake> {
    let line = line_of(lines, at.line);
    let own = depth_of(line);
    if line.trim().is_empty()
        || !(line.contains(": ") || line.ends_with(':') || line.trim_start().starts_with("- "))
    {
        return None;
    }
    let is_item = line.trim_start().starts_with("- ");
    let mut columns = Vec::new();
    for above in lines.get(..at.line.saturating_sub(1))?.iter().rev() {
        let text = above.trim_end();
        if text.trim().is_empty() || text.trim_start().starts_with('#') {
            continue;
        }
        if is_item && text.trim_start().starts_with("- ") {
            columns.push(depth_of(text));
        } else if !is_item {
            columns.push(key_column(text));
        }
        if is_top(text) {
            break;
        }
    }
    let wanted = columns.into_iter().min_by_key(|column| column.abs_diff(own))?;
    if wanted == own {
        return None;
    }
    let spaces = |count: usize| if count == 1 { "1 space".to_owned() } else { format!("{count} spaces") };
    let message = format!("this line is indented by {}, the lines it belongs to by {wanted}", spaces(own));
    let help = format!("write `{}{}`", " ".repeat(wanted), line.trim_start());
    Some(mistake(At { column: own.saturating_add(1), ..at }, 1, message, help))
}

/// `mode enforce`.
fn no_colon(lines: &[&str], at: At) -> Option<Mistake> {
    let line = line_of(lines, at.line);
    let text = line.trim_start();
    if text.is_empty()
        || text.contains(": ")
        || text.ends_with(':')
        || text.starts_with(['[', '{', '"', '\''])
    {
        return None;
    }
    let place = At { line: at.line, column: depth_of(line).saturating_add(1) };
    let help = match text.split_once([' ', ':']) {
        Some((key, value)) if !key.starts_with('-') => format!("write `{key}: {}`", value.trim()),
        _ => format!("write `{text}: ` and a value"),
    };
    Some(mistake(
        place,
        text.chars().count(),
        "a key and its value are separated by a colon and a space",
        help,
    ))
}

fn plain(lines: &[&str], at: At) -> Mistake {
    let column = at.column.min(line_of(lines, at.line).chars().count().saturating_add(1)).max(1);
    let help = "write `key: value`, items of a list after `- `, and quotes around text with `: `, `#` or quotes in it";
    mistake(At { column, ..at }, 1, "this is not YAML from here on", help)
}
