//! Supervisors are asked about a recorded request, before a person waits for it
//!
//! The request is committed first, so a person sees it at once and may be
//! faster. Asking happens outside any transaction; what was asked and what came
//! back are records of their own. Who is asked, and what the answers come to,
//! is decided by `core`; here is only the asking and the waiting. Without
//! supervisors in the policy nothing here costs anything.

mod client;
mod settle;
mod trial;
mod wire;
mod worth;

pub use trial::Trial;

use crate::broken::Broken;
use crate::clock::now_ms;
use crate::gate::{Answered, Gate, context, new_id};
use client::{Asking, Reply};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use toolgate_core::{
    Brief, CHANGED_MARK, Candidate, Consulted, Delivery, Entry, Event, KeptAnswer, Opinion, Panel,
    PanelReply, PanelStep, Request, RequestState, Reviewed, Settled, Supervision, Supervisor,
    in_asking_order, read_opinion, shape_of,
};
use toolgate_store::Store;

/// How often the ledger is looked at for a person who was faster.
const LOOK: Duration = Duration::from_millis(250);

/// Longest text kept of why there is no answer.
const MISSING_MAX: usize = 200;

/// One question while it is asked.
struct Asked<'a> {
    event: &'a Event,
    request: Request,
    brief: Brief,
    policy: String,
    shape: String,
    started: Instant,
    panel: Panel,
    /// The question of each that was asked.
    questions: BTreeMap<String, Consulted>,
    opinions: BTreeMap<String, Opinion>,
    replies: (Sender<Reply>, Receiver<Reply>),
}

