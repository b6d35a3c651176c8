//! A person's answer goes into the ledger.

use crate::broken::Broken;
use crate::gate::{Gate, now_ms};
use toolgate_core::{Answer, Context, Decided, Entry, Outcome, Request, WARNINGS_ANSWERED, warned_mark};
use toolgate_store::Store;

/// How many records are looked at together.
const BATCH: u32 = 500;

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
        let asking = self.asking(request)?;
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

    /// The guards a request is about.
    fn asking(&self, request: &Request) -> Result<Vec<String>, Broken> {
        let mut before = u64::MAX;
        loop {
            let batch = self.store.records_before(before, BATCH)?;
            let found = batch.iter().find_map(|record| match &record.entry {
                Entry::Decided(decided) if decided.request.as_ref() == Some(&request.id) => Some(decided),
                _ => None,
            });
            if let Some(decided) = found {
                return Ok(guards_that_ask(decided));
            }
            match batch.last() {
                Some(last) if last.time_ms >= request.made_ms => before = last.seq,
                _ => return Ok(Vec::new()),
            }
        }
    }
}

fn guards_that_ask(decided: &Decided) -> Vec<String> {
    let ask = decided.findings.iter().filter(|finding| finding.outcome == Outcome::Escalate);
    ask.map(|finding| finding.guard.clone()).collect()
}
