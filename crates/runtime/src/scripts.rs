//! Scripts this session wrote and a call would run: they are read as if their
//! text stood in the call, so that a command that is blocked is not put into a
//! file and run from there.
//!
//! Only what the session itself wrote, by its own records, and only where the
//! file has changed since the session began: the scripts of a project are its
//! own matter. What a file holds comes in as a value; judging it is core's.

use crate::broken::Broken;
use crate::scene::{Glance, Scene};
use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::Read;
use std::time::UNIX_EPOCH;
use toolgate_core::{Event, Marks, Script, Session, wrote_mark};
use toolgate_store::Turn;

/// More of one file is not read: running it is a question then.
const TEXT_MAX: u64 = 256 << 10;

/// More of all of them together is not read.
const TEXTS_MAX: usize = 1 << 20;

/// How often scripts may lead to further scripts.
const ROUNDS_MAX: usize = 4;

/// Clocks of disks are coarser than ours.
const CLOCK_MS: i64 = 2_000;

/// A call as it was read, with the scripts of this session it would run.
pub(crate) fn read<'a>(
    turn: &mut dyn Turn,
    scene: &Scene,
    session: &Session,
    event: &'a Event,
) -> Result<(Cow<'a, Event>, Glance), Broken> {
    let mut event = Cow::Borrowed(event);
    if !event.call.scripts.is_empty() {
        // What was in them before is not what would run now.
        event.to_mut().call.scripts.clear();
    }
    let mut glance = scene.glance(&event.call);
    for _ in 0..ROUNDS_MAX {
        let known = |path: &str| event.call.scripts.iter().any(|one| one.path == path);
        let sought = glance.facts.reading.sought.iter().filter(|path| !known(path));
        let real = |path: &str| Some(glance.links().of(path)).filter(|real| is_fresh(real, session));
        let fresh: Vec<(&str, String)> =
            sought.filter_map(|path| Some((path.as_str(), real(path)?))).collect();
        if fresh.is_empty() {
            break;
        }
        let keys: Vec<String> = fresh.iter().map(|(_, real)| wrote_mark(real)).collect();
        let wrote: Marks = turn.marks(&session.id, &keys)?;
        let ours = fresh.into_iter().zip(keys).filter(|(_, key)| wrote.contains_key(key));
        let found: Vec<Script> = ours.filter_map(|((path, real), _)| script(path, &real)).collect();
        if found.is_empty() {
            break;
        }
        let call = &mut event.to_mut().call;
        call.scripts.extend(found);
        call.scripts.sort_by(|one, other| one.path.cmp(&other.path));
        limit(&mut call.scripts);
        glance = scene.glance(&call.clone());
    }
    Ok((event, glance))
}

/// Whether the scripts an event was judged with are still the same.
pub(crate) fn are_unchanged(event: &Event) -> bool {
    // Of one that was not read nobody can say it; a yes to it was one to its name.
    let mut read = event.call.scripts.iter().filter_map(|one| Some((&one.path, one.text.as_ref()?)));
    read.all(|(path, text)| beginning(path).is_some_and(|now| String::from_utf8_lossy(&now) == text.as_str()))
}

/// Is it a file, and has it changed since the session began? Most are older, and the
/// records need not be asked about them.
fn is_fresh(real: &str, session: &Session) -> bool {
    // Opening a pipe would wait for a writer.
    let found = std::fs::metadata(real).ok().filter(Metadata::is_file);
    let since = session.started_ms.map_or(i64::MIN, |started| started.saturating_sub(CLOCK_MS));
    found.is_some_and(|found| changed_ms(&found) >= since)
}

/// What is there; nothing for what no shell could read.
fn script(path: &str, real: &str) -> Option<Script> {
    let bytes = beginning(real).filter(|bytes| !bytes.contains(&0))?;
    let whole = u64::try_from(bytes.len()).is_ok_and(|length| length <= TEXT_MAX);
    let text = whole.then(|| String::from_utf8_lossy(&bytes).into_owned());
    Some(Script { path: path.to_owned(), text })
}

/// What a file holds, and a byte more where that is more than is read.
fn beginning(path: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(TEXT_MAX.saturating_add(1)).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// When a file last changed; what nobody can say is now.
fn changed_ms(found: &Metadata) -> i64 {
    let since = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(i64::MAX)
}

/// Of more than is read, the last are not.
fn limit(scripts: &mut [Script]) {
    let mut left = TEXTS_MAX;
    for script in scripts {
        let length = script.text.as_ref().map_or(0, String::len);
        if length > left {
            script.text = None;
        }
        left = left.saturating_sub(length);
    }
}
