//! Signed heads kept next to the ledger, so that a cut tail shows. For real
//! safety a person keeps one elsewhere: `toolgate ledger checkpoint`.

use crate::broken::Broken;
use crate::dirs::Dirs;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use toolgate_core::{Checkpoint, FirstBad, canonical, verify_head};
use toolgate_store::{Sqlite, Store, StoreError, Verified};

/// Every so many records a signed checkpoint is kept next to the ledger.
const CHECKPOINT_EVERY: u64 = 256;

/// More records than one turn adds.
const TURN_MAX: u64 = 16;

/// Tidies up behind record `seq`, and keeps a signed head now and then. The
/// record is already safe, so a failure here costs a checkpoint, not an answer;
/// `doctor` reports it.
pub(crate) fn tidy_behind(store: &mut Sqlite, dirs: &Dirs, seq: u64) {
    store.tidy();
    // A turn adds several records, so the number itself may never be the last one of a turn.
    let due = seq - seq % CHECKPOINT_EVERY;
    let is_near = due > 0 && seq - due < TURN_MAX;
    if is_near
        && kept_checkpoints(dirs)
            .last()
            .is_none_or(|last| last.checkpoint.seq < due || last.checkpoint.seq > seq)
        && let Ok(Some(head)) = store.head()
    {
        let _ = keep_checkpoint(dirs, &head);
    }
}

/// Checks the ledger: its records, and the checkpoints kept next to it; `more` are kept elsewhere.
///
/// # Errors
/// If it cannot be read.
pub fn verify_ledger(
    store: &Sqlite,
    dirs: &Dirs,
    trusted: Option<&str>,
    more: Vec<Checkpoint>,
) -> Result<Verified, StoreError> {
    let mut kept = kept_checkpoints(dirs);
    let last = kept.last().map_or(0, |point| point.checkpoint.seq);
    kept.extend(more);
    let verified = store.verify(trusted, &kept)?;
    let Verified::Intact { records } = verified else { return Ok(verified) };
    if let Some(line) = damaged_line(dirs, trusted) {
        let why = format!(
            "line {line} of `{}` is damaged or not signed with the key of this ledger; save the file, then delete the line",
            path(dirs).display()
        );
        return Ok(Verified::Broken(FirstBad { index: records, why }));
    }
    if records >= last.saturating_add(CHECKPOINT_EVERY.saturating_mul(2)) {
        let why = format!(
            "`{}` has no checkpoint of the records {} to {records}: it was emptied or removed; `toolgate ledger checkpoint` makes a new one",
            path(dirs).display(),
            last.saturating_add(1)
        );
        return Ok(Verified::Broken(FirstBad { index: records, why }));
    }
    Ok(Verified::Intact { records })
}

/// The first line that is no checkpoint of this ledger.
fn damaged_line(dirs: &Dirs, trusted: Option<&str>) -> Option<usize> {
    let bytes = std::fs::read(path(dirs)).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let is_good = |line: &str| serde_json::from_str(line).is_ok_and(|point| verify_head(&point, trusted));
    text.lines().position(|line| !is_good(line)).map(|at| at.saturating_add(1))
}

fn path(dirs: &Dirs) -> PathBuf {
    dirs.state.join("checkpoints.jsonl")
}

/// Of two records to tidy up behind later, the one that must not be left out.
pub(crate) fn later_of(left: Option<u64>, seq: u64) -> u64 {
    let is_near = |seq: &u64| seq % CHECKPOINT_EVERY < TURN_MAX;
    left.filter(|left| is_near(left) && !is_near(&seq)).unwrap_or(seq)
}

/// Appends a checkpoint to the kept ones.
///
/// # Errors
/// If the file cannot be written.
pub fn keep_checkpoint(dirs: &Dirs, checkpoint: &Checkpoint) -> Result<(), Broken> {
    let path = path(dirs);
    let line = format!("{}\n", canonical(checkpoint));
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path);
    file.and_then(|mut file| file.write_all(line.as_bytes()))
        .map_err(|error| Broken::io("write", &path, &error))
}

/// The checkpoints kept so far. Lines that cannot be read are left out; the
/// ones that can still bind.
#[must_use]
pub fn kept_checkpoints(dirs: &Dirs) -> Vec<Checkpoint> {
    let text = std::fs::read_to_string(path(dirs)).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
