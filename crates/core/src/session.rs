//! The state of one agent run: a fold over its ledger records.
//!
//! The store keeps the folded value beside the records; replaying the records
//! must give the same value, and a test does so.

use crate::ledger::{Entry, Record};
use crate::mark::{Mark, Marks};
use crate::outcome::Verdict;
use serde::{Deserialize, Serialize};

/// How many recent successful commands a session remembers.
const RAN_MAX: usize = 100;

/// What happened in one session so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// Calls judged, also denied ones (C-38).
    pub calls: u64,
    /// Calls that did not run.
    pub stopped: u64,
    /// Normalised commands that succeeded, oldest first, bounded.
    pub ran: Vec<String>,
    /// Stops refused since the agent last ran anything.
    pub stops_refused: u32,
    /// Of what it has done, that which the guards of a call asked for; kept in
    /// the store row by row, never here.
    #[serde(skip)]
    pub marks: Marks,
}

impl Session {
    /// A session nothing happened in yet.
    #[must_use]
    pub fn new(id: &str) -> Session {
        Session { id: id.to_owned(), ..Session::default() }
    }

    /// How often and when a thing was done, if it was asked for.
    #[must_use]
    pub fn mark(&self, key: &str) -> Option<&Mark> {
        self.marks.get(key)
    }

    /// The session after one more record. Records of other sessions change nothing.
    #[must_use]
    pub fn after(mut self, record: &Record) -> Session {
        if record.context.session != self.id {
            return self;
        }
        match &record.entry {
            Entry::Decided(decided) if decided.is_stop() => {
                let refused = u32::from(decided.delivered == Verdict::Block);
                self.stops_refused = self.stops_refused.saturating_add(refused);
            }
            Entry::Decided(decided) => {
                self.calls = self.calls.saturating_add(1);
                self.stops_refused = 0;
                self.stopped = self.stopped.saturating_add(u64::from(!decided.delivered.runs()));
            }
            Entry::Resulted(resulted) if resulted.succeeded() => {
                self.ran.extend(resulted.ran.iter().cloned());
                let surplus = self.ran.len().saturating_sub(RAN_MAX);
                self.ran.drain(..surplus);
            }
            _ => {}
        }
        self
    }
}
