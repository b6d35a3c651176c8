//! Runs the guards in order and joins their findings into one decision.
//!
//! Order: priority, then category, then severity, then id. A block ends the
//! pass, but for rules: those cost little, and the answer names every one that
//! objects. The strictest finding wins, so order never
//! changes the verdict, only how soon it is known. A rewritten call is judged
//! again from the start, at most [`PASSES_MAX`] times. A guard that
//! panics blocks. This module knows no guard by name.

use crate::autonomy::{Autonomy, autonomy};
use crate::call::Call;
use crate::event::{Event, EventKind};
use crate::facts::Facts;
use crate::finding::{Finding, Source};
use crate::guard::{Category, Disk, Guard, Seen, Severity};
use crate::guards::category::{counts_outward, taken_locks};
use crate::outcome::{Edit, Outcome, Verdict};
use crate::places::Places;
use crate::policy::Policy;
use crate::risk::Risk;
use crate::session::Session;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How often a call may be judged because of rewrites.
const PASSES_MAX: usize = 3;

/// A guard that takes longer has not answered.
pub const GUARD_MAX_US: u64 = 500_000;

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
    /// Guardrails a person has suspended for this one call.
    pub suspended: &'a [String],
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
    /// How freely the agent works and what is left of its budget, in per cent;
    /// `None` where nothing is limited.
    pub autonomy: Option<(Autonomy, u8)>,
    /// Files it takes a lock on if it runs.
    pub locks: Vec<String>,
    /// Whether it counts as a call to the outside if it runs.
    pub outward: bool,
    /// Requests whose yes suspended a guardrail for this call; used up when it runs.
    pub bypasses: Vec<String>,
}

/// What is known of a call besides what guards say.
#[derive(Default)]
struct CallExtras {
    autonomy: Option<(Autonomy, u8)>,
    locks: Vec<String>,
    outward: bool,
}

impl Decision {
    /// Whether a rule says yes in the person's name and nothing else objects (rule 9).
    #[must_use]
    pub fn is_approved(&self) -> bool {
        self.verdict == Verdict::Allow && self.findings.iter().any(|f| f.outcome == Outcome::Approve)
    }

    /// The findings that say something about the call.
    pub fn objections(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.is_objection())
    }

    /// The labels the session gets from this call.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.findings.iter().filter_map(Finding::label)
    }

    /// The findings that decided: those as strict as the verdict.
    pub fn decisive(&self) -> impl Iterator<Item = &Finding> {
        self.objections().filter(|finding| finding.outcome.verdict() == self.verdict)
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
        let left = autonomy(settings.agents_of(&event.call), session, now_ms);
        let mode = left.map_or(Autonomy::Standard, |(mode, _)| mode);
        let tight = mode >= Autonomy::Strict || settings.risk_of(&event.call) == Some(Risk::Critical);
        let (event_now, facts_now) = (&event, &facts);
        let seen = Seen {
            event: event_now,
            facts: facts_now,
            session,
            settings,
            now_ms,
            disk,
            places,
            autonomy: mode,
            tight,
        };
        let mut findings = one_pass(policy, &seen, pass);
        let (locks, outward) = (taken_locks(&seen), counts_outward(&seen));
        let extras = CallExtras { autonomy: left, locks, outward };
        watch(&seen, &findings);
        let edits = next_edits(&findings, &applied);
        let blocked = findings.iter().any(|finding| finding.outcome == Outcome::Block);
        if blocked || edits.is_empty() {
            // A guard that edited and still wants to: its edit was undone by
            // another, and there is no form both accept.
            if !blocked && findings.iter().any(|finding| finding.outcome.verdict() == Verdict::Rewrite) {
                findings.push(too_many_rewrites());
            }
            return decision(applied, findings, event, facts, extras);
        }
        if round == PASSES_MAX {
            findings.push(too_many_rewrites());
            return decision(applied, findings, event, facts, extras);
        }
        let used: Vec<String> = edits.iter().map(|(guard, _)| guard.clone()).collect();
        for (_, edit) in &edits {
            event.call = apply(&event.call, edit);
        }
        applied.extend(findings.into_iter().filter(|finding| used.contains(&finding.guard)));
    }
    // The loop always returns; a closed answer is here in case it ever does not.
    let facts = (pass.facts_of)(&event.call);
    decision(applied, vec![too_many_rewrites()], event, facts, CallExtras::default())
}

