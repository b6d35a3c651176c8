//! Regular expressions against the form the gate gives a command.
//!
//! A command is matched in one form: long option names, full subcommands, free
//! text left out. A pattern that spells out another form never matches.

use super::warn;
use crate::policy::{Notice, RuleEntry};
use crate::rule::Match;
use toolgate_shell::{ReadContext, read};

pub(super) fn look(entry: &RuleEntry, one: &Match, notices: &mut Vec<Notice>) {
    notices.extend(one.regex.as_ref().and_then(|pattern| look_at(entry, pattern)));
}

/// Patterns over commands outside of `match`.
pub(super) fn look_at_parts(entry: &RuleEntry, notices: &mut Vec<Notice>) {
    let rule = &entry.rule;
    let required = rule.require.iter().flat_map(|require| [require.regex.as_ref(), require.ran.as_ref()]);
    let around = rule.when.iter().chain(&rule.unless).map(|when| when.ran.as_ref());
    for pattern in required.chain(around).flatten() {
        notices.extend(look_at(entry, pattern));
    }
}

fn look_at(entry: &RuleEntry, pattern: &str) -> Option<Notice> {
    if let Some(quote) = pattern.chars().find(|found| QUOTES.contains(found)) {
        let text = format!("this pattern has the typographic quote {quote}, which no command has");
        return Some(warn(entry, pattern, text, "write `\"` or `'`"));
    }
    if let Some(sign) = ["&&", "\\|\\|", "\\| ", "\\|\\s"].iter().find(|sign| pattern.contains(**sign)) {
        let shown = if sign.contains('&') { "&&" } else { "|" };
        let text = format!("this pattern never matches: each command is compared alone, without `{shown}`");
        let help = "write the pattern of one command; `via` and `after` say what is around it";
        return Some(warn(entry, pattern, text, help));
    }
    let first = pattern.strip_prefix('^').and_then(|rest| rest.split([' ', '\\', '$', '(']).next());
    if let Some(path) = first.filter(|first| first.starts_with('/') && first.len() > 1) {
        let name = path.rsplit('/').next().unwrap_or(path);
        let text = format!(
            "this pattern never matches: programs are shown without their folder, so `{path}` is `{name}`"
        );
        return Some(warn(entry, pattern, text, format!("write `^{name}`")));
    }
    let spelled = spelled_out(pattern)?;
    let (dead, seen) = dead_form(&spelled)?;
    let anchor = if pattern.starts_with('^') { "^" } else { "" };
    let text = format!("this pattern never matches: `{dead}` is read as `{seen}`");
    Some(warn(entry, pattern, text, format!("write `{anchor}{}`", escaped(&seen))))
}

/// What editors put in the place of plain quotes.
const QUOTES: [char; 4] = ['\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}'];

fn escaped(text: &str) -> String {
    let special = |found: char| "\\.+*?()|[]{}^$".contains(found);
    text.chars().flat_map(|found| special(found).then_some('\\').into_iter().chain([found])).collect()
}

/// The words a pattern spells out, in order; gaps between them may hold anything.
#[derive(Default)]
struct Spelled {
    /// The words from the program on, without a gap.
    head: Vec<String>,
    /// The last of them may be the beginning of a longer word.
    is_open: bool,
    /// Options behind gaps.
    options: Vec<String>,
}

/// What a pattern spells out in full words, if it is plain enough to tell.
fn spelled_out(pattern: &str) -> Option<Spelled> {
    let body = pattern.strip_prefix('^').unwrap_or(pattern);
    let body = body.strip_prefix("\\b").unwrap_or(body);
    let mut words = Words::default();
    let mut rest = body.chars().peekable();
    while let Some(found) = rest.next() {
        match found {
            ' ' => words.end(false),
            '$' if rest.peek().is_none() => words.end(false),
            '.' if matches!(rest.peek(), Some('*' | '+')) => {
                rest.next();
                words.end(true);
                words.gap(rest.peek().is_some_and(|next| *next != ' '));
            }
            '\\' => match rest.next()? {
                's' => {
                    rest.next_if_eq(&'+');
                    words.end(false);
                }
                'b' => {}
                letter if letter.is_alphanumeric() => return None,
                sign => words.word.push(sign),
            },
            '*' | '+' | '?' | '{' | '(' | ')' | '[' | ']' | '|' | '^' | '$' | '.' => return None,
            letter => words.word.push(letter),
        }
    }
    words.end(true);
    (!words.spelled.head.is_empty()).then_some(words.spelled)
}

/// The words of a pattern under collection.
#[derive(Default)]
struct Words {
    spelled: Spelled,
    word: String,
    /// A gap was passed.
    is_behind: bool,
    /// The word that is being read began within the gap.
    is_part: bool,
}

impl Words {
    /// The word ends here, or may go on.
    fn end(&mut self, is_open: bool) {
        let word = std::mem::take(&mut self.word);
        if std::mem::take(&mut self.is_part) || word.is_empty() {
            return;
        }
        match (self.is_behind, word.starts_with('-')) {
            (false, _) => {
                self.spelled.head.push(word);
                self.spelled.is_open = is_open;
            }
            (true, true) => self.spelled.options.push(word),
            (true, false) => {}
        }
    }

    fn gap(&mut self, is_part: bool) {
        (self.is_behind, self.is_part) = (true, is_part);
    }
}

/// The form a pattern spells out and the gate never shows, and the form it shows.
fn dead_form(spelled: &Spelled) -> Option<(String, String)> {
    let plain: Vec<&str> = spelled.head.iter().map(String::as_str).collect();
    let [program, ..] = plain.as_slice() else { return None };
    if !program.starts_with(|first: char| first.is_ascii_alphabetic()) || program.contains('/') {
        return None;
    }
    let written = plain.join(" ");
    if plain.len() > 1 {
        let seen = normal_form(&written)?;
        let shows = match spelled.is_open {
            true => seen.contains(&written),
            false => format!("{seen} ").contains(&format!("{written} ")),
        };
        if !shows {
            return Some((written, seen));
        }
    }
    // The options behind a gap belong to the program and its subcommand.
    let before: Vec<&str> = plain.iter().copied().take_while(|word| !word.starts_with('-')).collect();
    let before = before.join(" ");
    spelled.options.iter().find_map(|option| {
        let written = format!("{before} {option}");
        let seen = normal_form(&written)?;
        let shows = seen.split(' ').any(|word| word.starts_with(option.as_str()));
        (!shows).then_some((written, seen))
    })
}

/// The one command in a text, in the form rules see.
fn normal_form(text: &str) -> Option<String> {
    let reading = read(text, &ReadContext::default());
    match reading.commands.as_slice() {
        [only] if reading.fault.is_none() => Some(only.normal()),
        _ => None,
    }
}
