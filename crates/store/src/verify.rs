//! Checks a stored ledger from the first record to the signed head, and the
//! sessions and requests kept next to it against a replay.

use crate::Store;
use crate::error::StoreError;
use crate::pins::key_of;
use crate::sqlite::{Sqlite, mark_name};
use crate::supervision::Supervised;
use std::collections::{BTreeMap, VecDeque};
use std::num::NonZero;
use toolgate_core::{
    Checker, Checkpoint, Entry, FirstBad, Head, Lock, LockChange, Mark, Pin, Record, Request, Session,
    digest_of, lock_change, marks_of, verify_head,
};

const BATCH: u32 = 2000;

/// What checking found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verified {
    /// Everything is as it was written.
    Intact {
        /// How many records.
        records: u64,
    },
    /// Something was changed.
    Broken(FirstBad),
}

/// A stored line, read and hashed.
struct Parsed {
    record: Result<Record, String>,
    /// Kept where it is no record.
    body: String,
    hash: String,
    fits: bool,
}

impl Parsed {
    fn of((_, body, hash): (u64, String, String)) -> Parsed {
        let fits = digest_of(body.as_bytes()) == hash;
        let record = serde_json::from_str(&body).map_err(|error| error.to_string());
        let body = if record.is_ok() { String::new() } else { body };
        Parsed { record, body, hash, fits }
    }
}

struct Replay {
    checker: Checker,
    sessions: BTreeMap<String, Session>,
    requests: BTreeMap<String, Request>,
    marks: BTreeMap<String, Mark>,
    locks: BTreeMap<String, Lock>,
    supervision: Supervised,
    pins: BTreeMap<String, Pin>,
    /// Checkpoints kept elsewhere and not met yet.
    kept: BTreeMap<u64, String>,
}

/// See [`Store::verify`].
pub(crate) fn verify(
    store: &Sqlite,
    trusted: Option<&str>,
    kept: &[Checkpoint],
) -> Result<Verified, StoreError> {
    let genuine = kept.iter().filter(|point| verify_head(point, trusted));
    let kept = genuine.map(|point| (point.checkpoint.seq, point.checkpoint.hash.clone())).collect();
    let mut replay = Replay {
        checker: Checker::new(),
        sessions: BTreeMap::new(),
        requests: BTreeMap::new(),
        marks: BTreeMap::new(),
        locks: BTreeMap::new(),
        supervision: Supervised::default(),
        pins: BTreeMap::new(),
        kept,
    };
    if let Err(bad) = replay.all(store)? {
        return Ok(Verified::Broken(bad));
    }
    let end = replay.checker.head();
    if let Some(bad) = check_head(end.as_ref(), store.head()?.as_ref(), trusted).or_else(|| replay.missing())
    {
        return Ok(Verified::Broken(bad));
    }
    let records = end.map_or(0, |head| head.seq);
    if store.count()? != records {
        let why = "a record with a number below 1 was added".to_owned();
        return Ok(Verified::Broken(FirstBad { index: records.saturating_add(1), why }));
    }
    if let Some((index, why)) = store.head_file_fault()? {
        return Ok(Verified::Broken(FirstBad { index, why }));
    }
    if let Some(object) = store.foreign_object()? {
        let why = format!("the {object} has an unexpected definition: another program changed the file");
        return Ok(Verified::Broken(FirstBad { index: records, why }));
    }
    if let Some(why) = replay.difference(store)? {
        return Ok(Verified::Broken(FirstBad { index: records, why }));
    }
    Ok(Verified::Intact { records })
}

fn check_head(end: Option<&Head>, head: Option<&Checkpoint>, trusted: Option<&str>) -> Option<FirstBad> {
    let last = end.map_or(0, |head| head.seq);
    let after = |why: &str| Some(FirstBad { index: last.saturating_add(1), why: why.to_owned() });
    match (end, head) {
        (None, None) => None,
        (Some(_), None) => after("the signed head is missing"),
        (_, Some(signed)) if !verify_head(signed, trusted) => after("the signature of the head is invalid"),
        (Some(end), Some(signed)) if *end == signed.checkpoint => None,
        (_, Some(signed)) if signed.checkpoint.seq > last => {
            after("is missing: the end of the ledger was cut off")
        }
        (_, Some(signed)) if signed.checkpoint.seq < last => {
            let why = "was added without the signing key".to_owned();
            Some(FirstBad { index: signed.checkpoint.seq.saturating_add(1), why })
        }
        (_, Some(_)) => after("the newest record is not the signed one"),
    }
}

impl Replay {
    /// One batch is read and folded here while others are hashed and parsed by other threads.
    fn all(&mut self, store: &Sqlite) -> Result<Result<(), FirstBad>, StoreError> {
        let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
        std::thread::scope(|scope| {
            let mut after = 0;
            let mut under_way = VecDeque::new();
            loop {
                while under_way.len() < workers.saturating_mul(2) {
                    let lines = store.lines_after(after, BATCH)?;
                    let Some((last, _, _)) = lines.last() else { break };
                    after = *last;
                    under_way.push_back(
                        scope.spawn(move || lines.into_iter().map(Parsed::of).collect::<Vec<_>>()),
                    );
                }
                let Some(batch) = under_way.pop_front() else { return Ok(Ok(())) };
                let batch = batch
                    .join()
                    .map_err(|_| StoreError::Damaged { why: "a check ended early".to_owned() })?;
                for parsed in batch {
                    if let Err(bad) = self.one(parsed) {
                        return Ok(Err(bad));
                    }
                }
            }
        })
    }

