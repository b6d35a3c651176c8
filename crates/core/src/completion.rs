//! When an agent is done: what must be there before it may stop.
//!
//! Data and one pure question. Whether a file is there is told by the caller;
//! what cannot be told counts as missing.

use crate::guard::Disk;
use crate::rule::Names;
use crate::session::Session;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many missing files are named.
const NAMED_MAX: usize = 3;

/// What must hold. Everything that is given must; `any` needs one of its parts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Completion {
    /// Files that must be there, seen from the project.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub files: Names,
    /// Commands, as the beginning of their normal form, that must have succeeded
    /// since the last change.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub ran: Names,
    /// A command that says whether the work is done: it succeeds, or prints what is missing. It is told
    /// about the session as JSON on its stdin. Not for projects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Parts that must all hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub all: Vec<Completion>,
    /// Parts of which one must hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub any: Vec<Completion>,
}

impl Completion {
    /// Every file it asks about.
    pub fn asked_files(&self) -> Vec<&str> {
        let inner = self.all.iter().chain(&self.any).flat_map(Completion::asked_files);
        self.files.iter().chain(inner).collect()
    }

    /// Every command it asks.
    pub fn commands(&self) -> Vec<&str> {
        let inner = self.all.iter().chain(&self.any).flat_map(Completion::commands);
        self.command.as_deref().into_iter().chain(inner).collect()
    }

    /// Leaves the commands out.
    pub(crate) fn drop_commands(&mut self) {
        self.command = None;
        self.all.iter_mut().chain(&mut self.any).for_each(Completion::drop_commands);
    }

    /// What is missing, in words; `None` when the agent is done.
    pub fn missing(&self, session: &Session, disk: Disk<'_>) -> Option<String> {
        let files = || self.missing_files(disk.is_there);
        let ran = || self.missing_command(session);
        let command = || (disk.is_incomplete)(self.command.as_deref()?);
        let all = || self.all.iter().find_map(|part| part.missing(session, disk));
        let any = || {
            let open: Option<Vec<String>> = self.any.iter().map(|part| part.missing(session, disk)).collect();
            open.filter(|open| !open.is_empty()).map(|open| open.join("; or "))
        };
        files().or_else(ran).or_else(command).or_else(all).or_else(any)
    }

    fn missing_files(&self, is_there: &dyn Fn(&str) -> Option<bool>) -> Option<String> {
        let missing: Vec<&str> = self.files.iter().filter(|name| is_there(name) != Some(true)).collect();
        if missing.is_empty() {
            return None;
        }
        let named: Vec<&str> = missing.iter().take(NAMED_MAX).copied().collect();
        let more = if missing.len() > NAMED_MAX { ", …" } else { "" };
        let noun = if missing.len() == 1 { "file is" } else { "files are" };
        Some(format!("{} {noun} missing: {}{more}", missing.len(), named.join(", ")))
    }

    fn missing_command(&self, session: &Session) -> Option<String> {
        let ran = |wanted: &str| {
            session.fresh.iter().any(|done| {
                let rest = done.strip_prefix(wanted).filter(|rest| rest.is_empty() || rest.starts_with(' '));
                rest.is_some_and(|rest| !only_looks(rest))
            })
        };
        let wanted = self.ran.iter().find(|wanted| !ran(wanted))?;
        Some(format!("`{wanted}` has not succeeded since the last change"))
    }
}

/// Options with which a command says something and does nothing of what it is
/// for: `cargo test --help` is no test that passed.
const LOOKING: [&str; 8] = [
    "--help",
    "--version",
    "--no-run",
    "--list",
    "--collect-only",
    "--dry-run",
    "--listTests",
    "--just-print",
];

/// Whether these words make a command only look.
pub(crate) fn only_looks(words: &str) -> bool {
    // Behind `--` they are the program's own: `cargo test -- --list`.
    let mut all = words.split(' ').filter(|word| !word.is_empty());
    all.any(|word| LOOKING.contains(&word)) || matches!(words.rsplit(' ').next(), Some("-h" | "-V"))
}
