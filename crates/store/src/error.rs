//! What can go wrong with a store, told so that a person can fix it.

use rusqlite::ErrorCode;
use std::fmt;
use std::path::Path;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// The file or its folder cannot be opened.
    Unopenable {
        /// The file.
        path: String,
        /// What the system said.
        why: String,
    },
    /// The file is something else, or so damaged that it is not known for one.
    NoLedger {
        /// The file.
        path: String,
    },
    /// Others kept it locked for too long.
    Busy,
    /// No space left.
    Full,
    /// It may not be written.
    ReadOnly,
    /// It was made by a newer program.
    Newer {
        /// Its version.
        version: i64,
    },
    /// Its newest record is not the one that was signed.
    Altered,
    /// It is not what a store looks like.
    Damaged {
        /// What was seen.
        why: String,
    },
}

impl StoreError {
    pub(crate) fn opening(path: &Path, error: &rusqlite::Error) -> StoreError {
        if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) {
            return StoreError::NoLedger { path: path.display().to_string() };
        }
        match StoreError::from(error) {
            StoreError::Damaged { why } => StoreError::Unopenable { path: path.display().to_string(), why },
            other => other,
        }
    }

    /// The command or step that fixes it.
    #[must_use]
    pub fn cure(&self) -> String {
        match self {
            StoreError::Unopenable { path, .. } => {
                format!("make `{path}` readable and writable for your user, then run `toolgate doctor`")
            }
            StoreError::NoLedger { path } => {
                format!("move `{path}` away to start a new ledger, or put back a copy of the old one")
            }
            StoreError::Busy => {
                "find the process that holds the ledger (`toolgate doctor`), or try again".to_owned()
            }
            StoreError::Full => "free some disk space".to_owned(),
            StoreError::ReadOnly => {
                "make the ledger and its folder writable for your user, then run `toolgate doctor`".to_owned()
            }
            StoreError::Newer { .. } => "install the newer toolgate that created it".to_owned(),
            StoreError::Altered => "run `toolgate ledger verify` and find out what changed it; move the ledger away to start a new one".to_owned(),
            StoreError::Damaged { .. } => {
                "run `toolgate ledger verify`; move the file away to start a new ledger".to_owned()
            }
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Unopenable { path, why } => write!(f, "the ledger `{path}` cannot be opened: {why}"),
            StoreError::NoLedger { path } => {
                write!(f, "`{path}` is not a ledger: it was damaged or replaced")
            }
            StoreError::Busy => write!(f, "the ledger stayed locked by another process"),
            StoreError::Full => write!(f, "the disk is full, so the ledger cannot be written"),
            StoreError::ReadOnly => write!(f, "the ledger is not writable"),
            StoreError::Newer { version } => {
                write!(f, "the ledger has format {version}, which this version of Toolgate does not know")
            }
            StoreError::Altered => {
                write!(f, "the ledger was altered: its newest record is not the one this gate signed")
            }
            StoreError::Damaged { why } => write!(f, "the ledger is damaged: {why}"),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<&rusqlite::Error> for StoreError {
    fn from(error: &rusqlite::Error) -> StoreError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
            Some(ErrorCode::DiskFull) => StoreError::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly,
            _ => StoreError::Damaged { why: error.to_string() },
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        StoreError::from(&error)
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> StoreError {
        StoreError::Damaged { why: error.to_string() }
    }
}
