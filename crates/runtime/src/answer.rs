//! A person's answer goes into the ledger.

use crate::broken::Broken;
use crate::gate::{Gate, now_ms};
use toolgate_core::{Answer, Context, Entry, Request, WARNINGS_ANSWERED, warned_mark};
use toolgate_store::Store;

impl Gate {
    /// Records a person's answer to a request. Guards that ask because they
    /// warned too often begin to count anew (C-03).
    ///
    /// # Errors
    /// If it cannot be recorded; then it does not count.
    pub fn answer(&mut self, request: &Request, answer: Answer) -> Result<(), Broken> {
        let context = Context {
            host: "toolgate".to_owned(),
            session: request.session.clone(),
            agent: request.agent.clone(),
            policy: self.policy().revision().to_owned(),
        };
        let asking = request.asks.clone();
        let mut turn = self.store.begin()?;
        let keys: Vec<String> = asking.iter().map(|guard| warned_mark(guard)).collect();
        let warned = turn.marks(&request.session, &keys)?;
        let mut seq = turn.append(now_ms(), &context, Entry::Answered(answer))?.seq;
        for text in asking.into_iter().filter(|guard| warned.contains_key(&warned_mark(guard))) {
            let what = WARNINGS_ANSWERED.to_owned();
            seq = turn.append(now_ms(), &context, Entry::Noted { what, text })?.seq;
        }
        turn.commit()?;
        self.checkpoint(seq);
        Ok(())
    }
}
