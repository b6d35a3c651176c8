//! Judging one event: a transaction, checks where guards ask for them, and
//! another transaction that knows how they came out.
//!
//! What the host is told about a decision is `gate`'s affair.

use crate::approver::Approver;
use crate::branch::branch_of;
use crate::broken::Broken;
use crate::checks;
use crate::clock::{self, now_ms};
use crate::gate::{Answered, Gate, Later, context, cut};
use crate::hearing::Hearing;
use crate::kept::Policies;
use crate::prerequisites;
use crate::run_check::answer_of;
use crate::scene::{Scene, Setup};
use crate::spending;
use serde_json::json;
use std::borrow::Cow;
use std::time::{Duration, Instant};
use toolgate_core::{
    CheckResult, Delivery, Entry, Event, EventKind, Mode, Prerequisite, RequestState, task_in_branch,
};
use toolgate_store::{Sqlite, Store, Turn};

/// How often checks may lead to further checks.
const CHECK_ROUNDS_MAX: usize = 2;

/// The variable that names the task.
pub(crate) const TASK: &str = "TOOLGATE_TASK";

/// For all commands that say whether the work is done, well below every host's limit.
const CHECKERS_MAX: Duration = Duration::from_secs(30);

/// What one transaction came to.
enum Step {
    Answered(Box<Answered>),
    Checks(Vec<Prerequisite>),
    /// Nothing was recorded: it would have to wait.
    Waits,
}

/// What a transaction may lead to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum May {
    /// Only to an answer that is.
    Answer,
    /// Also to checks, or to something that is waited for.
    Wait,
    /// To all but further checks.
    WaitUnchecked,
}

impl Answered {
    /// The event with the scripts it was judged with: a yes is bound to those, whatever
    /// is in the files by now.
    pub(crate) fn as_judged<'a>(&self, event: &'a Event) -> Cow<'a, Event> {
        let scripts = &self.decision.event.call.scripts;
        let mut event = Cow::Borrowed(event);
        if event.call.scripts != *scripts {
            event.to_mut().call.scripts.clone_from(scripts);
        }
        event
    }

    /// Whether [`Gate::wait`] would wait for anything, or tell anybody.
    pub(crate) fn waits(&self, scene: &Scene) -> bool {
        // Supervisors are asked about a question however it is delivered.
        let asks = self.request.as_ref().is_some_and(|request| request.state == RequestState::Pending);
        // People are told of what passes a guardrail, and telling takes time.
        let passes = !self.decision.bypasses.is_empty();
        asks || passes || scene.delivery() == Delivery::Hold && self.waits_for_time()
    }
}

impl Gate {
    /// The gate of a project on a ledger that is open already, with a policy that
    /// may be. What can wait until the answer is out is left for [`Gate::done`].
    ///
    /// # Errors
    /// If the policy or the approver cannot be had: then nothing may run.
    pub fn on(setup: Setup, store: Sqlite, policies: &Policies) -> Result<Gate, Broken> {
        let scene = Scene::open_again(&setup, policies.take(&setup.project))?;
        let approver = Approver::load(&setup.dirs)?;
        clock::follow(&store)?;
        Ok(Gate { setup, scene, store, approver, later: Later::Wanted(None), providers: Vec::new() })
    }

    /// Does what was left for when the answer is out, and gives the open ledger
    /// and the policy back.
    #[must_use]
    pub fn done(mut self, policies: &Policies) -> Sqlite {
        if let Later::Wanted(Some(seq)) = std::mem::take(&mut self.later) {
            self.checkpoint(seq);
        }
        if let Some(kept) = self.scene.into_kept() {
            policies.give(kept);
        }
        self.store
    }

    /// Judges an event, records it, and says what the host is to be told.
    /// A call that needs a person gets a request; see [`Gate::wait`].
    ///
    /// # Errors
    /// If anything fails on the way: then nothing may run.
    pub fn decide(&mut self, event: &Event) -> Result<Answered, Broken> {
        let event = &self.salted(event);
        let mut results = Vec::new();
        for _ in 0..CHECK_ROUNDS_MAX {
            match self.turn(event, &results, May::Wait)? {
                Step::Answered(answered) => return Ok(*answered),
                Step::Checks(wanted) => {
                    results = checks::run(&self.setup.project, self.policy().settings(), &wanted);
                }
                Step::Waits => break,
            }
        }
        match self.turn(event, &results, May::WaitUnchecked)? {
            Step::Answered(answered) => Ok(*answered),
            Step::Checks(_) | Step::Waits => {
                Err(Broken::new("the checks kept asking for further checks", "run `toolgate doctor`"))
            }
        }
    }

