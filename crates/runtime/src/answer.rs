//! A person's answer goes into the ledger.

use crate::broken::Broken;
use crate::clock::now_ms;
use crate::gate::Gate;
use toolgate_core::{Answer, Context, Entry, Request, WARNINGS_ANSWERED, warned_mark};
use toolgate_store::{Sqlite, Store};

impl Gate {
    /// Records an answer to a request.
    ///
    /// # Errors
    /// If it cannot be recorded; then it does not count.
    pub fn answer(&mut self, request: &Request, answer: Answer) -> Result<(), Broken> {
        let context = about(request, self.policy().revision());
        let seq = record(&mut self.store, &context, request, answer)?;
        self.checkpoint(seq);
        Ok(())
    }
}

/// What the records of an answer are about; `policy` is the revision in force.
pub(crate) fn about(request: &Request, policy: &str) -> Context {
    Context {
        host: "toolgate".to_owned(),
        session: request.session.clone(),
        agent: request.agent.clone(),
        policy: policy.to_owned(),
    }
}

/// Records an answer; the number of the last record. Guards that ask because
/// they warned too often begin to count again.
pub(crate) fn record(
    store: &mut Sqlite,
    context: &Context,
    request: &Request,
    answer: Answer,
) -> Result<u64, Broken> {
    let asking = request.asks.clone();
    let mut turn = store.begin()?;
    let keys: Vec<String> = asking.iter().map(|guard| warned_mark(guard)).collect();
    let warned = turn.marks(&request.session, &keys)?;
    let mut seq = turn.append(now_ms(), context, Entry::Answered(answer))?.seq;
    for text in asking.into_iter().filter(|guard| warned.contains_key(&warned_mark(guard))) {
        let what = WARNINGS_ANSWERED.to_owned();
        seq = turn.append(now_ms(), context, Entry::Noted { what, text })?.seq;
    }
    turn.commit()?;
    Ok(seq)
}
