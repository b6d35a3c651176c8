//! Pins: the recorded definition of each tool of an MCP server, to notice when
//! it changes.
//!
//! A pin belongs to the way a server is reached (its command line), never to
//! what the server says of itself. Pins are a fold over ledger records. Pure:
//! who lists tools, stores pins or asks people is not decided here.

mod cues;
mod definition;
mod listing;
mod names;

pub use definition::{Definition, FieldChange, Unpinnable};
pub use listing::{Listing, Told};

use crate::verification::{Drift, FirstUse};
use serde::{Deserialize, Serialize};

/// The name under which a server's own instructions are pinned. No tool has
/// parentheses in its name.
pub const INSTRUCTIONS: &str = "(instructions)";

/// Why a new tool waits, if nothing speaks against it.
pub(crate) const UNSEEN: &str = "no one has approved it yet";

/// Whether a tool is what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PinState {
    /// It is as it was trusted.
    Trusted,
    /// It was never trusted: a person must approve it.
    Pending,
    /// Its definition changed since it was trusted.
    Changed,
    /// A person revoked it.
    Revoked,
}

impl PinState {
    /// The name used in texts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PinState::Trusted => "trusted",
            PinState::Pending => "pending",
            PinState::Changed => "changed",
            PinState::Revoked => "revoked",
        }
    }
}

/// The recorded definition of one tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pin {
    /// The way its server is reached, as a hash.
    pub server: String,
    /// What the server is called here: `filesystem`.
    pub name: String,
    /// The same way in words, without secrets.
    pub transport: String,
    /// The tool, or [`INSTRUCTIONS`].
    pub tool: String,
    /// Whether it is what it was.
    pub state: PinState,
    /// Why it is not trusted, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The definition that is trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted: Option<Definition>,
    /// What the server offers instead, until a person approves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered: Option<Definition>,
    /// Who approved it; none if it was trusted on first use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When it was seen first.
    pub first_ms: i64,
    /// When anything about it changed last.
    pub changed_ms: i64,
}

/// What happened to a pin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "step")]
pub enum PinStep {
    /// The tool was seen for the first time.
    Seen {
        /// Its definition.
        definition: Definition,
        /// Why it waits for approval; trusted if nothing is said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// An edit of a trusted definition was accepted without asking.
    Accepted {
        /// The new definition.
        definition: Definition,
    },
    /// The server offers another definition.
    Offered {
        /// The new definition.
        definition: Definition,
        /// What is different.
        why: String,
    },
    /// The server offers the trusted definition again.
    Restored,
    /// A person approved what the server offers.
    Approved {
        /// Who.
        by: String,
        /// The digest of what they saw.
        digest: String,
    },
    /// A person revoked it.
    Revoked {
        /// Who.
        by: String,
    },
}

/// What happened to which pin: an entry of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PinChange {
    /// The way its server is reached, as a hash.
    pub server: String,
    /// What the server is called here.
    pub name: String,
    /// The same way in words, without secrets.
    pub transport: String,
    /// The tool.
    pub tool: String,
    /// What happened.
    pub change: PinStep,
}

