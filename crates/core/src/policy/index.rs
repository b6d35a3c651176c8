//! Which rules a call needs to be shown, without looking at the others.
//!
//! Every rule is filed under keys of which at least one is present in any call
//! it can match; a call lists its keys. INVARIANT: a rule that could match is
//! always among the candidates – when nothing narrower is sure, it is filed
//! under its event. The test `index_never_hides_a_rule` compares with asking
//! every rule.

use crate::event::EventKind;
use crate::facts::{Access, FileFact};
use crate::guard::Seen;
use crate::places::{Place, Places};
use crate::policy::path_keys;
use crate::rule::{FileMatch, Rule, TO_HOSTS, beginning, kinds_of, required_literals};
use crate::tool_word::server_and_tool;
use serde::{Deserialize, Serialize};
use toolgate_shell::{
    Command, EffectKind, SmolStr, canonical_flag, canonical_sub, has_other_spellings, identity,
    other_first_words,
};

/// Longest literal piece looked up.
const GRAM_MAX: usize = 8;

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
fn grams(text: &[u8], lengths: Lengths, keys: &mut Vec<Key>) {
    for start in 0..text.len() {
        let mut hash = Fnv::gram();
        for (length, byte) in (1..=GRAM_MAX).zip(text.iter().skip(start)) {
            hash.add(std::slice::from_ref(byte));
            if lengths.has(length) {
                keys.push(hash.0);
            }
        }
    }
}

/// The lengths of literal pieces any rule is filed under: of the many pieces of
/// a text only those are looked up.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Lengths(u16);

impl Lengths {
    /// Of all rules together.
    pub(crate) fn of<'a>(rules: impl Iterator<Item = &'a Rule>) -> Lengths {
        let pieces = rules.filter_map(literal_pieces).flatten();
        Lengths(pieces.fold(0, |all, piece| all | 1 << piece.len().min(GRAM_MAX)))
    }

    fn has(self, length: usize) -> bool {
        self.0 & (1 << length) != 0
    }
}

/// The pieces of which a match must contain one, if a rule is filed by them.
fn literal_pieces(rule: &Rule) -> Option<Vec<Vec<u8>>> {
    let mut literals = rule.matches.regex.as_deref().and_then(required_literals)?;
    literals.iter_mut().for_each(|literal| literal.truncate(GRAM_MAX));
    Some(literals)
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
    if !wanted.effect.is_empty() {
        // Making a file is writing one.
        let made = wanted.effect.iter().any(|kind| kind == "writes-file").then_some("creates-file");
        return wanted.effect.iter().chain(made).map(|kind| key(&["effect", kind])).collect();
    }
    if wanted.host.is_some() {
        return TO_HOSTS.iter().map(|kind| effect_key(*kind)).collect();
    }
    if let Some(pieces) = literal_pieces(rule) {
        return pieces.iter().map(|piece| gram(piece)).collect();
    }
    if let Some(files) = &wanted.files {
        return file_keys(files);
    }
    if !wanted.tool.is_empty() && wanted.tool.iter().all(is_plain) {
        let of_servers =
            wanted.tool.iter().filter_map(server_and_tool).map(|(_, tool)| key(&["server", tool]));
        return wanted.tool.iter().map(|tool| key(&["tool", tool])).chain(of_servers).collect();
    }
    vec![key(&["event", wanted.event.name()])]
}

/// By the names in its patterns, or by the sort of access alone.
fn file_keys(files: &FileMatch) -> Vec<Key> {
    if files.unsaved {
        return vec![key(&["unsaved"])];
    }
    let all = Access::ALL.map(Access::name);
    let access: Vec<&str> =
        if files.access.is_empty() { all.to_vec() } else { files.access.iter().collect() };
    let mut keys = Vec::new();
    let mut named = |pattern: &str| {
        path_keys::names_for(pattern, &mut |(about, text)| keys.push(key(&["file", about, text])))
    };
    let sure = !files.path.is_empty() && files.path.iter().all(&mut named);
    if !sure {
        return access.iter().map(|name| key(&["file", name])).collect();
    }
    // What a pattern in the call could mean is not among its names, nor is what
    // lies below a folder.
    keys.extend(access.iter().map(|name| key(&["pattern", name])));
    keys.push(key(&["everything"]));
    for pattern in files.path.iter() {
        path_keys::folders_for(pattern, &mut |folder| keys.push(folder_key(folder)));
    }
    keys
}

fn is_plain(name: &str) -> bool {
    !name.contains(['*', '?', '[', '{', '\\'])
}

