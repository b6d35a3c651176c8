//! What a call reaches, in a few words: its effects and their targets, and the remote, branch,
//! database or cluster it names.

use crate::facts::Facts;
use std::collections::BTreeSet;
use toolgate_shell::{EffectKind, aims};

/// Things named before the rest is only counted.
const NAMED_MAX: usize = 8;

/// What a call reaches, each thing once. Empty where the facts name nothing.
#[must_use]
pub fn reached(facts: &Facts) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut add = |what: &str, target: &str| {
        let one = if target.is_empty() { what.to_owned() } else { format!("{what}: {target}") };
        if !all.contains(&one) {
            all.push(one);
        }
    };
    let mut named = BTreeSet::new();
    for (at, command) in facts.commands() {
        for effect in &command.effects {
            let target = effect.target.as_ref().map(|word| word.text.as_str()).unwrap_or_default();
            // A host without a name says nothing; the remote or database below does.
            if effect.kind == EffectKind::ReachesHost && target.is_empty() {
                continue;
            }
            named.insert((Some(at), target.to_owned()));
            add(&effect.kind.name().replace('-', " "), target);
        }
        for (what, name) in aims(command) {
            if !named.contains(&(Some(at), name.clone())) {
                add(what, &name);
            }
        }
    }
    for file in &facts.files {
        if !named.contains(&(file.command, file.written.to_string())) {
            add(&file.access.name().replace('-', " "), &file.path);
        }
    }
    for opaque in &facts.reading.opaque {
        add("cannot be understood", &opaque.what);
    }
    if let Some(fault) = &facts.reading.fault {
        add("cannot be read", &fault.message);
    }
    let more = all.len().saturating_sub(NAMED_MAX);
    all.truncate(NAMED_MAX);
    if more > 0 {
        all.push(format!("and {more} more"));
    }
    all
}
