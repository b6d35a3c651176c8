//! Sorts the words of a command into options and operands, by tables.
//!
//! A table is one string, one option per token:
//!
//! ```text
//! a,all        -a and --all, no value
//! m,message=~  takes a value, which is free text
//! S,gpg-sign?  may take an attached value
//! q            only -q        amend   only --amend
//! R>recursive  -R is another spelling of --recursive
//! ```

use crate::reading::{Flag, Usage, Word};
use crate::scope::concat;
use smol_str::{SmolStr, SmolStrBuilder};

/// How a program reads its options.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spec {
    /// The table.
    pub(crate) options: &'static str,
    /// Options end at the first operand (`sudo`, `env`, `git`).
    pub(crate) leading: bool,
    /// Long options may be shortened as long as they stay unique.
    pub(crate) short_names: bool,
    /// Long options have one dash (`find`, `java`, `openssl`).
    pub(crate) one_dash: bool,
}

/// What an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
    Text,
    Attached,
}

/// One row of a table.
struct Row {
    name: SmolStr,
    takes: Takes,
}

/// The text a word has if every variable in it that no one knows is empty:
/// `--no-ver${Z}ify` is `--no-verify` then. `None` where that changes nothing.
pub(crate) fn with_empty_unknowns(word: &Word) -> Option<SmolStr> {
    if word.exact || !word.text.bytes().any(|byte| byte == b'$') || word.text.contains('`') {
        return None;
    }
    let mut kept = SmolStrBuilder::new();
    let mut rest = word.text.as_str();
    while let Some((before, after)) = rest.split_once('$') {
        kept.push_str(before);
        rest = match after.strip_prefix('{') {
            Some(braced) => braced.split_once('}').map_or("", |(_, behind)| behind),
            // A number is never nothing.
            None if after.starts_with("((") || after.starts_with('[') => return None,
            None if after.starts_with('(') => behind_parenthesis(after),
            None => {
                let is_name = |found: char| found.is_ascii_alphanumeric() || found == '_';
                match after.chars().next() {
                    Some(first) if is_name(first) => after.trim_start_matches(is_name),
                    Some('@' | '*' | '#' | '?' | '!' | '-') => after.get(1..).unwrap_or(""),
                    _ => after,
                }
            }
        };
    }
    kept.push_str(rest);
    Some(kept.finish()).filter(|kept| !kept.is_empty())
}

/// What follows the `(…)` at the start.
fn behind_parenthesis(text: &str) -> &str {
    let mut open = 0usize;
    let close = text.bytes().position(|byte| {
        open += usize::from(byte == b'(');
        open -= usize::from(byte == b')');
        open == 0
    });
    close.and_then(|at| text.get(at + 1..)).unwrap_or("")
}

/// Is it a variable no one knows, or a list? Without a value it is no word at all.
pub(crate) fn may_vanish(word: &Word) -> bool {
    let name = word.text.strip_prefix('$').unwrap_or_default();
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    let name = name.strip_suffix("[@]").or(name.strip_suffix("[*]")).unwrap_or(name);
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    !word.exact && !name.is_empty() && (is_name || matches!(name, "@" | "*"))
}

/// Sorts `words` (without the program) into `usage`. Returns how many were
/// used up: all, unless options end at the first operand.
pub(crate) fn sort(words: &[Word], spec: &Spec, usage: &mut Usage) -> usize {
    let mut at = 0;
    let mut open = true;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if open && text == "--" {
            open = false;
        } else if open && text.len() > 1 && text.starts_with('-') {
            at += flag(word, words.get(at + 1), spec, usage);
            emptied_flag(word, spec, usage);
        } else if open && emptied_flag(word, spec, usage) {
            usage.operands.push(word.clone());
        } else if spec.leading {
            return at;
        } else {
            usage.operands.push(word.clone());
        }
        at += 1;
        if !open && spec.leading {
            return at;
        }
    }
    at
}

/// Adds the option a word with unknown variables is when those are empty.
fn emptied_flag(word: &Word, spec: &Spec, usage: &mut Usage) -> bool {
    if word.exact {
        return false;
    }
    let Some(text) = with_empty_unknowns(word) else { return false };
    let is_flag = text.len() > 1 && text.starts_with('-') && text != "--";
    if is_flag {
        flag(&Word { text, exact: true, ..word.clone() }, None, spec, usage);
    }
    is_flag
}

