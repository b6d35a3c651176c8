//! Requests and answers, through the runtime: what the `inbox` verbs do.
//!
//! The store is blocking, so each piece of work has a thread of its own.
//! Nothing is older than the page that shows it.

use crate::failure::Failure;
use crate::peer::{Objection, Peer};
use crate::{App, Shared};
use axum::http::StatusCode;
use std::collections::{HashMap, HashSet};
use std::sync::PoisonError;
use toolgate_core::{
    Answer, Extent, Policy, Record, Request, RequestState, Tally, Word, count, visible, words_fault,
};
use toolgate_runtime::{ASKERS_MAX, Broken, Desk, NotAPerson, load, now_ms, trusted_key, verify_ledger};
use toolgate_store::{Behind, Part, Sqlite, Store, Verified, WaitingLine};

/// So many requests about one call are looked at.
const ALIKE_MAX: u32 = 100;

/// A ledger longer than this is checked when someone asks for it, not by
/// looking at its page.
const VERIFIED_UNASKED_MAX: u64 = 5_000;

/// Runs blocking work away from the threads that serve.
pub(crate) async fn on_blocking_thread<T: Send + 'static>(
    app: &Shared,
    work: impl FnOnce(&App) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let app = app.clone();
    let done = tokio::task::spawn_blocking(move || work(&app)).await;
    done.unwrap_or_else(|_| {
        Err(Failure::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "The server could not finish the request.",
            "Try again.",
        ))
    })
}

/// What is known about the whole ledger.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proven {
    /// How many records there are now.
    pub head: u64,
    /// Up to which record the last check looked; 0 if there was none.
    pub checked: u64,
    /// What it found.
    pub whole: bool,
    /// The same in words.
    pub text: String,
}

impl App {
    /// The policy in force; none if it is broken, which [`crate::notice`] tells.
    pub(crate) fn policy(&self) -> Option<Policy> {
        load(&self.setup.dirs, &self.setup.project).ok().map(|(policy, _)| policy)
    }

    /// Reads the ledger.
    pub(crate) fn store<T>(
        &self,
        look: impl FnOnce(&mut Sqlite) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.stores.with(&self.setup.dirs, look)
    }

    /// Requests of one sort, the newest first.
    pub(crate) fn page(&self, part: Part, behind: &Behind, limit: u32) -> Result<Vec<Request>, Failure> {
        let found = self.store(|store| Ok(store.requests_page(part, now_ms(), behind, limit)?))?;
        let stands = |request: &Request| {
            let unused = matches!(request.state, RequestState::Approved { .. }) || request.is_standing();
            unused && !request.is_over(now_ms())
        };
        Ok(found.into_iter().filter(|request| part != Part::Granted || stands(request)).collect())
    }

    /// What waits, each with how many more sessions ask alike, the newest first:
    /// what is alike is put together before it is parted into pages.
    pub(crate) fn waiting(&self, behind: &Behind, limit: usize) -> Result<Vec<(Request, usize)>, Failure> {
        self.store(|store| {
            let lines = store.waiting_lines(now_ms())?;
            let mut heads = heads(store, &lines)?;
            heads.retain(|(line, _)| (line.made_ms, &line.id) < (behind.made_ms, &behind.id));
            let mut found = Vec::new();
            for (line, alike) in heads.into_iter().take(limit) {
                found.extend(store.request(&line.id)?.map(|request| (request, alike)));
            }
            Ok(found)
        })
    }

    /// How many there are of one sort.
    pub(crate) fn count(&self, part: Part) -> Result<u64, Failure> {
        self.store(|store| Ok(store.requests_count(part, now_ms())?))
    }

    /// One request by its whole id.
    pub(crate) fn request(&self, id: &str) -> Result<Request, Failure> {
        let found = self.store(|store| Ok(store.request(id)?))?;
        let cure =
            "Check the id, or find the request in the inbox. It may belong to another user of this machine.";
        found.ok_or_else(|| Failure::new(StatusCode::NOT_FOUND, "Request not found.", cure))
    }

    /// What other sessions ask alike, as long as it waits.
    pub(crate) fn alike(&self, request: &Request) -> Result<Vec<Request>, Failure> {
        let same = self.store(|store| Ok(store.requests_about(&request.arguments, ALIKE_MAX)?))?;
        Ok(same.into_iter().filter(|other| is_waiting(other) && other.is_like(request)).collect())
    }

    /// What an agent sends, or a program below one, is no one's word.
    pub(crate) fn refuse_agent(&self, peer: Peer) -> Result<(), Failure> {
        let askers = self.store(|store| Ok(store.askers(ASKERS_MAX)?))?;
        match peer.objection(self.setup.agents, &askers) {
            Some(Objection::Agent(mark)) => Err(Failure::from(NotAPerson::AgentAbove { mark })),
            Some(Objection::Gone) => Err(Failure::from(NotAPerson::Gone)),
            None => Ok(()),
        }
    }

