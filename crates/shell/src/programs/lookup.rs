//! What a rule asks about the words of a command: is this its subcommand, is
//! this one of its options, in whatever spelling.
//!
//! All of it is worked out when a rule asks, never while a text is read: most
//! commands are never asked.

use super::records::{self, Record, Words};
use super::{Model, aliases, base_name, model_of, sub_spec};
use crate::options::{self, Spec};
use crate::reading::{Command, Flag, Usage, Word};
use smol_str::SmolStr;

/// More leading words than this are not looked at.
const WORDS_MAX: usize = 12;

/// Options of many programs that take a value. One in no list may take one or not:
/// then both readings count.
const VALUES: &[&str] = &[
    "--profile",
    "--region",
    "--project",
    "--namespace",
    "--context",
    "--kubeconfig",
    "--config",
    "--chdir",
    "--cwd",
    "--dir",
    "--directory",
    "--env",
    "--environment",
    "--stack",
    "--subscription",
    "--repo",
    "--repository",
    "--org",
    "--organization",
    "--account",
    "--zone",
    "--host",
    "--port",
    "--user",
    "--username",
    "--password",
    "--token",
    "--address",
    "--addr",
    "--url",
    "--endpoint",
    "--server",
    "--prefix",
    "--root",
    "--log-level",
    "--timeout",
    "--app",
    "--team",
    "--cluster",
    "--workspace",
    "--file",
    "--output",
    "--format",
    "--scope",
    "--password-file",
    "-C",
];

/// Options of many programs that take none.
const SWITCHES: &[&str] = &[
    "--debug",
    "--verbose",
    "--quiet",
    "--silent",
    "--yes",
    "--force",
    "--dry-run",
    "--help",
    "--version",
    "--json",
    "--all",
    "--recursive",
    "--trace",
    "--insecure",
    "--no-input",
    "--non-interactive",
    "--auto-approve",
    "-v",
    "-vv",
    "-vvv",
    "-q",
    "-y",
    "-h",
    "-V",
    "--no-color",
    "--no-cache",
    "--offline",
];

/// Whether the subcommand of a command is `wanted`: its words in order, `*` and
/// `?` allowed. `within` are words a rule's program means: with
/// `docker-compose`, the `down` of a rule is `compose down`.
#[must_use]
pub fn is_subcommand(command: &Command, within: Option<&str>, wanted: &str) -> bool {
    let (program, own) = records::identity(&command.program);
    let record = records::record_of(program);
    let mut wanted: Vec<&str> = within.into_iter().chain(wanted.split_whitespace()).collect();
    if let Some(first) = wanted.get_mut(0) {
        *first = aliases::canonical_sub(program, first);
    }
    let same = record.map_or(&[][..], |record| record.same);
    let wanted = spelled(&wanted, same, None).unwrap_or(wanted);
    let kind = record.map_or(Words::Leading, |record| record.words);
    let fits = |given: &[&str]| begins(given, &wanted, kind);
    readings(command, program, record).into_iter().any(|words| {
        let words: Vec<&str> = own.into_iter().chain(words).collect();
        if kind == Words::Tasks {
            return (0..words.len()).any(|at| fits(words.get(at..).unwrap_or_default()));
        }
        let spelling = spelled(&words, same, Some(&command.usage)).unwrap_or(words);
        let also = record.map_or(&[][..], |record| record.also).iter();
        let mut also = also.filter_map(|one| spelled(&spelling, &[*one], Some(&command.usage)));
        fits(&spelling) || also.any(|other| fits(&other))
    })
}

/// The words of a command without its options. Where it cannot be told whether
/// an option takes the word behind it, both readings.
fn readings<'a>(command: &'a Command, program: &str, record: Option<&Record>) -> Vec<Vec<&'a str>> {
    let model = model_of(&command.program);
    let usage = &command.usage;
    if !model.subs.is_empty() {
        let named = usage.subcommand.iter().map(SmolStr::as_str);
        let rest = usage.operands.iter().map(|word| word.text.as_str());
        return vec![named.chain(rest).take(WORDS_MAX).collect()];
    }
    let words = command.words.get(1..).unwrap_or_default();
    let known = |option: &str| takes_value_by_table(model, option, record);
    let bare = plain_words(words, &|option| known(option).unwrap_or(false));
    let with_values = plain_words(words, &|option| known(option).unwrap_or(true));
    let canonical = |mut words: Vec<&'a str>| {
        if let Some(first) = words.get_mut(0) {
            *first = aliases::canonical_sub(program, first);
        }
        words
    };
    if bare == with_values { vec![canonical(bare)] } else { vec![canonical(bare), canonical(with_values)] }
}

/// The words that are no options and no values of one.
fn plain_words<'a>(words: &'a [Word], takes_value: &dyn Fn(&str) -> bool) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut rest = words.iter();
    let mut open = true;
    while let Some(word) = rest.next().filter(|_| found.len() < WORDS_MAX) {
        let text = word.text.as_str();
        if open && text == "--" {
            open = false;
        } else if open && text.len() > 1 && text.starts_with('-') {
            if !text.contains('=') && takes_value(text) {
                rest.next();
            }
        } else {
            found.push(text);
        }
    }
    found
}

/// Does an option take the word behind it? `None` where no table says.
fn takes_value_by_table(model: &Model, option: &str, record: Option<&Record>) -> Option<bool> {
    if record.is_some_and(|record| record.values.contains(&option)) {
        return Some(true);
    }
    options::takes_next(&model.spec, option)
        .or_else(|| VALUES.contains(&option).then_some(true))
        .or_else(|| (SWITCHES.contains(&option) || option.starts_with("--no-")).then_some(false))
}

