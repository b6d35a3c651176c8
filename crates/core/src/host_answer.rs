//! What the host is to be told: the end of the flow, before the adapter puts
//! it into the host's own words.

use crate::outcome::Verdict;
use serde_json::Value;

/// What the host is to be told.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub enum HostAnswer {
    /// Nothing: no objection.
    Silence,
    /// Yes, in the person's name.
    Approved {
        /// Why.
        text: String,
    },
    /// It runs; the agent is told this.
    Warned {
        /// What.
        text: String,
    },
    /// It runs with this input instead.
    Modified {
        /// The whole new input.
        input: Value,
        /// What changed and why.
        text: String,
    },
    /// It ran, and both agent and person are told this.
    Told {
        /// What.
        text: String,
    },
    /// It ran, and the host shows this instead of what the tool gave back.
    Replaced {
        /// The whole new output, in the host's own shape.
        output: Value,
        /// What is missing and why.
        text: String,
    },
    /// It does not run.
    Denied {
        /// Why and what to do.
        text: String,
    },
    /// The host sets the call aside and ends; resumed, it asks again.
    Deferred {
        /// Why.
        text: String,
    },
    /// The host asks the person in front of it.
    Asked {
        /// Why.
        text: String,
    },
}

impl HostAnswer {
    /// What this amounts to for a call that was judged `judged`.
    #[must_use]
    pub fn verdict(&self, judged: Verdict) -> Verdict {
        match self {
            HostAnswer::Silence | HostAnswer::Approved { .. } => Verdict::Allow,
            HostAnswer::Warned { .. } | HostAnswer::Told { .. } => Verdict::Warn,
            HostAnswer::Modified { .. } | HostAnswer::Replaced { .. } => Verdict::Rewrite,
            HostAnswer::Denied { .. } => judged.max(Verdict::Delay),
            HostAnswer::Asked { .. } | HostAnswer::Deferred { .. } => Verdict::Ask,
        }
    }
}
