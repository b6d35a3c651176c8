//! Marks: the things a session has done, one by one, with how often and when.
//!
//! They stand in the store as rows of their own, and a call is judged with only
//! those its guards ask for, so that a session of a thousand calls costs no more
//! than one of ten. Like the session they are a fold over the records.

use crate::facts::Access;
use crate::guards;
use crate::ledger::{Before, Entry, Record, Touched};
use crate::outcome::Outcome;
use crate::prerequisite::{CheckResult, Method};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Longest text of a mark; longer ones are cut, the same way when they are
/// set and when they are asked for.
const TEXT_MAX: usize = 4096;

/// What the note is called that says the warnings of a guard were answered.
pub const WARNINGS_ANSWERED: &str = "warnings-answered";

/// How often and when a thing was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// How often.
    pub count: u64,
    /// The number of the record that did it last.
    pub seq: u64,
    /// The number of calls judged in the session by then.
    pub call: u64,
    /// When, in milliseconds since 1970.
    pub time_ms: i64,
}

/// Marks by key.
pub type Marks = BTreeMap<String, Mark>;

/// A tool that succeeded.
#[must_use]
pub fn tool_mark(tool: &str) -> String {
    key("tool", tool)
}

/// A file that was read, by its real path.
#[must_use]
pub fn read_mark(path: &str) -> String {
    key("read", path)
}

/// A guard that warned.
#[must_use]
pub fn warned_mark(guard: &str) -> String {
    key("warned", guard)
}

/// A tool that ran without being verified.
#[must_use]
pub fn unverified_mark(tool: &str) -> String {
    key("unverified", tool)
}

/// A source of feedback.
#[must_use]
pub fn advice_mark(provider: &str) -> String {
    key("advice", provider)
}

/// The same, because a file was there.
#[must_use]
pub fn file_advice_mark(provider: &str, file: &str) -> String {
    key("advice-file", &format!("{provider} {file}"))
}

/// A file that was changed, by its real path.
#[must_use]
pub fn changed_mark(path: &str) -> String {
    key("changed", path)
}

/// A file that was written, whether the call then succeeded or not, by its real path.
#[must_use]
pub fn wrote_mark(path: &str) -> String {
    key("wrote", path)
}

/// A file that was not there before a call of this session wrote it.
#[must_use]
pub fn made_mark(path: &str) -> String {
    key("made", path)
}

/// A file that was there before a call of this session wrote it.
#[must_use]
pub fn found_mark(path: &str) -> String {
    key("found", path)
}

/// The same, as it was then: when it had changed, and its size.
#[must_use]
pub fn found_as_mark(path: &str, stamp: &str) -> String {
    key("found-as", &format!("{stamp} {path}"))
}

/// Files copied before a call, by the host's id of it.
#[must_use]
pub fn backup_mark(call: &str) -> String {
    key("backup", call)
}

/// A check that passed.
#[must_use]
pub fn passed_mark(method: &Method) -> String {
    key("passed", &method.name())
}

/// A check that failed.
#[must_use]
pub fn failed_mark(method: &Method) -> String {
    key("failed", &method.name())
}

/// An agent that was given work and finished it.
#[must_use]
pub fn handed_mark(receiver: &str) -> String {
    key("handed", receiver)
}

/// A file of the workspace changed.
pub const CHANGED_MARK: &str = "changed";

fn key(what: &str, of: &str) -> String {
    let end = of.floor_char_boundary(TEXT_MAX);
    format!("{what} {}", of.get(..end).unwrap_or_default())
}

/// The marks a record sets.
#[must_use]
pub fn marks_of(record: &Record) -> Vec<String> {
    let mut marks = match &record.entry {
        // What did not run was no warning: the agent heard something else.
        Entry::Decided(decided) if decided.delivered.runs() => {
            let warned = decided.findings.iter().filter(|finding| finding.outcome == Outcome::Warn);
            let mut marks: Vec<String> = warned.map(|finding| warned_mark(&finding.guard)).collect();
            for Before { path, stamp } in &decided.before {
                match stamp {
                    None => marks.push(made_mark(path)),
                    Some(stamp) => marks.extend([found_mark(path), found_as_mark(path, stamp)]),
                }
            }
            if marks.contains(&warned_mark(guards::VERIFIED_ID)) {
                marks.push(unverified_mark(&decided.tool));
            }
            marks
        }
        Entry::Backed(backed) => {
            vec![backup_mark(backed.call.as_ref().unwrap_or(&backed.arguments))]
        }
        Entry::Resulted(resulted) => {
            let done = Some(resulted).filter(|resulted| resulted.succeeded());
            let read = done.iter().flat_map(|done| &done.touched).filter(|one| one.access == Access::Read);
            let tool = done.map(|done| tool_mark(&done.tool));
            let handed = done.and_then(|done| done.to.as_deref()).map(handed_mark);
            // Also what failed may have changed something on its way.
            let changed = resulted.changed.then(|| CHANGED_MARK.to_owned());
            let read = read.map(|one| read_mark(&one.path));
            let counted = done.filter(|done| done.files.is_some());
            let files =
                counted.iter().flat_map(|done| &done.touched).filter(|one| one.access != Access::Read);
            let files = files.map(|one| changed_mark(&one.path));
            let writes = |one: &&Touched| one.access == Access::Write;
            let wrote = resulted.touched.iter().filter(writes).map(|one| wrote_mark(&one.path));
            tool.into_iter().chain(handed).chain(changed).chain(read).chain(files).chain(wrote).collect()
        }
        Entry::Advised(advice) => {
            let file = advice.file.as_ref().map(|file| file_advice_mark(&advice.provider, file));
            std::iter::once(advice_mark(&advice.provider)).chain(file).collect()
        }
        Entry::Checked { results, .. } => {
            let mark = |result: &CheckResult| {
                let name = if result.passed { passed_mark } else { failed_mark };
                name(&result.check.method)
            };
            results.iter().map(mark).collect()
        }
        Entry::Noted { what, text } if what == WARNINGS_ANSWERED => vec![warned_mark(text)],
        _ => Vec::new(),
    };
    marks.sort();
    marks.dedup();
    marks
}

impl Mark {
    /// The mark after one more record.
    #[must_use]
    pub fn after(self, record: &Record, call: u64) -> Mark {
        // A person's answer sets the warnings it is about back.
        let answered = matches!(&record.entry, Entry::Noted { what, .. } if what == WARNINGS_ANSWERED);
        let count = if answered { 0 } else { self.count.saturating_add(1) };
        Mark { count, seq: record.seq, call, time_ms: record.time_ms }
    }
}
