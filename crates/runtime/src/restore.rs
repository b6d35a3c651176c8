//! Backups around a call: made before it runs, settled when it has ended, put
//! back when a guard takes it back or a person asks for it.

use crate::backup::{content, keep, put_back, state_of};
use crate::broken::Broken;
use crate::clock::now_ms;
use crate::dirs::Dirs;
use crate::gate::{Answered, context, cut};
use crate::hearing::Hearing;
use crate::request_desk::Desk;
use toolgate_core::rule::Otherwise;
use toolgate_core::{
    Backed, Changed, Context, Entry, Event, Finding, HostAnswer, Mode, Outcome, Record, SavedFile, Was,
    backup_mark,
};
use toolgate_store::{Store, Turn};

/// Records read at once.
const BATCH: u32 = 1000;

impl Hearing<'_> {
    /// Makes the copies a rule asks for before a call that is about to run.
    /// Where they cannot be made, the rule says what happens.
    pub(crate) fn with_backup(&mut self, dirs: &Dirs, answered: Answered) -> Result<Answered, Broken> {
        let wants = |finding: &&Finding| matches!(finding.outcome, Outcome::Backup { .. });
        let Some(wanted) = answered.decision.findings.iter().find(wants).cloned() else {
            return Ok(answered);
        };
        let told = answered.delivered.verdict(answered.decision.verdict);
        let may_run = told.runs() || matches!(answered.delivered, HostAnswer::Asked { .. });
        if !may_run || self.policy.mode() == Mode::Observe {
            return Ok(answered);
        }
        match keep(dirs, &answered.decision.facts) {
            Ok(files) if files.is_empty() => Ok(answered),
            Ok(files) => {
                let call = &self.event.call;
                let backed = Backed {
                    call: call.id.clone(),
                    tool: call.tool.clone(),
                    title: cut(&call.title()),
                    arguments: call.arguments_digest(),
                    files,
                };
                self.turn.append(self.now_ms, &context(&self.event, self.policy), Entry::Backed(backed))?;
                Ok(answered)
            }
            Err(why) => self.without_backup(answered, &wanted, &why),
        }
    }

    fn without_backup(
        &mut self,
        answered: Answered,
        wanted: &Finding,
        why: &str,
    ) -> Result<Answered, Broken> {
        let otherwise = match wanted.outcome {
            Outcome::Backup { otherwise } => otherwise,
            _ => Otherwise::Block,
        };
        let outcome = match otherwise {
            Otherwise::Block => Outcome::Block,
            Otherwise::Ask => Outcome::Ask,
            Otherwise::Warn => Outcome::Warn,
        };
        let message = format!("{} (no backup is possible: {why})", wanted.message);
        let mut decision = answered.decision;
        decision.verdict = decision.verdict.max(outcome.verdict());
        decision.findings.push(Finding { outcome, message, ..wanted.clone() });
        self.settle(decision)
    }
}

/// The backup made before the call of an event, if one was.
pub(crate) fn backup_of(turn: &mut dyn Turn, event: &Event) -> Result<Option<(u64, Backed)>, Broken> {
    let name = event.call.id.clone().unwrap_or_else(|| event.call.arguments_digest());
    let key = backup_mark(&name);
    let marks = turn.marks(&event.call.session, std::slice::from_ref(&key))?;
    let Some(mark) = marks.get(&key) else { return Ok(None) };
    Ok(turn.record(mark.seq)?.and_then(|record| match record.entry {
        Entry::Backed(backed) => Some((record.seq, backed)),
        _ => None,
    }))
}

/// Writes down what the files of a backup are now that the call has ended.
pub(crate) fn note_changes(
    turn: &mut dyn Turn,
    context: &Context,
    backup: &(u64, Backed),
) -> Result<(), Broken> {
    let now = backup
        .1
        .files
        .iter()
        .filter_map(|kept| Some(SavedFile { path: kept.path.clone(), was: state_of(&kept.path)? }));
    let changed = Changed { backup: backup.0, files: now.collect() };
    turn.append(now_ms(), context, Entry::Changed(changed))?;
    Ok(())
}

