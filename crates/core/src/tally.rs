//! Counts over records: how often each guard spoke and how, and what each
//! session used up. Pure; anyone who reads the ledger feeds it.

use crate::ledger::{Entry, Record};
use crate::outcome::Verdict;
use crate::session::Session;
use serde::Serialize;
use std::collections::BTreeMap;

/// What one guard said, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GuardTally {
    /// Findings in all.
    pub spoke: u64,
    /// Of them: warned.
    pub warned: u64,
    /// Rewrote.
    pub modified: u64,
    /// Asked a person, or for a check.
    pub escalated: u64,
    /// Blocked.
    pub blocked: u64,
    /// Microseconds taken in all.
    pub took_us: u64,
    /// When it last spoke, in milliseconds since 1970.
    pub last_ms: i64,
}

/// Counts over records.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Tally {
    /// Events judged.
    pub judged: u64,
    /// By verdict.
    pub verdicts: BTreeMap<&'static str, u64>,
    /// By guard.
    pub guards: BTreeMap<String, GuardTally>,
    /// Sessions as far as the records tell.
    pub sessions: BTreeMap<String, Session>,
}

impl Tally {
    /// Counts one more record; records come oldest first.
    pub fn add(&mut self, record: &Record) {
        if record.is_probe() {
            return;
        }
        let id = &record.context.session;
        if !id.is_empty() {
            let before = self.sessions.remove(id).unwrap_or_else(|| Session::new(id));
            self.sessions.insert(id.clone(), before.after(record));
        }
        let Entry::Decided(decided) = &record.entry else { return };
        self.judged = self.judged.saturating_add(1);
        *self.verdicts.entry(decided.verdict.name()).or_default() += 1;
        for finding in &decided.findings {
            let tally = self.guards.entry(finding.guard.clone()).or_default();
            tally.spoke += 1;
            tally.took_us = tally.took_us.saturating_add(finding.duration_us);
            tally.last_ms = record.time_ms;
            match finding.outcome.verdict() {
                Verdict::Allow => {}
                Verdict::Warn => tally.warned += 1,
                Verdict::Rewrite => tally.modified += 1,
                Verdict::Delay | Verdict::Ask | Verdict::Check => tally.escalated += 1,
                Verdict::Block => tally.blocked += 1,
            }
        }
    }
}
