//! Replaces a rule that cannot be read from the compiled policy: blocks,
//! because a missing rule must never look like a rule with no objection.

use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen};

const ID: &str = "gate-broken-rule";

/// The one stand-in.
pub(crate) static BROKEN_RULE: BrokenRule = BrokenRule;

/// Blocks everything.
pub(crate) struct BrokenRule;

impl Guard for BrokenRule {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        2
    }

    fn category(&self) -> Category {
        Category::Safety
    }

    fn judge(&self, _seen: &Seen<'_>) -> Option<Finding> {
        let message = "the compiled policy contains a rule that cannot be read".to_owned();
        Some(super::block(ID, message, "ask the user to run `toolgate policy check`", Vec::new()))
    }
}
