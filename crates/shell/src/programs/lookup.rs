//! What a rule asks about the words of a command: is this its subcommand, is
//! this one of its options, in whatever spelling.
//!
//! All of it is worked out when a rule asks, never while a text is read: most
//! commands are never asked.

use super::records::{self, Record, Words};
use super::{aliases, base_name, model_of, sub_spec, subcommands};
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

/// Options of many programs that take none. `-v`, `--debug` and their like are
/// not here: some programs take a level behind them.
const SWITCHES: &[&str] = &[
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
    "-vv",
    "-vvv",
    "-q",
    "-y",
    "-V",
    "--no-color",
    "--no-cache",
    "--offline",
];

/// How many options that may or may not take a value are tried both ways.
const DOUBTS_MAX: usize = 4;

/// Whether the subcommand of a command is `wanted`: its words in order, `*` and
/// `?` allowed. `within` are words a rule's program means: with
/// `docker-compose`, the `down` of a rule is `compose down`. Where the words
/// can be read in several ways, one of them is enough.
#[must_use]
pub fn is_subcommand(command: &Command, within: Option<&str>, wanted: &str) -> bool {
    let wanted = Wanted::new(command, within, wanted);
    readings(command, wanted.program, wanted.record).into_iter().any(|words| wanted.fits(words, command))
}

/// The same, in every reading of the words: for what is to be let through.
#[must_use]
pub fn is_surely_subcommand(command: &Command, within: Option<&str>, wanted: &str) -> bool {
    let wanted = Wanted::new(command, within, wanted);
    readings(command, wanted.program, wanted.record).into_iter().all(|words| wanted.fits(words, command))
}

/// The first word of the subcommand in every reading but that of the option tables.
pub fn other_first_words(command: &Command) -> impl Iterator<Item = &str> {
    let program = records::identity(&command.program).0;
    let words = if command.usage.before_sub == 0 {
        Vec::new()
    } else {
        readings(command, program, records::record_of(program))
    };
    words.into_iter().skip(1).filter_map(|words| words.first().copied())
}

/// A subcommand a rule names, in the spelling that is compared.
struct Wanted<'a> {
    program: &'a str,
    own: Option<&'static str>,
    record: Option<&'static Record>,
    words: Vec<&'a str>,
}

impl<'a> Wanted<'a> {
    fn new(command: &'a Command, within: Option<&'a str>, wanted: &'a str) -> Wanted<'a> {
        let (program, own) = records::identity(&command.program);
        let record = records::record_of(program);
        let mut words: Vec<&str> = within.into_iter().chain(wanted.split_whitespace()).collect();
        if let Some(first) = words.get_mut(0) {
            *first = aliases::canonical_sub(program, first);
        }
        let words = in_one_spelling(words, program, record, None);
        Wanted { program, own, record, words }
    }

    fn fits(&self, words: Vec<&str>, command: &Command) -> bool {
        let kind = self.record.map_or(Words::Leading, |record| record.words);
        let fits = |given: &[&str]| begins(given, &self.words, kind);
        let words = self.own.into_iter().chain(words).collect();
        let spelling = in_one_spelling(words, self.program, self.record, Some(&command.usage));
        if kind == Words::Tasks {
            return (0..spelling.len()).any(|at| fits(spelling.get(at..).unwrap_or_default()));
        }
        let also = self.record.map_or(&[][..], |record| record.also).iter();
        let mut also = also.filter_map(|one| spelled(&spelling, &[*one], Some(&command.usage)));
        fits(&spelling) || also.any(|other| fits(&other))
    }
}

/// Words of a subcommand in the one spelling of several that is compared.
fn in_one_spelling<'a>(
    mut words: Vec<&'a str>,
    program: &str,
    record: Option<&Record>,
    usage: Option<&Usage>,
) -> Vec<&'a str> {
    let Some(record) = record else { return words };
    for word in words.iter_mut().take(WORDS_MAX) {
        *word = record.verbs.iter().find(|(short, _)| short == word).map_or(*word, |(_, full)| full);
    }
    words = spelled(&words, record.same, usage).unwrap_or(words);
    // A script that is called like a command of the program runs only with `run`.
    let is_script = |name: &str| {
        let scripts = ["test", "start", "stop", "restart", "deploy"];
        scripts.contains(&name) || !subcommands::is_own(program, aliases::canonical_sub(program, name))
    };
    if record.scripts
        && words.len() > 1
        && words.first() == Some(&"run")
        && words.get(1).is_some_and(|name| is_script(name))
    {
        words.remove(0);
    }
    words
}