    fn one(&mut self, parsed: Parsed) -> Result<(), FirstBad> {
        let Parsed { record, body, hash, fits } = parsed;
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                // What is wrong with the chain is told first.
                self.checker.step(&body, &hash)?;
                return Err(self.bad(format!("is not a record: {error}")));
            }
        };
        self.checker.follow(&record, &hash, fits)?;
        if self.kept.remove(&record.seq).is_some_and(|kept| kept != hash) {
            return Err(self.bad("differs from a checkpoint: the ledger was rewritten".to_owned()));
        }
        self.fold(&record);
        Ok(())
    }

    fn bad(&self, why: String) -> FirstBad {
        FirstBad { index: self.checker.head().map_or(0, |head| head.seq), why }
    }

    fn missing(&self) -> Option<FirstBad> {
        let (seq, _) = self.kept.first_key_value()?;
        Some(FirstBad {
            index: *seq,
            why: "is missing although a checkpoint covers it: the ledger was cut or replaced".to_owned(),
        })
    }

    fn fold(&mut self, record: &Record) {
        let id = &record.context.session;
        if !id.is_empty() {
            let before = self.sessions.remove(id).unwrap_or_else(|| Session::new(id));
            let after = before.after(record);
            for key in marks_of(record) {
                let mark = self.marks.entry(mark_name(id, &key)).or_default();
                *mark = mark.after(record, after.calls);
            }
            self.sessions.insert(id.clone(), after);
        }
        self.fold_locks(record);
        if let Entry::Pinned(change) = &record.entry {
            let key = key_of(&change.server, &change.tool);
            let after = change.after(self.pins.remove(&key), record.time_ms);
            self.pins.extend(after.map(|pin| (key, pin)));
        }
        self.supervision.fold(record, |id| self.requests.get(id).cloned());
        if let Entry::Requested(request) = &record.entry {
            self.requests.insert(request.id.clone(), request.clone());
        } else if let Some((id, before)) =
            record.entry.request().and_then(|id| self.requests.remove_entry(id))
        {
            self.requests.insert(id, before.after(&record.entry, record.time_ms));
        }
    }

    fn fold_locks(&mut self, record: &Record) {
        match lock_change(record) {
            Some(LockChange::Taken(locks)) => {
                self.locks.extend(locks.into_iter().map(|lock| (lock.path.clone(), lock)));
            }
            Some(LockChange::EndOfSession(session)) => self.locks.retain(|_, lock| lock.session != session),
            Some(LockChange::EndOfAgent(session, agent)) => {
                self.locks.retain(|_, lock| lock.session != session || lock.agent != agent);
            }
            None => {}
        }
    }

    fn difference(&self, store: &Sqlite) -> Result<Option<String>, StoreError> {
        let (sessions, requests) = store.projections()?;
        // A session nothing happened in yet is not stored.
        let lived: BTreeMap<_, _> =
            self.sessions.iter().filter(|(id, session)| **session != Session::new(id)).collect();
        let session = first_difference(&lived, &sessions)
            .map(|id| format!("session `{id}` does not match its records"));
        let request = || {
            let expected = self.requests.iter().collect();
            first_difference(&expected, &requests)
                .map(|id| format!("request `{id}` does not match its records"))
        };
        let marks = store.marks()?;
        let mark = || {
            let changed = first_difference(&self.marks.iter().collect(), &marks)?;
            let (session, key) = changed.split_once('\n').unwrap_or((&changed, ""));
            Some(format!("the counter `{key}` of session `{session}` does not match its records"))
        };
        let locks = store.locks()?;
        let lock = || {
            first_difference(&self.locks.iter().collect(), &locks)
                .map(|path| format!("the lock on `{path}` does not match its records"))
        };
        let kept = store.supervision()?;
        let supervised = || {
            let health = first_difference(&self.supervision.health.iter().collect(), &kept.health);
            let answer = || first_difference(&self.supervision.answers.iter().collect(), &kept.answers);
            health
                .or_else(answer)
                .map(|name| format!("the data of supervisor `{name}` does not match its records"))
        };
        let pins = store.pin_rows()?;
        let pin = || {
            let changed = first_difference(&self.pins.iter().collect(), &pins)?;
            let (_, tool) = changed.split_once('\n').unwrap_or(("", &changed));
            Some(format!("the pin of tool `{tool}` does not match its records"))
        };
        Ok(session.or_else(request).or_else(mark).or_else(lock).or_else(supervised).or_else(pin))
    }
}

/// The first id that is missing, too much or different.
fn first_difference<T: PartialEq>(
    expected: &BTreeMap<&String, &T>,
    stored: &BTreeMap<String, Option<T>>,
) -> Option<String> {
    let changed =
        // A row whose columns and body disagree is no one's.
        stored.iter().find(|(id, row)| row.is_none() || expected.get(id).copied() != row.as_ref()).map(|(id, _)| id);
    let missing = expected.keys().copied().find(|id| !stored.contains_key(*id));
    changed.or(missing).cloned()
}
