//! What a record says about files copied before a call changed them.

use crate::digest::Digest;
use serde::{Deserialize, Serialize};

/// What a file was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Was {
    /// There was none.
    Absent,
    /// A file with this content.
    File {
        /// Hash of its content, under which the copy is kept.
        digest: Digest,
        /// Its length in bytes.
        bytes: u64,
        /// Its permissions.
        mode: u32,
    },
    /// A symbolic link.
    Link {
        /// Where it led.
        to: String,
    },
}

/// One file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFile {
    /// Its full path.
    pub path: String,
    /// What it was.
    pub was: Was,
}

/// Copies made before a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backed {
    /// The host's id of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The tool.
    pub tool: String,
    /// The call in one text, cut if it is very long.
    pub title: String,
    /// Hash of the exact call.
    pub arguments: Digest,
    /// The files.
    pub files: Vec<SavedFile>,
}

/// What the files of a backup were when the call had ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// The number of the record that tells of the backup.
    pub backup: u64,
    /// The files.
    pub files: Vec<SavedFile>,
}
