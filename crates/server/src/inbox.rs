//! Requests and answers, through the runtime: what the `inbox` verbs do.
//!
//! The store is blocking, so each piece of work has a thread of its own and
//! opens what it needs: nothing is older than the page that shows it.

use crate::failure::Failure;
use crate::{App, Shared};
use axum::http::StatusCode;
use std::collections::BTreeMap;
use std::path::Path;
use toolgate_core::{Answer, Extent, Proof, Record, Request, RequestState, Tally, Word};
use toolgate_runtime::{
    Approver, Gate, Passphrase, Setup, find_project, kept_checkpoints, now_ms, sign_answer, trusted_key,
};
use toolgate_store::{Store, Verified, Which};

/// Runs blocking work away from the threads that serve.
pub(crate) async fn apart<T: Send + 'static>(
    app: &Shared,
    work: impl FnOnce(&App) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let app = app.clone();
    let done = tokio::task::spawn_blocking(move || work(&app)).await;
    done.unwrap_or_else(|_| {
        Err(Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "The work was not finished.", "Try again."))
    })
}

impl App {
    fn gate(&self) -> Result<Gate, Failure> {
        Ok(Gate::open(self.setup.clone())?.0)
    }

    /// Requests, the newest first.
    pub(crate) fn requests(&self) -> Result<Vec<Request>, Failure> {
        let mut requests = self.gate()?.store().requests(Which::All)?;
        requests.sort_by_key(|request| std::cmp::Reverse(request.made_ms));
        Ok(requests)
    }

    /// One request by its whole id.
    pub(crate) fn request(&self, id: &str) -> Result<Request, Failure> {
        let found = self.gate()?.store().request(id)?;
        let cure = "It may be a request of another user of this machine.";
        found.ok_or_else(|| Failure::new(StatusCode::NOT_FOUND, "There is no such request.", cure))
    }

    /// Whether answers need the passphrase.
    pub(crate) fn needs_passphrase(&self) -> Result<bool, Failure> {
        Ok(Approver::load(&self.setup.dirs)?.is_some())
    }

    /// Records an answer, and says what became of the request: of racing
    /// answers the first in the ledger counts.
    pub(crate) fn answer(&self, id: &str, given: Given) -> Result<Request, Failure> {
        let request = self.request(id)?;
        if !is_waiting(&request) {
            let cure = "A call that is repeated makes a new request.";
            return Err(Failure::new(StatusCode::CONFLICT, "This request waits no longer.", cure));
        }
        if let Some(fault) = given.reach.fault() {
            return Err(Failure::new(StatusCode::UNPROCESSABLE_ENTITY, fault, "Choose another reach."));
        }
        let proof = self.proof(&request, &given)?;
        let project = find_project(Path::new(&request.dir));
        let (mut gate, _) = Gate::open(Setup { project, ..self.setup.clone() })?;
        let Given { word, words, reach, .. } = given;
        let words = words.filter(|words| !words.trim().is_empty());
        gate.answer(
            &request,
            Answer { request: id.to_owned(), word, by: self.person.clone(), words, reach, proof },
        )?;
        self.request(id)
    }

    fn proof(&self, request: &Request, given: &Given) -> Result<Proof, Failure> {
        match Approver::load(&self.setup.dirs)? {
            None => Ok(Proof::Browser),
            Some(approver) => {
                let passphrase = Passphrase::new(given.passphrase.as_deref().unwrap_or_default())?;
                Ok(sign_answer(&approver, &passphrase, request, given.word, &given.reach)?)
            }
        }
    }

    /// Records before a number, the newest first.
    pub(crate) fn records(&self, before: u64, count: u32) -> Result<Vec<Record>, Failure> {
        Ok(self.gate()?.store().records_before(before, count)?)
    }

    /// The rules in force, each with how often it spoke.
    pub(crate) fn rules(&self) -> Result<Vec<RuleLine>, Failure> {
        let mut gate = self.gate()?;
        let hits = hits(gate.store())?;
        let line = |entry: toolgate_core::RuleEntry| RuleLine {
            hits: hits.get(&entry.rule.id).copied().unwrap_or(0),
            id: entry.rule.id,
            kind: entry.rule.kind.name(),
            reason: entry.rule.reason,
            source: entry.source.to_string(),
        };
        Ok(gate.policy().entries().into_iter().map(line).collect())
    }

    /// Whether the ledger is what was written.
    pub(crate) fn verified(&self) -> Result<Verified, Failure> {
        let dirs = &self.setup.dirs;
        let (trusted, kept) = (trusted_key(dirs), kept_checkpoints(dirs));
        Ok(self.gate()?.store().verify(trusted.as_deref(), &kept)?)
    }

    /// Grows with every record: what live pages wait for.
    pub(crate) fn head(&self) -> Result<u64, Failure> {
        Ok(self.gate()?.store().head()?.map_or(0, |head| head.checkpoint.seq))
    }
}

/// A person's answer as it came in.
pub(crate) struct Given {
    pub word: Word,
    pub words: Option<String>,
    pub reach: Extent,
    pub passphrase: Option<String>,
}

/// One rule for the page of rules.
pub(crate) struct RuleLine {
    pub id: String,
    pub kind: &'static str,
    pub reason: String,
    pub source: String,
    pub hits: u64,
}

/// Whether somebody can still answer.
pub(crate) fn is_waiting(request: &Request) -> bool {
    request.state == RequestState::Pending && !request.is_over(now_ms())
}

fn hits(store: &dyn Store) -> Result<BTreeMap<String, u64>, Failure> {
    let mut tally = Tally::default();
    let mut after = 0;
    loop {
        let batch = store.records_after(after, 1000)?;
        let Some(last) = batch.last() else { break };
        after = last.seq;
        batch.iter().for_each(|record| tally.add(record));
    }
    Ok(tally.guards.into_iter().map(|(id, guard)| (id, guard.spoke)).collect())
}
