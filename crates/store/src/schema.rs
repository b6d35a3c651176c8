//! The tables, and how an older file becomes a newer one.
//!
//! `user_version` counts the steps taken. A step, once released, never changes.
//! Anyone who changes how records are folded (`Session::after`, `marks_of`,
//! `Request::after`) adds a step, an empty one if no table changes: with it,
//! sessions, marks and requests are made again from the records.

use crate::error::StoreError;
use crate::projection;
use rusqlite::{Connection, TransactionBehavior};

const STEPS: &[&str] = &[
    "
    CREATE TABLE ledger (seq INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL);
    CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL,
                       key TEXT NOT NULL, signature TEXT NOT NULL);
    CREATE TABLE session (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE request (id TEXT PRIMARY KEY, is_open INTEGER NOT NULL, session TEXT NOT NULL,
                          arguments TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
    CREATE INDEX request_open ON request (session, arguments) WHERE is_open = 1;
",
    "
    CREATE TABLE mark (session TEXT NOT NULL, key TEXT NOT NULL, count INTEGER NOT NULL, seq INTEGER NOT NULL,
                       call INTEGER NOT NULL, time_ms INTEGER NOT NULL, PRIMARY KEY (session, key)) WITHOUT ROWID;
",
    "
    CREATE TABLE lock (path TEXT PRIMARY KEY, session TEXT NOT NULL, agent TEXT NOT NULL,
                       time_ms INTEGER NOT NULL) WITHOUT ROWID;
",
    // Labels, waiting calls, budgets reserved: folded again.
    "",
    // Answers that stand: `is_open` is 2 for them.
    "
    CREATE INDEX request_standing ON request (id) WHERE is_open = 2;
",
    "
    CREATE TABLE supervisor (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE supervised (shape TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
",
    // A person may be called like the agent: folded again.
    "",
    // Of several people's yes the narrowest counts, and each can be taken back: folded again.
    "",
    // Files a session wrote are marked: folded again.
    "",
    // Refused stops end, usage that is told again counts what is more: folded again.
    "",
    "
    CREATE TABLE pin (server TEXT NOT NULL, tool TEXT NOT NULL, body TEXT NOT NULL,
                      PRIMARY KEY (server, tool)) WITHOUT ROWID;
",
];

/// Brings a file to the present format.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    if version(connection)? == goal() {
        return Ok(());
    }
    // Settled once, outside a transaction; SQLite keeps it in the file.
    connection.pragma_update(None, "journal_mode", "wal")?;
    let turn = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read once more: another process may have been faster.
    let from = version(&turn)?;
    if from > goal() {
        return Err(StoreError::Newer { version: from });
    }
    for step in STEPS.iter().skip(usize::try_from(from).unwrap_or(0)) {
        turn.execute_batch(step)?;
    }
    // An older program folded the records otherwise.
    if from > 0 {
        projection::rebuild(&turn)?;
    }
    turn.pragma_update(None, "user_version", goal())?;
    turn.commit()?;
    Ok(())
}

/// The first object of the file that this program would not have made, or that
/// it would have made and is not there.
pub(crate) fn foreign_object(connection: &Connection) -> Result<Option<String>, StoreError> {
    let own = Connection::open_in_memory()?;
    for step in STEPS {
        own.execute_batch(step)?;
    }
    let (expected, found) = (objects(&own)?, objects(connection)?);
    let odd = found.iter().find(|object| !expected.contains(object));
    Ok(odd.or_else(|| expected.iter().find(|object| !found.contains(object))).map(|(name, _)| name.clone()))
}

/// Every object SQLite did not make by itself, with the text that made it.
fn objects(connection: &Connection) -> Result<Vec<(String, String)>, StoreError> {
    let sql = "SELECT type || ' `' || name || '`', coalesce(sql, '') FROM sqlite_master
               WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY 1";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

fn goal() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}
