//! The list of commands: each is in it once, however often it is walked past.
//!
//! A command that differs in anything that can be judged (its folder, its
//! environment, what it reads) is another command, also where its words are the same.

use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::Walker;
use crate::reading::Command;

impl Walker<'_> {
    /// Adds the command unless it is already listed.
    pub(super) fn list_command(&mut self, command: &Arc<Command>) -> usize {
        let index = self.commands.len();
        match self.listed.entry(key_of(command)) {
            Entry::Vacant(place) => _ = place.insert(index),
            Entry::Occupied(mut place) => {
                let known = *place.get();
                if self.commands.get(known).is_some_and(|same| is_repeated(same, command)) {
                    return known;
                }
                place.insert(index);
            }
        }
        self.commands.push(Arc::clone(command));
        index
    }
}

/// Called from another place (`started_by`) it is the same command still.
fn is_repeated(known: &Command, command: &Command) -> bool {
    known.span == command.span
        && known.words == command.words
        && known.via == command.via
        && known.dir == command.dir
        && known.assignments == command.assignments
        && known.redirects == command.redirects
        && known.piped_from == command.piped_from
        && known.quotes == command.quotes
        && known.effects == command.effects
}

/// Tells most commands apart. Two that share a key are compared, so no one gains
/// by finding some. The place is in front: commands are met in the order of the
/// text, most times, and a map that grows at its end is quick to grow.
fn key_of(command: &Command) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |key: u64, value: u64| (key.rotate_left(5) ^ value).wrapping_mul(ODD);
    let text = |key: u64, text: &str| {
        let (chunks, rest) = text.as_bytes().as_chunks::<8>();
        let key = chunks.iter().fold(key, |key, chunk| mix(key, u64::from_be_bytes(*chunk)));
        let rest = rest.iter().fold(0, |all, byte| all << 8 | u64::from(*byte));
        mix(mix(key, rest), text.len() as u64)
    };
    let start = mix(command.span.end as u64, command.piped_from.map_or(0, |at| at as u64 + 1));
    let key = command.via.iter().fold(start, |key, via| text(key, via));
    let key = command.dir.iter().fold(key, |key, dir| text(key, &dir.text));
    let key = command.assignments.iter().fold(key, |key, one| text(text(key, &one.name), &one.value.text));
    let key = command.words.iter().fold(key, |key, word| mix(text(key, &word.text), u64::from(word.exact)));
    (command.span.start as u64) << 32 | key >> 32
}
