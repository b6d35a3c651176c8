//! The state of one agent run: a fold over its ledger records.
//!
//! The store keeps the folded value beside the records; replaying the records
//! must give the same value, and a test does so.

use crate::budget::Spent;
use crate::facts::Access;
use crate::failure::Failure;
use crate::ledger::{Entry, Record, Resulted};
use crate::lock::Lock;
use crate::mark::{Mark, Marks};
use crate::outcome::Verdict;
use crate::recovery::Failing;
use serde::{Deserialize, Serialize};

/// How many recent successful commands a session remembers.
const RAN_MAX: usize = 100;

/// How many recent failures it remembers.
const FAILURES_MAX: usize = 5;

/// How many commands of one failure it remembers.
const FAILED_RAN_MAX: usize = 8;

/// How many changed files it remembers.
const WROTE_MAX: usize = 200;

/// A failure so many calls ago is no longer what the agent is busy with.
const RECENT_CALLS: u64 = 20;

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
    /// Those of them that succeeded since the workspace last changed: what
    /// they show still holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fresh: Vec<String>,
    /// When its first record was made, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_ms: Option<i64>,
    /// What it has used up.
    #[serde(default)]
    pub spent: Spent,
    /// The last failures with a message, oldest first, bounded. One whose
    /// command succeeded since is gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// Stops refused since the agent last ran anything.
    pub stops_refused: u32,
    /// Files it changed since its last commit, oldest first, bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrote: Vec<String>,
    /// Calls that fail again and again, one an agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<Failing>,
    /// Locks on files the call is about, whoever holds them; kept in the store.
    #[serde(skip)]
    pub locks: Vec<Lock>,
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
        self.started_ms.get_or_insert(record.time_ms);
        match &record.entry {
            Entry::Decided(decided) if decided.is_stop() => {
                let refused = u32::from(decided.delivered == Verdict::Block);
                self.stops_refused = self.stops_refused.saturating_add(refused);
            }
            // What guardrails say after a call is no call of its own.
            Entry::Decided(decided) if !decided.event.is_before() => {}
            Entry::Decided(decided) => {
                self.calls = self.calls.saturating_add(1);
                self.stops_refused = 0;
                self.stopped = self.stopped.saturating_add(u64::from(!decided.delivered.runs()));
                let outward = u64::from(decided.outward && decided.delivered.runs());
                self.spent.outward = self.spent.outward.saturating_add(outward);
            }
            Entry::Spent(usage) => self.spent = self.spent.after(usage),
            Entry::Resulted(resulted) => {
                self.spent.lines = self.spent.lines.saturating_add(resulted.lines);
                if resulted.changed {
                    self.fresh.clear();
                }
                self.remember_failure(resulted);
                self.remember_written(resulted);
                Failing::fold(&mut self.failing, &record.context.agent, resulted);
                if resulted.succeeded() {
                    remember(&mut self.ran, &resulted.ran);
                    remember(&mut self.fresh, &resulted.ran);
                }
            }
            _ => {}
        }
        self
    }

    fn remember_failure(&mut self, resulted: &Resulted) {
        let Some(message) = &resulted.message else {
            if resulted.succeeded() {
                self.failures.retain(|failure| !failure.ran.iter().any(|one| resulted.ran.contains(one)));
            }
            return;
        };
        self.failures.push(Failure {
            tool: resulted.tool.clone(),
            message: message.clone(),
            call: self.calls,
            ran: resulted.ran.iter().take(FAILED_RAN_MAX).cloned().collect(),
        });
        let surplus = self.failures.len().saturating_sub(FAILURES_MAX);
        self.failures.drain(..surplus);
    }

    fn remember_written(&mut self, resulted: &Resulted) {
        let commits = |line: &String| line == "git commit" || line.starts_with("git commit ");
        if resulted.succeeded() && resulted.ran.iter().any(commits) {
            self.wrote.clear();
            return;
        }
        for one in resulted.touched.iter().filter(|one| one.access != Access::Read) {
            if !self.wrote.contains(&one.path) {
                self.wrote.push(one.path.clone());
            }
        }
        let surplus = self.wrote.len().saturating_sub(WROTE_MAX);
        self.wrote.drain(..surplus);
    }

    /// The failures the agent is likely busy with, the newest first.
    pub fn recent_failures(&self) -> impl Iterator<Item = &Failure> {
        let is_recent = |failure: &&Failure| self.calls.saturating_sub(failure.call) <= RECENT_CALLS;
        self.failures.iter().rev().filter(is_recent)
    }
}

fn remember(list: &mut Vec<String>, new: &[String]) {
    list.extend(new.iter().cloned());
    let surplus = list.len().saturating_sub(RAN_MAX);
    list.drain(..surplus);
}
