//! Alerts from recent records: agents
//! that run into walls, bypasses asked for too often, guards that are slow.

use crate::ledger::{Entry, Record};
use crate::outcome::Verdict;
use serde::Serialize;
use std::collections::BTreeMap;

const BLOCKS_MS: i64 = 10 * 60_000;
const BLOCKS_PERCENT: usize = 30;
/// Fewer calls say nothing about a rate.
const BLOCKS_CALLS_MIN: usize = 10;
const BYPASSES_MS: i64 = 60 * 60_000;
const BYPASSES_MAX: usize = 5;
const SLOW_US: u64 = 500_000;

/// How far back records matter for an alert.
pub const ALERTS_MS: i64 = BYPASSES_MS;

/// One thing to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Alert {
    /// Its name in the output.
    pub name: &'static str,
    /// Whose it is.
    pub to: &'static str,
    /// What is the matter, in one sentence.
    pub text: String,
}

/// Everything to look at, given the records of at least the last [`ALERTS_MS`].
#[must_use]
pub fn alerts(records: &[Record], now_ms: i64) -> Vec<Alert> {
    let since = |ms: i64| {
        let late = move |one: &&Record| one.time_ms >= now_ms.saturating_sub(ms) && !one.is_probe();
        records.iter().filter(late)
    };
    let mut found: Vec<Alert> = block_rate(since(BLOCKS_MS)).into_iter().collect();
    found.extend(bypasses(since(BYPASSES_MS)));
    found.extend(slow(since(BYPASSES_MS)));
    found
}

fn block_rate<'a>(records: impl Iterator<Item = &'a Record>) -> Option<Alert> {
    let decided = records.filter_map(|record| match &record.entry {
        Entry::Decided(decided) => Some(decided.delivered),
        _ => None,
    });
    let told: Vec<Verdict> = decided.collect();
    let blocked = told.iter().filter(|verdict| **verdict == Verdict::Block).count();
    let high = told.len() >= BLOCKS_CALLS_MIN && blocked * 100 > told.len() * BLOCKS_PERCENT;
    high.then(|| Alert {
        name: "high_block_rate",
        to: "orchestrator",
        text: format!("{blocked} of the {} calls in the last 10 minutes were blocked", told.len()),
    })
}

fn bypasses<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<Alert> {
    let mut asked: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for record in records {
        if let Entry::Requested(request) = &record.entry
            && request.bypass.is_some()
        {
            *asked.entry((&request.session, &request.agent)).or_default() += 1;
        }
    }
    let often = asked.into_iter().filter(|(_, count)| *count > BYPASSES_MAX);
    often
        .map(|((session, agent), count)| Alert {
            name: "bypass_abuse",
            to: "human",
            text: format!("agent {agent} of session {session} asked for {count} bypasses within an hour"),
        })
        .collect()
}

fn slow<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<Alert> {
    let mut took: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for record in records {
        let Entry::Decided(decided) = &record.entry else { continue };
        for finding in &decided.findings {
            let (count, us) = took.entry(&finding.guard).or_default();
            (*count, *us) = (count.saturating_add(1), us.saturating_add(finding.duration_us));
        }
    }
    let mean = |(count, us): (u64, u64)| us / count.max(1);
    let slow = took.into_iter().filter(|(_, one)| mean(*one) > SLOW_US);
    slow.map(|(guard, one)| Alert {
        name: "guardrail_slow",
        to: "log",
        text: format!("`{guard}` takes {} ms on average", mean(one) / 1000),
    })
    .collect()
}