    /// Records an answer, and says what became of the request: of racing
    /// answers the first in the ledger counts.
    pub(crate) fn answer(&self, id: &str, given: Given) -> Result<Request, Failure> {
        self.refuse_agent(given.peer)?;
        let request = self.request(id)?;
        if !is_waiting(&request) {
            let cure = "If the agent repeats the call, a new request appears.";
            return Err(Failure::new(StatusCode::CONFLICT, "This request is closed.", cure));
        }
        if let Some(fault) = given.reach.fault_for(&request) {
            let field = match given.reach {
                Extent::For { .. } => "minutes",
                Extent::Always { pattern: Some(_) } => "pattern",
                _ => "scope",
            };
            let failure = Failure::new(StatusCode::UNPROCESSABLE_ENTITY, fault, "Choose another scope.");
            return Err(failure.at(field));
        }
        let unsaid = given.words.as_deref().and_then(words_fault);
        if let Some(fault) = unsaid {
            let failure = Failure::new(StatusCode::UNPROCESSABLE_ENTITY, fault, "Write a shorter message.");
            return Err(failure.at("words"));
        }
        // Only what was on the page: what came to be asked since then was not shown.
        let mut alike = self.alike(&request)?;
        alike.retain(|other| given.alike.contains(&other.id));
        if given.word == Word::Approve {
            // All or none: a yes that would not count is said before one is given.
            std::iter::once(&request).chain(&alike).try_for_each(|one| self.may_approve(one))?;
        }
        self.give(&request, given.reach.clone(), &given)?;
        for other in &alike {
            self.give(other, given.reach.for_others(), &given)?;
        }
        let after = self.request(id)?;
        let is_own = |answer: &Answer| {
            answer.by == self.person && answer.reach == given.reach && answer.words == given.said()
        };
        // Where several must say yes, the narrowest counts, no matter who said it.
        let shared = after.progress.needs > 1 || after.decisive_answer().is_none_or(is_own);
        if after.took(given.word, &self.person) && shared {
            return Ok(after);
        }
        // Of answers that race one counts; whose does not must hear it.
        let what = format!("Already answered: this request is {}.", after.state.name());
        Err(Failure::new(StatusCode::CONFLICT, what, "Your answer was recorded and has no effect."))
    }

    /// A yes needs a policy, and someone who has not said it under another name.
    fn may_approve(&self, request: &Request) -> Result<(), Failure> {
        // The server is well; it is the policy that lets no yes happen.
        let closed = |broken: Broken| Failure::new(StatusCode::CONFLICT, broken.what, broken.cure);
        Desk::open(&self.setup.dirs)?.may_approve(request).map_err(closed)?;
        match request.yes_fault(&self.person, self.key()?.as_deref()) {
            Some(fault) => Err(Failure::new(StatusCode::CONFLICT, fault, "You can still deny it.")),
            None => Ok(()),
        }
    }

    /// Each request has its own answer, and its own proof.
    fn give(&self, request: &Request, reach: Extent, given: &Given) -> Result<(), Failure> {
        let proof = self.proof(request, &reach, given)?;
        let words = given.said();
        let (request_id, word, by) = (request.id.clone(), given.word, self.person.clone());
        Desk::open(&self.setup.dirs)?
            .answer(request, Answer { request: request_id, word, by, words, reach, proof })?;
        Ok(())
    }

    /// Records before a number, the newest first.
    pub(crate) fn records(&self, before: u64, count: u32) -> Result<Vec<Record>, Failure> {
        self.store(|store| Ok(store.records_before(before, count)?))
    }

    /// One record as it is stored, with its hash.
    pub(crate) fn lines(&self, seq: u64) -> Result<Vec<(u64, String, String)>, Failure> {
        self.store(|store| Ok(store.lines_after(seq.saturating_sub(1), 1)?))
    }

    /// How many events were judged, and the rules in force, each with how often
    /// it spoke.
    pub(crate) fn rules(&self) -> Result<(u64, Vec<RuleLine>), Failure> {
        let entries = self.policy().map(|policy| policy.entries()).unwrap_or_default();
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        self.store(|store| counted.go_on(store))?;
        let line = |entry: toolgate_core::RuleEntry| {
            let tally = counted.tally.guards.get(&entry.rule.id);
            RuleLine {
                hits: tally.map_or(0, |tally| tally.spoke),
                blocked: tally.map_or(0, |tally| tally.blocked),
                asked: tally.map_or(0, |tally| tally.escalated),
                last_ms: tally.map_or(0, |tally| tally.last_ms),
                id: entry.rule.id,
                kind: entry.rule.kind.name(),
                reason: visible(&entry.rule.reason),
                source: entry.source.to_string(),
            }
        };
        Ok((counted.tally.judged, entries.into_iter().map(line).collect()))
    }

