//! `toolgate learn`: what people's answers come to. It proposes; nothing is
//! changed.

use crate::screen::{BOLD, DIM, count, json, one_line, out, styled, talk};
use crate::verbs::Outcome;
use crate::{desk, project};
use clap::Subcommand;
use std::process::ExitCode;
use toolgate_core::{Proposal, Word, proposals};
use toolgate_runtime::Desk;
use toolgate_store::{Store, Which};

/// Suggest rules from past answers.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  toolgate learn propose")]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to learn.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Suggest grants or rules for requests that were always answered the same way; changes nothing
    Propose {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    let Verb::Propose { json: as_json } = args.verb;
    let setup = project::here();
    let policy = desk::readable_policy(&setup)?.policy;
    let mut desk = Desk::open(&setup.dirs)?;
    let locked: Vec<String> =
        policy.entries().into_iter().filter(|entry| entry.rule.locked).map(|entry| entry.rule.id).collect();
    let requests = desk.store().requests(Which::All)?;
    let found = proposals(&requests, |guard| locked.iter().any(|own| own == guard));
    if as_json {
        json(&found);
        return Ok(ExitCode::SUCCESS);
    }
    if found.is_empty() {
        talk("no repeated answers yet; nothing to propose");
    }
    found.iter().for_each(show);
    Ok(ExitCode::SUCCESS)
}

fn show(proposal: &Proposal) {
    let pattern = one_line(&proposal.pattern, 120);
    let (said, how) = match proposal.word {
        Word::Approve => {
            ("approved", format!("next time: toolgate inbox approve ID --always --pattern '{pattern}'"))
        }
        Word::Deny => ("denied", "to block it without asking: toolgate rules add --action block".to_owned()),
    };
    out(&styled(BOLD, &format!("{pattern}  {said} {}", count(proposal.answers, "time"))));
    out(&format!("  asked by {}", proposal.asks.join(", ")));
    out(&styled(DIM, &format!("  {how}")));
}
