//! Frameworks that run a line of their language: `rails runner`, Django's and
//! Laravel's shells, `mix run`.
//!
//! Only says which words are the program; what it does is asked of `language`.

use super::{Inner, arguments, language};
use crate::name_filter::NameFilter;
use crate::programs::is_named;
use crate::reading::{Command, Word};
use crate::stream::Stream;

/// A framework, its verbs that take a program, the options that carry it (none:
/// it is the next word), its language.
type Console = (&'static str, &'static [&'static str], &'static [&'static str], &'static str);

const CONSOLES: &[Console] = &[
    ("rails", &["runner", "r"], &[], "ruby"),
    ("manage.py", &["shell", "shell_plus"], &["-c", "--command"], "python"),
    ("django-admin", &["shell"], &["-c", "--command"], "python"),
    ("artisan", &["tinker"], &["--execute"], "php"),
    ("wp", &["eval"], &[], "php"),
    ("drush", &["php:eval", "php-eval", "ev"], &[], "php"),
    ("mix", &["run"], &["-e", "--eval"], "elixir"),
];

static HEADS: NameFilter = name_filter();

const fn name_filter() -> NameFilter {
    let (mut all, mut rows) = (NameFilter::NONE, CONSOLES);
    while let [(name, ..), more @ ..] = rows {
        all = all.with(name);
        rows = more;
    }
    all
}

pub(super) fn open(command: &Command, _: Option<&Stream>) -> Option<Vec<Inner>> {
    if !HEADS.may_hold(&command.program) {
        return None;
    }
    let (_, verbs, options, language) =
        CONSOLES.iter().find(|(name, ..)| is_named(name, &command.program))?;
    let words = arguments(command);
    let at = words.iter().position(|word| verbs.contains(&word.text.as_str()))?;
    let text = program(words.get(at + 1..).unwrap_or_default(), options)?;
    let mut found = vec![Inner::Foreign(text.clone())];
    found.extend(language::calls(language, &text));
    Some(found)
}

fn program(words: &[Word], options: &[&str]) -> Option<Word> {
    if options.is_empty() {
        return words.iter().find(|word| !word.text.starts_with('-')).cloned();
    }
    words.iter().enumerate().find_map(|(at, word)| {
        if options.contains(&word.text.as_str()) {
            return words.get(at + 1).cloned();
        }
        let (option, text) = word.text.split_once('=')?;
        options.contains(&option).then(|| Word { text: text.into(), ..word.clone() })
    })
}
