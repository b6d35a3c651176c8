//! Judging one event: a transaction, checks where guards ask for them, and
//! another transaction that knows how they came out.
//!
//! What the host is told about a decision is `gate`'s affair.

use crate::broken::Broken;
use crate::checks;
use crate::gate::{Answered, Gate, Round, context, now_ms};
use crate::prerequisites;
use crate::spending;
use toolgate_core::{CheckResult, Entry, Event, EventKind, Mode, Prerequisite};
use toolgate_store::Store;

/// How often checks may lead to further checks.
const CHECK_ROUNDS_MAX: usize = 2;

/// What one transaction came to.
enum Step {
    Answered(Box<Answered>),
    Checks(Vec<Prerequisite>),
}

impl Gate {
    /// Judges an event, records it, and says what the host is to be told.
    /// A call that needs a person gets a request; see [`Gate::wait`].
    ///
    /// # Errors
    /// If anything fails on the way: then nothing may run.
    pub fn decide(&mut self, event: &Event) -> Result<Answered, Broken> {
        let mut results = Vec::new();
        for _ in 0..CHECK_ROUNDS_MAX {
            match self.turn(event, &results, true)? {
                Step::Answered(answered) => return Ok(*answered),
                Step::Checks(wanted) => {
                    results = checks::run(&self.setup.project, self.policy().settings(), &wanted);
                }
            }
        }
        match self.turn(event, &results, false)? {
            Step::Answered(answered) => Ok(*answered),
            Step::Checks(_) => Err(Broken::new("the checks do not come to an end", "run `toolgate doctor`")),
        }
    }

    /// One transaction: judge, and answer or say which checks come first.
    fn turn(&mut self, event: &Event, results: &[CheckResult], may_check: bool) -> Result<Step, Broken> {
        let Gate { setup, scene, store, approver } = self;
        let mut turn = store.begin()?;
        if !results.is_empty() {
            let entry = Entry::Checked { call: event.call.id.clone(), results: results.to_vec() };
            turn.append(now_ms(), &context(event, scene.policy()), entry)?;
        }
        let mut session = turn.session(&event.call.session)?;
        if scene.policy().needs_log(&event.call)
            && let Some(usage) = spending::since(setup, event, &session.spent)
        {
            turn.append(now_ms(), &context(event, scene.policy()), Entry::Spent(usage))?;
            session = turn.session(&event.call.session)?;
        }
        let glance = scene.glance(&event.call);
        let asked = scene.policy().asks(&event.call, &glance.facts);
        session.marks = turn.marks(&session.id, &asked)?;
        session.locks = turn.locks(&scene.asks_locks(&event.call, &glance))?;
        let decision = scene.look_again(event, &session, glance);
        let mut round = Round {
            turn: turn.as_mut(),
            policy: scene.policy(),
            approver: approver.as_ref(),
            event,
            session: &session,
            now_ms: now_ms(),
        };
        let mut decision = round.past_guardrails(scene, decision)?;
        if let Some(result) = results.iter().find(|result| !result.passed) {
            decision = prerequisites::failed(decision, result);
        }
        let enforced = scene.policy().mode() == Mode::Enforce && event.kind == EventKind::PreExecution;
        let wanted = if enforced { prerequisites::wanted(&decision) } else { Vec::new() };
        if !wanted.is_empty() {
            if may_check {
                if !results.is_empty() {
                    // What passed counts, whatever comes next.
                    turn.commit()?;
                }
                return Ok(Step::Checks(wanted));
            }
            decision = prerequisites::endless(decision);
        }
        let mut round = Round {
            turn: turn.as_mut(),
            policy: scene.policy(),
            approver: approver.as_ref(),
            event,
            session: &session,
            now_ms: now_ms(),
        };
        let answered = round.settle(decision)?;
        let answered = round.with_backup(&setup.dirs, answered)?;
        let seq = round.record(&answered)?.seq;
        turn.commit()?;
        self.checkpoint(seq);
        Ok(Step::Answered(Box::new(answered)))
    }
}
