//! The state of one agent run: a fold over its ledger records.
//!
//! The store keeps the folded value next to the records; replaying the records
//! must give the same value, and a test does so.

use crate::budget::{Reserved, Spent};
use crate::chain::Decision;
use crate::facts::Access;
use crate::failure::Failure;
use crate::guards;
use crate::ledger::{Decided, Entry, Record, Resulted};
use crate::lock::Lock;
use crate::mark::{Mark, Marks};
use crate::outcome::{Outcome, Verdict};
use crate::recovery::Failing;
use crate::rule::waiting;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many recent successful commands a session remembers.
const RAN_MAX: usize = 100;

/// How many recent failures it remembers.
const FAILURES_MAX: usize = 5;

/// How many commands of one failure it remembers.
const FAILED_RAN_MAX: usize = 8;

/// How many labels it remembers, and how many calls that wait.
const LABELS_MAX: usize = 64;
const WAITING_MAX: usize = 16;

/// How many calls it takes to be under way at once.
const RESERVED_MAX: usize = 256;

/// What a session is remembered by that has seen a secret.
pub const SECRET_LABEL: &str = "secret";

/// How many changed files it remembers.
const WROTE_MAX: usize = 200;

/// A failure so many calls ago is no longer what the agent is busy with.
const RECENT_CALLS: u64 = 20;

/// What happened in one session so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// Calls judged, also denied ones.
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
    /// What calls under way will use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reserved: Vec<Reserved>,
    /// The last failures with a message, oldest first, bounded. One whose
    /// command succeeded since is gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// What it is remembered by, each with the number of the call that last earned it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, u64>,
    /// Calls that wait, and since when, oldest first, bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<(String, i64)>,
    /// Stops refused since one was let through. Calls in between do not set it back: a
    /// refusal must have an end whatever the agent does meanwhile.
    pub stops_refused: u32,
    /// Files it changed since its last commit, oldest first, bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrote: Vec<String>,
    /// Calls that fail again and again, one an agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<Failing>,
    /// Locks on files the call is about, no matter who holds them; kept in the store.
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
                let refused = decided.delivered == Verdict::Block;
                self.stops_refused = if refused { self.stops_refused.saturating_add(1) } else { 0 };
                // Anyone who wants to stop has nothing under way.
                self.reserved.clear();
            }
            // What guards say after a call is no call of its own.
            Entry::Decided(decided) if !decided.event.is_before() => self.remember_output(decided),
            Entry::Decided(decided) => {
                self.calls = self.calls.saturating_add(1);
                self.remember_labels(decided);
                self.remember_waiting(decided);
                self.reserved.extend(decided.reserved.clone());
                self.spend_surplus();
                self.stopped = self.stopped.saturating_add(u64::from(!decided.delivered.runs()));
                let outward = u64::from(decided.outward && decided.delivered.runs());
                self.spent.outward = self.spent.outward.saturating_add(outward);
            }
            Entry::Spent(usage) => self.spent = self.spent.after(usage),
            Entry::Resulted(resulted) => {
                self.settle(resulted);
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

    /// The session after a call that was judged so and ran, for trials.
    #[must_use]
    pub fn with_call(mut self, decision: &Decision) -> Session {
        self.calls = self.calls.saturating_add(1);
        for finding in &decision.findings {
            if let Outcome::Label(label) = &finding.outcome {
                self.label(label);
            }
        }
        self
    }

    /// A call the host asks the person about may run as well; then no request is ours.
    fn remember_labels(&mut self, decided: &Decided) {
        let may_run =
            decided.delivered.runs() || decided.delivered == Verdict::Ask && decided.request.is_none();
        for finding in decided.findings.iter().filter(|_| may_run) {
            if let Outcome::Label(label) = &finding.outcome {
                self.label(label);
            }
        }
    }

    /// A secret in output that could not be taken out has been seen.
    fn remember_output(&mut self, decided: &Decided) {
        let found = decided.findings.iter().any(|finding| finding.guard == guards::OUTPUT_SECRETS_ID);
        if found && decided.delivered != Verdict::Rewrite {
            self.label(SECRET_LABEL);
        }
    }

    fn label(&mut self, label: &str) {
        self.labels.insert(label.to_owned(), self.calls);
        if self.labels.len() > LABELS_MAX
            && let Some(oldest) =
                self.labels.iter().min_by_key(|(_, call)| **call).map(|(label, _)| label.clone())
        {
            self.labels.remove(&oldest);
        }
    }

    fn remember_waiting(&mut self, decided: &Decided) {
        if decided.delivered.runs() {
            self.waiting.retain(|(call, _)| *call != decided.arguments);
        }
        for (call, since_ms) in decided.findings.iter().filter_map(waiting) {
            if !self.waiting.iter().any(|(known, _)| known == call) {
                self.waiting.push((call.clone(), since_ms));
            }
        }
        let surplus = self.waiting.len().saturating_sub(WAITING_MAX);
        self.waiting.drain(..surplus);
    }

    /// What a call used takes the place of what was reserved for it.
    fn settle(&mut self, resulted: &Resulted) {
        self.spent.lines = self.spent.lines.saturating_add(resulted.lines);
        self.spent.files = self.spent.files.saturating_add(resulted.files.unwrap_or(0));
        let call = resulted.call.as_ref().or(resulted.arguments.as_ref());
        if let Some(at) = self.reserved.iter().position(|one| one.call.as_ref() == call) {
            self.reserved.remove(at);
        }
    }

    /// Of more calls than are kept apart, the oldest count as having used what
    /// was reserved for them.
    fn spend_surplus(&mut self) {
        let surplus = self.reserved.len().saturating_sub(RESERVED_MAX);
        for one in self.reserved.drain(..surplus) {
            let files = u64::try_from(one.files.len()).unwrap_or(u64::MAX);
            self.spent.lines = self.spent.lines.saturating_add(one.lines);
            self.spent.files = self.spent.files.saturating_add(files);
        }
    }

    /// Lines written, and those calls under way will write.
    #[must_use]
    pub fn lines_taken(&self) -> u64 {
        self.reserved.iter().fold(self.spent.lines, |sum, one| sum.saturating_add(one.lines))
    }

    /// Files changed, and those calls under way will change.
    #[must_use]
    pub fn files_taken(&self) -> u64 {
        let mut under_way: Vec<&String> = self.reserved.iter().flat_map(|one| &one.files).collect();
        under_way.sort();
        under_way.dedup();
        self.spent.files.saturating_add(u64::try_from(under_way.len()).unwrap_or(u64::MAX))
    }

    /// Since when exactly this call waits.
    #[must_use]
    pub fn waiting_since(&self, call: &str) -> Option<i64> {
        self.waiting.iter().find(|(known, _)| known == call).map(|(_, since_ms)| *since_ms)
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
