//! The embedded store: one SQLite file, write-ahead log, one writer at a time.
//!
//! A hook process opens it, takes one turn and leaves. Closing never waits for
//! a checkpoint; the log is folded back and emptied when it has grown. SQLite's
//! own automatic checkpoint would not do: it never empties the log, and every
//! new process reads the whole of it.

use crate::error::StoreError;
use crate::head_file;
use crate::projection::{self, number, read_mark, request};
use crate::turn::SqliteTurn;
use crate::{Store, Turn, Which, pins, queue, schema, supervision, verify};
use ed25519_dalek::SigningKey;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::num::NonZero;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolgate_core::{
    Checkpoint, Head, Health, Lock, Mark, Pin, Record, Request, Session, plain_digest_of, sign_head,
};

/// How often and how long to look whether other writers are done: at least ten
/// seconds in all, well below every host's limit. SQLite's own pauses grow to a
/// tenth of a second, in which later comers overtake again and again.
const PAUSE: Duration = Duration::from_millis(2);
const LOOKS_MAX: i32 = 5000;

/// Before there is a queue: the process that has the lock is mostly done in no time.
const SHORT_LOOKS_MAX: i32 = 2;

thread_local! {
    /// How often this thread looks at present.
    static LOOKS: Cell<i32> = const { Cell::new(LOOKS_MAX) };
}

fn wait_for_others(looks: i32) -> bool {
    std::thread::sleep(PAUSE);
    looks < LOOKS.get()
}

/// Tries again while others are in the way. SQLite does not ask the handler
/// above when several processes make the file at once; it only says busy.
fn patiently<T>(mut attempt: impl FnMut() -> Result<T, StoreError>) -> Result<T, StoreError> {
    for looks in 0.. {
        match attempt() {
            Err(StoreError::Busy) if looks < LOOKS_MAX && wait_for_others(looks) => {}
            done => return done,
        }
    }
    Err(StoreError::Busy)
}

/// Bytes of log before it is folded back: small, because every new process
/// reads the log through once; not smaller, because folding back waits for the
/// disk.
const LOG_MAX: u64 = 256 << 10;

/// Fewer records than this are parsed sooner than a thread starts.
const PARALLEL_MIN: usize = 512;

/// Statements kept ready: more than there are, for a connection that stays open.
const STATEMENTS_MAX: usize = 64;

/// The embedded store.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    key: SigningKey,
    log: PathBuf,
    /// Where processes wait for each other.
    queue: PathBuf,
    /// Where the newest head is kept.
    head_file: PathBuf,
    /// The head signed last: the same head is signed the same way every time.
    signed: Option<Checkpoint>,
}

impl Sqlite {
    /// Opens the file, making it if need be. The folder must exist.
    ///
    /// # Errors
    /// If it cannot be opened or is not a ledger.
    pub fn open(path: &Path, key: SigningKey) -> Result<Sqlite, StoreError> {
        make_private(path);
        let connection = patiently(|| connect(path))?;
        let next_to = |end: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            PathBuf::from(name)
        };
        let (log, queue, head_file) = (next_to("-wal"), next_to("-queue"), next_to("-head"));
        Ok(Sqlite { connection, key, log, queue, head_file, signed: None })
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// What the hashes of calls are made with: known only to who holds the key of the ledger.
    #[must_use]
    pub fn salt(&self) -> [u8; 32] {
        plain_digest_of(&[&b"toolgate call "[..], self.key.as_bytes()].concat())
    }

    /// What is wrong with the head kept next to the ledger, compared with where it ends.
    pub(crate) fn head_file_fault(&self) -> Result<Option<(u64, String)>, StoreError> {
        let head = head(&self.connection)?;
        let end = head.as_ref().map(|head| &head.checkpoint);
        let Ok(file) = File::open(&self.head_file) else { return Ok(None) };
        let known = match head_file::read(&file) {
            head_file::KnownHead::Nothing => return Ok(None),
            head_file::KnownHead::Garbled => {
                let why = format!("`{}` next to it is damaged; delete that file", self.head_file.display());
                return Ok(Some((end.map_or(1, |end| end.seq), why)));
            }
            head_file::KnownHead::Head(known) => known.checkpoint.clone(),
        };
        let is_gone = end.is_none_or(|end| known.seq > end.seq);
        Ok(is_gone.then(|| (known.seq, head_file::lost(&known, end))))
    }

