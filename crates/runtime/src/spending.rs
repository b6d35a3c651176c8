//! Reads on in a host's own log, to count what the model used, and counts the
//! files a session changes.
//!
//! Only what was added since the last look is read, so a long session costs no
//! more than a short one.

use crate::broken::Broken;
use crate::scene::{Scene, Setup};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use toolgate_core::{Access, Event, Resulted, Spent, Usage, changed_mark};
use toolgate_store::Turn;

/// Most that is read at once; the rest is read by the next calls.
const READ_MAX: u64 = 32 << 20;

/// What was used since the last look; `None` if there is no log to read.
pub(crate) fn since(setup: &Setup, event: &Event, spent: &Spent) -> Option<Usage> {
    let (read, path) = (setup.usage?, event.log.as_ref()?);
    // Opening a pipe would wait for a writer.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    if length < spent.read_to {
        return Some(Usage { read_to: length, lost: true, ..Usage::default() });
    }
    file.seek(SeekFrom::Start(spent.read_to)).ok()?;
    let mut bytes = Vec::new();
    file.take(READ_MAX).read_to_end(&mut bytes).ok()?;
    // The last line may not be written to its end yet.
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let usage = read(bytes.get(..end).unwrap_or_default(), spent);
    let read_to = spent.read_to.saturating_add(u64::try_from(end).unwrap_or(0));
    Some(Usage { read_to, ..usage })
}

/// How many files a call changed first in its session, where a budget counts
/// them.
pub(crate) fn with_new_files(
    turn: &mut dyn Turn,
    scene: &Scene,
    event: &Event,
    resulted: Resulted,
) -> Result<Resulted, Broken> {
    let mut agents = scene.policy().settings().agents_of(&event.call);
    let counts = agents.any(|entry| entry.agent.budget.as_ref().is_some_and(|budget| budget.files.is_some()));
    if !counts || !resulted.succeeded() {
        return Ok(resulted);
    }
    let changed = resulted.touched.iter().filter(|one| one.access != Access::Read);
    let mut keys: Vec<String> = changed.map(|one| changed_mark(&one.path)).collect();
    keys.sort();
    keys.dedup();
    let known = turn.marks(&event.call.session, &keys)?;
    let new = keys.len().saturating_sub(known.len());
    Ok(Resulted { files: Some(u64::try_from(new).unwrap_or(u64::MAX)), ..resulted })
}
