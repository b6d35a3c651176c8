//! `handoff`: work handed to another agent is complete, and the other can do
//! it.

use super::category::{CAPABILITIES, lacking};
use super::{block, category};
use crate::agent::AgentEntry;
use crate::event::EventKind;
use crate::evidence::Evidence;
use crate::finding::{Finding, Source};
use crate::guard::{Category, Guard, Seen, Severity};
use crate::handoff::{missing, needs};

pub(crate) const ID: &str = "handoff";

pub(crate) const PAGE: &str = "\
handoff: handoffs are complete, and the receiver can do the work.

Before work goes to a sub-agent, this checks that the task text has every part of `payload` (`Context: …`, `Artefacts: …`,
`Rationale: …`, as lines or headings with content); that the policy lists the receiver (with `known_receivers`); that the
receiver has the `capabilities` the text asks for (`Needs: write, run`) and budget left; and that no file named under
`Artefacts` is locked by another agent (compliance-001).

When the sub-agent starts, the sender's locks are released and recorded; that never blocks.

  handoff:
    payload: [context, artefacts, rationale]
    known_receivers: true
";

/// See the module.
pub(crate) struct HandedOver;

impl Guard for HandedOver {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        8
    }

    fn category(&self) -> Category {
        Category::Compliance
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        if !seen.event.is_at(EventKind::PreHandoff) {
            return None;
        }
        let all = [incomplete(seen), unknown(seen), unable(seen), spent(seen), locked(seen)];
        let (source, message, step) = all.into_iter().flatten().next()?;
        let call = &seen.event.call;
        let quoted = call.receiver().and_then(|receiver| Evidence::of_text(call, receiver));
        let finding = block(ID, message, &step, quoted.into_iter().collect());
        Some(Finding { source, category: Category::Compliance, severity: Severity::Medium, ..finding })
    }
}

/// Where it is written, what is wrong, what to do.
type Wrong = (Source, String, String);

fn incomplete(seen: &Seen<'_>) -> Option<Wrong> {
    seen.settings.handoff.iter().find_map(|entry| {
        let part = missing(&seen.event.call, &entry.handoff.payload)?;
        let all: Vec<&str> = entry.handoff.payload.iter().collect();
        let step = format!(
            "add each of these to the task text, as a line `Name: …` or under a heading: {}",
            all.join(", ")
        );
        Some((entry.source.clone(), format!("the handoff lacks its {part}"), step))
    })
}

/// What the policy says about the receiver.
fn receivers<'a>(seen: &Seen<'a>) -> impl Iterator<Item = &'a AgentEntry> {
    let to = seen.event.call.receiver();
    seen.settings.agents.iter().filter(move |entry| entry.name == "*" || Some(entry.name.as_str()) == to)
}

fn unknown(seen: &Seen<'_>) -> Option<Wrong> {
    let entry = seen.settings.handoff.iter().find(|entry| entry.handoff.known_receivers)?;
    let to = seen.event.call.receiver();
    if seen.settings.agents.iter().any(|agent| Some(agent.name.as_str()) == to) {
        return None;
    }
    let known: Vec<&str> =
        seen.settings.agents.iter().map(|agent| agent.name.as_str()).filter(|name| *name != "*").collect();
    let message = format!("the policy has no agent `{}`", to.unwrap_or("without a name"));
    Some((entry.source.clone(), message, format!("hand it to one of: {}", known.join(", "))))
}

fn unable(seen: &Seen<'_>) -> Option<Wrong> {
    let needs = needs(&seen.event.call);
    receivers(seen).find_map(|entry| {
        let need = needs.iter().find(|need| CAPABILITIES.contains(&need.as_str()) && lacking(entry, need))?;
        let message = format!("`{}` does not have the capability `{need}` that this work needs", entry.name);
        Some((
            entry.source.clone(),
            message,
            "hand it to an agent that can, or do this part yourself".to_owned(),
        ))
    })
}

fn spent(seen: &Seen<'_>) -> Option<Wrong> {
    let spent = |entry: &&AgentEntry| {
        entry.agent.budget.as_ref().is_some_and(|budget| budget.is_spent(seen.session, seen.now_ms))
    };
    let entry = receivers(seen).find(spent)?;
    let message = format!("the budget of `{}` is used up", entry.name);
    Some((entry.source.clone(), message, "report what is done and what is left".to_owned()))
}

fn locked(seen: &Seen<'_>) -> Option<Wrong> {
    let call = &seen.event.call;
    let minutes = category::lock_minutes(seen.settings, call)?;
    let lock = seen.session.locks.iter().find(|lock| lock.is_against(call, minutes.1, seen.now_ms))?;
    let message = format!(
        "`{}`, which this handoff names, is being written by {}",
        lock.path,
        category::holder(lock, &call.session)
    );
    Some((minutes.0, message, "wait until it is done, or hand over other files".to_owned()))
}
