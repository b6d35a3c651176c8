//! The call that is always denied, so that `toolgate doctor` and anybody else
//! can see that the hook works.

use crate::evidence::Evidence;
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen};

/// The program name that is always denied. No such program exists.
pub const CANARY: &str = "toolgate-canary";

/// The session of the test call `toolgate doctor` makes.
pub const PROBE_SESSION: &str = "toolgate-doctor";

/// The id of the guard that denies it.
pub const CANARY_ID: &str = "gate-canary";

pub(super) const PAGE: &str = "# gate-canary
**What** – blocks the command `toolgate-canary`, which does not exist.
**Why** – a harmless call that is always blocked shows that the hook works.
**Allowed instead** – nothing; this message is the proof.
";

/// Denies [`CANARY`].
pub(super) struct Canary;

impl Guard for Canary {
    fn id(&self) -> &str {
        CANARY_ID
    }

    fn priority(&self) -> u32 {
        1
    }

    fn category(&self) -> Category {
        Category::Safety
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        let found = seen.facts.commands().any(|(_, command)| command.program == CANARY);
        let message = "this is Toolgate's own test call, and the gate works".to_owned();
        found.then(|| {
            super::block(
                CANARY_ID,
                message,
                "nothing to do",
                Evidence::of_text(&seen.event.call, CANARY).into_iter().collect(),
            )
        })
    }
}
