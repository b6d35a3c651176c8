//! The ledger: records, how they are chained, and how a copy is checked.
//!
//! Pure: bytes and keys come in as values. Where records are kept is the
//! store's business; whether they still are what they were is decided here.

mod backup;
mod checkpoint;
mod record;
mod redact;
mod verify;

pub use backup::{Backed, Changed, SavedFile, Was};
pub use checkpoint::{Checkpoint, Head, sign_head, verify_head};
pub use record::{
    Before, Context, Decided, Entry, Handling, Line, Record, Resulted, Touched, export_line, genesis, seal,
};
pub(crate) use verify::Links;
pub use verify::{ExportCheck, FirstBad, Verification, verify_export};

/// Checks stored records one by one; see [`Verification`] for whole exports.
#[derive(Debug, Default)]
pub struct Checker(Links);

impl Checker {
    /// A checker before the first record.
    #[must_use]
    pub fn new() -> Checker {
        Checker::default()
    }

    /// Checks the next stored record.
    ///
    /// # Errors
    /// The index of the record and what is wrong with it.
    pub fn step(&mut self, body: &str, hash: &str) -> Result<(), FirstBad> {
        self.0.step(body, hash)
    }

    /// The same for a record that was read and hashed before: whether the text `fits` its hash.
    ///
    /// # Errors
    /// As [`Checker::step`].
    pub fn follow(&mut self, record: &Record, hash: &str, fits: bool) -> Result<(), FirstBad> {
        self.0.follow(record.seq, &record.prev, hash, fits)
    }

    /// The head the records so far lead to; `None` before the first.
    #[must_use]
    pub fn head(&self) -> Option<Head> {
        self.0.head()
    }
}
