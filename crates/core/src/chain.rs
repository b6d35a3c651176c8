//! Runs the guards in order and joins their findings into one decision.
//!
//! Order: priority, then category, then id (S2-29). A block ends the pass;
//! everything else goes on (S2-30). The strictest finding wins, so order never
//! changes the verdict, only how soon it is known. A rewritten call is judged
//! again from the start, at most [`PASSES_MAX`] times (C-11). A guard that
//! panics blocks (S2-67). This module knows no guard by name.

use crate::call::Call;
use crate::event::Event;
use crate::facts::Facts;
use crate::finding::{Finding, Source};
use crate::guard::{Category, Disk, Guard, Seen, Severity};
use crate::outcome::{Edit, Outcome, Verdict};
use crate::places::Places;
use crate::policy::Policy;
use crate::session::Session;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How often a call may be judged because of rewrites.
const PASSES_MAX: usize = 3;

/// What the chain takes from outside: how facts are completed from the file
/// system, and a clock that only ever measures guards.
pub struct Pass<'a> {
    /// Reads a call to facts, symlinks followed.
    pub facts_of: &'a dyn Fn(&Call) -> Facts,
    /// What can be asked about files.
    pub disk: Disk<'a>,
    /// Milliseconds since 1970, the same for every guard.
    pub now_ms: i64,
    /// Microseconds since some fixed moment.
    pub clock_us: &'a dyn Fn() -> u64,
}

/// The joined answer.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Decision {
    /// The strictest of all findings.
    pub verdict: Verdict,
    /// Every guard that spoke, in order; of several passes the rewrites that
    /// were applied and everything the last pass said.
    pub findings: Vec<Finding>,
    /// The event as it would run now, rewritten if a guard said so.
    pub event: Event,
    /// What the last pass read from it.
    pub facts: Facts,
}

impl Decision {
    /// Whether a rule says yes in the person's name and nothing else objects (rule 9).
    #[must_use]
    pub fn is_approved(&self) -> bool {
        self.verdict == Verdict::Allow && self.findings.iter().any(|f| f.outcome == Outcome::Approve)
    }

    /// The findings that decided: those as strict as the verdict.
    pub fn decisive(&self) -> impl Iterator<Item = &Finding> {
        let speaks =
            |finding: &&Finding| !matches!(finding.outcome, Outcome::Label(_) | Outcome::Backup { .. });
        self.findings.iter().filter(|finding| finding.outcome.verdict() == self.verdict).filter(speaks)
    }
}

/// Judges one event.
pub fn judge(
    policy: &Policy,
    event: &Event,
    session: &Session,
    places: &Places,
    pass: &Pass<'_>,
) -> Decision {
    judge_watched(policy, event, session, places, pass, &mut |_, _| {})
}

/// The same; `watch` sees what each pass saw and found.
pub(crate) fn judge_watched(
    policy: &Policy,
    event: &Event,
    session: &Session,
    places: &Places,
    pass: &Pass<'_>,
    watch: &mut dyn FnMut(&Seen<'_>, &[Finding]),
) -> Decision {
    let mut event = event.clone();
    let mut applied: Vec<Finding> = Vec::new();
    for round in 1..=PASSES_MAX {
        let facts = (pass.facts_of)(&event.call);
        let settings = policy.settings();
        let Pass { now_ms, disk, .. } = *pass;
        let seen = Seen { event: &event, facts: &facts, session, settings, now_ms, disk, places };
        let mut findings = one_pass(policy, &seen, pass);
        watch(&seen, &findings);
        let edits = next_edits(&findings, &applied);
        let blocked = findings.iter().any(|finding| finding.outcome == Outcome::Block);
        if blocked || edits.is_empty() {
            // A guard that edited and still wants to: its edit was undone by
            // another, and there is no form both accept.
            if !blocked && findings.iter().any(|finding| finding.outcome.verdict() == Verdict::Modify) {
                findings.push(too_many_rewrites());
            }
            return decision(applied, findings, event, facts);
        }
        if round == PASSES_MAX {
            findings.push(too_many_rewrites());
            return decision(applied, findings, event, facts);
        }
        let used: Vec<String> = edits.iter().map(|(guard, _)| guard.clone()).collect();
        for (_, edit) in &edits {
            event.call = apply(&event.call, edit);
        }
        applied.extend(findings.into_iter().filter(|finding| used.contains(&finding.guard)));
    }
    // The loop always returns; a closed answer stands here in case it ever does not.
    let facts = (pass.facts_of)(&event.call);
    decision(applied, vec![too_many_rewrites()], event, facts)
}

fn one_pass(policy: &Policy, seen: &Seen<'_>, pass: &Pass<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for guard in policy.guards_for(seen) {
        let started = (pass.clock_us)();
        let answer = catch_unwind(AssertUnwindSafe(|| guard.judge(seen)));
        let Some(mut finding) = answer.unwrap_or_else(|_| Some(crashed(guard))) else { continue };
        finding.duration_us = (pass.clock_us)().saturating_sub(started);
        let blocks = finding.outcome == Outcome::Block;
        findings.push(finding);
        if blocks {
            break;
        }
    }
    findings
}

/// The edits of this pass: each guard edits once, and of two edits to one
/// field the first in order wins; the other may come in the next pass.
fn next_edits(findings: &[Finding], applied: &[Finding]) -> Vec<(String, Edit)> {
    let mut edits: Vec<(String, Edit)> = Vec::new();
    for finding in findings {
        let Outcome::Modify(wanted) = &finding.outcome else { continue };
        if applied.iter().any(|earlier| earlier.guard == finding.guard) {
            continue;
        }
        for edit in wanted {
            if edits.iter().all(|(guard, taken)| *guard == finding.guard || taken.field() != edit.field()) {
                edits.push((finding.guard.clone(), edit.clone()));
            }
        }
    }
    edits
}

fn apply(call: &Call, edit: &Edit) -> Call {
    match edit {
        Edit::Command(text) => call.with_command(text),
        Edit::Field { name, value } => {
            let mut call = call.clone();
            if let Some(fields) = call.input.as_object_mut() {
                fields.insert(name.clone(), value.clone());
            }
            call
        }
    }
}

fn decision(applied: Vec<Finding>, findings: Vec<Finding>, event: Event, facts: Facts) -> Decision {
    let findings: Vec<Finding> = applied.into_iter().chain(findings).collect();
    let verdict = findings.iter().map(|finding| finding.outcome.verdict()).max().unwrap_or(Verdict::Allow);
    Decision { verdict, findings, event, facts }
}

fn crashed(guard: &dyn Guard) -> Finding {
    let message =
        format!("the guard `{}` crashed while looking at this call, so it does not run", guard.id());
    own_finding(
        guard.id(),
        message,
        "this is a fault of the gate, not of the call; tell the person to run `toolgate doctor`",
    )
}

fn too_many_rewrites() -> Finding {
    let message = "the rules do not come to an end of rewriting this call, so it does not run".to_owned();
    own_finding("gate-rewrites", message, "write the command the way the rules ask for")
}

fn own_finding(id: &str, message: String, remediation: &str) -> Finding {
    Finding {
        guard: id.to_owned(),
        source: Source { file: "built-in".to_owned(), line: 0 },
        category: Category::Safety,
        severity: Severity::High,
        outcome: Outcome::Block,
        message,
        remediation: Some(remediation.to_owned()),
        alternatives: Vec::new(),
        evidence: Vec::new(),
        confidence: 1.0,
        duration_us: 0,
    }
}