/// Adds the options in `word`; returns how many further words they took.
fn flag(word: &Word, next: Option<&Word>, spec: &Spec, usage: &mut Usage) -> usize {
    let text = word.text.as_str();
    if let Some(long) = text.strip_prefix("--") {
        return long_flag(word, long, next, spec, usage);
    }
    let cluster = text.strip_prefix('-').unwrap_or(text);
    if spec.one_dash {
        if let Some(row) = find_long(spec, cluster.split('=').next().unwrap_or(cluster)) {
            let attached = cluster.split_once('=').map(|(_, value)| value);
            return push(
                word,
                concat(&["-", row.name.trim_start_matches('-')]),
                row.takes,
                attached,
                next,
                usage,
            );
        }
        push(word, word.text.clone(), Takes::Nothing, None, None, usage);
        return 0;
    }
    let number = cluster.bytes().all(|byte| byte.is_ascii_digit());
    if number || !word.exact && cluster.contains('$') {
        push(word, word.text.clone(), Takes::Nothing, None, None, usage);
        return 0;
    }
    let mut rest = cluster.chars();
    let mut seen = 0u128;
    while let Some(letter) = rest.next() {
        // A letter given again says nothing new, and a cluster may be long.
        let bit = 1u128 << u32::from(letter).min(127);
        if seen & bit != 0 {
            continue;
        }
        seen |= bit;
        let row = find_short(spec, letter);
        let takes = row.as_ref().map_or(Takes::Nothing, |row| row.takes);
        let name = row.map_or_else(|| short_name(letter), |row| row.name);
        let left = rest.as_str();
        match takes {
            Takes::Nothing => {
                push(word, name, takes, None, None, usage);
            }
            _ => {
                let attached = (!left.is_empty()).then_some(left);
                return push(word, name, takes, attached, next, usage);
            }
        }
    }
    0
}

fn long_flag(word: &Word, long: &str, next: Option<&Word>, spec: &Spec, usage: &mut Usage) -> usize {
    let (name, attached) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (long, None),
    };
    match find_long(spec, name) {
        Some(row) => push(word, row.name, row.takes, attached, next, usage),
        None => push(word, concat(&["--", name]), Takes::Nothing, attached, None, usage),
    }
}

fn push(
    word: &Word,
    name: SmolStr,
    takes: Takes,
    attached: Option<&str>,
    next: Option<&Word>,
    usage: &mut Usage,
) -> usize {
    let separate_value = matches!(takes, Takes::Value | Takes::Text);
    let wants_next = separate_value && attached.is_none();
    let value = match attached {
        Some(text) => Some(Word { text: text.into(), ..word.clone() }),
        None if wants_next => next.cloned(),
        None => None,
    };
    usage.flags.push(Flag { name, value, data: takes == Takes::Text, separate_value, span: word.span });
    usize::from(wants_next && next.is_some())
}

/// Is it an option of the table that takes no word behind it?
pub(crate) fn is_switch(spec: &Spec, text: &str) -> bool {
    let takes_none =
        |row: Option<Row>| row.is_some_and(|row| matches!(row.takes, Takes::Nothing | Takes::Attached));
    match (text.strip_prefix("--"), text.strip_prefix('-')) {
        (Some(long), _) => long.contains('=') || takes_none(find_long(spec, long)),
        (None, Some(long)) if spec.one_dash => long.contains('=') || takes_none(find_long(spec, long)),
        (None, Some(letters)) => letters.chars().all(|letter| takes_none(find_short(spec, letter))),
        (None, None) => false,
    }
}

/// Does this option take the word behind it? `None` where the table does not
/// have it.
pub(crate) fn takes_next(spec: &Spec, option: &str) -> Option<bool> {
    let row = match (option.strip_prefix("--"), option.strip_prefix('-')) {
        (Some(long), _) => find_long(spec, long),
        (None, Some(long)) if spec.one_dash => find_long(spec, long),
        // The last letter of a cluster decides, unless one before takes the rest.
        (None, Some(letters)) => {
            let mut letters = letters.chars();
            let first = letters.next().and_then(|letter| find_short(spec, letter));
            match letters.next() {
                None => first,
                Some(_) => return first.map(|_| false),
            }
        }
        (None, None) => None,
    };
    row.map(|row| matches!(row.takes, Takes::Value | Takes::Text))
}

