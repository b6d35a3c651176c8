//! Brace expansion: `{a,b}` and `{1..3}`, on parts, before anything else.

use crate::tree::{Part, Pieces};
use smol_str::SmolStrBuilder;

/// More words than this are not made; the word then stays as written.
const WORDS_MAX: usize = 512;

/// More groups than this in a row or in each other are not followed.
const GROUPS_MAX: usize = 40;

/// Longer words than this are not looked through.
const SIGNS_MAX: usize = 2048;

/// A character that may have meaning, or something that has none.
#[derive(Clone)]
enum Token {
    Char(char),
    Fixed(Part),
}

/// What brace expansion made of a word.
pub(crate) enum Braces {
    /// The words, one if there was nothing to expand.
    Words(Vec<Pieces>),
    /// There would be more than anyone wants to look at.
    TooMany,
}

/// Is there anything to expand in `parts`?
pub(crate) fn has_brace(parts: &[Part]) -> bool {
    parts.iter().any(|part| matches!(part, Part::Plain(text) if text.contains('{')))
}

/// Do the braces name their words? `{1..9}` only counts, `{a,b}` names.
pub(crate) fn names_words(parts: &[Part]) -> bool {
    parts.iter().any(|part| matches!(part, Part::Plain(text) if text.contains(',')))
}

/// Expands the braces of `parts`.
pub(crate) fn expand(parts: &[Part]) -> Braces {
    let signs = |part: &Part| if let Part::Plain(text) = part { text.len() } else { 1 };
    if parts.iter().map(signs).sum::<usize>() > SIGNS_MAX {
        return Braces::TooMany;
    }
    let mut tokens = Vec::new();
    for part in parts {
        match part {
            Part::Plain(text) => tokens.extend(text.chars().map(Token::Char)),
            other => tokens.push(Token::Fixed(other.clone())),
        }
    }
    match words(&tokens, 0) {
        Some(found) => Braces::Words(found.iter().map(|tokens| parts_of(tokens)).collect()),
        None => Braces::TooMany,
    }
}

fn parts_of(tokens: &[Token]) -> Pieces {
    let mut parts = Pieces::default();
    let mut text = SmolStrBuilder::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Char(found) => {
                text.push(*found);
                if !matches!(tokens.get(at + 1), Some(Token::Char(_))) {
                    parts.push(Part::Plain(std::mem::take(&mut text).finish()));
                }
            }
            Token::Fixed(part) => parts.push(part.clone()),
        }
    }
    parts
}

/// All words of `tokens`; `None` when they are too many or too deep.
fn words(tokens: &[Token], depth: usize) -> Option<Vec<Vec<Token>>> {
    if depth > GROUPS_MAX {
        return None;
    }
    let Some((open, close)) = first_group(tokens) else {
        return Some(vec![tokens.to_vec()]);
    };
    let head = tokens.get(..open)?;
    let inner = tokens.get(open + 1..close)?;
    let tails = words(tokens.get(close + 1..)?, depth + 1)?;
    let middles = match sequence(inner)? {
        Some(list) => list,
        None => {
            let mut list = Vec::new();
            for item in items(inner) {
                list.extend(words(item, depth + 1)?);
            }
            list
        }
    };
    if middles.len().checked_mul(tails.len())? > WORDS_MAX {
        return None;
    }
    let mut all = Vec::new();
    for middle in &middles {
        for tail in &tails {
            all.push(head.iter().chain(middle).chain(tail).cloned().collect());
        }
    }
    Some(all)
}

/// Opening braces that await their `}`, of one depth: the leftmost represents
/// all, for whatever closes it closes them.
#[derive(Clone, Copy, Default)]
struct Waiting {
    /// Nothing to choose from yet. A `}` does not close these: `{a},b}` is one group.
    bare: Option<usize>,
    /// With a comma or `..` behind them.
    useful: Option<usize>,
}

impl Waiting {
    fn first(self) -> Option<usize> {
        self.bare.into_iter().chain(self.useful).min()
    }
}

/// The first `{…}` that expands: with a comma or `..` at its level before its
/// `}`. One pass: every `{` waits on a stack until its `}` decides.
fn first_group(tokens: &[Token]) -> Option<(usize, usize)> {
    let sign = |at: usize| match tokens.get(at) {
        Some(Token::Char(found)) => *found,
        _ => ' ',
    };
    let mut open: Vec<Waiting> = Vec::new();
    let mut best: Option<(usize, usize)> = None;
    for at in 0..tokens.len() {
        match sign(at) {
            // `{}` at the start is meant for others, whatever follows it.
            '{' if at == 0 && sign(1) == '}' => {}
            '{' => open.push(Waiting { bare: Some(at), useful: None }),
            ',' => open.last_mut().into_iter().for_each(choose),
            '.' if sign(at + 1) == '.' && sign(at + 2) != '}' => open.last_mut().into_iter().for_each(choose),
            '}' => {
                let Some(top) = open.pop() else { continue };
                let closed = top.useful.map(|start| (start, at));
                best = best.into_iter().chain(closed).min();
                match open.last_mut() {
                    Some(next) => next.bare = next.bare.or(top.bare),
                    None => open.extend(top.bare.map(|_| Waiting { useful: None, ..top })),
                }
                let first = open.first().and_then(|waiting| waiting.first());
                if best.is_some_and(|(start, _)| first.is_none_or(|first| start < first)) {
                    return best;
                }
            }
            _ => {}
        }
    }
    best
}

/// There is something to choose from at this depth.
fn choose(waiting: &mut Waiting) {
    *waiting = Waiting { bare: None, useful: waiting.first() };
}

