//! `toolgate ledger`: verify, export, checkpoint.

use crate::screen::{GREEN, RED, json, out, styled, talk};
use crate::verbs::{Failure, Outcome};
use crate::{desk, project};
use clap::Subcommand;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use toolgate_core::{Checkpoint, FirstBad, Verification, canonical, export_line, verify_export, verify_head};
use toolgate_runtime::{Broken, keep_checkpoint, trusted_key, verify_ledger};
use toolgate_store::{Store, Verified};

/// Verifies, exports or signs the ledger.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate ledger verify
  toolgate ledger export > ledger.jsonl
  toolgate ledger verify ledger.jsonl --key 9f…
  toolgate ledger checkpoint > /mnt/elsewhere/head.json

Exit codes of verify: 0 intact · 2 altered · 1 could not verify")]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do with the ledger.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Detect edited, reordered, deleted or missing records
    Verify {
        /// An exported ledger (default: the ledger itself)
        file: Option<PathBuf>,
        /// Public key the checkpoint must be signed with (default: your own)
        #[arg(long)]
        key: Option<String>,
        /// A checkpoint stored elsewhere, to compare the ledger with
        #[arg(long, conflicts_with = "file")]
        checkpoint: Vec<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print every record as a line of JSON, then the signed checkpoint
    Export {
        /// No effect; the output is always JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a signed checkpoint to store elsewhere
    Checkpoint {
        /// No effect; the output is always JSON
        #[arg(long)]
        json: bool,
    },
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    match &args.verb {
        Verb::Verify { file: Some(file), key, json, .. } => verify_file(file, key.as_deref(), *json),
        Verb::Verify { file: None, key, checkpoint, json } => verify(key.as_deref(), checkpoint, *json),
        Verb::Export { .. } => export(),
        Verb::Checkpoint { .. } => checkpoint(),
    }
}

fn verify_file(file: &PathBuf, key: Option<&str>, as_json: bool) -> Outcome {
    let bytes = std::fs::read(file).map_err(|error| {
        Failure::new(
            format!("`{}` cannot be read: {error}", file.display()),
            "use the path of a file made by `toolgate ledger export`",
        )
    })?;
    let own = trusted_key(&project::dirs());
    Ok(match verify_export(&bytes, key.or(own.as_deref())) {
        Verification::Intact { records } => intact(records, as_json),
        Verification::Broken(bad) => altered(&bad, as_json),
    })
}

fn verify(key: Option<&str>, checkpoints: &[PathBuf], as_json: bool) -> Outcome {
    let setup = project::here();
    let own = trusted_key(&setup.dirs);
    let trusted = key.or(own.as_deref());
    let mut kept = Vec::new();
    for file in checkpoints {
        let text = std::fs::read(file).map_err(|error| Broken::io("read", file, &error))?;
        let point: Checkpoint = serde_json::from_slice(&text).map_err(|error| {
            Failure::new(
                format!("`{}` is not a checkpoint: {error}", file.display()),
                "use a file made by `toolgate ledger checkpoint`",
            )
        })?;
        if !verify_head(&point, None) {
            let what = format!("the signature of `{}` is invalid", file.display());
            return Err(Failure::new(what, "use an unchanged file made by `toolgate ledger checkpoint`"));
        }
        if !verify_head(&point, trusted) {
            let why = "the checkpoint is signed with another key: ledger and key were replaced";
            return Ok(altered(&FirstBad { index: point.checkpoint.seq, why: why.to_owned() }, as_json));
        }
        kept.push(point);
    }
    let mut desk = desk::open()?;
    Ok(match verify_ledger(desk.store(), &setup.dirs, trusted, kept)? {
        Verified::Intact { records } => intact(records, as_json),
        Verified::Broken(bad) => altered(&bad, as_json),
    })
}

fn intact(records: u64, as_json: bool) -> ExitCode {
    if as_json {
        json(&json!({ "state": "intact", "records": records }));
    } else {
        out(&format!("{}: {records} records", styled(GREEN, "intact")));
    }
    ExitCode::SUCCESS
}

fn altered(bad: &FirstBad, as_json: bool) -> ExitCode {
    if as_json {
        json(&json!({ "state": "altered", "first_bad": bad.index, "why": bad.why }));
    } else {
        out(&format!("{}: {bad}", styled(RED, "ALTERED")));
    }
    ExitCode::from(2)
}

fn export() -> Outcome {
    let mut desk = desk::open()?;
    let store = desk.store();
    let Some(end) = store.head()? else {
        return Err(Failure::new("the ledger is empty", "there is nothing to export yet"));
    };
    let mut to = std::io::BufWriter::new(std::io::stdout().lock());
    let mut after = 0;
    while after < end.checkpoint.seq {
        let lines = store.lines_after(after, 1000)?;
        let Some((last, _, _)) = lines.last() else { break };
        after = *last;
        for (_, body, hash) in lines.iter().filter(|(seq, _, _)| *seq <= end.checkpoint.seq) {
            writeln!(to, "{}", export_line(body, hash))?;
        }
    }
    writeln!(to, "{}", canonical(&end))?;
    to.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn checkpoint() -> Outcome {
    let setup = project::here();
    let mut desk = desk::open()?;
    let Some(head) = desk.store().head()? else {
        return Err(Failure::new("the ledger is empty", "there is nothing to sign yet"));
    };
    keep_checkpoint(&setup.dirs, &head)?;
    out(&canonical(&head));
    talk(
        "store this line where agents cannot change it; `toolgate ledger verify --checkpoint FILE` compares the ledger with it",
    );
    Ok(ExitCode::SUCCESS)
}
