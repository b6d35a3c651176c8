//! A host that would ask its person, or a reviewer of its own, about a call the gate
//! has judged before: a yes there must not pass what the gate refused, and a call it
//! let through is not asked about twice.

use crate::broken::Broken;
use crate::clock::now_ms;
use crate::gate::{Gate, context};
use toolgate_core::{Entry, Event, EventKind, HostAnswer, Record, Verdict, agent_text};
use toolgate_store::Store;

/// Records among which the judgement of the call is looked for.
const RECENT_MAX: u32 = 1_000;

impl Gate {
    /// What the host is told; `None` if the gate never let the call through, which is then
    /// judged like any other.
    ///
    /// # Errors
    /// If it cannot be looked up or recorded.
    pub fn permission(&mut self, event: &Event) -> Result<Option<HostAnswer>, Broken> {
        let Gate { scene, store, .. } = self;
        let mut turn = store.begin()?;
        let recent = turn.recent_of(&event.call.session, RECENT_MAX)?;
        if !was_let_through(event, &recent) {
            return Ok(None);
        }
        let session = turn.session(&event.call.session)?;
        let decision = scene.look(event, &session);
        let approved = decision.verdict == Verdict::Allow && decision.is_approved();
        let text = "the host would ask its person about a call that was let through".to_owned();
        let entry = Entry::Noted { what: "permission".to_owned(), text };
        let seq = turn.append(now_ms(), &context(event, scene.policy()), entry)?.seq;
        turn.commit()?;
        self.checkpoint(seq);
        let told =
            if approved { HostAnswer::Approved { text: agent_text(&decision) } } else { HostAnswer::Silence };
        Ok(Some(told))
    }
}

/// Whether the newest judgement of this very call let it run.
fn was_let_through(event: &Event, recent: &[Record]) -> bool {
    let arguments = event.call.arguments_digest();
    let judged = recent.iter().find_map(|record| match &record.entry {
        Entry::Decided(decided) if decided.event == EventKind::PreExecution => {
            (decided.arguments == arguments).then_some(decided.delivered)
        }
        _ => None,
    });
    matches!(judged, Some(Verdict::Allow | Verdict::Warn))
}
