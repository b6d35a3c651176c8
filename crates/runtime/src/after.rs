//! What guardrails say about a call that has run (S2-02 `post_execution`,
//! `on_error`). It cannot be taken back, so the agent is told, and the ledger.

use crate::approver::Approver;
use crate::broken::Broken;
use crate::gate::{Answered, Round, cut, now_ms};
use crate::scene::Scene;
use toolgate_core::{
    Advice, Delivered, Entry, Event, EventKind, SUBAGENT_START, Verdict, agent_text, recovery,
};
use toolgate_store::Turn;

/// Judges and records; returns what the agent is told, if anything.
pub(crate) fn judged_after(
    turn: &mut dyn Turn,
    scene: &Scene,
    approver: Option<&Approver>,
    event: &Event,
) -> Result<Option<String>, Broken> {
    let policy = scene.policy();
    if !policy.judges_after(event.kind) {
        return Ok(None);
    }
    let mut session = turn.session(&event.call.session)?;
    let glance = scene.glance(&event.call);
    session.marks = turn.marks(&session.id, &policy.asks(&event.call, &glance.facts))?;
    session.locks = turn.locks(&scene.asks_locks(&event.call, &glance))?;
    let decision = scene.look_again(event, &session, glance);
    if decision.findings.is_empty() {
        return Ok(None);
    }
    let told = (decision.verdict > Verdict::Allow).then(|| agent_text(&decision));
    let delivered = told.clone().map_or(Delivered::Silence, |text| Delivered::Warned { text });
    let mut round = Round { turn, policy, approver, event, session: &session, now_ms: now_ms() };
    round.record(&Answered { decision, delivered, request: None })?;
    Ok(told)
}

/// A sub-agent began.
pub(crate) fn begun(event: &Event) -> Entry {
    let to = event.call.role.as_deref().unwrap_or("a sub-agent");
    Entry::Noted { what: SUBAGENT_START.to_owned(), text: cut(&format!("{to} began")) }
}

/// What the agent is told about a call that failed.
pub(crate) fn after_failure(
    turn: &mut dyn Turn,
    scene: &Scene,
    event: &Event,
    said: Option<&str>,
) -> Result<Option<Advice>, Broken> {
    let settings = scene.policy().settings();
    let Some(said) = said.filter(|_| event.kind == EventKind::OnError && !settings.errors.is_empty()) else {
        return Ok(None);
    };
    let session = turn.session(&event.call.session)?;
    Ok(recovery(settings, &session, &event.call.agent, said))
}