/// Puts everything back a call changed, and writes it down. Returns what the
/// agent is told.
pub(crate) fn roll_back(
    turn: &mut dyn Turn,
    dirs: &Dirs,
    context: &Context,
    backup: &(u64, Backed),
) -> Result<String, Broken> {
    let (mut back, mut failed) = (0_usize, Vec::new());
    for kept in &backup.1.files {
        match put_back(dirs, kept) {
            Ok(()) => back += 1,
            Err(broken) => failed.push(format!("{}: {}", kept.path, broken.what)),
        }
    }
    let files = |count: usize| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    let mut text = format!("{} restored to the state before this call (backup {}).", files(back), backup.0);
    if !failed.is_empty() {
        text.push_str(&format!(" Not restored: {}.", failed.join("; ")));
    }
    let entry = Entry::Noted { what: "rolled-back".to_owned(), text: cut(&text) };
    turn.append(now_ms(), context, entry)?;
    Ok(text)
}

/// A backup as a person sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Backup {
    /// The record that tells of it.
    pub record: Record,
    /// What was kept.
    pub backed: Backed,
    /// What the files were when the call had ended, if that is known.
    pub after: Option<Vec<SavedFile>>,
}

/// How a file is to its backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is what was kept.
    Same,
    /// It is as the call left it.
    AsLeft,
    /// It has changed since, or no one can tell.
    Newer,
}

impl Backup {
    /// How one of its files is now.
    #[must_use]
    pub fn standing(&self, kept: &SavedFile) -> Standing {
        let now = state_of(&kept.path);
        let is = |was: &Was| now.as_ref().is_some_and(|now| same(now, was));
        let left = self.after.iter().flatten().find(|left| left.path == kept.path);
        match () {
            () if is(&kept.was) => Standing::Same,
            () if left.is_some_and(|left| is(&left.was)) => Standing::AsLeft,
            () => Standing::Newer,
        }
    }
}

fn same(one: &Was, other: &Was) -> bool {
    match (one, other) {
        (Was::File { digest, .. }, Was::File { digest: wanted, .. }) => digest == wanted,
        (one, other) => one == other,
    }
}

impl Desk {
    /// Every backup there is a record of, newest first.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn backups(&mut self) -> Result<Vec<Backup>, Broken> {
        let mut found: Vec<Backup> = Vec::new();
        let mut after = 0;
        loop {
            let batch = self.store().records_after(after, BATCH)?;
            // In an altered ledger numbers need not grow.
            let Some(last) = batch.last().filter(|last| last.seq > after) else { break };
            after = last.seq;
            for record in batch {
                match &record.entry {
                    Entry::Backed(backed) => {
                        let backed = backed.clone();
                        found.push(Backup { record, backed, after: None });
                    }
                    Entry::Changed(changed) => {
                        let own = found.iter_mut().find(|backup| backup.record.seq == changed.backup);
                        if let Some(own) = own {
                            own.after = Some(changed.files.clone());
                        }
                    }
                    _ => {}
                }
            }
        }
        found.reverse();
        Ok(found)
    }

    /// What was kept of a file.
    ///
    /// # Errors
    /// If the copy is gone or altered.
    pub fn kept_content(&self, digest: &str) -> Result<Vec<u8>, Broken> {
        content(self.dirs(), digest)
    }

    /// Puts files of a backup back and writes it down.
    ///
    /// # Errors
    /// If a copy is gone, or a file cannot be written.
    pub fn put_back(&mut self, backup: &Backup, files: &[&SavedFile]) -> Result<(), Broken> {
        for kept in files {
            put_back(self.dirs(), kept)?;
        }
        let names: Vec<&str> = files.iter().map(|kept| kept.path.as_str()).collect();
        let text = format!("{} from record {}", names.join(", "), backup.record.seq);
        self.note_for(&backup.record.context, "restored", &text)
    }
}