/// Splits a token into its spellings and what it takes.
fn parse_token(token: &str) -> (&str, Takes) {
    for (suffix, takes) in [("=~", Takes::Text), ("=", Takes::Value), ("?", Takes::Attached)] {
        if let Some(head) = token.strip_suffix(suffix) {
            return (head, takes);
        }
    }
    (token, Takes::Nothing)
}

fn canonical(long: &str) -> SmolStr {
    let dashes = if long.chars().nth(1).is_none() { "-" } else { "--" };
    concat(&[dashes, long])
}

fn short_name(letter: char) -> SmolStr {
    concat(&["-", letter.encode_utf8(&mut [0; 4])])
}

/// The token that starts at this byte of a table.
fn token_at(table: &'static str, at: usize) -> &'static str {
    let rest = table.get(at..).unwrap_or_default();
    let end = rest.bytes().position(|byte| byte == b' ').unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

// Tables are searched for every option of every command, so they are searched
// as text and not taken apart token by token.
fn find_short(spec: &Spec, letter: char) -> Option<Row> {
    let wanted = u8::try_from(letter).ok()?;
    for at in starts(spec.options, wanted, b' ') {
        let (head, takes) = parse_token(token_at(spec.options, at));
        let rest = head.strip_prefix(letter).unwrap_or("");
        if rest.is_empty() {
            return Some(Row { name: short_name(letter), takes });
        }
        if let Some(long) = rest.strip_prefix(',') {
            return Some(Row { name: canonical(long), takes });
        }
        if let Some(long) = rest.strip_prefix('>') {
            let takes = find_exact(spec, long).map_or(takes, |row| row.takes);
            return Some(Row { name: canonical(long), takes });
        }
    }
    None
}

/// Where `wanted` next follows a blank, or behind a comma as well. Sixteen
/// places are looked at at once.
fn behind_sign(table: &[u8], from: usize, wanted: u8, comma: u8) -> Option<usize> {
    let signs = table.get(from..)?;
    let letters = signs.get(1..)?;
    let is_pair = |sign: u8, letter: u8| ((sign == b' ') | (sign == comma)) & (letter == wanted);
    let holds = |(signs, letters): (&[u8; 16], &[u8; 16])| {
        signs.iter().zip(letters).fold(false, |found, (sign, letter)| found | is_pair(*sign, *letter))
    };
    let chunks = signs.as_chunks::<16>().0.iter().zip(letters.as_chunks::<16>().0);
    let skipped = 16 * chunks.take_while(|chunk| !holds(*chunk)).count();
    let mut pairs = signs.get(skipped..)?.iter().zip(letters.get(skipped..)?);
    let at = pairs.position(|(sign, letter)| is_pair(*sign, *letter))?;
    Some(from + skipped + at + 1)
}

/// Every place where `wanted` is at the start of a token, or of a spelling
/// where `comma` is one.
fn starts(table: &'static str, wanted: u8, comma: u8) -> impl Iterator<Item = usize> {
    let table = table.as_bytes();
    let first = if table.first() == Some(&wanted) { Some(0) } else { behind_sign(table, 0, wanted, comma) };
    std::iter::successors(first, move |at| behind_sign(table, *at, wanted, comma))
}

/// Where `name` is in the table at the start of a spelling: the byte before
/// it, and the text from it on.
fn spellings(table: &'static str, name: &str) -> impl Iterator<Item = (u8, &'static str)> {
    let first = name.bytes().next().filter(|_| !name.contains(' '));
    let places = first.into_iter().flat_map(move |first| starts(table, first, b','));
    places.filter(|at| table.as_bytes().get(*at..).is_some_and(|rest| rest.starts_with(name.as_bytes()))).map(
        move |at| {
            let before = at.checked_sub(1).and_then(|at| table.as_bytes().get(at)).copied().unwrap_or(b' ');
            (before, token_at(table, at))
        },
    )
}

fn find_exact(spec: &Spec, name: &str) -> Option<Row> {
    for (before, token) in spellings(spec.options, name) {
        let (head, takes) = parse_token(token);
        if let Some((other, long)) = head.split_once('>') {
            if before == b' ' && other == name && other.len() > 1 {
                let takes = find_exact(spec, long).map_or(takes, |row| row.takes);
                return Some(Row { name: canonical(long), takes });
            }
            continue;
        }
        if head == name && (head.len() > 1 || spec.one_dash) {
            return Some(Row { name: canonical(head), takes });
        }
    }
    None
}

/// The option called `name`, or the first one `name` is a beginning of. An
/// ambiguous beginning makes the program fail, so the guess costs nothing.
fn find_long(spec: &Spec, name: &str) -> Option<Row> {
    if let Some(row) = find_exact(spec, name) {
        return Some(row);
    }
    if !spec.short_names {
        return None;
    }
    for (_, token) in spellings(spec.options, name) {
        let (head, takes) = parse_token(token);
        if head.len() > 1 && !head.contains(['>', ',']) {
            return Some(Row { name: canonical(head), takes });
        }
    }
    None
}

/// The canonical name of every option of a table.
pub(crate) fn all_names(spec: &Spec) -> Vec<SmolStr> {
    let heads = spec.options.split_ascii_whitespace().map(|token| parse_token(token).0);
    let longest = |head: &'static str| head.split([',', '>']).next_back().unwrap_or(head);
    heads
        .map(|head| match spec.one_dash {
            true => concat(&["-", longest(head)]),
            false => canonical(longest(head)),
        })
        .collect()
}

/// The canonical name of one option as written, `-n` or `--no-veri`.
pub(crate) fn canonical_name(spec: &Spec, written: &str) -> SmolStr {
    let found = match written.strip_prefix("--") {
        Some(long) => find_long(spec, long.split('=').next().unwrap_or(long)),
        None => {
            let mut letters = written.trim_start_matches('-').chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) => find_short(spec, letter),
                _ => None,
            }
        }
    };
    found.map_or_else(|| written.into(), |row| row.name)
}

