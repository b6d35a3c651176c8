//! One event inside one transaction: the session it belongs to, the scripts it
//! runs, the marks and locks guards ask about, what the guards say, and the
//! record of it. The one place where these steps follow each other; a call that
//! is looked at a second time goes through the same ones.
//!
//! Opening and committing the transaction, and everything that takes time, is
//! left to the callers.

use crate::approver::Approver;
use crate::broken::Broken;
use crate::clock::now_ms;
use crate::dirs::Dirs;
use crate::gate::Answered;
use crate::scene::Scene;
use crate::scripts;
use std::borrow::Cow;
use toolgate_core::{Decision, Event, Policy, Session};
use toolgate_store::Turn;

/// An event that is judged, or was and is recorded now.
pub(crate) struct Hearing<'a> {
    /// The open transaction.
    pub turn: &'a mut dyn Turn,
    /// The policy in its place.
    pub scene: &'a Scene,
    /// The policy alone.
    pub policy: &'a Policy,
    /// Whose answers count.
    pub approver: Option<&'a Approver>,
    /// The event, with the scripts of this session that its call runs.
    pub event: Cow<'a, Event>,
    /// The session as of now, with the marks and locks the guards asked about.
    pub session: Session,
    /// The process the call comes from.
    pub asked_by: Option<u32>,
    /// When.
    pub now_ms: i64,
}

impl<'a> Hearing<'a> {
    /// Reads the event and judges it.
    pub(crate) fn judge(
        turn: &'a mut dyn Turn,
        scene: &'a Scene,
        approver: Option<&'a Approver>,
        event: &'a Event,
    ) -> Result<(Hearing<'a>, Decision), Broken> {
        let mut session = turn.session(&event.call.session)?;
        let (event, glance) = scripts::read(turn, scene, &session, event)?;
        session.marks = turn.marks(&session.id, &scene.policy().asks(&event.call, &glance.facts))?;
        session.locks = turn.locks(&scene.asks_locks(&event.call, &glance))?;
        let decision = scene.look_again(&event, &session, glance);
        Ok((Hearing::new(turn, scene, approver, event, session), decision))
    }

    /// Takes up an event that was judged before: what was decided is to be settled or recorded.
    pub(crate) fn resume(
        turn: &'a mut dyn Turn,
        scene: &'a Scene,
        approver: Option<&'a Approver>,
        event: &'a Event,
    ) -> Result<Hearing<'a>, Broken> {
        let session = turn.session(&event.call.session)?;
        Ok(Hearing::new(turn, scene, approver, Cow::Borrowed(event), session))
    }

    fn new(
        turn: &'a mut dyn Turn,
        scene: &'a Scene,
        approver: Option<&'a Approver>,
        event: Cow<'a, Event>,
        session: Session,
    ) -> Hearing<'a> {
        let (policy, asked_by) = (scene.policy(), scene.asked_by());
        Hearing { turn, scene, policy, approver, event, session, asked_by, now_ms: now_ms() }
    }

    /// Makes the copies a rule asks for and writes the answer down; returns the answer, which
    /// is another one where copies could not be made, and the number of its record.
    pub(crate) fn conclude(&mut self, dirs: &Dirs, answered: Answered) -> Result<(Answered, u64), Broken> {
        let answered = self.with_backup(dirs, answered)?;
        let seq = self.record(&answered)?.seq;
        Ok((answered, seq))
    }
}