fn one_pass(policy: &Policy, seen: &Seen<'_>, pass: &Pass<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut is_blocked = false;
    let is_suspended = |guard: &&dyn Guard| pass.suspended.iter().any(|id| id == guard.id());
    let guards = policy.guards_for(seen);
    // Where one guard ends the next begins: a look at the clock costs as much as a guard.
    let mut clock = (pass.clock_us)();
    for guard in guards.into_iter().filter(|guard| !is_suspended(guard)) {
        if is_blocked && !guard.is_rule() {
            continue;
        }
        let (answer, duration_us) = timed(guard, seen, pass, &mut clock);
        // What comes too late is no answer, and is not asked for again.
        let answer = if duration_us > GUARD_MAX_US { Some(too_slow(guard.id())) } else { answer };
        let Some(finding) = answer else { continue };
        let finding = promoted(Finding { duration_us, ..finding }, seen);
        // A call that does not run labels no session and changes nothing.
        if !is_blocked || finding.is_objection() {
            is_blocked |= finding.outcome == Outcome::Block;
            findings.push(finding);
        }
    }
    findings
}

/// What a guard says, and how long it took since `clock`, which moves on.
fn timed(guard: &dyn Guard, seen: &Seen<'_>, pass: &Pass<'_>, clock: &mut u64) -> (Option<Finding>, u64) {
    let answer = catch_unwind(AssertUnwindSafe(|| guard.judge(seen)));
    let now = (pass.clock_us)();
    let duration_us = now.saturating_sub(std::mem::replace(clock, now));
    (answer.unwrap_or_else(|_| Some(crashed(guard))), duration_us)
}

/// The edits of this pass: each guard edits once, and of two edits to one
/// field the first in order wins; the other may come in the next pass.
fn next_edits(findings: &[Finding], applied: &[Finding]) -> Vec<(String, Edit)> {
    let mut edits: Vec<(String, Edit)> = Vec::new();
    for finding in findings {
        let Outcome::Rewrite(wanted) = &finding.outcome else { continue };
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

fn decision(
    applied: Vec<Finding>,
    findings: Vec<Finding>,
    event: Event,
    facts: Facts,
    extras: CallExtras,
) -> Decision {
    let findings: Vec<Finding> = applied.into_iter().chain(findings).collect();
    let verdict = findings.iter().map(|finding| finding.outcome.verdict()).max().unwrap_or(Verdict::Allow);
    let CallExtras { autonomy, locks, outward } = extras;
    Decision { verdict, findings, event, facts, autonomy, locks, outward, bypasses: Vec::new() }
}

/// With little budget left a warning is a no. The built-in budgets warn
/// because little is left; promoted, they would end everything a fifth early
fn promoted(mut finding: Finding, seen: &Seen<'_>) -> Finding {
    let own_budget = finding.category == Category::Budget && is_built_in(&finding);
    // Anyone who wants to stop should: that costs nothing.
    let is_call = matches!(seen.event.kind, EventKind::PreExecution | EventKind::PreHandoff);
    let due = seen.autonomy == Autonomy::Lockdown && is_call;
    if due && finding.outcome == Outcome::Warn && !own_budget {
        finding.outcome = Outcome::Block;
        finding.message.push_str(" – warnings block while so little of the budget is left");
    }
    finding
}

fn is_built_in(finding: &Finding) -> bool {
    crate::guards::page(&finding.guard).is_some()
}

/// What is said of a guard that takes too long.
#[must_use]
pub fn too_slow(guard: &str) -> Finding {
    let message = format!("the guard `{guard}` took longer than 500 ms to check this call");
    own_finding(guard, message, "repeat the call; if it happens again, ask the user to run `toolgate doctor`")
}

fn crashed(guard: &dyn Guard) -> Finding {
    let message = format!("the guard `{}` crashed while checking this call", guard.id());
    own_finding(
        guard.id(),
        message,
        "this is a bug in Toolgate, not in the call; ask the user to run `toolgate doctor`",
    )
}

fn too_many_rewrites() -> Finding {
    let message = "the rules still want to rewrite this call after 3 passes".to_owned();
    own_finding("gate-rewrites", message, "write the command in the form the rules ask for")
}

fn own_finding(id: &str, message: String, remediation: &str) -> Finding {
    Finding {
        guard: id.to_owned(),
        source: Source::built_in(),
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