    /// Whether the ledger is what was written, as far as that was looked at.
    pub(crate) fn proven(&self, asked: bool) -> Result<Proven, Failure> {
        let head = self.head()?;
        let mut last = self.proven.lock().unwrap_or_else(PoisonError::into_inner);
        if asked || head <= VERIFIED_UNASKED_MAX {
            let (whole, text) = match self.verified()? {
                Verified::Intact { records } => (
                    true,
                    format!(
                        "{} verified: every hash matches, the head is signed, nothing is missing.",
                        count(records, "record")
                    ),
                ),
                Verified::Broken(bad) => (false, visible(&bad.to_string())),
            };
            *last = Proven { head, checked: head, whole, text };
        }
        last.head = head;
        Ok(last.clone())
    }

    fn verified(&self) -> Result<Verified, Failure> {
        let dirs = &self.setup.dirs;
        let trusted = trusted_key(dirs);
        self.store(|store| Ok(verify_ledger(store, dirs, trusted.as_deref(), Vec::new())?))
    }

    /// Grows with every record: what live pages wait for.
    pub(crate) fn head(&self) -> Result<u64, Failure> {
        self.store(|store| Ok(store.head()?.map_or(0, |head| head.checkpoint.seq)))
    }
}

/// Of what several sessions ask alike the newest, with how many more there are.
fn heads<'a>(store: &Sqlite, lines: &'a [WaitingLine]) -> Result<Vec<(&'a WaitingLine, usize)>, Failure> {
    let mut sessions: HashMap<&str, HashSet<&str>> = HashMap::new();
    for line in lines {
        sessions.entry(&line.arguments).or_default().insert(&line.session);
    }
    let mut shown: Vec<(&WaitingLine, usize)> = Vec::new();
    // Where the newest of each likeness is shown, and its session.
    let mut newest: HashMap<String, (usize, &str)> = HashMap::new();
    for line in lines {
        let alone = sessions.get(line.arguments.as_str()).is_none_or(|sessions| sessions.len() < 2);
        let request = if alone { None } else { store.request(&line.id)? };
        let likeness = request.filter(|request| request.bypass.is_none()).map(|request| likeness(&request));
        let known = likeness.as_ref().and_then(|likeness| newest.get(likeness));
        if let Some((at, _)) = known.filter(|(_, session)| *session != line.session)
            && let Some((_, more)) = shown.get_mut(*at)
        {
            *more = more.saturating_add(1);
            continue;
        }
        if let Some(likeness) = likeness {
            newest.entry(likeness).or_insert((shown.len(), &line.session));
        }
        shown.push((line, 0));
    }
    Ok(shown)
}

/// The same for requests that [`Request::is_like`] calls alike, and for no others.
fn likeness(request: &Request) -> String {
    let call = (&request.arguments, &request.tool, &request.dir);
    let shown = (&request.title, &request.input, &request.agent);
    serde_json::json!((call, shown, &request.asks, &request.why, request.progress.needs)).to_string()
}

/// A person's answer as it came in.
pub(crate) struct Given {
    pub word: Word,
    pub words: Option<String>,
    pub reach: Extent,
    pub passphrase: Option<String>,
    /// Requests of other sessions that are to get the same answer.
    pub alike: Vec<String>,
    /// Where it came from.
    pub peer: Peer,
}

impl Given {
    /// Its words, if there are any.
    fn said(&self) -> Option<String> {
        self.words.clone().filter(|words| !words.trim().is_empty())
    }
}

/// One rule for the page of rules.
pub(crate) struct RuleLine {
    pub id: String,
    pub kind: &'static str,
    pub reason: String,
    pub source: String,
    pub hits: u64,
    pub blocked: u64,
    pub asked: u64,
    pub last_ms: i64,
}

/// Whether someone can still answer.
pub(crate) fn is_waiting(request: &Request) -> bool {
    request.state == RequestState::Pending && !request.is_over(now_ms())
}

/// Counts over the records read so far; only new ones are read again.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    after: u64,
    tally: Tally,
}

impl Counted {
    fn go_on(&mut self, store: &dyn Store) -> Result<(), Failure> {
        loop {
            let batch = store.records_after(self.after, 1000)?;
            // In an altered ledger numbers need not grow.
            let Some(last) = batch.last().filter(|last| last.seq > self.after) else { return Ok(()) };
            self.after = last.seq;
            batch.iter().for_each(|record| self.tally.add(record));
        }
    }
}
