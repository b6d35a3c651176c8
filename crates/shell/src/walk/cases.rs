//! `case`: one of its arms runs, or none, or several in a row.
//!
//! Patterns are not compared: whatever stands in an arm may run.

use super::Walker;

use crate::scope::Changes;
use crate::stream::Stream;
use crate::tree::{Arm, List, RawWord, Then};

impl Walker<'_> {
    /// The words of a `case`: what they start runs, whatever is compared.
    pub(super) fn compare(&mut self, subject: &RawWord, arms: &[Arm]) {
        self.in_rounds(|walker| {
            let patterns = arms.iter().flat_map(|arm| &arm.patterns);
            for word in std::iter::once(subject).chain(patterns) {
                let _ = walker.single(&word.parts, word.span);
            }
            Stream::silent()
        });
    }

    /// The bodies: behind `;&` and `;;&` with what the arm before has left.
    pub(super) fn one_arm(&mut self, arms: &[Arm], stdin: Option<&Stream>) -> Stream {
        if arms.iter().all(|arm| arm.then == Then::Leave) {
            let bodies: Vec<&List> = arms.iter().map(|arm| &arm.body).collect();
            return self.one_of(&bodies, true, stdin);
        }
        let overwritten = self.overwritten.len();
        let mut changes: Vec<Changes> = Vec::new();
        // The arms that may have run before the next one.
        let (mut next, mut tested) = (None::<usize>, None::<usize>);
        for arm in arms {
            if self.is_spent() {
                break;
            }
            let before: Vec<Changes> =
                [next, tested].into_iter().flatten().filter_map(|at| changes.get(at)).cloned().collect();
            let mark = self.scope.mark();
            self.merge(&before, true);
            let _ = self.list(&arm.body, stdin);
            changes.push(self.scope.take_changes(mark));
            let this = Some(changes.len() - 1);
            next = this.filter(|_| arm.then == Then::Next);
            tested = if arm.then == Then::Test { this } else { tested };
        }
        self.merge(&changes, true);
        self.doubt_written(overwritten);
        Stream::unknown()
    }
}
