//! How a `transform` rule rewrites a call.
//!
//! Only the bytes of the words concerned change; quoting, spacing and comments
//! elsewhere stay. Where the command cannot be edited in place (it is
//! inside other text), the call is blocked and the agent is told what to
//! write, never guessed at.

use crate::guard::Seen;
use crate::outcome::{Edit, Outcome};
use crate::rule::compiled::CompiledRule;
use crate::rule::data::Change;
use crate::rule::matching::{Hit, has_flag};
use toolgate_shell::{Command, Flag, Span, canonical_flag};

/// The outcome of a transform rule and, if it cannot be done, a note.
/// `None` when the call already is as the rule wants it.
pub(crate) fn apply(rule: &CompiledRule, seen: &Seen<'_>, hit: &Hit) -> Option<(Outcome, Option<String>)> {
    let change = rule.rule.change.as_ref()?;
    let mut edits: Vec<Edit> = change
        .set
        .iter()
        .filter(|(name, value)| seen.event.call.input.get(name.as_str()) != Some(value))
        .map(|(name, value)| Edit::Field { name: name.clone(), value: value.clone() })
        .collect();
    if let Some(text) = seen.event.call.command() {
        match edited(text, change, seen, hit) {
            Ok(Some(new)) => edits.push(Edit::Command(new)),
            Ok(None) => {}
            Err(note) => return Some((Outcome::Block, Some(note))),
        }
    } else if !hit.commands.is_empty() && edits.is_empty() {
        // What a tool of a server amounts to is not the text it was given.
        let note = "the input of this tool cannot be rewritten; use a plain shell command".to_owned();
        return Some((Outcome::Block, Some(note)));
    }
    (!edits.is_empty()).then_some((Outcome::Rewrite(edits), None))
}

fn edited(text: &str, change: &Change, seen: &Seen<'_>, hit: &Hit) -> Result<Option<String>, String> {
    let mut cuts: Vec<(Span, String)> = Vec::new();
    for (_, command) in seen.facts.commands().filter(|(at, _)| hit.commands.contains(at)) {
        let wanted = cuts_of(text, command, change);
        if !wanted.is_empty() && !command.in_place {
            return Err(format!(
                "`{}` is inside other text and cannot be rewritten there; write it as a plain command",
                command.normal()
            ));
        }
        cuts.extend(wanted);
    }
    cuts.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    cuts.dedup();
    let mut new = text.to_owned();
    for (span, with) in &cuts {
        if new.get(span.start..span.end).is_none() {
            return Err("the command cannot be rewritten in place".to_owned());
        }
        new.replace_range(span.start..span.end, with);
    }
    Ok((new != text).then_some(new))
}

fn cuts_of(text: &str, command: &Command, change: &Change) -> Vec<(Span, String)> {
    let mut cuts = Vec::new();
    for flag in change.remove_flags.iter() {
        let wanted = canonical_flag(&command.program, &command.usage.subcommand, flag);
        for given in command.usage.flags.iter().filter(|given| given.name == wanted) {
            cuts.push(removal(text, command, given));
        }
    }
    let missing: Vec<&str> = change.add_flags.iter().filter(|flag| !has_flag(command, flag)).collect();
    if !missing.is_empty() {
        let end = insertion_point(command);
        cuts.push((Span { start: end, end }, format!(" {}", missing.join(" "))));
    }
    cuts
}

/// Options go after the last word before a `--`, so that they stay options.
fn insertion_point(command: &Command) -> usize {
    let words = &command.words;
    let before_dashes = words.iter().take_while(|word| word.text != "--").last();
    before_dashes.map_or(command.span.end, |word| word.span.end)
}

/// Takes an option out: its word with the blank before it, or its letter out
/// of a cluster.
fn removal(text: &str, command: &Command, given: &Flag) -> (Span, String) {
    let word = text.get(given.span.start..given.span.end).unwrap_or_default();
    let is_cluster = word.starts_with('-') && !word.starts_with("--") && word.chars().count() > 2;
    if is_cluster && let Some(letter) = short_letter(command, given, word) {
        return (given.span, word.replacen(letter, "", 1));
    }
    let before = text.get(..given.span.start).unwrap_or_default();
    let blanks = before.len().saturating_sub(before.trim_end_matches([' ', '\t']).len());
    (Span { start: given.span.start.saturating_sub(blanks), end: given.span.end }, String::new())
}

fn short_letter(command: &Command, given: &Flag, word: &str) -> Option<char> {
    word.chars().skip(1).find(|letter| {
        canonical_flag(&command.program, &command.usage.subcommand, &format!("-{letter}")) == given.name
    })
}
