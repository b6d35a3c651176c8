//! What a cmdlet is given: its words, bound to its parameters.
//!
//! A parameter may be shortened, have its value attached, or be given by its place. Must not
//! know what a cmdlet does.

use super::emit::{Sort, word};
use super::split::{Argument, Part, Token};
use std::collections::BTreeMap;

/// One command of a pipeline, and what it is told.
pub(super) struct Stage<'a> {
    pub(super) tokens: Vec<Token>,
    pub(super) known: &'a BTreeMap<String, String>,
    /// What the command in front hands on, where that is files.
    pub(super) upstream: &'a [Argument],
    /// What the command in front became.
    pub(super) before: Option<&'a str>,
}

pub(super) struct Cmdlet {
    pub(super) names: &'static [&'static str],
    /// How many of the parameters have a place.
    placed: usize,
    parameters: &'static str,
    pub(super) does: fn(&Given) -> Option<String>,
}

pub(super) const fn row(
    names: &'static [&'static str],
    placed: usize,
    parameters: &'static str,
    does: fn(&Given) -> Option<String>,
) -> Cmdlet {
    Cmdlet { names, placed, parameters, does }
}

/// Parameters every cmdlet has.
const COMMON: &str =
    "erroraction= ea= warningaction= outvariable= errorvariable= whatif confirm verbose debug";

/// The name of the command, and where its arguments begin.
pub(super) fn name_of<'a>(stage: &'a Stage) -> Option<(&'a str, usize)> {
    let words = stage.tokens.iter().enumerate();
    let (at, parts) = words
        .filter_map(|(at, token)| if let Token::Word(parts) = token { Some((at, parts)) } else { None })
        .find(|(_, parts)| !matches!(parts.as_slice(), [Part::Text(text, false)] if text == "."))?;
    match parts.as_slice() {
        [Part::Text(text, false)]
            if text.starts_with(|first: char| first.is_alphabetic() || "./~?%_".contains(first)) =>
        {
            Some((text, at + 1))
        }
        // `& 'C:\x\y.exe' a` runs it; a text alone is a value.
        [Part::Text(text, true)] if stage.tokens.len() > at + 1 => Some((text, at + 1)),
        _ => None,
    }
}

pub(super) fn parameters(row: &Cmdlet) -> impl Iterator<Item = (&'static str, bool)> {
    let all = row.parameters.split_ascii_whitespace().chain(COMMON.split_ascii_whitespace());
    all.map(|spec| (spec.trim_end_matches('='), spec.ends_with('=')))
}

/// What a cmdlet was given, by its parameters.
pub(super) struct Given<'a> {
    pub(super) stage: &'a Stage<'a>,
    values: Vec<(&'static str, Argument)>,
    switches: Vec<&'static str>,
    /// Without a place.
    rest: Vec<Argument>,
}

impl<'a> Given<'a> {
    pub(super) fn of(row: &Cmdlet, stage: &'a Stage<'a>) -> Given<'a> {
        let first = name_of(stage).map_or(0, |(_, first)| first);
        let mut given = Given { stage, values: Vec::new(), switches: Vec::new(), rest: Vec::new() };
        let mut open: Vec<&'static str> =
            parameters(row).filter(|(_, takes)| *takes).map(|(name, _)| name).take(row.placed).collect();
        let (mut wanted, mut listing) = (None::<&'static str>, None::<&'static str>);
        for token in stage.tokens.iter().skip(first) {
            let parts = match token {
                Token::Redirect { .. } => break,
                Token::Comma => {
                    wanted = listing;
                    continue;
                }
                Token::Word(parts) if !parts.is_empty() => parts,
                _ => continue,
            };
            if let (None, Some((name, takes, attached))) = (wanted, parameter(row, parts)) {
                listing = None;
                match attached {
                    Some(value) if takes => given.values.push((name, value)),
                    Some(value) if is_false(&value) => {}
                    _ if takes => {
                        wanted = Some(name);
                        open.retain(|one| *one != name);
                    }
                    _ => given.switches.push(name),
                }
                continue;
            }
            let place = wanted.take().or_else(|| (!open.is_empty()).then(|| open.remove(0)));
            listing = place;
            match place {
                Some(name) => given.values.push((name, parts.clone())),
                None => given.rest.push(parts.clone()),
            }
        }
        given
    }

    pub(super) fn has(&self, switch: &str) -> bool {
        self.switches.contains(&switch)
    }

    pub(super) fn values(&self, name: &str) -> Vec<Argument> {
        self.values.iter().filter(|(known, _)| *known == name).map(|(_, value)| value.clone()).collect()
    }

    /// A path.
    pub(super) fn word(&self, name: &str) -> Option<String> {
        self.values(name).first().map(|parts| word(parts, Sort::Path, self.stage.known))
    }

    /// Anything else.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.values(name).first().map(|parts| word(parts, Sort::Text, self.stage.known))
    }

    pub(super) fn rest(&self) -> Vec<String> {
        self.rest.iter().map(|parts| word(parts, Sort::Text, self.stage.known)).collect()
    }

    /// The files it is about: named, or handed on to it.
    pub(super) fn files(&self) -> Vec<String> {
        let named = ["path", "filepath", "driveletter"].iter().flat_map(|name| self.values(name));
        let all: Vec<String> = named.map(|parts| word(&parts, Sort::Path, self.stage.known)).collect();
        let literal = self.values("literalpath");
        let all = all
            .into_iter()
            .chain(literal.iter().map(|parts| word(parts, Sort::LiteralPath, self.stage.known)));
        let all: Vec<String> = all.collect();
        if !all.is_empty() {
            return all;
        }
        self.stage.upstream.iter().map(|parts| word(parts, Sort::Path, self.stage.known)).collect()
    }

    pub(super) fn on_files(&self, does: &str) -> Option<String> {
        let files = self.files();
        (!files.is_empty()).then(|| format!("{does} {}", files.join(" ")))
    }

    pub(super) fn files_or_input(&self, does: &str, otherwise: &str) -> Option<String> {
        self.on_files(does).or_else(|| Some(otherwise.to_owned()))
    }

    pub(super) fn carried(&self, does: &str) -> Option<String> {
        let to = self.word("destination").unwrap_or_else(|| ".".to_owned());
        self.on_files(&format!("{does} --")).map(|line| format!("{line} {to}"))
    }
}

/// `-Path`, `-Path:value`, `-p`: the parameter, whether it takes a value, and one attached.
fn parameter(row: &Cmdlet, parts: &Argument) -> Option<(&'static str, bool, Option<Argument>)> {
    let Some(Part::Text(text, false)) = parts.first() else { return None };
    let written =
        text.strip_prefix('-').filter(|name| name.starts_with(|first: char| first.is_alphabetic()))?;
    let (name, value) = written.split_once(':').map_or((written, None), |(name, value)| (name, Some(value)));
    let name = name.to_ascii_lowercase();
    let value = value.map(|value| {
        let first = Part::Text(value.to_owned(), false);
        std::iter::once(first)
            .filter(|part| !matches!(part, Part::Text(text, _) if text.is_empty()))
            .chain(parts.iter().skip(1).cloned())
            .collect()
    });
    let found = parameters(row)
        .find(|(known, _)| *known == name)
        .or_else(|| parameters(row).find(|(known, _)| known.starts_with(&name)));
    // A switch no one knows is one all the same.
    Some(found.map_or(("", false, None), |(name, takes)| (name, takes, value)))
}

fn is_false(value: &Argument) -> bool {
    matches!(value.as_slice(), [Part::Variable(name)] if name.eq_ignore_ascii_case("false"))
}