    /// Folds the log back if it has grown. The records are safe without it, so
    /// a lock held by someone else only means that the next process does it.
    pub fn tidy(&self) {
        if std::fs::metadata(&self.log).is_ok_and(|about| about.len() > LOG_MAX) {
            let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    }
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let opened = Connection::open(path).and_then(|mut connection| {
        connection.busy_handler(Some(wait_for_others))?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        // A record must survive the death of this process, not of the power
        // supply: NORMAL keeps the file sound in both cases.
        connection.execute_batch("PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0;")?;
        Ok(connection)
    });
    let mut connection = opened.map_err(|error| StoreError::opening(path, &error))?;
    schema::migrate(&mut connection)?;
    Ok(connection)
}

/// Begins a turn: at once if no other process has one, otherwise in the order of those who wait.
fn lock<'a>(
    connection: &'a Connection,
    queue: &Path,
) -> Result<(rusqlite::Transaction<'a>, queue::Place), StoreError> {
    let begin = || rusqlite::Transaction::new_unchecked(connection, TransactionBehavior::Immediate);
    LOOKS.set(SHORT_LOOKS_MAX);
    let at_once = begin().map_err(StoreError::from);
    LOOKS.set(LOOKS_MAX);
    match at_once {
        Err(StoreError::Busy) => match queue::wait(queue) {
            queue::Place::TooLate => Err(StoreError::Busy),
            place => Ok((begin()?, place)),
        },
        turn => Ok((turn?, queue::Place::None)),
    }
}