/// `words` in the spelling that is compared, if the list has another one.
fn spelled<'a>(words: &[&'a str], list: &[records::Spelling], usage: Option<&Usage>) -> Option<Vec<&'a str>> {
    list.iter().find_map(|(from, to)| {
        let (from, option) = match from.rsplit_once(' ') {
            Some((from, option)) if option.starts_with('-') => (from, Some(option)),
            _ => (*from, None),
        };
        let given = |option: &str| {
            usage.is_some_and(|usage| usage.flags.iter().any(|flag| is_same(&flag.name, option)))
        };
        if !option.is_none_or(given) {
            return None;
        }
        let open = from.ends_with('*');
        let head: Vec<&str> = from.split(' ').filter(|word| *word != "*").collect();
        let rest = words.strip_prefix(head.as_slice())?;
        if open && rest.is_empty() {
            return None;
        }
        Some(to.split(' ').filter(|word| *word != "*").chain(rest.iter().copied()).collect())
    })
}

/// Do `given` begin with `wanted`?
fn begins(given: &[&str], wanted: &[&str], kind: Words) -> bool {
    !wanted.is_empty()
        && wanted.len() <= given.len()
        && wanted.iter().zip(given).all(|(wanted, given)| match kind {
            Words::AnyCase => wanted.eq_ignore_ascii_case(given),
            // `:app:publish` is the `publish` of one project.
            Words::Tasks => {
                is_like(wanted, given) || given.rsplit(':').next().is_some_and(|last| is_like(wanted, last))
            }
            Words::Leading => is_like(wanted, given),
        })
}

/// Does a word fit, where `*` and `?` stand for others?
fn is_like(pattern: &str, text: &str) -> bool {
    if !pattern.contains(['*', '?']) {
        return pattern == text;
    }
    let (mut at, mut from) = (0, 0);
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let mut star: Option<(usize, usize)> = None;
    while from < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(byte) if *byte == b'?' || Some(byte) == text.get(from) => {
                at += 1;
                from += 1;
            }
            _ => match star {
                Some((place, tried)) => {
                    at = place + 1;
                    from = tried + 1;
                    star = Some((place, tried + 1));
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}

/// May a call that begins with another word be the one a rule names? Then the
/// first word says too little to file the rule under.
#[must_use]
pub fn has_other_spellings(program: &str) -> bool {
    let (name, within) = records::identity(program);
    within.is_some() || records::record_of(name).is_some() || model_of(program).subs.is_empty()
}

/// The canonical spelling of an option of `program` (and its subcommand):
/// `-n` of `git commit` is `--no-verify`. Unknown options stay as they are.
#[must_use]
pub fn canonical_flag(program: &str, subcommand: &[SmolStr], flag: &str) -> SmolStr {
    options::canonical_name(&spec_of(program, subcommand), flag)
}

fn spec_of(program: &str, subcommand: &[SmolStr]) -> Spec {
    let model = model_of(base_name(program));
    if subcommand.is_empty() { model.spec } else { sub_spec(model, subcommand) }
}

/// Was this option given, in any spelling? With a value (`--request=POST`,
/// `-X POST`, `-XPOST`) only that value counts; `fits` compares it.
#[must_use]
pub fn find_flag<'a>(
    command: &'a Command,
    option: &str,
    fits: &dyn Fn(&str, &str) -> bool,
) -> Option<&'a Flag> {
    let spec = spec_of(&command.program, &command.usage.subcommand);
    let (name, value) = split_value(&spec, option);
    let wanted = options::canonical_name(&spec, name);
    let flags = &command.usage.flags;
    let has = |flag: &&Flag| {
        is_same(&flag.name, &wanted)
            && value.is_none_or(|value| value_of(command, flag).is_some_and(|given| fits(value, given)))
    };
    let found = flags.iter().find(has);
    // `-rf` of a rule: each of the letters.
    let letters =
        name.strip_prefix('-').filter(|rest| rest.len() > 1 && !rest.starts_with('-') && value.is_none());
    let each = |letters: &str| {
        let given = |letter: char| {
            let one = options::canonical_name(&spec, &format!("-{letter}"));
            flags.iter().find(|flag| flag.name == one)
        };
        letters
            .chars()
            .all(|letter| given(letter).is_some())
            .then(|| letters.chars().next().and_then(given))?
    };
    found.or_else(|| letters.filter(|_| !spec.one_dash).and_then(each))
}

/// An option of a rule, and the value it names.
fn split_value<'a>(spec: &Spec, option: &'a str) -> (&'a str, Option<&'a str>) {
    if let Some((name, value)) = option.split_once(['=', ' ']) {
        return (name, Some(value.trim()));
    }
    let short = option.char_indices().nth(2).map(|(at, _)| option.split_at(at));
    match short {
        Some((name, value))
            if !option.starts_with("--")
                && !spec.one_dash
                && options::takes_next(spec, name) == Some(true) =>
        {
            (name, Some(value))
        }
        _ => (option, None),
    }
}

/// `-auto-approve` and `--auto-approve` are one; single letters are as they are.
fn is_same(given: &str, wanted: &str) -> bool {
    let long = |name: &str| name.trim_start_matches('-').len() > 1;
    given == wanted || long(given) && given.trim_start_matches('-') == wanted.trim_start_matches('-')
}

/// The value an option was given, also where no table says that it takes one.
fn value_of<'a>(command: &'a Command, flag: &'a Flag) -> Option<&'a str> {
    if let Some(value) = &flag.value {
        return Some(&value.text);
    }
    let at = command.words.iter().position(|word| word.span == flag.span && word.text.starts_with('-'))?;
    let attached =
        command.words.get(at)?.text.strip_prefix(flag.name.as_str()).filter(|rest| !rest.is_empty());
    attached.or_else(|| command.words.get(at + 1).map(|word| word.text.as_str()))
}
