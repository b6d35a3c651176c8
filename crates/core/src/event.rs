//! The moments the gate is asked about.
//!
//! Hosts have dozens of hook names; here they are six. Mapping host names to
//! these is the adapters' work.

use crate::call::{Call, Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// When a guard looks: before or after a call, a handoff or a message, or when the agent stops.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// Before a tool call runs.
    #[default]
    PreExecution,
    /// After it ran and succeeded.
    PostExecution,
    /// Before work is handed to another agent.
    PreHandoff,
    /// After it was handed over.
    PostHandoff,
    /// After a tool call failed.
    OnError,
    /// The agent wants to stop.
    Stop,
}

impl EventKind {
    /// The name used in policies, records and the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EventKind::PreExecution => "pre_execution",
            EventKind::PostExecution => "post_execution",
            EventKind::PreHandoff => "pre_handoff",
            EventKind::PostHandoff => "post_handoff",
            EventKind::OnError => "on_error",
            EventKind::Stop => "stop",
        }
    }

    /// Whether something is about to happen that the gate can still prevent.
    #[must_use]
    pub fn is_before(self) -> bool {
        matches!(self, EventKind::PreExecution | EventKind::PreHandoff | EventKind::Stop)
    }
}

impl Event {
    /// Whether it is such a moment. Handing work over is a tool call, too, so
    /// both moments are that of the call.
    #[must_use]
    pub fn is_at(&self, moment: EventKind) -> bool {
        let hands_over = matches!(self.call.kind, Kind::Handoff);
        match (moment, self.kind) {
            (EventKind::PreHandoff, EventKind::PreExecution) => hands_over,
            (wanted, own) => wanted == own,
        }
    }
}

/// One moment with the call it is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Which moment.
    pub kind: EventKind,
    /// The call concerned. For `stop` its kind is `Kind::Stop`.
    pub call: Call,
    /// The host's own log of the session, if it keeps one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// What the tool gave back, in the host's own shape; only after a call. It
    /// may hold secrets and is never written down.
    #[serde(skip)]
    pub output: Option<Value>,
}