impl Store for Sqlite {
    fn begin(&mut self) -> Result<Box<dyn Turn + '_>, StoreError> {
        let Sqlite { connection, key, queue, head_file, signed, .. } = self;
        let (turn, place) = lock(connection, queue)?;
        check_end(&turn, key, signed.as_ref())?;
        let mut turn = SqliteTurn::new(turn, key, signed, head_file::open(head_file), place);
        turn.note_losses()?;
        Ok(Box::new(turn))
    }

    fn request(&self, id: &str) -> Result<Option<Request>, StoreError> {
        request(&self.connection, id)
    }

    fn requests(&self, which: Which) -> Result<Vec<Request>, StoreError> {
        let sql = match which {
            Which::Open => "SELECT body FROM request WHERE is_open > 0 ORDER BY id DESC",
            Which::All => "SELECT body FROM request ORDER BY id DESC",
        };
        bodies(&self.connection, sql, [])?.iter().map(|body| Ok(serde_json::from_str(body)?)).collect()
    }

    fn records_after(&self, seq: u64, limit: u32) -> Result<Vec<Record>, StoreError> {
        let sql = "SELECT body FROM ledger WHERE seq > ?1 ORDER BY seq LIMIT ?2";
        parsed(&bodies(&self.connection, sql, params![number(seq), limit])?)
    }

    fn records_before(&self, seq: u64, limit: u32) -> Result<Vec<Record>, StoreError> {
        let sql = "SELECT body FROM ledger WHERE seq < ?1 ORDER BY seq DESC LIMIT ?2";
        parsed(&bodies(&self.connection, sql, params![number(seq), limit])?)
    }

    fn lines_after(&self, seq: u64, limit: u32) -> Result<Vec<(u64, String, String)>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT seq, body, hash FROM ledger WHERE seq > ?1 ORDER BY seq LIMIT ?2")?;
        let rows = statement.query_map(params![number(seq), limit], |row| {
            Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get(1)?, row.get(2)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn newest_ms(&self) -> Result<Option<i64>, StoreError> {
        newest_ms(&self.connection)
    }

    fn head(&self) -> Result<Option<Checkpoint>, StoreError> {
        head(&self.connection)
    }

    fn verify(&self, trusted: Option<&str>, kept: &[Checkpoint]) -> Result<verify::Verified, StoreError> {
        verify::verify(self, trusted, kept)
    }

    fn pins(&self) -> Result<Vec<Pin>, StoreError> {
        pins::all(&self.connection)
    }

    fn health(&self, supervisor: &str) -> Result<Health, StoreError> {
        supervision::health(&self.connection, supervisor)
    }
}

impl Sqlite {
    /// Stored sessions and requests by id, for checking them against the
    /// records; `None` where a column says something else than the body.
    pub(crate) fn projections(&self) -> Result<Projections, StoreError> {
        let sql = "SELECT id, '', '', 0, body FROM session";
        let sessions = self.rows(sql, |row| {
            serde_json::from_str(&row.body).ok().filter(|session: &Session| {
                session.id == row.id && is_as_written(serde_json::to_string(session), &row.body)
            })
        })?;
        let sql = "SELECT id, session, arguments, is_open, body FROM request";
        let requests = self.rows(sql, |row| {
            serde_json::from_str(&row.body).ok().filter(|request: &Request| {
                (&request.id, &request.session, &request.arguments, projection::openness(request))
                    == (&row.id, &row.session, &row.arguments, row.is_open)
                    && is_as_written(serde_json::to_string(request), &row.body)
            })
        })?;
        Ok((sessions, requests))
    }

    fn rows<T>(
        &self,
        sql: &str,
        read: impl Fn(&Row) -> Option<T>,
    ) -> Result<BTreeMap<String, Option<T>>, StoreError> {
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(Row {
                id: row.get(0)?,
                session: row.get(1)?,
                arguments: row.get(2)?,
                is_open: row.get(3)?,
                body: row.get(4)?,
            })
        })?;
        let rows: Vec<Row> = rows.collect::<Result<_, _>>()?;
        Ok(rows.into_iter().map(|row| (row.id.clone(), read(&row))).collect())
    }

    /// Every mark by session and key, for checking them against the records.
    pub(crate) fn marks(&self) -> Result<BTreeMap<String, Option<Mark>>, StoreError> {
        let mut statement =
            self.connection.prepare("SELECT session, key, count, seq, call, time_ms FROM mark")?;
        let rows = statement.query_map([], |row| {
            let (session, key): (String, String) = (row.get(0)?, row.get(1)?);
            let below_zero = (2..5).any(|at| row.get::<_, i64>(at).is_ok_and(|value| value < 0));
            Ok((mark_name(&session, &key), Some(read_mark(row, 2)?).filter(|_| !below_zero)))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What is in the file next to our tables: a trigger, a view, a table
    /// made otherwise. `None` when it holds just what we make.
    pub(crate) fn foreign_object(&self) -> Result<Option<String>, StoreError> {
        schema::foreign_object(&self.connection)
    }

    /// Every lock by path, for checking them against the records.
    pub(crate) fn locks(&self) -> Result<BTreeMap<String, Option<Lock>>, StoreError> {
        let mut statement = self.connection.prepare("SELECT path, session, agent, time_ms FROM lock")?;
        let rows = statement.query_map([], projection::read_lock)?;
        let rows: Vec<Lock> = rows.collect::<Result<_, _>>()?;
        Ok(rows.into_iter().map(|lock| (lock.path.clone(), Some(lock))).collect())
    }

    /// What is kept of supervisors, for checking it against the records.
    pub(crate) fn supervision(&self) -> Result<supervision::Stored, StoreError> {
        supervision::all(&self.connection)
    }

    /// Every pin, for checking them against the records.
    pub(crate) fn pin_rows(&self) -> Result<BTreeMap<String, Option<Pin>>, StoreError> {
        pins::rows(&self.connection)
    }

    /// How many records there are, whatever their numbers.
    pub(crate) fn count(&self) -> Result<u64, StoreError> {
        let count: i64 = self.connection.query_row("SELECT count(*) FROM ledger", [], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }
}

/// One name for a mark of a session.
pub(crate) fn mark_name(session: &str, key: &str) -> String {
    format!("{session}\n{key}")
}

/// See [`Sqlite::projections`].
pub(crate) type Projections = (BTreeMap<String, Option<Session>>, BTreeMap<String, Option<Request>>);

struct Row {
    id: String,
    session: String,
    arguments: String,
    /// As it is there: what is neither 0 nor 1 was not written by us.
    is_open: i64,
    body: String,
}

/// Whether a body is, byte for byte, what we would write.
fn is_as_written(own: serde_json::Result<String>, body: &str) -> bool {
    own.is_ok_and(|own| own == body)
}

/// Records from their texts; many of them by several threads.
fn parsed(bodies: &[String]) -> Result<Vec<Record>, StoreError> {
    let all = |bodies: &[String]| -> Result<Vec<Record>, StoreError> {
        bodies.iter().map(|body| Ok(serde_json::from_str(body)?)).collect()
    };
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    if bodies.len() < PARALLEL_MIN || workers < 2 {
        return all(bodies);
    }
    let share = bodies.len().div_ceil(workers);
    std::thread::scope(|scope| {
        let parts: Vec<_> = bodies.chunks(share).map(|part| scope.spawn(move || all(part))).collect();
        let ended = |_| StoreError::Damaged { why: "reading ended early".to_owned() };
        let parts: Result<Vec<Vec<Record>>, StoreError> =
            parts.into_iter().map(|part| part.join().map_err(ended)?).collect();
        Ok(parts?.into_iter().flatten().collect())
    })
}

pub(crate) fn newest_ms(connection: &Connection) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT body ->> 'time_ms' FROM ledger ORDER BY seq DESC LIMIT 1";
    Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?)
}

pub(crate) fn head(connection: &Connection) -> Result<Option<Checkpoint>, StoreError> {
    let sql = "SELECT seq, hash, key, signature FROM head WHERE one = 1";
    let found = connection.prepare_cached(sql)?.query_row([], |row| {
        let head = Head { seq: row.get::<_, i64>(0)?.unsigned_abs(), hash: row.get(1)? };
        Ok(Checkpoint { checkpoint: head, key: row.get(2)?, signature: row.get(3)? })
    });
    Ok(found.optional()?)
}

fn last(connection: &Connection) -> Result<Option<Head>, StoreError> {
    let sql = "SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1";
    let found = connection
        .prepare_cached(sql)?
        .query_row([], |row| Ok(Head { seq: row.get::<_, i64>(0)?.unsigned_abs(), hash: row.get(1)? }));
    Ok(found.optional()?)
}

/// What is added is signed, so it must not be added behind an end no one
/// signed: that would make someone else's edit our own.
fn check_end(
    connection: &Connection,
    key: &SigningKey,
    signed: Option<&Checkpoint>,
) -> Result<(), StoreError> {
    // Ed25519 signs the same text the same way every time, so signing again
    // checks the signature for half of what verifying costs on every call, and
    // what this process has signed itself need not be signed again.
    let expected = last(connection)?.map(|end| match signed.filter(|one| one.checkpoint == end) {
        Some(known) => known.clone(),
        None => sign_head(&end, key),
    });
    if head(connection)? == expected { Ok(()) } else { Err(StoreError::Altered) }
}

/// Makes a new ledger file readable for its owner only; SQLite gives its log
/// the same rights. If it cannot be made, opening says why.
fn make_private(path: &Path) {
    if !path.exists() {
        let _ = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    }
}

pub(crate) fn bodies<P: rusqlite::Params>(
    connection: &Connection,
    sql: &str,
    values: P,
) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(values, |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
