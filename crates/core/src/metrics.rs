//! Metrics in Prometheus text format, folded from records.

use crate::inbox::Request;
use crate::ledger::{Entry, Record};
use crate::outcome::Verdict;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Upper ends of the classes of duration, in microseconds.
const CLASSES_US: [u64; 8] = [100, 500, 1_000, 5_000, 10_000, 50_000, 100_000, 500_000];

/// Counts over records, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Metrics {
    invocations: BTreeMap<(String, &'static str), u64>,
    durations: BTreeMap<String, Durations>,
    blocks: BTreeMap<&'static str, u64>,
    bypasses: BTreeMap<String, Request>,
}

#[derive(Debug, Clone, Default)]
struct Durations {
    classes: [u64; CLASSES_US.len()],
    count: u64,
    sum_us: u64,
}

impl Metrics {
    /// Counts one more record.
    pub fn add(&mut self, record: &Record) {
        if record.is_probe() {
            return;
        }
        match &record.entry {
            Entry::Decided(decided) => decided.findings.iter().for_each(|finding| {
                let verdict = finding.outcome.verdict();
                *self.invocations.entry((finding.guard.clone(), verdict.name())).or_default() += 1;
                self.durations.entry(finding.guard.clone()).or_default().add(finding.duration_us);
                if verdict == Verdict::Block {
                    *self.blocks.entry(finding.category.name()).or_default() += 1;
                }
            }),
            Entry::Requested(request) if request.bypass.is_some() => {
                self.bypasses.insert(request.id.clone(), request.clone());
            }
            entry => {
                let known = entry.request().and_then(|id| self.bypasses.remove_entry(id));
                if let Some((id, request)) = known {
                    self.bypasses.insert(id, request.after(entry, record.time_ms));
                }
            }
        }
    }

    /// The text collectors read.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        head(&mut out, "guardrail_invocations_total", "counter", "Findings of each guard, by outcome.");
        for ((guard, result), count) in &self.invocations {
            line(
                &mut out,
                "guardrail_invocations_total",
                &[("guardrail_id", guard), ("result", result)],
                count,
            );
        }
        head(&mut out, "guardrail_duration_ms", "histogram", "Time taken by guards with a finding.");
        for (guard, own) in &self.durations {
            own.show(&mut out, guard);
        }
        head(&mut out, "guardrail_blocks_total", "counter", "Blocks by category.");
        for (category, count) in &self.blocks {
            line(&mut out, "guardrail_blocks_total", &[("category", category)], count);
        }
        head(&mut out, "bypass_requests_total", "counter", "Bypass requests, by outcome.");
        for ((guardrail, outcome), count) in &self.bypass_counts() {
            line(
                &mut out,
                "bypass_requests_total",
                &[("guardrail_id", guardrail), ("outcome", outcome)],
                count,
            );
        }
        out
    }

    fn bypass_counts(&self) -> BTreeMap<(&str, &'static str), u64> {
        let mut counts = BTreeMap::new();
        for request in self.bypasses.values() {
            let guardrail = request.bypass.as_ref().map_or("", |own| own.guardrail.as_str());
            *counts.entry((guardrail, request.state.name())).or_default() += 1;
        }
        counts
    }
}

impl Durations {
    fn add(&mut self, us: u64) {
        self.count = self.count.saturating_add(1);
        self.sum_us = self.sum_us.saturating_add(us);
        for (class, end) in self.classes.iter_mut().zip(CLASSES_US) {
            *class = class.saturating_add(u64::from(us <= end));
        }
    }

    fn show(&self, out: &mut String, guard: &str) {
        for (count, end) in self.classes.iter().zip(CLASSES_US) {
            let end = in_ms(end);
            line(out, "guardrail_duration_ms_bucket", &[("guardrail_id", guard), ("le", &end)], count);
        }
        line(out, "guardrail_duration_ms_bucket", &[("guardrail_id", guard), ("le", "+Inf")], self.count);
        line(out, "guardrail_duration_ms_sum", &[("guardrail_id", guard)], in_ms(self.sum_us));
        line(out, "guardrail_duration_ms_count", &[("guardrail_id", guard)], self.count);
    }
}

/// Microseconds as milliseconds, exactly.
fn in_ms(us: u64) -> String {
    match us % 1000 {
        0 => (us / 1000).to_string(),
        rest => format!("{}.{rest:03}", us / 1000),
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn line(out: &mut String, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
    let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let labels: Vec<String> =
        labels.iter().map(|(key, text)| format!("{key}=\"{}\"", escape(text))).collect();
    let _ = writeln!(out, "{name}{{{}}} {value}", labels.join(","));
}