/// The words of a command without its options; first as the option tables read
/// them. Where it cannot be told whether an option takes the word behind it,
/// both readings.
fn readings<'a>(command: &'a Command, program: &str, record: Option<&Record>) -> Vec<Vec<&'a str>> {
    let model = model_of(&command.program);
    let usage = &command.usage;
    let words = command.words.get(1..).unwrap_or_default();
    let toolchain = program == "cargo" && words.first().is_some_and(|word| word.text.starts_with('+'));
    let words = words.get(usize::from(toolchain)..).unwrap_or_default();
    let spec = if model.subs.is_empty() { model.spec } else { sub_spec(model, &usage.subcommand) };
    let mut found: Vec<Vec<&str>> = Vec::new();
    if !model.subs.is_empty() {
        let named = usage.subcommand.iter().map(SmolStr::as_str);
        let rest = usage.operands.iter().map(|word| word.text.as_str());
        found.push(named.chain(rest).take(WORDS_MAX).collect());
        let is_open = |word: &Word| {
            let text = word.text.as_str();
            is_option(text)
                && (record
                    .is_some_and(|record| record.values.contains(&text) || record.switches.contains(&text))
                    || options::takes_next(&model.spec, text).is_none()
                        && options::takes_next(&spec, text) != Some(false))
        };
        if !words.iter().any(is_open) {
            return stepped(found, record);
        }
    }
    let known = |option: &str| {
        takes_value_by_record(option, record)
            .or_else(|| options::takes_next(&model.spec, option))
            .or_else(|| options::takes_next(&spec, option))
            .or_else(|| takes_value_by_table(option))
    };
    let in_doubt = |(at, word): &(usize, &Word)| {
        let next = words.get(at + 1).map_or("-", |next| next.text.as_str());
        is_option(&word.text)
            && !word.text.contains('=')
            && known(&word.text).is_none()
            && !next.starts_with('-')
            && !subcommands::is_own(program, next)
    };
    let doubts: Vec<usize> =
        words.iter().enumerate().filter(in_doubt).map(|(at, _)| at).take(DOUBTS_MAX).collect();
    for choice in 0..1usize << doubts.len() {
        let takes = |at: usize, option: &str| match doubts.iter().position(|doubt| *doubt == at) {
            Some(bit) => choice >> bit & 1 == 1,
            None => known(option).unwrap_or(false),
        };
        let mut plain = plain_words(words, &takes);
        if let Some(first) = plain.get_mut(0) {
            *first = aliases::canonical_sub(program, first);
        }
        if !found.contains(&plain) {
            found.push(plain);
        }
    }
    stepped(found, record)
}

fn is_option(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-') && text != "--"
}

/// `mix do ecto.drop, ecto.create` is two commands.
fn stepped<'a>(readings: Vec<Vec<&'a str>>, record: Option<&Record>) -> Vec<Vec<&'a str>> {
    let Some(word) = record.and_then(|record| record.several) else { return readings };
    let mut found = Vec::new();
    for words in readings {
        let Some((_, rest)) = words.split_first().filter(|(first, _)| **first == word) else {
            found.push(words);
            continue;
        };
        let mut step = Vec::new();
        for word in rest {
            let name = word.trim_end_matches([',', '+']);
            if !name.is_empty() {
                step.push(name);
            }
            if name.len() < word.len() {
                found.push(std::mem::take(&mut step));
            }
        }
        found.push(step);
    }
    found
}

/// The words that are no options and no values of one; `takes` says of an option
/// and its place whether the word behind it is its value.
fn plain_words<'a>(words: &'a [Word], takes: &dyn Fn(usize, &str) -> bool) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut rest = words.iter().enumerate();
    let mut open = true;
    while let Some((at, word)) = rest.next().filter(|_| found.len() < WORDS_MAX) {
        let text = word.text.as_str();
        if open && text == "--" {
            open = false;
        } else if open && is_option(text) {
            if !text.contains('=') && takes(at, text) {
                rest.next();
            }
        } else {
            found.push(text);
        }
    }
    found
}

/// Does an option take the word behind it, by what is known of the program?
fn takes_value_by_record(option: &str, record: Option<&Record>) -> Option<bool> {
    let record = record?;
    let takes = record.values.contains(&option);
    (takes || record.switches.contains(&option)).then_some(takes)
}

/// The same by what the option means for most programs. `None` where no table says.
fn takes_value_by_table(option: &str) -> Option<bool> {
    let takes = VALUES.contains(&option);
    (takes || SWITCHES.contains(&option) || option.starts_with("--no-")).then_some(takes)
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
        let mut rest = words;
        for wanted in from.split(' ').filter(|word| *word != "*") {
            // `?` is one word, whatever it is.
            let (first, behind) = rest.split_first()?;
            if wanted != "?" && wanted != *first {
                return None;
            }
            rest = behind;
        }
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
            && (value.is_some() || !flag.is_off())
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
