//! Guards after a call (`post_execution`, `on_error`). The call cannot be taken
//! back: the agent is told, the result is recorded, and its output is redacted or
//! withheld where the host allows it.

use crate::approver::Approver;
use crate::broken::Broken;
use crate::gate::{Answered, cut};
use crate::hearing::Hearing;
use crate::scene::Scene;
use toolgate_core::{
    Advice, Decision, Entry, Event, EventKind, HostAnswer, Mode, Outcome, Policy, SUBAGENT_START, Verdict,
    agent_text, guards, recovery, withheld, without_leaks,
};
use toolgate_store::Turn;

/// What is where withheld output was.
const WITHHELD: &str = "[withheld by Toolgate: see the message next to this result]";

/// Judges and records; returns what the host is told.
pub(crate) fn judged_after(
    turn: &mut dyn Turn,
    scene: &Scene,
    approver: Option<&Approver>,
    event: &Event,
) -> Result<Judged, Broken> {
    let policy = scene.policy();
    if !policy.judges_after(event.kind) {
        return Ok(Judged::nothing());
    }
    let (mut hearing, decision) = Hearing::judge(turn, scene, approver, event)?;
    if decision.findings.is_empty() {
        return Ok(Judged::nothing());
    }
    let delivered = delivered(policy, &decision, event);
    let takes_back = takes_back(policy, &decision);
    hearing.record(&Answered { decision, delivered: delivered.clone(), request: None, is_new: false })?;
    Ok(Judged { delivered, takes_back })
}

/// What the guards came to.
pub(crate) struct Judged {
    /// What the host is told.
    pub delivered: HostAnswer,
    /// Whether what the call did is to be taken back.
    pub takes_back: bool,
}

impl Judged {
    fn nothing() -> Judged {
        Judged { delivered: HostAnswer::Silence, takes_back: false }
    }

    /// One more sentence for the agent.
    pub(crate) fn add(&mut self, more: &str) {
        if let HostAnswer::Warned { text } | HostAnswer::Told { text } | HostAnswer::Replaced { text, .. } =
            &mut self.delivered
        {
            text.push(' ');
            text.push_str(more);
        }
    }
}

/// A block takes back what a call changed; one about its output alone does not.
fn takes_back(policy: &Policy, decision: &Decision) -> bool {
    let mut blocks = decision.findings.iter().filter(|finding| finding.outcome == Outcome::Block);
    policy.mode() == Mode::Enforce && blocks.any(|finding| finding.guard != guards::OUTPUT_SECRETS_ID)
}

fn delivered(policy: &Policy, decision: &Decision, event: &Event) -> HostAnswer {
    if decision.verdict == Verdict::Allow || policy.mode() == Mode::Observe {
        return HostAnswer::Silence;
    }
    let text = agent_text(decision);
    match replacement(policy, decision, event) {
        Some(output) => HostAnswer::Replaced { output, text },
        None if found_secrets(decision) => HostAnswer::Told { text },
        None => HostAnswer::Warned { text },
    }
}

/// A secret that is read by the model after all is the person's affair.
fn found_secrets(decision: &Decision) -> bool {
    decision.decisive().any(|finding| finding.guard == guards::OUTPUT_SECRETS_ID)
}

/// What the host is to show instead, if a guard blocked and it can.
fn replacement(policy: &Policy, decision: &Decision, event: &Event) -> Option<serde_json::Value> {
    let value = event.output.as_ref().filter(|_| event.kind == EventKind::PostExecution)?;
    let mut blocks = decision.findings.iter().filter(|finding| finding.outcome == Outcome::Block);
    let finding = blocks.next()?;
    if finding.guard == guards::OUTPUT_SECRETS_ID {
        // Whichever layer asked, all that any layer looks for goes.
        return Some(without_leaks(value, &policy.settings().personal_sought()));
    }
    withheld(value, WITHHELD)
}

/// What is told next to the work comes behind what the guards say.
pub(crate) fn with_advice(judged: HostAnswer, advice: &[Advice]) -> HostAnswer {
    let said = match &judged {
        HostAnswer::Warned { text } | HostAnswer::Told { text } | HostAnswer::Replaced { text, .. } => {
            Some(text.clone())
        }
        _ => None,
    };
    let text: Vec<String> = said.into_iter().chain(advice.iter().map(Advice::render)).collect();
    match judged {
        HostAnswer::Replaced { output, .. } => HostAnswer::Replaced { output, text: text.join("\n\n") },
        HostAnswer::Told { .. } => HostAnswer::Told { text: text.join("\n\n") },
        _ if text.is_empty() => HostAnswer::Silence,
        _ => HostAnswer::Warned { text: text.join("\n\n") },
    }
}

/// A sub-agent began.
pub(crate) fn begun(event: &Event) -> Entry {
    let to = event.call.role.as_deref().unwrap_or("a sub-agent");
    Entry::Noted { what: SUBAGENT_START.to_owned(), text: cut(&format!("{to} started")) }
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
