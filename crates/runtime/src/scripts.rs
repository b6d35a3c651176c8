//! Scripts this session wrote and a call would run: they are read as if their
//! text was in the call, so that a command that is blocked is not put into a
//! file and run from there.
//!
//! Only what the session itself wrote, by its own records, and only where the
//! file has changed since the session began: the scripts of a project are its
//! own matter. What a file holds comes in as a value; judging it is core's.

use crate::broken::Broken;
use crate::own_work::OwnWork;
use crate::scene::{Glance, Scene};
use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::Read;
use std::time::UNIX_EPOCH;
use toolgate_core::{Event, EventKind, Marks, Script, Session, wrote_mark};
use toolgate_store::Turn;

/// More of one file is not read: running it is a question then.
const TEXT_MAX: u64 = 256 << 10;

/// More of all of them together is not read.
const TEXTS_MAX: usize = 1 << 20;

/// Files and names in a folder that are looked at, and folders above a file.
const WANTED_MAX: usize = 1_024;
const ENTRIES_MAX: usize = 1_000;
const FOLDERS_MAX: usize = 4;

/// How often scripts may lead to further scripts.
const ROUNDS_MAX: usize = 12;

/// Clocks of disks are coarser than ours.
const CLOCK_MS: i64 = 2_000;

/// A call as it was read, with the scripts of this session it would run and the work of
/// others it would lose.
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
    for round in 1..=ROUNDS_MAX {
        let known = |path: &str| event.call.scripts.iter().any(|one| one.path == path);
        let wanted = glance.facts.reading.wanted_files.iter().flat_map(|path| meant(path));
        let wanted = wanted.filter(|path| !known(path)).take(WANTED_MAX);
        let real = |path: &str| Some(glance.links().of(path)).filter(|real| is_fresh(real, session));
        let fresh: Vec<(String, String)> =
            wanted.filter_map(|path| real(&path).map(|real| (path, real))).collect();
        if fresh.is_empty() {
            break;
        }
        let keys: Vec<String> = fresh.iter().flat_map(|(_, real)| keys_of(real, scene)).collect();
        let wrote: Marks = turn.marks(&session.id, &keys)?;
        let is_ours = |real: &str| keys_of(real, scene).any(|key| wrote.contains_key(&key));
        let ours = fresh.iter().filter(|(_, real)| is_ours(real));
        let mut found: Vec<Script> = ours.filter_map(|(path, real)| script(path, real)).collect();
        // Where they lead on and on, the last ones are not read.
        found.iter_mut().filter(|_| round == ROUNDS_MAX).for_each(|script| script.text = None);
        if found.is_empty() {
            break;
        }
        let call = &mut event.to_mut().call;
        call.scripts.extend(found);
        call.scripts.sort_by(|one, other| one.path.cmp(&other.path));
        limit(&mut call.scripts);
        glance = scene.glance(&call.clone());
    }
    if event.kind == EventKind::PreExecution {
        let mut own = OwnWork::of(turn, session);
        glance = scene.with_unsaved(glance, &event.call, &mut own);
        if let Some(fault) = own.fault() {
            return Err(fault.into());
        }
    }
    Ok((event, glance))
}

/// The files of a path, which may be a pattern for names in one folder.
fn meant(path: &str) -> Vec<String> {
    if !path.contains(['*', '?', '[']) {
        return vec![path.to_owned()];
    }
    let folder = path.rsplit_once('/').map_or("/", |(folder, _)| folder);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(ENTRIES_MAX);
    let names = entries.filter_map(|entry| entry.path().to_str().map(str::to_owned));
    names.filter(|name| fast_glob::glob_match(path, name)).collect()
}

/// The marks that say who wrote a file: its own, and those of folders that were put
/// there as a whole.
fn keys_of(real: &str, scene: &Scene) -> impl Iterator<Item = String> {
    let folders = std::iter::successors(Some(real), |path| path.rsplit_once('/').map(|(folder, _)| folder));
    let folders = folders.skip(1).take_while(|folder| scene.is_below(folder)).take(FOLDERS_MAX);
    std::iter::once(real).chain(folders).map(wrote_mark)
}

/// Whether the scripts an event was judged with are still the same.
pub(crate) fn are_unchanged(event: &Event) -> bool {
    // Of one that was not read no one can say it; a yes to it was one to its name.
    let mut read = event.call.scripts.iter().filter_map(|one| Some((&one.path, one.text.as_ref()?)));
    read.all(|(path, text)| beginning(path).is_some_and(|now| text_of(&now) == *text))
}

/// Is it a file, and has it changed since the session began? Most are older, and the
/// records need not be asked about them.
fn is_fresh(real: &str, session: &Session) -> bool {
    let found = std::fs::metadata(real).ok().filter(Metadata::is_file);
    let since = session.started_ms.map_or(i64::MIN, |started| started.saturating_sub(CLOCK_MS));
    found.is_some_and(|found| changed_ms(&found) >= since)
}

/// What is there; nothing for what no shell could read.
fn script(path: &str, real: &str) -> Option<Script> {
    let bytes = beginning(real).filter(|bytes| !is_binary(bytes))?;
    let whole = u64::try_from(bytes.len()).is_ok_and(|length| length <= TEXT_MAX);
    let text = whole.then(|| text_of(&bytes));
    Some(Script { path: path.to_owned(), text })
}

/// Would a shell refuse it? It looks for a zero in the first line.
fn is_binary(bytes: &[u8]) -> bool {
    let first = bytes.get(..bytes.len().min(80)).unwrap_or(bytes);
    first.split(|byte| *byte == b'\n').next().is_some_and(|line| line.contains(&0))
}

/// As a shell reads it: zeros are left out.
fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\0', "")
}

/// What a file holds, and a byte more where that is more than is read.
fn beginning(path: &str) -> Option<Vec<u8>> {
    // Opening a pipe would wait for a writer, and the host would not wait for us.
    std::fs::metadata(path).ok().filter(Metadata::is_file)?;
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(TEXT_MAX.saturating_add(1)).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// When a file last changed; what no one can say is now.
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
