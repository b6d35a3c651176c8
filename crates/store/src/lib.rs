//! Where records, sessions and requests are kept.
//!
//! One small trait, [`Store`]; today one implementation, SQLite. The only SQL
//! of the project is in this crate. A turn reads the state a verdict depends
//! on and appends the records of that verdict in one transaction, so that no
//! answer can leave before its record is there.
//!
//! Deliberately absent: judging, waiting for people, the clock. What session
//! and request become after a record is folded by `toolgate-core`.

mod error;
mod head_file;
mod listing;
mod pins;
mod projection;
mod queue;
mod schema;
mod sqlite;
mod supervision;
mod turn;
mod verify;

pub use error::StoreError;
pub use listing::{Behind, Part, WaitingLine};
pub use sqlite::Sqlite;
pub use verify::Verified;

use toolgate_core::{
    Checkpoint, Context, Entry, Health, KeptAnswer, Lock, Marks, Pin, Record, Request, Session,
};

/// What the ledger calls the note that records of it are gone.
pub const LOST: &str = "records-lost";

/// What a store can do.
pub trait Store {
    /// Begins a turn: no one else writes until it is committed or dropped.
    ///
    /// # Errors
    /// If the store cannot be written within its time limit.
    fn begin(&mut self) -> Result<Box<dyn Turn + '_>, StoreError>;

    /// One request by id.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn request(&self, id: &str) -> Result<Option<Request>, StoreError>;

    /// Requests, newest first; only open ones or all.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn requests(&self, which: Which) -> Result<Vec<Request>, StoreError>;

    /// Up to `limit` records after `seq`, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn records_after(&self, seq: u64, limit: u32) -> Result<Vec<Record>, StoreError>;

    /// Up to `limit` records before `seq`, newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn records_before(&self, seq: u64, limit: u32) -> Result<Vec<Record>, StoreError>;

    /// The stored text and hash of records after `seq`, for export.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn lines_after(&self, seq: u64, limit: u32) -> Result<Vec<(u64, String, String)>, StoreError>;

    /// When the newest record was made; `None` before the first.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn newest_ms(&self) -> Result<Option<i64>, StoreError>;

    /// The signed head; `None` before the first record.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn head(&self) -> Result<Option<Checkpoint>, StoreError>;

    /// Checks every record, the signed head, and that sessions and requests
    /// are what the records say.
    ///
    /// # Errors
    /// If the store cannot be read; a broken ledger is a result, not an error.
    fn verify(&self, trusted: Option<&str>, kept: &[Checkpoint]) -> Result<Verified, StoreError>;

    /// Every pin, by server and tool.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn pins(&self) -> Result<Vec<Pin>, StoreError>;

    /// What the records say of a supervisor.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn health(&self, supervisor: &str) -> Result<Health, StoreError>;
}

/// Which requests to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those that wait or whose answer is not used up.
    Open,
    /// Every one there ever was.
    All,
}

/// One transaction.
pub trait Turn {
    /// The session as of now; a new one if it is not known.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn session(&mut self, id: &str) -> Result<Session, StoreError>;

    /// Of the marks of a session, those with these keys.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn marks(&mut self, session: &str, keys: &[String]) -> Result<Marks, StoreError>;

    /// One record by its number.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn record(&mut self, seq: u64) -> Result<Option<Record>, StoreError>;

    /// The records of a session among the newest `among` of all, newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn recent_of(&mut self, session: &str, among: u32) -> Result<Vec<Record>, StoreError>;

    /// The locks on these files and on everything below them.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn locks(&mut self, paths: &[String]) -> Result<Vec<Lock>, StoreError>;

    /// The request of a session for exactly this call whose grant the call
    /// with the host's id `call` used.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn request_used_by(
        &mut self,
        session: &str,
        arguments: &str,
        call: &str,
    ) -> Result<Option<Request>, StoreError>;

    /// Open requests of a session for exactly this call, newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn open_requests(&mut self, session: &str, arguments: &str) -> Result<Vec<Request>, StoreError>;

    /// One request by id.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn request(&mut self, id: &str) -> Result<Option<Request>, StoreError>;

    /// One request as the records tell it, not as the table next to them does:
    /// asked before a grant is used, because a row is easily put back.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn request_in_records(&mut self, id: &str) -> Result<Option<Request>, StoreError>;

    /// Requests whose answer represents further calls, of any session.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn standing_requests(&mut self) -> Result<Vec<Request>, StoreError>;

    /// What the records say of a supervisor.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn health(&mut self, supervisor: &str) -> Result<Health, StoreError>;

    /// The last answer of supervisors to a question of this shape.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn supervised(&mut self, shape: &str) -> Result<Option<KeptAnswer>, StoreError>;

    /// The pins of one server.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn pins_of(&mut self, server: &str) -> Result<Vec<Pin>, StoreError>;

    /// Appends one record and folds it into session and request.
    ///
    /// # Errors
    /// If it cannot be written.
    fn append(&mut self, time_ms: i64, context: &Context, entry: Entry) -> Result<Record, StoreError>;

    /// Makes everything appended count.
    ///
    /// # Errors
    /// If it cannot be made durable; then nothing of the turn counts.
    fn commit(self: Box<Self>) -> Result<(), StoreError>;
}
