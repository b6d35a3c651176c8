//! Rules that load and do not do what they seem to: what can never match, and
//! what another rule decides before.
//!
//! Nothing here changes a verdict. A remark is made only where it is sure;
//! where the gate knows too little of a program, it is silent. Rules of packs
//! are not looked at: their pages are tests.

mod agents;
mod commands;
mod hosts;
mod paths;
mod patterns;
mod shadows;

use crate::policy::{Layer, Merged, Notice, RuleEntry};
use crate::rule::Match;

/// What the machine says that a policy speaks of.
#[derive(Debug, Clone, Default)]
pub struct Around {
    /// The names directly below `/`; empty if they are not known.
    pub root: Vec<String>,
}

/// Everything that rules and agents say without effect.
#[must_use]
pub fn lint(merged: &Merged, around: &Around) -> Vec<Notice> {
    let mut notices = Vec::new();
    for entry in merged.rules.iter().filter(|entry| entry.layer != Layer::Pack) {
        for one in matches_of(entry) {
            commands::look(entry, one, &mut notices);
            patterns::look(entry, one, &mut notices);
            hosts::look(entry, one, &mut notices);
            paths::look(entry, one, around, &mut notices);
        }
        commands::look_at_parts(entry, &mut notices);
        patterns::look_at_parts(entry, &mut notices);
        shadows::look(entry, &merged.rules, &mut notices);
    }
    for entry in &merged.settings.agents {
        agents::look(entry, &mut notices);
    }
    without_examples(&merged.rules, &mut notices);
    notices
}

/// The calls a rule speaks of, and those it wants to have happened before.
fn matches_of(entry: &RuleEntry) -> impl Iterator<Item = &Match> {
    let before = entry.rule.after.iter().filter_map(|after| after.matches.as_ref());
    std::iter::once(&entry.rule.matches).chain(before)
}

fn warn(entry: &RuleEntry, needle: &str, text: impl std::fmt::Display, help: impl Into<String>) -> Notice {
    let text = format!("rule `{}`: {text}", entry.rule.id);
    Notice::warning(entry.source.clone(), needle, text, help)
}

/// One line a file, however many rules have none.
fn without_examples(rules: &[RuleEntry], notices: &mut Vec<Notice>) {
    let own: Vec<&RuleEntry> = rules.iter().filter(|entry| entry.layer != Layer::Pack).collect();
    let mut files: Vec<&str> = own.iter().map(|entry| entry.source.file.as_str()).collect();
    files.dedup();
    files.sort_unstable();
    files.dedup();
    for file in files {
        let of_file = own.iter().filter(|entry| entry.source.file == file);
        let all = of_file.clone().count();
        let bare = of_file.filter(|entry| entry.rule.examples.is_empty()).count();
        if bare == 0 {
            continue;
        }
        let text = match (bare, all) {
            (1, 1) => "the rule has no examples".to_owned(),
            _ => format!("{bare} of {all} rules have no examples"),
        };
        let help = "add `examples: { match: [\"…\"], pass: [\"…\"] }`: commands it must and must not match, tried by this check";
        let source = crate::finding::Source { file: file.to_owned(), line: 0 };
        notices.push(Notice::note(source, "", text, help));
    }
}