impl Usage {
    /// Was the option of this canonical name given?
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|flag| flag.name == name && !flag.is_off())
    }

    /// The last value given to the option of this canonical name.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Word> {
        self.flags.iter().rev().find(|flag| flag.name == name).and_then(|flag| flag.value.as_ref())
    }

    /// All values given to the option of this canonical name.
    pub(crate) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Word> {
        self.flags.iter().filter(move |flag| flag.name == name).filter_map(|flag| flag.value.as_ref())
    }

    /// The first word of the subcommand, or nothing.
    pub(crate) fn sub(&self) -> &str {
        self.subcommand.first().map_or("", SmolStr::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::{Spec, sort};
    use crate::reading::{Usage, Word};

    const COMMIT: Spec = Spec {
        options: "a,all m,message=~ n,no-verify S,gpg-sign? R>all q,quiet",
        leading: false,
        short_names: true,
        one_dash: false,
    };

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let word = |text: &str| Word { text: text.into(), exact: true, ..Word::default() };
        let words: Vec<Word> = line.split(' ').map(word).collect();
        let mut usage = Usage::default();
        sort(&words, &COMMIT, &mut usage);
        let mut shown: Vec<String> = Vec::new();
        for flag in &usage.flags {
            shown.push(match &flag.value {
                Some(value) => format!("{}={}", flag.name, value.text),
                None => flag.name.to_string(),
            });
        }
        shown.extend(usage.operands.iter().map(|word| format!("[{}]", word.text)));
        assert_eq!(shown.join(" "), expected, "{line}");
    }

    #[test]
    fn options_are_known_in_every_spelling() {
        check("-anm x", "--all --no-verify --message=x");
        check("-mx f", "--message=x [f]");
        check("--mess=x", "--message=x");
        check("--no-veri f -a", "--no-verify --all [f]");
        check("-S f", "--gpg-sign [f]");
        check("-Skey f", "--gpg-sign=key [f]");
        check("-R -- -n", "--all [-n]");
        check("-5 - --odd=1", "-5 --odd=1 [-]");
    }
}