/// The comma-separated items of a group.
fn items(inner: &[Token]) -> Vec<&[Token]> {
    let mut level = 0usize;
    let mut found = Vec::new();
    let mut start = 0;
    for (at, token) in inner.iter().enumerate() {
        match token {
            Token::Char('{') => level += 1,
            Token::Char('}') => level = level.saturating_sub(1),
            Token::Char(',') if level == 0 => {
                found.extend(inner.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    found.extend(inner.get(start..));
    found
}

/// `1..5`, `a..e`, `1..9..2`. Outer `None`: too many; inner: not a sequence.
#[allow(clippy::option_option, reason = "three answers, used at one place")]
fn sequence(inner: &[Token]) -> Option<Option<Vec<Vec<Token>>>> {
    if inner.iter().any(has_comma) {
        return Some(None);
    }
    let mut text = String::new();
    for token in inner {
        match token {
            Token::Char(found) if text.len() < 64 => text.push(*found),
            _ => return Some(Some(vec![wrap(inner)])),
        }
    }
    let fields: Vec<&str> = text.split("..").collect();
    let (from, to, step) = match fields.as_slice() {
        [from, to] => (*from, *to, 1),
        [from, to, step] => match step.parse::<i64>() {
            Ok(step) => (*from, *to, step.saturating_abs().max(1)),
            Err(_) => return Some(Some(vec![wrap(inner)])),
        },
        _ => return Some(Some(vec![wrap(inner)])),
    };
    let bounds = match (from.parse::<i64>(), to.parse::<i64>()) {
        (Ok(from), Ok(to)) => Some((from, to, false)),
        _ => letters(from, to).map(|(from, to)| (from, to, true)),
    };
    let Some((from, to, as_letter)) = bounds else {
        return Some(Some(vec![wrap(inner)]));
    };
    let count = from.abs_diff(to) / step.unsigned_abs();
    if count >= WORDS_MAX as u64 {
        return None;
    }
    let step = if from <= to { step } else { -step };
    // A bound with a zero in front makes all of them as long as the longer one.
    let has_zero =
        |text: &str| text.trim_start_matches('-').len() > 1 && text.trim_start_matches('-').starts_with('0');
    let bounds = fields.iter().take(2);
    let width = bounds.clone().any(|bound| has_zero(bound)).then(|| bounds.map(|bound| bound.len()).max());
    let width = width.flatten().unwrap_or(0);
    let spell = |at: i64| -> Vec<Token> {
        let value = from.saturating_add(at.saturating_mul(step));
        let letter = u32::try_from(value).ok().and_then(char::from_u32).filter(|_| as_letter);
        let text = letter.map_or_else(|| format!("{value:0width$}"), String::from);
        text.chars().map(Token::Char).collect()
    };
    Some(Some((0..=i64::try_from(count).unwrap_or(0)).map(spell).collect()))
}

/// To bash a comma in quotes makes a list of a group, one behind a backslash does not.
fn has_comma(token: &Token) -> bool {
    match token {
        Token::Char(found) => *found == ',',
        Token::Fixed(Part::Quoted(text)) => text.len() > 1 && text.contains(','),
        Token::Fixed(Part::Output(output) | Part::Process(output)) => output.text.contains(','),
        Token::Fixed(Part::Param(param)) => param.text.contains(','),
        Token::Fixed(_) => false,
    }
}

/// `{inner}` that turned out to be no sequence stays as it is.
fn wrap(inner: &[Token]) -> Vec<Token> {
    let fixed = |text: &str| Token::Fixed(Part::Quoted(text.into()));
    std::iter::once(fixed("{")).chain(inner.iter().cloned()).chain(std::iter::once(fixed("}"))).collect()
}

fn letters(from: &str, to: &str) -> Option<(i64, i64)> {
    let one = |text: &str| {
        let mut chars = text.chars();
        let found = chars.next().filter(char::is_ascii_alphabetic)?;
        chars.next().is_none().then_some(i64::from(u32::from(found)))
    };
    Some((one(from)?, one(to)?))
}

#[cfg(test)]
mod tests {
    use super::{Braces, expand};
    use crate::tree::Part;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let Braces::Words(words) = expand(&[Part::Plain(text.into())]) else {
            assert_eq!("too many", expected, "{text}");
            return;
        };
        let spell = |part: &Part| match part {
            Part::Plain(text) | Part::Quoted(text) => text.to_string(),
            _ => String::new(),
        };
        let texts: Vec<String> = words.iter().map(|word| word.iter().map(spell).collect()).collect();
        assert_eq!(texts.join(" "), expected, "{text}");
    }

    #[test]
    fn braces_expand_as_in_bash() {
        check("{rm,-rf,/}", "rm -rf /");
        check("--no-{verify,status}", "--no-verify --no-status");
        check("a{b,c{d,e}}f", "abf acdf acef");
        check("{1..3}", "1 2 3");
        check("{c..a}", "c b a");
        check("{08..10}{-1..01}", "08-1 0800 0801 09-1 0900 0901 10-1 1000 1001");
        check("{}", "{}");
        check("{a}", "{a}");
        check("x{a,b", "x{a,b");
        check("{1..x}", "{1..x}");
        check("{a},b}", "a} b");
        check("{},b}", "{},b}");
        check("a{},b}", "a} ab");
        check("{{a},b", "{{a},b");
        check("{{a,b}", "{a {b");
        check("{a{b}c,d},e", "a{b}c,e d,e");
        check("{a,b}{c,d}", "ac ad bc bd");
        check("{a{b,c}..3}", "ab..3 ac..3");
        check("{{1..3}..4}", "{{1..3}..4}");
        check("{1..100000}", "too many");
        check(&"{a,b}".repeat(40), "too many");
    }
}