impl PinChange {
    /// The pin behind this change. A step that needs a pin and has none makes none.
    #[must_use]
    pub fn after(&self, before: Option<Pin>, time_ms: i64) -> Option<Pin> {
        let pin = match (&self.change, before) {
            (PinStep::Seen { definition, why }, before) => Pin {
                server: self.server.clone(),
                name: self.name.clone(),
                transport: self.transport.clone(),
                tool: self.tool.clone(),
                state: if why.is_some() { PinState::Pending } else { PinState::Trusted },
                why: why.clone(),
                trusted: why.is_none().then(|| definition.clone()),
                offered: why.is_some().then(|| definition.clone()),
                by: None,
                first_ms: before.map_or(time_ms, |pin| pin.first_ms),
                changed_ms: time_ms,
            },
            (_, None) => return None,
            (PinStep::Accepted { definition }, Some(pin)) => Pin {
                state: PinState::Trusted,
                why: None,
                trusted: Some(definition.clone()),
                offered: None,
                ..pin
            },
            (PinStep::Offered { definition, why }, Some(pin)) => Pin {
                // What was never trusted stays pending, whatever is offered now.
                state: if pin.trusted.is_some() { PinState::Changed } else { pin.state },
                why: Some(why.clone()),
                offered: Some(definition.clone()),
                ..pin
            },
            (PinStep::Restored, Some(pin)) => {
                Pin { state: PinState::Trusted, why: None, offered: None, ..pin }
            }
            (PinStep::Approved { by, digest }, Some(pin)) => approved(pin, by, digest),
            (PinStep::Revoked { by }, Some(pin)) => {
                let offered = pin.offered.clone().or_else(|| pin.trusted.clone());
                let why = Some(format!("{by} revoked it"));
                Pin { state: PinState::Revoked, why, trusted: None, offered, by: None, ..pin }
            }
        };
        Some(Pin { changed_ms: time_ms, ..pin })
    }
}

/// Only what the person saw is approved.
fn approved(pin: Pin, by: &str, digest: &str) -> Pin {
    let seen = pin.offered.clone().or_else(|| pin.trusted.clone());
    match seen.filter(|definition| definition.digest() == digest) {
        Some(definition) => Pin {
            state: PinState::Trusted,
            why: None,
            trusted: Some(definition),
            offered: None,
            by: Some(by.to_owned()),
            ..pin
        },
        None => pin,
    }
}

/// How strictly pins are kept: what every layer of the policy says, joined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PinRules {
    /// What becomes of a tool seen for the first time.
    pub first_use: FirstUse,
    /// Which changes are accepted.
    pub drift: Drift,
}

impl PinStep {
    /// What happened, in one word.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            PinStep::Seen { why: None, .. } => "pinned",
            PinStep::Seen { .. } => "pending",
            PinStep::Accepted { .. } => "accepted",
            PinStep::Offered { .. } => "changed",
            PinStep::Restored => "restored",
            PinStep::Approved { .. } => "approved",
            PinStep::Revoked { .. } => "revoked",
        }
    }
}

/// What is known of the tool of a call, from the server's own list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Whether the tool is what it was; `None` if the server does not list it.
    pub state: Option<PinState>,
    /// Why it is not trusted.
    pub why: Option<String>,
    /// What the server is called here.
    pub server: String,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn change(step: PinStep) -> PinChange {
        let text = |text: &str| text.to_owned();
        PinChange { server: text("k"), name: text("s"), transport: text("s"), tool: text("t"), change: step }
    }

    fn definition(description: &str) -> Definition {
        let tool = json!({ "name": "t", "description": description, "inputSchema": { "type": "object" } });
        Definition::of(&tool).unwrap()
    }

    #[test]
    fn only_what_a_person_saw_is_approved() {
        let (old, new) = (definition("a"), definition("b"));
        let seen = change(PinStep::Seen { definition: old.clone(), why: None }).after(None, 1).unwrap();
        assert_eq!((seen.state, seen.trusted.as_ref()), (PinState::Trusted, Some(&old)));
        let offered = PinStep::Offered { definition: new.clone(), why: "description".to_owned() };
        let changed = change(offered).after(Some(seen), 2).unwrap();
        assert_eq!(changed.state, PinState::Changed);
        let approve = |digest: String| change(PinStep::Approved { by: "ana".to_owned(), digest });
        let other = approve(old.digest()).after(Some(changed.clone()), 3).unwrap();
        assert_eq!(other.state, PinState::Changed);
        let approved = approve(new.digest()).after(Some(changed), 3).unwrap();
        assert_eq!((approved.state, approved.trusted), (PinState::Trusted, Some(new)));
        assert_eq!(change(PinStep::Restored).after(None, 4), None);
    }
}