/// Narrowest first: program with subcommand and option, with either, alone.
fn program_keys(rule: &Rule, written: &str) -> Vec<Key> {
    let command = rule.matches.command.clone().unwrap_or_default();
    let program = identity(written).0;
    let is_sure = |sub: &str| !sub.trim().is_empty() && is_plain(sub);
    if command.subcommand.is_empty()
        || has_other_spellings(written)
        || !command.subcommand.iter().all(is_sure)
    {
        return vec![key(&["program", program])];
    }
    let mut keys = Vec::new();
    for sub in command.subcommand.iter() {
        let full: Vec<SmolStr> =
            sub.split_whitespace().map(|word| canonical_sub(program, word).into()).collect();
        let first = full.first().map_or("", SmolStr::as_str);
        if command.flags.is_empty() || !command.flags.iter().all(is_one_option) {
            keys.push(key(&["program", program, first]));
            continue;
        }
        for flag in command.flags.iter() {
            keys.push(key(&["program", program, first, &canonical_flag(program, &full, flag)]));
        }
    }
    keys
}

/// An option in a form that has one canonical name: `--amend`, `-n`.
fn is_one_option(flag: &str) -> bool {
    !flag.contains(['=', ' ']) && (flag.starts_with("--") || flag.len() == 2)
}

fn effect_key(kind: EffectKind) -> Key {
    key(&["effect", kind.name()])
}

/// The keys of a call.
pub(crate) fn keys_of(seen: &Seen<'_>, lengths: Lengths) -> Vec<Key> {
    let mut keys = vec![key(&["event", seen.event.kind.name()])];
    if seen.event.kind != EventKind::PreExecution {
        return keys;
    }
    if seen.event.is_at(EventKind::PreHandoff) {
        keys.push(key(&["event", EventKind::PreHandoff.name()]));
    }
    let call = &seen.event.call;
    keys.push(key(&["tool", &call.tool]));
    keys.extend(call.tool_words().iter().map(|word| key(&["tool", word])));
    keys.extend(call.server_tool().map(|name| key(&["tool", &name])));
    keys.extend(call.tool_of_some_server().map(|tool| key(&["server", tool])));
    for (at, command) in seen.facts.commands() {
        command_keys(command, &mut keys);
        grams(seen.facts.normal(at).as_bytes(), lengths, &mut keys);
    }
    for file in &seen.facts.files {
        if file.unsaved.is_some() {
            keys.push(key(&["unsaved"]));
        }
        for word in file.access.words() {
            keys.push(key(&["file", word.name()]));
            if beginning(file).is_some() {
                keys.push(key(&["pattern", word.name()]));
            }
        }
        below_keys(file, seen.places, &mut keys);
        if file.command.is_none() {
            keys.extend(kinds_of(file.access).iter().map(|kind| effect_key(*kind)));
        }
        path_keys::names_of(file, &mut |(about, text)| keys.push(key(&["file", about, text])));
    }
    keys.extend(seen.facts.reached.iter().map(|(kind, _)| effect_key(*kind)));
    keys
}

/// Keys of what may lie below a folder of the call: the names of the folders a
/// rule spells out, or everything where the call does not say which folder.
fn below_keys(file: &FileFact, places: &Places, keys: &mut Vec<Key>) {
    if !file.reaches_below() {
        return;
    }
    for path in file.targets() {
        if file.glob || path == "/" || places.covers(path, Place::Workspace) {
            keys.push(key(&["everything"]));
            continue;
        }
        keys.push(folder_key(None));
        keys.extend(path.split('/').filter(|part| !part.is_empty()).map(|part| folder_key(Some(part))));
        if places.covers(path, Place::Home) {
            keys.push(folder_key(Some("~")));
        }
    }
}

/// A folder a pattern names; `None` where it only says what the name looks like.
fn folder_key(folder: Option<&str>) -> Key {
    folder.map_or_else(|| key(&["folder"]), |folder| key(&["folder", folder]))
}

fn command_keys(command: &Command, keys: &mut Vec<Key>) {
    let program = identity(&command.program).0;
    let first = command.usage.subcommand.first().map_or("", SmolStr::as_str);
    keys.push(key(&["program", program]));
    keys.push(key(&["program", program, first]));
    keys.extend(other_first_words(command).map(|word| key(&["program", program, word])));
    keys.extend(command.usage.flags.iter().map(|flag| key(&["program", program, first, &flag.name])));
    keys.extend(command.effects.iter().map(|effect| key(&["effect", effect.kind.name()])));
}
