//! Delivery `hold`: waiting for a person within the host's time limit.
//!
//! The wait only watches the ledger; the answer itself is given elsewhere.
//! When the wait is over without one, the ticket given before is. When
//! anyone who asked is gone meanwhile, the question goes too.

use crate::broken::Broken;
use crate::clock::now_ms;
use crate::gate::{Answered, Gate, context};
use crate::hearing::Hearing;
use crate::scripts;
use std::thread::sleep;
use std::time::{Duration, Instant};
use toolgate_core::{Delivery, Entry, Event, HostAnswer, Request, RequestState, Verdict, agent_text};
use toolgate_store::Store;

/// How often the ledger is looked at: quick at first, then gentle.
const LOOK_FIRST: Duration = Duration::from_millis(40);
const LOOK_MAX: Duration = Duration::from_millis(400);

impl Gate {
    /// Waits for the answer to a request if the policy says hold, and returns
    /// what the host is told then. Without a request, or without an answer in
    /// time, `answered` comes back as it is.
    ///
    /// # Errors
    /// If the ledger fails meanwhile: then nothing may run.
    pub fn wait(&mut self, event: &Event, answered: Answered) -> Result<Answered, Broken> {
        self.wait_while(event, answered, &|| true)
    }

    /// The same while someone is there to hear the answer. A request no one
    /// waits for any more is over: a yes to it would be for nothing.
    ///
    /// # Errors
    /// As [`Gate::wait`].
    pub fn wait_while(
        &mut self,
        event: &Event,
        answered: Answered,
        is_there: &dyn Fn() -> bool,
    ) -> Result<Answered, Broken> {
        let event = self.salted(event);
        let event = &answered.as_judged(&event);
        if answered.waits_for_time() {
            return self.wait_out(event, answered, is_there);
        }
        let started = Instant::now();
        let answered = self.supervise(event, answered)?;
        self.tell_people(&answered);
        let Some(request) = answered.request.clone() else { return Ok(answered) };
        if self.scene.delivery() != Delivery::Hold || request.state != RequestState::Pending {
            return Ok(answered);
        }
        let until = started + Duration::from_secs(u64::from(self.scene.hold_seconds()));
        match self.watch(&request, until, is_there)? {
            Some(RequestState::Approved { .. } | RequestState::Denied { .. } | RequestState::Used { .. }) => {
                self.resume(event, answered)
            }
            // What another call asked before is that one's question.
            None if answered.is_new && !is_there() => {
                self.withdraw(event, &request)?;
                Ok(answered)
            }
            _ => self.unanswered(event, answered, &request),
        }
    }

    /// The time to hold is over. Where that of the request is, too, nothing waits any more.
    fn unanswered(
        &mut self,
        event: &Event,
        answered: Answered,
        request: &Request,
    ) -> Result<Answered, Broken> {
        let is_over = |one: &Request| match one.state {
            RequestState::Pending => one.is_over(now_ms()),
            _ => one.state == RequestState::Expired,
        };
        if !self.store.request(&request.id)?.as_ref().is_none_or(is_over) {
            return Ok(answered);
        }
        self.withdraw(event, request)?;
        let text = format!(
            "{} Request {} expired without an answer. To ask again, repeat this call; until then, continue with other work.",
            agent_text(&answered.decision),
            request.id
        );
        Ok(Answered { delivered: HostAnswer::Denied { text }, ..answered })
    }

    fn withdraw(&mut self, event: &Event, request: &Request) -> Result<(), Broken> {
        let context = context(event, self.policy());
        let mut turn = self.store.begin()?;
        if turn.request(&request.id)?.is_some_and(|now| now.state == RequestState::Pending) {
            turn.append(now_ms(), &context, Entry::Expired { request: request.id.clone() })?;
            turn.commit()?;
        }
        Ok(())
    }

    /// Waits for a time or a condition inside the host's limit. When that does
    /// not come in time, the agent has been told when to try again.
    fn wait_out(
        &mut self,
        event: &Event,
        answered: Answered,
        is_there: &dyn Fn() -> bool,
    ) -> Result<Answered, Broken> {
        if self.scene.delivery() != Delivery::Hold {
            return Ok(answered);
        }
        let until = Instant::now() + Duration::from_secs(u64::from(self.scene.hold_seconds()));
        while Instant::now() < until && is_there() {
            sleep(LOOK_MAX.min(until.saturating_duration_since(Instant::now())));
            if self.look(event)? != Verdict::Delay {
                return self.decide(event);
            }
        }
        Ok(answered)
    }

    /// What the guards would say now; nothing is recorded.
    fn look(&mut self, event: &Event) -> Result<Verdict, Broken> {
        let Gate { scene, store, approver, .. } = self;
        let mut turn = store.begin()?;
        let (_, decision) = Hearing::judge(turn.as_mut(), scene, approver.as_ref(), event)?;
        Ok(decision.verdict)
    }

    fn watch(
        &mut self,
        request: &Request,
        until: Instant,
        is_there: &dyn Fn() -> bool,
    ) -> Result<Option<RequestState>, Broken> {
        let mut pause = LOOK_FIRST;
        while Instant::now() < until && is_there() && !request.is_over(now_ms()) {
            sleep(pause.min(until.saturating_duration_since(Instant::now())));
            pause = (pause * 2).min(LOOK_MAX);
            match self.store.request(&request.id)?.map(|request| request.state) {
                Some(RequestState::Pending) => {}
                other => return Ok(other),
            }
        }
        Ok(None)
    }

    /// Does what the answer says: a yes is used up and lets the call through –
    /// once, even if two processes wait for the same request.
    pub(crate) fn resume(&mut self, event: &Event, before: Answered) -> Result<Answered, Broken> {
        if !scripts::are_unchanged(event) {
            return self.decide(event);
        }
        let Gate { scene, store, approver, setup, .. } = self;
        let mut turn = store.begin()?;
        let mut hearing = Hearing::resume(turn.as_mut(), scene, approver.as_ref(), event)?;
        let answered = hearing.settle(before.decision)?;
        let (answered, _) = hearing.conclude(&setup.dirs, answered)?;
        turn.commit()?;
        Ok(answered)
    }
}