    /// The same if one transaction settles it; `None`, and nothing recorded, if
    /// checks, time or a person would have to be waited for.
    ///
    /// # Errors
    /// If anything fails on the way: then nothing was recorded.
    pub fn decide_at_once(&mut self, event: &Event) -> Result<Option<Answered>, Broken> {
        let event = &self.salted(event);
        match self.turn(event, &[], May::Answer)? {
            Step::Answered(answered) => Ok(Some(*answered)),
            Step::Checks(_) | Step::Waits => Ok(None),
        }
    }

    /// Asks the commands of the policy whether the work is done, if the agent wants to stop.
    fn ask_checkers(&mut self, event: &Event) {
        if event.kind != EventKind::Stop {
            return;
        }
        let agents = self.scene.policy().settings().agents_of(&event.call);
        let commands =
            agents.filter_map(|entry| entry.agent.completion.as_ref()).flat_map(|one| one.commands());
        let until = Instant::now() + CHECKERS_MAX;
        let told = json!({ "session": event.call.session, "agent": event.call.agent, "dir": event.call.dir });
        let said = commands.filter_map(|command| {
            let missing =
                missing_of(command, answer_of(&self.setup.project, command, &told.to_string(), until))?;
            Some((command.to_owned(), missing))
        });
        self.scene.unfinished = said.collect();
    }

    /// The event with what the hash of its call is made with.
    pub(crate) fn salted(&self, event: &Event) -> Event {
        let mut event = event.clone();
        event.call.salt = Some(self.store.salt());
        // Where the host knows no task, the person who started it may.
        let named = || std::env::var(TASK).ok().filter(|task| !task.is_empty());
        event.call.task = event.call.task.or_else(named);
        if event.call.task.is_none() && self.policy().settings().asks_for_tasks() {
            let branch = branch_of(&event.call.dir).unwrap_or_default();
            event.call.task = task_in_branch(&branch).map(str::to_owned);
        }
        event
    }

    /// One transaction: judge, and answer or say what comes first.
    fn turn(&mut self, event: &Event, results: &[CheckResult], may: May) -> Result<Step, Broken> {
        self.ask_checkers(event);
        let Gate { setup, scene, store, approver, .. } = self;
        let mut turn = store.begin()?;
        if !results.is_empty() {
            let entry = Entry::Checked { call: event.call.id.clone(), results: results.to_vec() };
            turn.append(now_ms(), &context(event, scene.policy()), entry)?;
        }
        count_spending(turn.as_mut(), setup, scene, event)?;
        let (mut hearing, decision) = Hearing::judge(turn.as_mut(), scene, approver.as_ref(), event)?;
        let mut decision = hearing.past_guardrails(decision)?;
        if let Some(result) = results.iter().find(|result| !result.passed) {
            decision = prerequisites::failed(scene.policy(), decision, result);
        }
        let enforced = scene.policy().mode() == Mode::Enforce && event.kind == EventKind::PreExecution;
        let wanted = if enforced { prerequisites::wanted(&decision) } else { Vec::new() };
        if !wanted.is_empty() {
            if may != May::WaitUnchecked {
                if !results.is_empty() {
                    // What passed counts, whatever comes next.
                    turn.commit()?;
                }
                return Ok(Step::Checks(wanted));
            }
            decision = prerequisites::endless(scene.policy(), decision);
        }
        let answered = hearing.settle(decision)?;
        if may == May::Answer && answered.waits(scene) {
            return Ok(Step::Waits);
        }
        let (answered, seq) = hearing.conclude(&setup.dirs, answered)?;
        turn.commit()?;
        self.checkpoint(seq);
        Ok(Step::Answered(Box::new(answered)))
    }
}

/// What a checker says is missing: what it prints, as JSON or as text. One that cannot be asked says
/// that something is.
fn missing_of(command: &str, said: Option<(bool, String)>) -> Option<String> {
    let Some((success, text)) = said else { return Some(format!("`{command}` gave no answer in time")) };
    let said: Option<serde_json::Value> = serde_json::from_str(text.trim()).ok();
    let complete = said.as_ref().and_then(|said| said.get("complete")?.as_bool());
    let feedback = said.as_ref().and_then(|said| said.get("feedback")?.as_str()).map(str::to_owned);
    let text = feedback.unwrap_or_else(|| cut(text.trim()));
    let text = if text.is_empty() { format!("`{command}` says it is not done") } else { text };
    (!success || complete == Some(false)).then_some(text)
}

/// Records what the model used since the last call, where a budget asks for it.
fn count_spending(turn: &mut dyn Turn, setup: &Setup, scene: &Scene, event: &Event) -> Result<(), Broken> {
    if !scene.policy().needs_log(&event.call) {
        return Ok(());
    }
    let session = turn.session(&event.call.session)?;
    if let Some(usage) = spending::since(setup, event, &session.spent) {
        turn.append(now_ms(), &context(event, scene.policy()), Entry::Spent(usage))?;
    }
    Ok(())
}
