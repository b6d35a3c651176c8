//! What a session made itself: it may go without a question.
//!
//! Told by the session's records: files that were not there before a call wrote them, and
//! files that came to be while a call of it ran. A file that was there stays the person's,
//! but for changes made since the session found it as git has it.

use crate::git::stamp;
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use toolgate_core::{
    Access, Before, Entry, EventKind, Facts, FileFact, Record, Session, found_as_mark, found_mark, made_mark,
};
use toolgate_store::{StoreError, Turn};

/// The clock of a disk may be so much behind ours.
const CLOCK_MS: i64 = 20;

/// Among so many of the newest records calls of the session are looked for.
const RECORDS_MAX: u32 = 2_000;

/// What a session made; nothing where no session is known.
#[derive(Default)]
pub(crate) struct OwnWork<'a> {
    of: Option<(&'a mut dyn Turn, &'a Session)>,
    /// When its calls ran.
    spans: Option<Vec<(i64, i64)>>,
    /// Folders that were looked up.
    folders: BTreeMap<PathBuf, bool>,
    fault: Option<StoreError>,
}

impl<'a> OwnWork<'a> {
    /// Of a session with its records.
    pub(crate) fn of(turn: &'a mut dyn Turn, session: &'a Session) -> OwnWork<'a> {
        OwnWork { of: Some((turn, session)), ..OwnWork::default() }
    }

    /// What went wrong in between; then nothing it said counts.
    pub(crate) fn fault(self) -> Option<StoreError> {
        self.fault
    }

    /// Whether the session made a file or folder that is there.
    pub(crate) fn made(&mut self, path: &Path, found: &Metadata) -> bool {
        let Some(started) = self.of.as_ref().and_then(|(_, session)| session.started_ms) else {
            return false;
        };
        let born = found.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let born = born.and_then(|since| i64::try_from(since.as_millis()).ok());
        // Nothing is older than its birth, or than the last change of what is known of it.
        let newest = born.unwrap_or_else(|| found.ctime().saturating_add(1).saturating_mul(1_000));
        if newest < started.saturating_sub(CLOCK_MS) {
            return false;
        }
        if self.has_mark(&[made_mark(&path.to_string_lossy())]) || self.is_in_made(path) {
            return true;
        }
        let Some(born) = born else { return false };
        let in_call = |(from, to): &(i64, i64)| (from.saturating_sub(CLOCK_MS)..=*to).contains(&born);
        self.spans().iter().any(in_call) && !self.has_mark(&[found_mark(&path.to_string_lossy())])
    }

    /// Whether the session was the first to change a file that looked so, as git has it.
    pub(crate) fn changed_since(&mut self, path: &Path, stamp: &str) -> bool {
        self.has_mark(&[found_as_mark(&path.to_string_lossy(), stamp)])
    }

    fn is_in_made(&mut self, path: &Path) -> bool {
        let Some(folder) = path.parent() else { return false };
        if let Some(known) = self.folders.get(folder) {
            return *known;
        }
        let folders = folder.ancestors().take_while(|one| one.parent().is_some());
        let keys: Vec<String> = folders.map(|one| made_mark(&one.to_string_lossy())).collect();
        let made = self.has_mark(&keys);
        self.folders.insert(folder.to_owned(), made);
        made
    }

    fn has_mark(&mut self, keys: &[String]) -> bool {
        let Some((turn, session)) = &mut self.of else { return false };
        let found = turn.marks(&session.id, keys);
        self.told(found).is_some_and(|marks| !marks.is_empty())
    }

    fn spans(&mut self) -> &[(i64, i64)] {
        if self.spans.is_none() {
            let records = match &mut self.of {
                Some((turn, session)) => turn.recent_of(&session.id, RECORDS_MAX),
                None => Ok(Vec::new()),
            };
            self.spans = Some(spans_of(&self.told(records).unwrap_or_default()));
        }
        self.spans.as_deref().unwrap_or_default()
    }

    fn told<T>(&mut self, found: Result<T, StoreError>) -> Option<T> {
        found.map_err(|fault| self.fault = Some(fault)).ok()
    }
}

/// From when to when each call ran; the records are newest first.
fn spans_of(records: &[Record]) -> Vec<(i64, i64)> {
    let mut ended: BTreeMap<&str, i64> = BTreeMap::new();
    let mut spans = Vec::new();
    for record in records {
        match &record.entry {
            Entry::Resulted(resulted) => {
                ended.extend(resulted.call.as_deref().map(|call| (call, record.time_ms)));
            }
            Entry::Decided(decided)
                if decided.event == EventKind::PreExecution && decided.delivered.runs() =>
            {
                let end = decided.call.as_deref().and_then(|call| ended.get(call));
                spans.extend(end.map(|end| (record.time_ms, *end)));
            }
            _ => {}
        }
    }
    spans
}

/// What the files were that a call is about to write, up to so many.
pub(crate) fn files_before(facts: &Facts, most: usize) -> Vec<Before> {
    let writes = |file: &&FileFact| matches!(file.access, Access::Write | Access::Create);
    // A new name for an old file makes none.
    let moved = |file: &FileFact| {
        let deletes = |one: &FileFact| matches!(one.access, Access::Delete | Access::DeleteTree);
        facts.files.iter().any(|one| deletes(one) && one.command == file.command)
    };
    let named = facts.files.iter().filter(writes).filter(|file| file.exact && !file.glob);
    let known = named.filter(|file| file.access == Access::Create || file.exists == Some(true));
    let found = known.filter_map(|file| {
        let path = file.real.as_deref().unwrap_or(&file.path);
        match std::fs::symlink_metadata(path) {
            Ok(found) => {
                found.is_file().then(|| Before { path: path.to_owned(), stamp: Some(stamp(&found)) })
            }
            Err(error) if error.kind() == ErrorKind::NotFound && !moved(file) => {
                Some(Before { path: path.to_owned(), stamp: None })
            }
            Err(_) => None,
        }
    });
    found.take(most).collect()
}
