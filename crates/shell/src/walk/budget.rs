//! What a reading may cost. Anyone who copies, multiplies or looks through
//! anything asks here first; when the budget is spent, the rest is a fault.

use std::collections::BTreeMap;

use super::simple::PendingCommand;
use super::{DEPTH_MAX, Walker};
use crate::reading::{Span, Word};
use crate::scope::{Changes, Options, size_of};
use crate::stream::Stream;

/// More commands than this are not listed.
const COMMANDS_MAX: usize = 5_000;

/// Work one reading may cost, in bytes copied or their like: loops, functions,
/// variables and opened text multiply. Beyond it the rest is a fault.
pub(super) const WORK_MAX: usize = 5 << 19;

/// What one node of the tree counts for.
pub(super) const NODE_COST: usize = 60;

/// What one command, one word and one option count for, next to their bytes,
/// and how often words are copied on their way into the reading.
const CALL_COST: usize = 300;
const WORD_COST: usize = 32;
const OPTION_COST: usize = 200;
const COPIES: usize = 4;

impl Walker<'_> {
    /// Counts work about to be done; false when the budget is spent. Anyone who
    /// copies, multiplies or looks through anything asks here first.
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        self.work = self.work.saturating_add(bytes);
        let spent = self.is_spent();
        if spent {
            self.fail(Span::default(), "more than can be followed");
        }
        !spent
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.work > WORK_MAX || self.commands.len() >= COMMANDS_MAX
    }

    /// Joins what branches changed, unless that is more than can be followed.
    pub(super) fn merge(&mut self, branches: &[Changes], maybe_none: bool) {
        if branches.iter().all(BTreeMap::is_empty) {
            return;
        }
        let size = |options: &Option<Options>| options.as_ref().map_or(0, size_of);
        let bytes: usize = branches.iter().flat_map(BTreeMap::values).map(size).sum();
        let names: usize = branches.iter().map(BTreeMap::len).sum();
        if self.grow(bytes + names * NODE_COST) {
            self.scope.join(branches, maybe_none);
        }
    }

    /// What listing and following `call` is about to copy.
    pub(super) fn cost_of(&self, call: &PendingCommand, stdin: Option<&Stream>) -> usize {
        let word = |word: &Word| word.text.len() + WORD_COST;
        let option = |word: &&Word| word.text.starts_with('-');
        let words: usize = call.words.iter().map(word).sum();
        let options = call.words.iter().filter(option).count();
        let assignments = self.exported.iter().chain(&call.assignments);
        let assigned: usize = assignments.map(|one| word(&one.value) + WORD_COST).sum();
        let redirects = call.redirects.iter().chain(&self.carried);
        let redirected: usize = redirects.map(|one| word(&one.target)).sum();
        let piped = stdin.and_then(|stream| stream.text.as_ref()).map_or(0, String::len);
        CALL_COST + COPIES * (words + assigned + redirected) + OPTION_COST * options + piped
    }

    /// Runs `inner` as text that is elsewhere, one level deeper.
    pub(crate) fn aside(&mut self, inner: impl FnOnce(&mut Self)) {
        let was_in_place = std::mem::replace(&mut self.in_place, false);
        let choice = std::mem::take(&mut self.choice);
        self.depth += 1;
        inner(self);
        self.depth -= 1;
        self.choice = choice;
        self.in_place = was_in_place;
    }

    /// Levels of nesting that may still be entered.
    pub(crate) fn depth_left(&self) -> usize {
        DEPTH_MAX.saturating_sub(self.depth)
    }
}
