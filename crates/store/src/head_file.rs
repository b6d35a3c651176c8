//! The newest signed head, kept in a file of its own.
//!
//! The database can lose its end – its log is cut or gone, the file is replaced
//! – and look complete. This file then knows of records that are not there. It
//! is written after each turn, without waiting for the disk; of processes that
//! overtake each other the slower one's head stays, which only says less.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use toolgate_core::{Checkpoint, Head, canonical};

/// Every head fits, so that each write covers all of the one before.
const LENGTH: usize = 512;

/// What the file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KnownHead {
    /// Nothing: it is not there, or empty.
    Nothing,
    /// A head; whether it is signed is not looked at yet.
    Head(Checkpoint),
    /// Something else.
    Garbled,
}

/// Opens the file, making it if need be; a ledger without it still works.
pub(crate) fn open(path: &Path) -> Option<File> {
    OpenOptions::new().create(true).truncate(false).read(true).write(true).mode(0o600).open(path).ok()
}

pub(crate) fn read(file: &File) -> KnownHead {
    let mut bytes = [0; LENGTH + 1];
    let length = file.read_at(&mut bytes, 0).unwrap_or(0);
    let text = bytes.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok());
    match text.map(str::trim) {
        Some("") => KnownHead::Nothing,
        Some(text) => serde_json::from_str(text).map_or(KnownHead::Garbled, KnownHead::Head),
        None => KnownHead::Garbled,
    }
}

/// Writes the newest head; a record is safe without it.
pub(crate) fn write(file: &File, head: &Checkpoint) {
    let line = format!("{:<width$}\n", canonical(head), width = LENGTH - 1);
    let _ = file.write_at(line.as_bytes(), 0);
}

impl KnownHead {
    /// The head if it is not the one of the database.
    pub(crate) fn other_than(self, head: Option<&Checkpoint>) -> Option<Checkpoint> {
        match self {
            KnownHead::Head(known) if Some(&known) != head => Some(known),
            _ => None,
        }
    }
}

/// What is missing of the ledger, in words.
pub(crate) fn lost(known: &Head, last: Option<&Head>) -> String {
    let from = last.map_or(0, |head| head.seq).saturating_add(1);
    match known.seq {
        to if to < from => format!("record {to} is not the one that was signed: the ledger was replaced"),
        to if to == from => {
            format!("record {to} was written and is gone: the end of the ledger was lost or cut off")
        }
        to => format!(
            "records {from} to {to} were written and are gone: the end of the ledger was lost or cut off"
        ),
    }
}
