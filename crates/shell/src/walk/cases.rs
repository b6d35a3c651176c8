//! `case`: one of its arms runs, or none, or several in a row.
//!
//! Patterns are compared only in a script or function that was given its words, with a
//! value that is known: `case $1 in` chooses among the commands it knows. Otherwise
//! whatever is in an arm may run.

use super::Walker;
use crate::expand::fits_whole;
use crate::scope::{Changes, Text};
use crate::stream::Stream;
use crate::tree::{Arm, List, Param, ParamOp, Part, RawWord, Then};
use smol_str::SmolStr;

impl Walker<'_> {
    /// The words of a `case`: what they start runs, whatever is compared. Tells what is
    /// compared, where it was given and there is but one value of it.
    pub(super) fn compare(&mut self, subject: &RawWord, arms: &[Arm]) -> Option<SmolStr> {
        let mut values = Vec::new();
        self.in_rounds(|walker| {
            values.push(walker.single(&subject.parts, subject.span));
            for word in arms.iter().flat_map(|arm| &arm.patterns) {
                let _ = walker.single(&word.parts, word.span);
            }
            Stream::silent()
        });
        let [value] = values.as_slice() else { return None };
        // Quotes leave an empty text next to what they hold.
        let mut parts = subject.parts.iter().filter(|part| part.literal() != Some(""));
        let (Some(Part::Param(param)), None) = (parts.next(), parts.next()) else { return None };
        let known = self.is_given && is_value(param) && value.exact;
        known.then(|| value.text.clone())
    }

    /// Is each of the words that are given one word, and no other? One that may be none
    /// moves all behind it, also once it is gone.
    pub(super) fn knows_given(&self) -> bool {
        let exact = |text: &Text| text.exact && !text.text.contains(['*', '?', '[']);
        self.scope.get("@").is_some_and(|options| options.len() == 1 && options.iter().flatten().all(exact))
    }

    /// Walks something that was given its words, or may run with others.
    pub(super) fn with_given<T>(&mut self, is_given: bool, inner: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.is_given, is_given);
        let done = inner(self);
        self.is_given = outer;
        done
    }

    /// The bodies: behind `;&` and `;;&` with what the arm before has left.
    pub(super) fn one_arm(&mut self, arms: &[Arm], value: Option<&str>, stdin: Option<&Stream>) -> Stream {
        if let Some((bodies, maybe_none)) = value.and_then(|value| chosen(arms, value)) {
            return self.one_of(&bodies, maybe_none, stdin);
        }
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
            let mark = self.scope.checkpoint();
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

/// `$1`, `${1:-x}` and `$cmd`: what was given, or a value it was kept in.
fn is_value(param: &Param) -> bool {
    let plain = matches!(param.op, ParamOp::Get | ParamOp::Default) && param.index.is_none();
    plain && param.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && param.name != "0"
}

/// The bodies that may run for a value, and whether none may; `None` if that cannot
/// be told.
fn chosen<'a>(arms: &'a [Arm], value: &str) -> Option<(Vec<&'a List>, bool)> {
    let mut bodies = Vec::new();
    for arm in arms {
        if arm.then != Then::Leave {
            return None;
        }
        let fits: Vec<Option<bool>> =
            arm.patterns.iter().map(|pattern| fits_whole(&pattern.parts, value)).collect();
        if fits.contains(&Some(true)) {
            bodies.push(&arm.body);
            return Some((bodies, false));
        }
        if fits.contains(&None) {
            bodies.push(&arm.body);
        }
    }
    Some((bodies, true))
}
