//! `toolgate restore`: bring back what a call changed or deleted.

use crate::screen::{BOLD, DIM, json, one_line, out, styled, talk, visible};
use crate::verbs::install::refuse_agent;
use crate::verbs::logs::time;
use crate::verbs::{Failure, Outcome};
use crate::{desk, project};
use clap::Subcommand;
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;
use toolgate_core::{SavedFile, Was};
use toolgate_runtime::{Backup, Desk, Standing};

/// Backups shown.
const SHOWN_MAX: usize = 50;

/// Brings files back to what they were before a call.
#[derive(Debug, clap::Args)]
#[command(after_help = "Backups are made where a rule says `require: { backup: true }`.

Examples:
  toolgate restore list
  toolgate restore show 1234              the files of one backup
  toolgate restore show 1234 src/a.rs     the content of one of them
  toolgate restore file 1234 src/a.rs     restore one file
  toolgate restore call 1234              restore everything the call changed

Files that changed after the call are kept unless you use --force.")]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do with backups.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List backups, newest first
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the files of a backup, or the content of one
    Show {
        /// The record number of the backup
        record: u64,
        /// A file of the backup
        file: Option<String>,
        /// Print JSON
        #[arg(long, conflicts_with = "file")]
        json: bool,
    },
    /// Restore one file
    File {
        /// The record number of the backup
        record: u64,
        /// The file
        file: String,
        /// Overwrite files that have changed since
        #[arg(long)]
        force: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Restore every file a call changed
    Call {
        /// The record number of the backup
        record: u64,
        /// Overwrite files that have changed since
        #[arg(long)]
        force: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    let mut desk = desk::open()?;
    match &args.verb {
        Verb::List { json } => list(&mut desk, *json),
        Verb::Show { record, file: None, json } => show(&find(&mut desk, *record)?, *json),
        Verb::Show { record, file: Some(file), .. } => {
            let backup = find(&mut desk, *record)?;
            print(&desk, &backup, file)
        }
        Verb::File { record, file, force, json } => {
            let backup = find(&mut desk, *record)?;
            let kept = file_of(&backup, file)?.clone();
            back(&mut desk, &backup, &[&kept], *force, *json)
        }
        Verb::Call { record, force, json } => {
            let backup = find(&mut desk, *record)?;
            let all: Vec<&SavedFile> = backup.backed.files.iter().collect();
            back(&mut desk, &backup, &all, *force, *json)
        }
    }
}

fn find(desk: &mut Desk, record: u64) -> Result<Backup, Failure> {
    let found = desk.backups()?.into_iter().find(|backup| backup.record.seq == record);
    found.ok_or_else(|| {
        Failure::new(
            format!("record {record} is not a backup"),
            "`toolgate restore list` shows the numbers of backups",
        )
    })
}

/// By its path as recorded, or as seen from here.
fn file_of<'a>(backup: &'a Backup, name: &str) -> Result<&'a SavedFile, Failure> {
    let here = project::current_dir().join(name);
    let is_it = |kept: &&SavedFile| kept.path == name || here.to_string_lossy() == kept.path;
    backup.backed.files.iter().find(is_it).ok_or_else(|| {
        let cure = format!("`toolgate restore show {}` lists its files", backup.record.seq);
        Failure::new(format!("`{name}` is not in this backup"), cure)
    })
}

fn list(desk: &mut Desk, as_json: bool) -> Outcome {
    let backups = desk.backups()?;
    if as_json {
        json(&backups.iter().map(data).collect::<Vec<Value>>());
        return Ok(ExitCode::SUCCESS);
    }
    if backups.is_empty() {
        out("no backups; a rule with `require: { backup: true }` makes them");
    }
    for backup in backups.iter().take(SHOWN_MAX) {
        out(&format!(
            "{}  {:>6}  {:>4} files  {}",
            styled(DIM, &time(backup.record.time_ms)),
            backup.record.seq,
            backup.backed.files.len(),
            one_line(&backup.backed.title, 80)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn data(backup: &Backup) -> Value {
    let file = |kept: &SavedFile| json!({ "path": kept.path, "was": kept.was, "now": standing(backup.standing(kept)) });
    let files: Vec<Value> = backup.backed.files.iter().map(file).collect();
    json!({
        "record": backup.record.seq,
        "time_ms": backup.record.time_ms,
        "session": backup.record.context.session,
        "title": backup.backed.title,
        "files": files,
    })
}

fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Same => "same",
        Standing::AsLeft => "as the call left it",
        Standing::Newer => "changed since",
    }
}

fn was(was: &Was) -> String {
    match was {
        Was::Absent => "did not exist".to_owned(),
        Was::File { bytes, .. } => format!("{bytes} bytes"),
        Was::Link { to } => format!("link to {}", visible(to)),
    }
}

fn show(backup: &Backup, as_json: bool) -> Outcome {
    if as_json {
        json(&data(backup));
        return Ok(ExitCode::SUCCESS);
    }
    out(&format!(
        "{}  {}",
        styled(BOLD, &backup.record.seq.to_string()),
        one_line(&backup.backed.title, 100)
    ));
    for kept in &backup.backed.files {
        let now = standing(backup.standing(kept));
        out(&format!(
            "  {}  {}",
            visible(&kept.path),
            styled(DIM, &format!("{}; now: {now}", was(&kept.was)))
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn print(desk: &Desk, backup: &Backup, file: &str) -> Outcome {
    let kept = file_of(backup, file)?;
    match &kept.was {
        Was::File { digest, .. } => std::io::stdout().write_all(&desk.kept_content(digest)?)?,
        other => out(&was(other)),
    }
    Ok(ExitCode::SUCCESS)
}

/// All of them or none: half a call is no state anybody wants.
fn back(desk: &mut Desk, backup: &Backup, files: &[&SavedFile], force: bool, as_json: bool) -> Outcome {
    refuse_agent()?;
    let of = |wanted: Standing| files.iter().copied().filter(move |kept| backup.standing(kept) == wanted);
    let newer: Vec<&str> = of(Standing::Newer).map(|kept| kept.path.as_str()).collect();
    if !newer.is_empty() && !force {
        return Err(Failure::new(
            format!("changed since that call: {}", newer.join(", ")),
            "check what would be lost; --force restores the old content anyway",
        ));
    }
    let wanted: Vec<&SavedFile> =
        files.iter().copied().filter(|kept| backup.standing(kept) != Standing::Same).collect();
    desk.put_back(backup, &wanted)?;
    if as_json {
        json(&json!({ "restored": wanted.iter().map(|kept| &kept.path).collect::<Vec<_>>() }));
    } else if wanted.is_empty() {
        talk("nothing to do: all files are unchanged");
    } else {
        wanted.iter().for_each(|kept| out(&format!("back  {}", visible(&kept.path))));
    }
    Ok(ExitCode::SUCCESS)
}
