//! Which of the values a variable may have is meant this time.
//!
//! Behind `if a; then X=1; else X=2; fi` there are two. What uses variables with
//! several values is walked in rounds, one for every combination of them; with too
//! many, the last ones take their values in step and are once more not known at all.

use smol_str::SmolStr;

use super::Walker;
use crate::one_or_many::OneOrMany;
use crate::scope::DIR;
use crate::stream::Stream;

/// Combinations that are walked one by one.
const COMBINATIONS_MAX: usize = 16;

/// The values of one round.
#[derive(Debug, Clone, Default)]
pub(crate) struct Choice {
    round: usize,
    /// What is left of the number of the round for variables not asked for yet.
    rest: usize,
    /// Combinations of the variables asked for, less one.
    more: usize,
    /// There are too many: some variable is not in it.
    crowded: bool,
    /// In this round, such a variable is not known.
    vague: bool,
    asked: OneOrMany<(SmolStr, usize)>,
}

impl Choice {
    /// The number of the value to take of `count`; none where it shall not be known.
    pub(crate) fn pick(&mut self, name: &str, count: usize) -> Option<usize> {
        if count < 2 {
            return Some(0);
        }
        if let Some((_, at)) = self.asked.iter().find(|(known, _)| known == name) {
            return Some((*at).min(count - 1));
        }
        let combinations = (self.more + 1) * count;
        if combinations > COMBINATIONS_MAX {
            self.crowded = true;
            return (!self.vague).then_some(self.round % count);
        }
        let at = self.rest % count;
        self.rest /= count;
        self.more = combinations - 1;
        self.asked.push((name.into(), at));
        Some(at)
    }

    /// The same for one that was asked for already, or counts for nothing.
    pub(crate) fn picked(&self, name: &str, count: usize) -> usize {
        let known = self.asked.iter().find(|(known, _)| known == name);
        known.map_or(0, |(_, at)| *at).min(count.saturating_sub(1))
    }

    /// Is there but one value of everything?
    pub(super) fn is_single(&self) -> bool {
        self.more == 0 && !self.crowded
    }

    pub(super) fn is_first(&self) -> bool {
        self.round == 0
    }

    /// The rounds that are needed as far as it is known by now.
    fn rounds(&self) -> usize {
        (self.more + 1) * if self.crowded { 2 } else { 1 }
    }
}

impl Walker<'_> {
    /// Walks something once for every combination of the values its own words may
    /// have. What it changes may be any of what the rounds change.
    pub(super) fn in_rounds(&mut self, mut once: impl FnMut(&mut Self) -> Stream) -> Stream {
        if self.is_spent() {
            return Stream::silent();
        }
        let outer = std::mem::take(&mut self.choice);
        let mark = self.scope.checkpoint();
        self.choose_folder();
        let mut out = once(self);
        if self.choice.is_single() {
            // Most have one value.
            self.choice = outer;
            return out;
        }
        let mut branches = vec![self.scope.take_changes(mark)];
        let (mut round, mut combinations) = (1, self.choice.more + 1);
        let mut rounds = self.choice.rounds();
        while round < rounds && !self.is_spent() {
            let mark = self.scope.checkpoint();
            self.choice = Choice { round, rest: round, vague: round >= combinations, ..Choice::default() };
            self.choose_folder();
            let one = once(self);
            out = if out.text == one.text { one } else { Stream { text: None, ..one } };
            combinations = combinations.max(self.choice.more + 1);
            rounds = rounds.max(self.choice.rounds());
            branches.push(self.scope.take_changes(mark));
            round += 1;
        }
        self.merge(&branches, false);
        self.choice = outer;
        out
    }

    /// The folder is one of what may have several values.
    fn choose_folder(&mut self) {
        if let Some(folders) = self.scope.folders().map(|folders| folders.len()).filter(|count| *count > 1) {
            self.choice.pick(DIR, folders);
        }
    }
}
