//! Locks: who is writing a file. A write that runs takes one; the end
//! of a session or sub-agent and a hand-over give it back, and so does time.
//!
//! Like sessions they are a fold over the records, kept across sessions.

use crate::call::Call;
use crate::facts::{Access, Facts};
use crate::ledger::{Entry, Record};
use crate::places::{Place, Places};
use serde::{Deserialize, Serialize};

/// Notes that give locks back.
pub const SESSION_END: &str = "session-end";
/// A sub-agent ended.
pub const SUBAGENT_STOP: &str = "subagent-stop";
/// A sub-agent began: what was handed over is handed over.
pub const SUBAGENT_START: &str = "subagent-start";

/// The agent hosts let hand work over.
const SENDER: &str = "main";

/// Most files one call takes.
const FILES_MAX: usize = 64;

/// One lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    /// The real path.
    pub path: String,
    /// The session that writes it.
    pub session: String,
    /// The agent inside it.
    pub agent: String,
    /// When it last wrote, in milliseconds since 1970.
    pub time_ms: i64,
}

impl Lock {
    /// Whether another agent than the one making `call` holds it at `now_ms`.
    #[must_use]
    pub fn is_against(&self, call: &Call, minutes: u32, now_ms: i64) -> bool {
        let own = self.session == call.session && self.agent == call.agent;
        let age = now_ms.saturating_sub(self.time_ms);
        // A clock set back does not prolong it.
        !own && (0..i64::from(minutes).saturating_mul(60_000)).contains(&age)
    }
}

/// What a record does to locks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LockChange {
    /// Taken or renewed.
    Taken(Vec<Lock>),
    /// All of a session given back.
    EndOfSession(String),
    /// All of an agent given back.
    EndOfAgent(String, String),
}

/// What a record does to locks, if anything.
#[must_use]
pub fn lock_change(record: &Record) -> Option<LockChange> {
    let context = &record.context;
    match &record.entry {
        Entry::Decided(decided) if !decided.locks.is_empty() && decided.delivered.runs() => {
            let taken = decided.locks.iter().map(|path| Lock {
                path: path.clone(),
                session: context.session.clone(),
                agent: context.agent.clone(),
                time_ms: record.time_ms,
            });
            Some(LockChange::Taken(taken.collect()))
        }
        Entry::Noted { what, .. } if what == SESSION_END => {
            Some(LockChange::EndOfSession(context.session.clone()))
        }
        Entry::Noted { what, .. } if what == SUBAGENT_STOP => {
            Some(LockChange::EndOfAgent(context.session.clone(), context.agent.clone()))
        }
        Entry::Noted { what, .. } if what == SUBAGENT_START => {
            Some(LockChange::EndOfAgent(context.session.clone(), SENDER.to_owned()))
        }
        _ => None,
    }
}

/// The files of the workspace a call would change, by their real paths.
#[must_use]
pub fn written(facts: &Facts, places: &Places) -> Vec<String> {
    let changes = facts.files.iter().filter(|file| file.access != Access::Read && file.exact && !file.glob);
    let paths = changes.map(|file| file.real.as_deref().unwrap_or(&file.path));
    let ours =
        paths.filter(|path| places.holds(Place::Workspace, path) && !places.covers(path, Place::Workspace));
    let mut found: Vec<String> = ours.map(str::to_owned).collect();
    found.sort();
    found.dedup();
    found.truncate(FILES_MAX);
    found
}
