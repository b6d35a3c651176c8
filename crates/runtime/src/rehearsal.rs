//! A session as it would be if a call had run in it, for trials of a policy.
//! Nothing is recorded.

use crate::clock::now_ms;
use crate::gate::resulted;
use crate::scene::Scene;
use toolgate_core::{Context, Digest, Entry, Event, EventKind, Record, Session, marks_of};

impl Scene {
    /// The session after a call that ran and succeeded, whatever the guards say about it.
    #[must_use]
    pub fn after_call(&self, event: &Event, session: Session) -> Session {
        let decision = self.look(event, &session);
        let mut session = session.with_call(&decision);
        let done = Event { kind: EventKind::PostExecution, ..event.clone() };
        let facts = self.glance(&done.call).facts;
        let record = Record {
            seq: session.calls,
            time_ms: now_ms(),
            prev: Digest::default(),
            context: Context { session: session.id.clone(), ..Context::default() },
            entry: Entry::Resulted(resulted(self, &facts, &done, &done)),
        };
        for key in marks_of(&record) {
            let mark = session.mark(&key).copied().unwrap_or_default().after(&record, session.calls);
            session.marks.insert(key, mark);
        }
        session.after(&record)
    }
}