impl Asked<'_> {
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl Gate {
    /// Asks supervisors about a call that waits for an answer, if the policy
    /// names some that may decide about it. Comes back with what the host is
    /// told then; with `answered` as it is, if a person must look.
    ///
    /// # Errors
    /// If the ledger fails meanwhile: then nothing may run.
    pub fn supervise(&mut self, event: &Event, answered: Answered) -> Result<Answered, Broken> {
        if self.policy().settings().supervision.is_empty() {
            return Ok(answered);
        }
        let event = self.salted(event);
        let event = &answered.as_judged(&event);
        let Some(request) = answered.request.clone() else { return Ok(answered) };
        let is_new = request.state == RequestState::Pending && request.reviews.is_empty();
        if !is_new || request.bypass.is_some() || self.supervisors_for(&answered).is_empty() {
            return Ok(answered);
        }
        // Where several people must say yes, no model is one of them.
        if request.progress.needs > 1 {
            return self.hand_over(event, answered);
        }
        let settled = self.consult(event, &answered, request)?;
        match settled {
            Some(done) => self.settle_supervised(event, answered, done),
            None => self.hand_over(event, answered),
        }
    }

    fn supervision(&self) -> &Supervision {
        &self.policy().settings().supervision
    }

    /// Those fit for the question that can be reached at all.
    fn supervisors_for(&self, answered: &Answered) -> Vec<(String, Supervisor)> {
        let fit = self.supervision().fit_for(&answered.decision);
        fit.into_iter().map(|(name, one)| (name.to_owned(), one.clone())).collect()
    }

    /// Asks until someone decides, a person is faster, or the time is over.
    fn consult(
        &mut self,
        event: &Event,
        answered: &Answered,
        request: Request,
    ) -> Result<Option<settle::Done>, Broken> {
        let Some(mut asked) = self.prepared(event, answered, request)? else { return Ok(None) };
        if let Some(kept) = self.kept_answer(&asked, answered)? {
            return Ok(Some(settle::Done::again(&asked, kept)));
        }
        let mut looked = Instant::now();
        loop {
            match asked.panel.next(asked.now()) {
                PanelStep::Done(Settled::Person) => {
                    self.note_overdue(&mut asked, u64::MAX)?;
                    return Ok(None);
                }
                PanelStep::Done(settled) => return Ok(settle::Done::of(&asked, settled)),
                PanelStep::Ask(name) => self.ask_one(&mut asked, &name)?,
                PanelStep::Wait { until_ms } => {
                    let left = Duration::from_millis(until_ms.saturating_sub(asked.now())).min(LOOK);
                    match asked.replies.1.recv_timeout(left) {
                        Ok(reply) => self.take(&mut asked, reply)?,
                        Err(_) => {
                            let now = asked.now();
                            self.note_overdue(&mut asked, now)?;
                        }
                    }
                }
            }
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                let state = self.store.request(&asked.request.id)?.map(|one| one.state);
                if state != Some(RequestState::Pending) {
                    return Ok(Some(settle::Done::by_person()));
                }
            }
        }
    }

    /// Everything known before the first is asked; `None` if no one can be.
    fn prepared<'a>(
        &mut self,
        event: &'a Event,
        answered: &Answered,
        request: Request,
    ) -> Result<Option<Asked<'a>>, Broken> {
        let started = Instant::now();
        let fit = self.supervisors_for(answered);
        let supervision = self.supervision().clone();
        let seconds = match self.scene.delivery() {
            Delivery::Hold => supervision.seconds.min(self.scene.hold_seconds()),
            _ => supervision.seconds,
        };
        let limit_ms = u64::from(seconds).saturating_mul(1000);
        let personal = self.policy().settings().personal_sought();
        let revision = self.policy().revision().to_owned();
        let dice = (random(16)?, random(8)?);
        let mut turn = self.store.begin()?;
        let mut session = turn.session(&event.call.session)?;
        session.marks = turn.marks(&session.id, &[CHANGED_MARK.to_owned()])?;
        let changes = session.mark(CHANGED_MARK).map_or(0, |mark| mark.count);
        let mut candidates = Vec::new();
        for (name, supervisor) in &fit {
            let health = turn.health(name)?;
            let limit_ms = u64::from(supervisor.seconds).saturating_mul(1000).min(limit_ms);
            candidates.push(Candidate {
                name: name.clone(),
                role: supervisor.role,
                limit_ms,
                health,
                away: false,
            });
        }
        drop(turn);
        let dice = (dice.0.as_str(), dice.1.as_str());
        let Some(brief) = Brief::of(&request.id, dice, &answered.decision, &session, &personal) else {
            return Ok(None);
        };
        let candidates = in_asking_order(candidates, now_ms());
        let panel = Panel::new(supervision.together, supervision.confidence_percent, limit_ms, candidates);
        Ok(Some(Asked {
            event,
            request,
            brief,
            shape: shape_of(&answered.decision, &revision, changes),
            policy: revision,
            started,
            panel,
            questions: BTreeMap::new(),
            opinions: BTreeMap::new(),
            replies: channel(),
        }))
    }

    /// An earlier answer to the same question that still holds.
    fn kept_answer(&mut self, asked: &Asked<'_>, answered: &Answered) -> Result<Option<KeptAnswer>, Broken> {
        let minutes = i64::from(self.supervision().cache_minutes);
        if minutes == 0 {
            return Ok(None);
        }
        let kept = self.store.begin()?.supervised(&asked.shape)?;
        let revision = self.policy().revision();
        let fit = self.supervision().fit_for(&answered.decision);
        let now = now_ms();
        let holds = |kept: &KeptAnswer| {
            let age = now.saturating_sub(kept.at_ms);
            kept.policy == revision
                && (0..minutes.saturating_mul(60_000)).contains(&age)
                && kept.names.iter().all(|name| fit.iter().any(|(known, _)| known == name))
        };
        Ok(kept.filter(holds))
    }

    /// Asks one; what it costs is reserved before.
    fn ask_one(&mut self, asked: &mut Asked<'_>, name: &str) -> Result<(), Broken> {
        let now = asked.now();
        asked.panel.asked(name, now);
        let Some(supervisor) = self.supervision().named(name).cloned() else {
            asked.panel.record(name, PanelReply::None, now);
            return Ok(());
        };
        let key = supervisor.key_env.as_deref().map(|variable| std::env::var(variable).ok());
        if matches!(key, Some(None)) {
            // No one was asked, so nothing is spent and no one failed; `doctor` tells.
            asked.panel.record(name, PanelReply::None, now);
            return Ok(());
        }
        let limit = Duration::from_secs(u64::from(supervisor.seconds));
        let consulted = Consulted {
            request: asked.request.id.clone(),
            supervisor: name.to_owned(),
            question: new_id("q")?,
            until_ms: now_ms().saturating_add(i64::try_from(limit.as_millis()).unwrap_or(i64::MAX)),
            cost_cents: supervisor.cost_cents,
        };
        if !self.reserve(asked.event, &supervisor, &consulted)? {
            asked.panel.record(name, PanelReply::None, now);
            return Ok(());
        }
        asked.questions.insert(name.to_owned(), consulted);
        let brief = asked.brief.for_role(supervisor.role);
        let asking = Asking { name: name.to_owned(), supervisor, brief, key: key.flatten(), limit };
        if asking.start(asked.replies.0.clone()).is_err() {
            asked.panel.record(name, PanelReply::None, now);
        }
        Ok(())
    }

    /// Writes down that one is asked, unless it has failed too often meanwhile
    /// or its budget of the day is spent.
    fn reserve(&mut self, event: &Event, supervisor: &Supervisor, asked: &Consulted) -> Result<bool, Broken> {
        let context = context(event, self.scene.policy());
        let mut turn = self.store.begin()?;
        let now = now_ms();
        let health = turn.health(&asked.supervisor)?;
        if health.is_open(now) || !health.can_afford(supervisor, now) {
            return Ok(false);
        }
        let seq = turn.append(now, &context, Entry::Consulted(asked.clone()))?.seq;
        turn.commit()?;
        self.checkpoint(seq);
        Ok(true)
    }

    /// Reads what came back, and writes it down.
    fn take(&mut self, asked: &mut Asked<'_>, reply: Reply) -> Result<(), Broken> {
        let now = asked.now();
        let read = reply
            .heard
            .and_then(|text| read_opinion(&asked.brief.question, &text).map_err(|why| why.text().to_owned()));
        let Some(consulted) = asked.questions.remove(&reply.name) else { return Ok(()) };
        self.write_review(asked.event, &consulted, &read, reply.duration_ms)?;
        match read {
            Ok(opinion) => {
                asked.opinions.insert(reply.name.clone(), opinion.clone());
                asked.panel.record(&reply.name, PanelReply::Opinion(opinion), now);
            }
            Err(_) => asked.panel.record(&reply.name, PanelReply::None, now),
        }
        Ok(())
    }

    fn write_review(
        &mut self,
        event: &Event,
        consulted: &Consulted,
        read: &Result<Opinion, String>,
        duration_ms: u64,
    ) -> Result<(), Broken> {
        let opinion = read.as_ref().ok();
        let missing = read.as_ref().err().map(|why| toolgate_core::one_line(why, MISSING_MAX));
        let reviewed = Reviewed {
            request: consulted.request.clone(),
            supervisor: consulted.supervisor.clone(),
            question: consulted.question.clone(),
            decision: opinion.map(|one| one.decision),
            confidence_percent: opinion.map_or(0, |one| one.confidence_percent),
            reasons: opinion.map(|one| one.reasons.clone()).unwrap_or_default(),
            alternatives: opinion.map(|one| one.alternatives.clone()).unwrap_or_default(),
            uncertainty: opinion.map(|one| one.uncertainty.clone()).unwrap_or_default(),
            instead: opinion.and_then(|one| one.instead.clone()),
            missing,
            duration_ms,
            cost_cents: consulted.cost_cents,
        };
        let context = context(event, self.scene.policy());
        self.append(&context, Entry::Reviewed(reviewed))
    }

    /// Writes down whose time is over at `now`.
    fn note_overdue(&mut self, asked: &mut Asked<'_>, now: u64) -> Result<(), Broken> {
        for name in asked.panel.overdue(now) {
            asked.panel.record(&name, PanelReply::None, now);
            if let Some(consulted) = asked.questions.remove(&name) {
                let took = asked.now();
                let none = Err("no answer in time".to_owned());
                self.write_review(asked.event, &consulted, &none, took)?;
            }
        }
        Ok(())
    }
}

/// So many bytes made by chance, in hex.
fn random(length: usize) -> Result<String, Broken> {
    let mut bytes = vec![0; length];
    getrandom::fill(&mut bytes)
        .map_err(|error| Broken::new(format!("no randomness: {error}"), "run `toolgate doctor`"))?;
    Ok(toolgate_core::hex(&bytes))
}
