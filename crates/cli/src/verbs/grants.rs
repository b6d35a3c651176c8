//! `toolgate grants`: answers that stand, what they reach, how often they were
//! used, and their end.

use crate::screen::{BOLD, DIM, json, one_line, out, styled, talk, visible};
use crate::verbs::{Failure, Outcome, inbox, install, logs};
use crate::{card, desk, project};
use clap::Subcommand;
use std::process::ExitCode;
use toolgate_core::{Handling, Request, RequestState};
use toolgate_runtime::{Desk, now_ms};
use toolgate_store::{Store, Which};

/// Answers that stand.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:
  toolgate grants                    list active grants
  toolgate grants revoke r-1a2b      revoke one
  toolgate grants revoke --all       revoke all",
    args_conflicts_with_subcommands = true
)]
pub struct Args {
    /// What to do (default: list)
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What to do with grants.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List active grants and when they end
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Revoke a grant; the next such call asks again
    Revoke {
        /// The request the grant belongs to
        #[arg(required_unless_present = "all")]
        id: Option<String>,
        /// Revoke all active grants
        #[arg(long, conflicts_with = "id")]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    match &args.verb {
        None => list(args.json),
        Some(Verb::List { json }) => list(*json),
        Some(Verb::Revoke { id, json, .. }) => revoke(id.as_deref(), *json),
    }
}

/// A yes or a no that can still be used.
fn stands(request: &Request, now: i64) -> bool {
    let unused = matches!(request.state, RequestState::Approved { .. }) || request.is_standing();
    unused && !request.is_over(now)
}

fn standing(store: &dyn Store) -> Result<Vec<Request>, Failure> {
    let now = now_ms();
    Ok(store.requests(Which::Open)?.into_iter().filter(|request| stands(request, now)).collect())
}

fn list(as_json: bool) -> Outcome {
    let mut desk = desk::open()?;
    let all = standing(desk.store())?;
    if as_json {
        json(&all);
        return Ok(ExitCode::SUCCESS);
    }
    if all.is_empty() {
        talk("no active grants");
    }
    for request in &all {
        let Some((answer, _)) = request.answer() else { continue };
        let end = match request.ends_ms() {
            i64::MAX => "until revoked".to_owned(),
            end => format!("until {}", logs::time(end)),
        };
        let head = format!("{}  {} by {}, {end}", request.id, answer.word.past(), visible(&answer.by));
        out(&styled(BOLD, &head));
        out(&format!("  {}", one_line(&request.title, 110)));
        let uses = card::uses(request);
        out(&styled(DIM, &format!("  covers {}; {uses}", visible(&answer.reach.words()))));
    }
    Ok(ExitCode::SUCCESS)
}

fn revoke(id: Option<&str>, as_json: bool) -> Outcome {
    // Ending a yes is safe; ending a no is not for an agent.
    install::refuse_agent()?;
    let mut desk = Desk::open(&project::dirs())?;
    let ends = match id {
        Some(id) => vec![inbox::find(desk.store(), id)?],
        None => standing(desk.store())?,
    };
    let mut after = Vec::new();
    for request in ends {
        if request.answer().is_none() {
            let what = format!("request {} is {} and has no active grant", request.id, request.state.name());
            return Err(Failure::new(what, "`toolgate grants` lists the active ones"));
        }
        let now = desk.handle(&request, &inbox::person(), Handling::Revoked)?;
        talk(&format!("{} is {}", now.id, now.state.name()));
        after.push(now);
    }
    if as_json {
        json(&after);
    }
    Ok(ExitCode::SUCCESS)
}
