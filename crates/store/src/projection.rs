//! Sessions, marks and requests: what the records come to, kept next to them so
//! that a hook need not read the whole ledger.
//!
//! They are folded by `toolgate-core`, one record at a time. When a newer
//! program folds otherwise, it makes them again from the records.

use crate::error::StoreError;
use crate::pins;
use crate::supervision;
use rusqlite::{Connection, OptionalExtension, params};
use toolgate_core::{Entry, Lock, LockChange, Mark, Record, Request, Session, lock_change, marks_of};

/// Makes every projection again from the records.
pub(crate) fn rebuild(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(
        "DELETE FROM session; DELETE FROM mark; DELETE FROM request; DELETE FROM lock;
                        DELETE FROM supervisor; DELETE FROM supervised; DELETE FROM pin;",
    )?;
    let mut statement = connection.prepare("SELECT body FROM ledger ORDER BY seq")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        fold(connection, &serde_json::from_str(&row.get::<_, String>(0)?)?)?;
    }
    Ok(())
}

/// Folds one record into everything it changes.
pub(crate) fn fold(connection: &Connection, record: &Record) -> Result<(), StoreError> {
    if !record.context.session.is_empty() {
        let before = session(connection, &record.context.session)?;
        let after = before.clone().after(record);
        if after != before {
            put_session(connection, &after)?;
        }
        put_marks(connection, record, after.calls)?;
    }
    if let Some(change) = lock_change(record) {
        change_locks(connection, &change)?;
    }
    supervision::fold(connection, record)?;
    pins::fold(connection, record)?;
    match &record.entry {
        Entry::Requested(request) => put_request(connection, request),
        entry => entry.request().map_or(Ok(()), |id| fold_request(connection, id, record)),
    }
}

fn fold_request(connection: &Connection, id: &str, record: &Record) -> Result<(), StoreError> {
    match request(connection, id)? {
        Some(before) => put_request(connection, &before.after(&record.entry, record.time_ms)),
        None => Ok(()),
    }
}

/// The session as of now; a new one if it is not known.
pub(crate) fn session(connection: &Connection, id: &str) -> Result<Session, StoreError> {
    let mut statement = connection.prepare_cached("SELECT body FROM session WHERE id = ?1")?;
    let body: Option<String> = statement.query_row([id], |row| row.get(0)).optional()?;
    match body {
        Some(body) => Ok(serde_json::from_str(&body)?),
        None => Ok(Session::new(id)),
    }
}

/// One request by id.
pub(crate) fn request(connection: &Connection, id: &str) -> Result<Option<Request>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT body FROM request WHERE id = ?1")?;
    let body: Option<String> = statement.query_row([id], |row| row.get(0)).optional()?;
    Ok(body.map(|body| serde_json::from_str(&body)).transpose()?)
}

/// One mark of a session.
pub(crate) fn mark(connection: &Connection, session: &str, key: &str) -> Result<Option<Mark>, StoreError> {
    let sql = "SELECT count, seq, call, time_ms FROM mark WHERE session = ?1 AND key = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row([session, key], |row| read_mark(row, 0)).optional()?)
}

/// A mark from four columns, the first of them `from`.
pub(crate) fn read_mark(row: &rusqlite::Row<'_>, from: usize) -> rusqlite::Result<Mark> {
    let column = |at: usize| -> rusqlite::Result<u64> { Ok(row.get::<_, i64>(from + at)?.unsigned_abs()) };
    Ok(Mark { count: column(0)?, seq: column(1)?, call: column(2)?, time_ms: row.get(from + 3)? })
}

fn put_session(connection: &Connection, session: &Session) -> Result<(), StoreError> {
    let sql = "INSERT INTO session (id, body) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET body = ?2";
    connection.prepare_cached(sql)?.execute(params![session.id, serde_json::to_string(session)?])?;
    Ok(())
}

fn put_marks(connection: &Connection, record: &Record, call: u64) -> Result<(), StoreError> {
    let session = &record.context.session;
    for key in marks_of(record) {
        let after = mark(connection, session, &key)?.unwrap_or_default().after(record, call);
        let sql = "INSERT INTO mark (session, key, count, seq, call, time_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                   ON CONFLICT (session, key) DO UPDATE SET count = ?3, seq = ?4, call = ?5, time_ms = ?6";
        let (count, seq, call) = (number(after.count), number(after.seq), number(after.call));
        connection.prepare_cached(sql)?.execute(params![session, key, count, seq, call, after.time_ms])?;
    }
    Ok(())
}

fn change_locks(connection: &Connection, change: &LockChange) -> Result<(), StoreError> {
    match change {
        LockChange::Taken(locks) => {
            let sql = "INSERT INTO lock (path, session, agent, time_ms) VALUES (?1, ?2, ?3, ?4)
                       ON CONFLICT (path) DO UPDATE SET session = ?2, agent = ?3, time_ms = ?4";
            let mut statement = connection.prepare_cached(sql)?;
            for lock in locks {
                statement.execute(params![lock.path, lock.session, lock.agent, lock.time_ms])?;
            }
        }
        LockChange::EndOfSession(session) => {
            connection.prepare_cached("DELETE FROM lock WHERE session = ?1")?.execute([session])?;
        }
        LockChange::EndOfAgent(session, agent) => {
            let sql = "DELETE FROM lock WHERE session = ?1 AND agent = ?2";
            connection.prepare_cached(sql)?.execute([session, agent])?;
        }
    }
    Ok(())
}

/// The locks on a file and on everything below it.
pub(crate) fn locks(connection: &Connection, path: &str) -> Result<Vec<Lock>, StoreError> {
    // `0` is the character behind `/`, so the range is what begins with `path/`.
    let sql = "SELECT path, session, agent, time_ms FROM lock
               WHERE path = ?1 OR (path > ?1 || '/' AND path < ?1 || '0') ORDER BY path";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([path], read_lock)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A lock from its four columns.
pub(crate) fn read_lock(row: &rusqlite::Row<'_>) -> rusqlite::Result<Lock> {
    Ok(Lock { path: row.get(0)?, session: row.get(1)?, agent: row.get(2)?, time_ms: row.get(3)? })
}

fn put_request(connection: &Connection, request: &Request) -> Result<(), StoreError> {
    let sql = "INSERT INTO request (id, is_open, session, arguments, body) VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (id) DO UPDATE SET is_open = ?2, body = ?5";
    let body = serde_json::to_string(request)?;
    let values = params![request.id, openness(request), request.session, request.arguments, body];
    connection.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

/// What the column `is_open` says: 0 over, 1 asks about its one call, 2 is
/// for further calls.
pub(crate) fn openness(request: &Request) -> i64 {
    if request.is_standing() { 2 } else { i64::from(request.is_open()) }
}

/// SQLite's whole numbers have a sign.
pub(crate) fn number(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}
