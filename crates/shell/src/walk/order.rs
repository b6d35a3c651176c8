//! Puts the commands found into the order of the text.

use std::sync::Arc;

use crate::reading::{Command, Reading};

/// Sorts commands by where they is, keeping pipes right.
pub(super) fn in_reading_order(reading: Reading) -> Reading {
    if reading.commands.is_sorted_by_key(|command| command.span.start) {
        return reading;
    }
    let mut order: Vec<(usize, Arc<Command>)> = reading.commands.into_iter().enumerate().collect();
    order.sort_by_key(|(at, command)| (command.span.start, *at));
    let mut place = vec![0; order.len()];
    for (new, (old, _)) in order.iter().enumerate() {
        if let Some(slot) = place.get_mut(*old) {
            *slot = new;
        }
    }
    let moved = |(_, mut shared): (usize, Arc<Command>)| {
        let command = Arc::make_mut(&mut shared);
        command.piped_from = command.piped_from.and_then(|old| place.get(old).copied());
        command.started_by = command.started_by.and_then(|old| place.get(old).copied());
        command.quotes = command.quotes.iter().filter_map(|old| place.get(*old).copied()).collect();
        shared
    };
    Reading { commands: order.into_iter().map(moved).collect(), ..reading }
}
