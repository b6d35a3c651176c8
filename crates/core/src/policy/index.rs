//! Which rules a call needs to be shown, without looking at the others.
//!
//! Every rule is filed under keys of which at least one is present in any call
//! it can match; a call lists its keys. INVARIANT: a rule that could match is
//! always among the candidates – when nothing narrower is sure, it is filed
//! under its event. The test `index_never_hides_a_rule` compares with asking
//! every rule.

use crate::event::EventKind;
use crate::facts::Access;
use crate::guard::Seen;
use crate::rule::{LITERAL_MIN, Rule, required_literals};
use toolgate_shell::{Command, canonical_flag};

/// Longest literal piece looked up.
const GRAM_MAX: usize = 8;
const GRAM_MIN: usize = LITERAL_MIN;

/// A key: the first eight bytes of a hash.
pub(crate) type Key = u64;

fn key(parts: &[&str]) -> Key {
    let mut hash = Fnv::default();
    for part in parts {
        hash.add(part.as_bytes());
        hash.add(&[0]);
    }
    hash.0
}

fn gram(bytes: &[u8]) -> Key {
    let mut hash = Fnv::gram();
    hash.add(bytes);
    hash.0
}

/// The keys of every piece of a text a literal could be.
fn grams(text: &[u8], keys: &mut Vec<Key>) {
    for start in 0..text.len() {
        let mut hash = Fnv::gram();
        for (length, byte) in (1..=GRAM_MAX).zip(text.iter().skip(start)) {
            hash.add(std::slice::from_ref(byte));
            if length >= GRAM_MIN {
                keys.push(hash.0);
            }
        }
    }
}

/// FNV-1a: a key only narrows, so a collision costs one look, never a verdict.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn gram() -> Fnv {
        let mut hash = Fnv::default();
        hash.add(b"gram\0");
        hash
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// The keys a rule is filed under.
pub(crate) fn keys_for(rule: &Rule) -> Vec<Key> {
    let wanted = &rule.matches;
    if wanted.event != EventKind::PreExecution {
        return vec![key(&["event", wanted.event.name()])];
    }
    if let Some(command) = &wanted.command
        && !command.program.is_empty()
        && command.program.iter().all(is_plain)
    {
        return command.program.iter().flat_map(|program| program_keys(rule, program)).collect();
    }
    if !wanted.does.is_empty() {
        return wanted.does.iter().map(|deed| key(&["does", deed])).collect();
    }
    if let Some(literals) = wanted.regex.as_deref().and_then(required_literals) {
        return literals
            .iter()
            .map(|literal| gram(literal.get(..GRAM_MAX.min(literal.len())).unwrap_or_default()))
            .collect();
    }
    if let Some(files) = &wanted.files {
        let all = ["read", "write", "delete", "delete-tree"];
        let access: Vec<&str> =
            if files.access.is_empty() { all.to_vec() } else { files.access.iter().collect() };
        return access.iter().map(|name| key(&["file", name])).collect();
    }
    if !wanted.tool.is_empty() && wanted.tool.iter().all(is_plain) {
        return wanted.tool.iter().map(|tool| key(&["tool", tool])).collect();
    }
    vec![key(&["event", wanted.event.name()])]
}

fn is_plain(name: &str) -> bool {
    !name.contains(['*', '?', '[', '{', '\\'])
}

/// Narrowest first: program with subcommand and option, with either, alone.
fn program_keys(rule: &Rule, program: &str) -> Vec<Key> {
    let command = rule.matches.command.clone().unwrap_or_default();
    let subs: Vec<Vec<String>> =
        command.subcommand.iter().map(|sub| sub.split(' ').map(str::to_owned).collect()).collect();
    if subs.is_empty() {
        return vec![key(&["program", program])];
    }
    let mut keys = Vec::new();
    for sub in &subs {
        let first = sub.first().map_or("", String::as_str);
        if command.flags.is_empty() {
            keys.push(key(&["program", program, first]));
        }
        for flag in command.flags.iter() {
            keys.push(key(&["program", program, first, &canonical_flag(program, sub, flag)]));
        }
    }
    keys
}

/// The keys of a call.
pub(crate) fn keys_of(seen: &Seen<'_>) -> Vec<Key> {
    let mut keys = vec![key(&["event", seen.event.kind.name()])];
    if seen.event.kind != EventKind::PreExecution {
        return keys;
    }
    keys.push(key(&["tool", &seen.event.call.tool]));
    for (at, command) in seen.facts.commands() {
        command_keys(command, &mut keys);
        grams(seen.facts.normal(at).as_bytes(), &mut keys);
    }
    for access in [Access::Read, Access::Write, Access::Delete, Access::DeleteTree] {
        if seen.facts.files.iter().any(|file| file.access == access) {
            keys.push(key(&["file", access.name()]));
        }
    }
    keys
}

fn command_keys(command: &Command, keys: &mut Vec<Key>) {
    let program = command.program.as_str();
    let first = command.usage.subcommand.first().map_or("", String::as_str);
    keys.push(key(&["program", program]));
    keys.push(key(&["program", program, first]));
    keys.extend(command.usage.flags.iter().map(|flag| key(&["program", program, first, &flag.name])));
    keys.extend(command.effects.iter().map(|effect| key(&["does", effect.deed.name()])));
}
