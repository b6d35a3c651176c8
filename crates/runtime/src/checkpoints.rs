//! Signed heads kept next to the ledger, so that a cut tail shows. For real
//! safety a person keeps one elsewhere: `toolgate ledger checkpoint`.

use crate::broken::Broken;
use crate::dirs::Dirs;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use toolgate_core::{Checkpoint, canonical};
use toolgate_store::{Sqlite, Store};

/// Every so many records a signed checkpoint is kept next to the ledger.
const CHECKPOINT_EVERY: u64 = 256;

/// Tidies up behind record `seq`, and keeps a signed head now and then. The
/// record is already safe, so a failure here costs a checkpoint, not an answer;
/// `doctor` reports it.
pub(crate) fn tidy_behind(store: &mut Sqlite, dirs: &Dirs, seq: u64) {
    store.tidy();
    if seq.is_multiple_of(CHECKPOINT_EVERY)
        && let Ok(Some(head)) = store.head()
    {
        let _ = keep_checkpoint(dirs, &head);
    }
}

/// Appends a checkpoint to the kept ones.
///
/// # Errors
/// If the file cannot be written.
pub fn keep_checkpoint(dirs: &Dirs, checkpoint: &Checkpoint) -> Result<(), Broken> {
    let path = dirs.state.join("checkpoints.jsonl");
    let line = format!("{}\n", canonical(checkpoint));
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path);
    file.and_then(|mut file| file.write_all(line.as_bytes()))
        .map_err(|error| Broken::io("write", &path, &error))
}

/// The checkpoints kept so far. Lines that cannot be read are left out; the
/// ones that can still bind.
#[must_use]
pub fn kept_checkpoints(dirs: &Dirs) -> Vec<Checkpoint> {
    let text = std::fs::read_to_string(dirs.state.join("checkpoints.jsonl")).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
