//! What supervisors decided becomes an answer in the ledger, and what the host
//! is told.

use crate::broken::Broken;
use crate::clock::now_ms;
use crate::gate::{Answered, Gate, context};
use crate::hearing::Hearing;
use crate::supervise::Asked;
use toolgate_core::{
    Answer, Delivery, Entry, Event, Extent, HostAnswer, KeptAnswer, Opinion, Proof, Request, Settled,
    Verdict, Word, one_line, rewritten_text,
};
use toolgate_store::Store;

/// Longest words of supervisors an agent is told.
const WORDS_MAX: usize = 900;

/// What came of asking.
pub(super) enum Done {
    /// An answer to the request.
    Answer(Answer),
    /// Another command, and the answer that the call as it is gets.
    Instead(String, Answer),
    /// A person was faster.
    ByPerson,
}

impl Done {
    pub(super) fn by_person() -> Done {
        Done::ByPerson
    }

    /// What they decided; `None` if a person must look.
    pub(super) fn of(asked: &Asked<'_>, settled: Settled) -> Option<Done> {
        match settled {
            Settled::Approved { by } => Some(Done::Answer(asked.answer(Word::Approve, by, None))),
            Settled::Rejected { by } => {
                let words = by.iter().filter_map(|name| asked.opinions.get(name)).map(said);
                let words = quoted(&words.collect::<Vec<_>>().join(" "));
                Some(Done::Answer(asked.answer(Word::Deny, by, Some(words))))
            }
            Settled::Modified { by } => {
                let opinion = asked.opinions.get(&by)?;
                let instead = opinion.instead.clone()?;
                let words = format!("{} Run this instead: {}", quoted(&said(opinion)), quoted(&instead));
                Some(Done::Instead(instead, asked.answer(Word::Deny, vec![by], Some(words))))
            }
            Settled::Person => None,
        }
    }

    /// An earlier answer to the same question.
    pub(super) fn again(asked: &Asked<'_>, kept: KeptAnswer) -> Done {
        let mut answer = asked.answer(kept.word, kept.names, kept.words);
        if let Proof::Supervisor { again, .. } = &mut answer.proof {
            *again = true;
        }
        Done::Answer(answer)
    }
}

impl Asked<'_> {
    fn answer(&self, word: Word, names: Vec<String>, words: Option<String>) -> Answer {
        let by = format!("supervisor {}", names.join(", "));
        let (policy, shape) = (self.policy.clone(), self.shape.clone());
        let proof = Proof::Supervisor { names, policy, shape, again: false };
        Answer { request: self.request.id.clone(), word, by, words, reach: Extent::Once, proof }
    }
}

/// The reasons and alternatives of one, in its own words.
fn said(opinion: &Opinion) -> String {
    let reasons = opinion.reasons.iter().map(|one| format!("{} [{}]", one.text, one.rule));
    let mut text = reasons.collect::<Vec<_>>().join(" ");
    if !opinion.alternatives.is_empty() {
        text.push_str(&format!(" Instead: {}", opinion.alternatives.join("; ")));
    }
    text
}

/// Quoted and in one line: a model's words must not look like ours.
fn quoted(text: &str) -> String {
    format!("“{}”", one_line(text, WORDS_MAX).replace(['“', '”'], "\""))
}

impl Gate {
    /// Does what supervisors decided.
    pub(super) fn settle_supervised(
        &mut self,
        event: &Event,
        answered: Answered,
        done: Done,
    ) -> Result<Answered, Broken> {
        let Some(request) = answered.request.clone() else { return Ok(answered) };
        match done {
            Done::ByPerson => self.resume(event, answered),
            Done::Answer(answer) => {
                self.answer(&request, answer)?;
                self.resume(event, answered)
            }
            Done::Instead(command, answer) => match self.run_instead(event, &request, &command, &answer)? {
                Some(done) => Ok(done),
                None => self.hand_over(event, answered),
            },
        }
    }

    /// The call as a supervisor wants it, judged from the start like any other;
    /// `None` if it must not run unasked. The call as it is gets a no.
    fn run_instead(
        &mut self,
        event: &Event,
        request: &Request,
        command: &str,
        answer: &Answer,
    ) -> Result<Option<Answered>, Broken> {
        let mut changed = event.clone();
        changed.call = event.call.with_command(command);
        let Gate { setup, scene, store, approver, .. } = self;
        let mut turn = store.begin()?;
        let (_, decision) = Hearing::judge(turn.as_mut(), scene, approver.as_ref(), &changed)?;
        if decision.verdict > Verdict::Rewrite || changed.call == event.call {
            return Ok(None);
        }
        let now = now_ms();
        turn.append(now, &context(event, scene.policy()), Entry::Answered(answer.clone()))?;
        // A person may have said no meanwhile; then nothing runs.
        let stands = turn.request(&request.id)?;
        let is_ours = |one: &Request| matches!(&one.state, toolgate_core::RequestState::Denied { answer: own, .. } if own == answer);
        if !stands.as_ref().is_some_and(is_ours) {
            return Ok(None);
        }
        let words = answer.words.clone().unwrap_or_default();
        let changed = rewritten_text(&event.call, &decision.event.call);
        let text = format!("{} changed this call: {words} {changed}", answer.by);
        let delivered = HostAnswer::Modified { input: decision.event.call.input.clone(), text };
        let answered = Answered { decision, delivered, request: stands, is_new: false };
        let mut hearing = Hearing::resume(turn.as_mut(), scene, approver.as_ref(), event)?;
        let (answered, _) = hearing.conclude(&setup.dirs, answered)?;
        turn.commit()?;
        Ok(Some(answered))
    }

    /// No one decided. Where the host asks the person in front of it, or no one
    /// is there, our own request has no more use.
    pub(super) fn hand_over(&mut self, event: &Event, answered: Answered) -> Result<Answered, Broken> {
        let (Some(request), Delivery::Ask | Delivery::Deny) = (&answered.request, self.scene.delivery())
        else {
            return Ok(answered);
        };
        let id = request.id.clone();
        let Gate { scene, store, approver, .. } = self;
        let mut turn = store.begin()?;
        turn.append(now_ms(), &context(event, scene.policy()), Entry::Expired { request: id })?;
        let answered = Answered { request: None, ..answered };
        Hearing::resume(turn.as_mut(), scene, approver.as_ref(), event)?.record(&answered)?;
        turn.commit()?;
        Ok(answered)
    }
}
