//! `tool-pin`: a tool still is what it was when it was trusted.

use super::block;
use crate::event::EventKind;
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen};
use crate::pin::{PinState, UNSEEN};

pub(crate) const ID: &str = "tool-pin";

pub(crate) const PAGE: &str = "\
tool-pin: a tool of an MCP server is what it was when it was trusted.

`toolgate mcp -- SERVER` records the definition of every tool of the server: its
description, its schemas, its annotations. A tool whose definition changed is
blocked until a person has seen the difference, and so is one whose name looks
like that of another tool, or that a person revoked. Edits of a description that
add no instruction, destination, secrecy or other tool are accepted, unless the
policy says `verification: { drift: strict }`. Tools that are new are trusted, or
wait for a person with `verification: { first_use: approve }`.

Allowed instead: other tools of the server. `toolgate pins diff` shows the user
what changed, and `toolgate pins approve` accepts it.
";

/// See the module.
pub(crate) struct Pinned;

impl Guard for Pinned {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        4
    }

    fn category(&self) -> Category {
        Category::Safety
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        let call = &seen.event.call;
        let standing = call.standing.as_ref().filter(|_| seen.event.kind == EventKind::PreExecution)?;
        let why = standing.why.as_deref().unwrap_or(UNSEEN);
        let tool = &call.tool;
        let message = match standing.state? {
            PinState::Trusted => return None,
            // How far a tool that is only new may run is said by `verification`, where it is.
            PinState::Pending if seen.settings.leaves_pending(standing.why.as_deref()) => return None,
            PinState::Pending => format!("the tool `{tool}` is not approved: {why}"),
            PinState::Changed => format!("the tool `{tool}` is not what it was: {why}"),
            PinState::Revoked => format!("the tool `{tool}` is not approved any more: {why}"),
        };
        let step = "use another tool, and tell the user to run `toolgate pins diff` in their own terminal";
        Some(block(ID, message, step, Vec::new()))
    }
}
