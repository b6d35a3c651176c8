//! What people look through: requests, sessions and records, a page at a time,
//! the newest first. Nothing here is asked on the hook path.

use crate::error::StoreError;
use crate::projection::number;
use crate::sqlite::{Sqlite, bodies};
use rusqlite::params;
use toolgate_core::guards::PROBE_SESSION;
use toolgate_core::{Asker, Record, Request, Session};

/// Which requests to look through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Those someone can still answer.
    Waiting,
    /// Those no one can answer any more.
    Over,
    /// Those whose answer may still count.
    Granted,
    /// Those that ask past a guardrail.
    Bypasses,
}

impl Part {
    fn sql(self) -> &'static str {
        match self {
            Part::Waiting => "is_open = 1 AND body ->> 'state' = 'pending' AND body ->> 'expires_ms' > ?1",
            Part::Over => "NOT (is_open = 1 AND body ->> 'state' = 'pending' AND body ->> 'expires_ms' > ?1)",
            // When an answer ends is for the core to say; the clock only keeps the form of the others.
            Part::Granted => {
                "is_open > 0 AND ?1 IS NOT NULL AND (body ->> 'state' = 'approved' OR body ->> 'state' = 'denied')"
            }
            Part::Bypasses => "body -> 'bypass' IS NOT NULL AND ?1 IS NOT NULL",
        }
    }
}

/// Where a page begins: behind this request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behind {
    /// When it was made.
    pub made_ms: i64,
    /// Its id.
    pub id: String,
}

impl Behind {
    /// Before everything.
    #[must_use]
    pub fn nothing() -> Behind {
        Behind { made_ms: i64::MAX, id: String::new() }
    }
}

/// A request that waits, without its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingLine {
    /// Its id.
    pub id: String,
    /// The session that asks.
    pub session: String,
    /// The exact call, by hash.
    pub arguments: String,
    /// When it was made.
    pub made_ms: i64,
}

impl Sqlite {
    /// Everything someone can still answer, in short.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn waiting_lines(&self, now_ms: i64) -> Result<Vec<WaitingLine>, StoreError> {
        let sql = format!(
            "SELECT id, session, arguments, body ->> 'made_ms' FROM request WHERE {}
             ORDER BY body ->> 'made_ms' DESC, id DESC",
            Part::Waiting.sql()
        );
        let mut statement = self.connection().prepare_cached(&sql)?;
        let rows = statement.query_map([now_ms], |row| {
            let (id, session, arguments, made_ms) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(WaitingLine { id, session, arguments, made_ms })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Up to `limit` requests behind a place.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn requests_page(
        &self,
        part: Part,
        now_ms: i64,
        behind: &Behind,
        limit: u32,
    ) -> Result<Vec<Request>, StoreError> {
        let sql = format!(
            "SELECT body FROM request WHERE {} AND (body ->> 'made_ms', id) < (?2, ?3)
             ORDER BY body ->> 'made_ms' DESC, id DESC LIMIT ?4",
            part.sql()
        );
        let values = params![now_ms, behind.made_ms, behind.id, limit];
        bodies(self.connection(), &sql, values)?.iter().map(|body| Ok(serde_json::from_str(body)?)).collect()
    }

    /// The last `limit` requests about this very call, answered or not, in any session.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn requests_ever_about(&self, arguments: &str, limit: u32) -> Result<Vec<Request>, StoreError> {
        let sql = "SELECT body FROM request WHERE arguments = ?1 ORDER BY body -> 'made_ms' DESC LIMIT ?2";
        let found = bodies(self.connection(), sql, params![arguments, limit])?;
        found.iter().map(|body| Ok(serde_json::from_str(body)?)).collect()
    }

    /// Up to `limit` requests that wait for an answer to this very call, in whatever
    /// session.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn requests_about(&self, arguments: &str, limit: u32) -> Result<Vec<Request>, StoreError> {
        let sql = "SELECT body FROM request WHERE is_open = 1 AND arguments = ?1 ORDER BY id LIMIT ?2";
        let found = bodies(self.connection(), sql, params![arguments, limit])?;
        found.iter().map(|body| Ok(serde_json::from_str(body)?)).collect()
    }

    /// The programs that asked for what is open and for the last `limit` requests:
    /// nothing below them answers.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn askers(&self, limit: u32) -> Result<Vec<Asker>, StoreError> {
        // What is open counts however many were asked since: many questions hide no one.
        let sql = "WITH recent AS (SELECT body FROM request WHERE is_open = 1 OR id IN
                       (SELECT id FROM request ORDER BY body ->> 'made_ms' DESC LIMIT ?1))
                   SELECT body -> 'asker' FROM recent WHERE body -> 'asker' IS NOT NULL
                   UNION SELECT again.value FROM recent, json_each(recent.body, '$.progress.askers') AS again";
        bodies(self.connection(), sql, [limit])?.iter().map(|body| Ok(serde_json::from_str(body)?)).collect()
    }

    /// The last `limit` records by host: when each host was heard last, but for its test calls.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_heard(&self, limit: u32) -> Result<Vec<(String, i64)>, StoreError> {
        let sql = "SELECT body ->> '$.context.host', max(body ->> '$.time_ms')
                   FROM (SELECT body FROM ledger ORDER BY seq DESC LIMIT ?1)
                   WHERE body ->> '$.context.session' IS NOT ?2 GROUP BY 1";
        let mut statement = self.connection().prepare_cached(sql)?;
        let rows =
            statement.query_map(params![limit, PROBE_SESSION], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The notes of one sort among the last `limit` records, each text once for each host.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn notes_of(&self, what: &str, limit: u32) -> Result<Vec<(String, String)>, StoreError> {
        let sql = "SELECT DISTINCT body ->> '$.context.host', body ->> '$.entry.text'
                   FROM (SELECT body FROM ledger ORDER BY seq DESC LIMIT ?1)
                   WHERE body ->> '$.entry.what' = ?2 ORDER BY 1, 2";
        let mut statement = self.connection().prepare_cached(sql)?;
        let rows = statement.query_map(params![limit, what], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many requests there are of one sort.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn requests_count(&self, part: Part, now_ms: i64) -> Result<u64, StoreError> {
        let sql = format!("SELECT count(*) FROM request WHERE {}", part.sql());
        let count: i64 = self.connection().prepare_cached(&sql)?.query_row([now_ms], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// The sessions that began last.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn sessions_page(&self, limit: u32) -> Result<Vec<Session>, StoreError> {
        let sql = "SELECT body FROM session ORDER BY body ->> 'started_ms' DESC LIMIT ?1";
        bodies(self.connection(), sql, [limit])?.iter().map(|body| Ok(serde_json::from_str(body)?)).collect()
    }

    /// Up to `limit` records of one session before `seq`.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn records_of(&self, session: &str, seq: u64, limit: u32) -> Result<Vec<Record>, StoreError> {
        let sql = "SELECT body FROM ledger WHERE seq < ?1 AND body -> 'context' ->> 'session' = ?2
                   ORDER BY seq DESC LIMIT ?3";
        bodies(self.connection(), sql, params![number(seq), session, limit])?
            .iter()
            .map(|body| Ok(serde_json::from_str(body)?))
            .collect()
    }
}
