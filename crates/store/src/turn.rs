//! One turn: what a verdict depends on is read, and its records are appended, in
//! one transaction. Nothing is judged here.

use crate::error::StoreError;
use crate::head_file;
use crate::projection::{self, mark, number, request};
use crate::sqlite::{bodies, head, newest_ms};
use crate::{LOST, Turn, pins, queue, supervision};
use ed25519_dalek::SigningKey;
use rusqlite::{OptionalExtension, params};
use std::fs::File;
use toolgate_core::{
    Checkpoint, Context, Entry, Head, Health, KeptAnswer, Lock, Marks, Pin, Record, Request, Session,
    genesis, seal, sign_head,
};

/// See [`Turn`].
pub(crate) struct SqliteTurn<'a> {
    turn: rusqlite::Transaction<'a>,
    key: &'a SigningKey,
    signed: &'a mut Option<Checkpoint>,
    head_file: Option<File>,
    /// Whether it has recorded anything.
    has_news: bool,
    /// Given up when the turn is over, and not before: the next one need not look twice.
    _place: queue::Place,
}

impl Turn for SqliteTurn<'_> {
    fn session(&mut self, id: &str) -> Result<Session, StoreError> {
        projection::session(&self.turn, id)
    }

    fn marks(&mut self, session: &str, keys: &[String]) -> Result<Marks, StoreError> {
        let mut found = Marks::new();
        for key in keys {
            found.extend(mark(&self.turn, session, key)?.map(|mark| (key.clone(), mark)));
        }
        Ok(found)
    }

    fn record(&mut self, seq: u64) -> Result<Option<Record>, StoreError> {
        let found = bodies(&self.turn, "SELECT body FROM ledger WHERE seq = ?1", [number(seq)])?;
        Ok(found.first().map(|body| serde_json::from_str(body)).transpose()?)
    }

    fn recent_of(&mut self, session: &str, among: u32) -> Result<Vec<Record>, StoreError> {
        let sql = "SELECT body FROM (SELECT seq, body FROM ledger ORDER BY seq DESC LIMIT ?2)
                   WHERE body -> 'context' ->> 'session' = ?1 ORDER BY seq DESC";
        let found = bodies(&self.turn, sql, params![session, among])?;
        found.iter().map(|body| Ok(serde_json::from_str(body)?)).collect()
    }

    fn locks(&mut self, paths: &[String]) -> Result<Vec<Lock>, StoreError> {
        let mut found = Vec::new();
        for path in paths {
            found.extend(projection::locks(&self.turn, path)?);
        }
        Ok(found)
    }

    fn request_used_by(
        &mut self,
        session: &str,
        arguments: &str,
        call: &str,
    ) -> Result<Option<Request>, StoreError> {
        let sql = "SELECT body FROM request WHERE is_open = 0 AND session = ?1 AND arguments = ?2";
        let requests: Result<Vec<Request>, StoreError> = bodies(&self.turn, sql, [session, arguments])?
            .iter()
            .map(|body| Ok(serde_json::from_str(body)?))
            .collect();
        Ok(requests?.into_iter().find(|request| request.is_used_by(Some(call))))
    }

    fn open_requests(&mut self, session: &str, arguments: &str) -> Result<Vec<Request>, StoreError> {
        let sql =
            "SELECT body FROM request WHERE is_open = 1 AND session = ?1 AND arguments = ?2 ORDER BY id DESC";
        let found: Result<Vec<Request>, StoreError> = bodies(&self.turn, sql, [session, arguments])?
            .iter()
            .map(|body| Ok(serde_json::from_str(body)?))
            .collect();
        // The columns only find it; what a person said yes to is in the body.
        Ok(found?.into_iter().filter(|own| own.session == session && own.arguments == arguments).collect())
    }

    fn request(&mut self, id: &str) -> Result<Option<Request>, StoreError> {
        request(&self.turn, id)
    }

    fn request_in_records(&mut self, id: &str) -> Result<Option<Request>, StoreError> {
        // Whatever is about a request names it; the rest need not be parsed.
        let sql = "SELECT body FROM ledger WHERE instr(body, ?1) > 0 ORDER BY seq DESC";
        let mut statement = self.turn.prepare_cached(sql)?;
        let mut rows = statement.query([id])?;
        let mut later: Vec<Record> = Vec::new();
        while let Some(row) = rows.next()? {
            let record: Record = serde_json::from_str(&row.get::<_, String>(0)?)?;
            match &record.entry {
                Entry::Requested(request) if request.id == id => {
                    let fold =
                        |request: Request, record: &Record| request.after(&record.entry, record.time_ms);
                    return Ok(Some(later.iter().rev().fold(request.clone(), fold)));
                }
                entry if entry.request() == Some(id) => later.push(record),
                _ => {}
            }
        }
        Ok(None)
    }

    fn standing_requests(&mut self) -> Result<Vec<Request>, StoreError> {
        let sql = "SELECT body FROM request WHERE is_open = 2 ORDER BY id";
        let found = bodies(&self.turn, sql, [])?;
        found.iter().map(|body| Ok(serde_json::from_str(body)?)).collect()
    }

    fn health(&mut self, supervisor: &str) -> Result<Health, StoreError> {
        supervision::health(&self.turn, supervisor)
    }

    fn supervised(&mut self, shape: &str) -> Result<Option<KeptAnswer>, StoreError> {
        supervision::kept(&self.turn, shape)
    }

    fn pins_of(&mut self, server: &str) -> Result<Vec<Pin>, StoreError> {
        pins::of_server(&self.turn, server)
    }

    fn append(&mut self, time_ms: i64, context: &Context, entry: Entry) -> Result<Record, StoreError> {
        let last = self
            .turn
            .prepare_cached("SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1")?
            .query_row([], |row| Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get::<_, String>(1)?)));
        let (seq, prev) = last.optional()?.unwrap_or_else(|| (0, genesis()));
        let record = Record {
            seq: seq.saturating_add(1),
            time_ms,
            prev,
            context: context.clone(),
            entry: entry.without_secrets(),
        };
        let (body, hash) = seal(&record);
        let mut insert =
            self.turn.prepare_cached("INSERT INTO ledger (seq, body, hash) VALUES (?1, ?2, ?3)")?;
        insert.execute(params![number(record.seq), body, hash])?;
        drop(insert);
        self.write_head(&Head { seq: record.seq, hash })?;
        projection::fold(&self.turn, &record)?;
        Ok(record)
    }

    fn commit(self: Box<Self>) -> Result<(), StoreError> {
        let SqliteTurn { turn, signed, head_file, has_news, .. } = *self;
        turn.commit()?;
        if let (true, Some(file), Some(head)) = (has_news, head_file, signed) {
            head_file::write(&file, head);
        }
        Ok(())
    }
}

impl<'a> SqliteTurn<'a> {
    /// A turn that has begun.
    pub(crate) fn new(
        turn: rusqlite::Transaction<'a>,
        key: &'a SigningKey,
        signed: &'a mut Option<Checkpoint>,
        head_file: Option<File>,
        place: queue::Place,
    ) -> SqliteTurn<'a> {
        SqliteTurn { turn, key, signed, head_file, has_news: false, _place: place }
    }
}

impl SqliteTurn<'_> {
    /// Records that records are gone, once: whatever was counted with them starts again.
    pub(crate) fn note_losses(&mut self) -> Result<(), StoreError> {
        let head = head(&self.turn)?;
        let known = self.head_file.as_ref().map_or(head_file::KnownHead::Nothing, head_file::read);
        let Some(known) = known.other_than(head.as_ref()) else { return Ok(()) };
        let at = number(known.checkpoint.seq);
        let hash: Option<String> = self
            .turn
            .prepare_cached("SELECT hash FROM ledger WHERE seq = ?1")?
            .query_row([at], |row| row.get(0))
            .optional()?;
        if hash.as_ref() == Some(&known.checkpoint.hash) || !is_signed_by(&known, self.key) {
            return Ok(());
        }
        let text = head_file::lost(&known.checkpoint, head.as_ref().map(|head| &head.checkpoint));
        let time_ms = self.newest_ms()?.unwrap_or(0);
        let context = Context { host: "toolgate".to_owned(), ..Context::default() };
        self.append(time_ms, &context, Entry::Noted { what: LOST.to_owned(), text })?;
        Ok(())
    }

    fn newest_ms(&self) -> Result<Option<i64>, StoreError> {
        newest_ms(&self.turn)
    }

    fn write_head(&mut self, head: &Head) -> Result<(), StoreError> {
        let signed = sign_head(head, self.key);
        let sql = "INSERT INTO head (one, seq, hash, key, signature) VALUES (1, ?1, ?2, ?3, ?4)
                   ON CONFLICT (one) DO UPDATE SET seq = ?1, hash = ?2, key = ?3, signature = ?4";
        let mut statement = self.turn.prepare_cached(sql)?;
        statement.execute(params![number(head.seq), head.hash, signed.key, signed.signature])?;
        drop(statement);
        *self.signed = Some(signed);
        self.has_news = true;
        Ok(())
    }
}

fn is_signed_by(known: &Checkpoint, key: &SigningKey) -> bool {
    sign_head(&known.checkpoint, key) == *known
}
