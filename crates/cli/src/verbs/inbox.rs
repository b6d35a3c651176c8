//! `toolgate inbox`: requests that wait for a person, and the person's answer.

use crate::project;
use crate::screen::{BOLD, DIM, YELLOW, json, one_line, out, styled, talk, visible};
use crate::verbs::{Failure, Outcome, approver, logs};
use clap::Subcommand;
use std::process::ExitCode;
use toolgate_core::{Answer, Request, RequestState, Word};
use toolgate_runtime::{Gate, now_ms};
use toolgate_store::{Store, Which};

/// Requests that wait for a person.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate inbox                                     what waits
  toolgate inbox show r-1a2b                         the whole call
  toolgate inbox approve r-1a2b                      this call, once
  toolgate inbox deny r-1a2b --words \"use the staging host\"

A unique beginning of an id is enough.")]
pub struct Args {
    /// What to do; lists what waits if not given
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// What to do with requests.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// What waits
    List {
        /// Also answered and expired ones
        #[arg(long)]
        all: bool,
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// One request with the whole call
    Show {
        /// The request
        id: String,
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Let exactly this call run, once
    Approve(AnswerArgs),
    /// Refuse it
    Deny(AnswerArgs),
}

/// An answer.
#[derive(Debug, clap::Args)]
pub struct AnswerArgs {
    /// The request
    pub id: String,
    /// What the agent is told
    #[arg(long, short)]
    pub words: Option<String>,
    /// Read the approver's passphrase from the first line of stdin
    #[arg(long)]
    pub passphrase_stdin: bool,
    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    match &args.verb {
        None => list(Which::Open, false),
        Some(Verb::List { all, json }) => list(if *all { Which::All } else { Which::Open }, *json),
        Some(Verb::Show { id, json }) => {
            let (mut gate, _) = Gate::open(project::here())?;
            show(gate.store(), id, *json)
        }
        Some(Verb::Approve(args)) => answer(args, Word::Approve),
        Some(Verb::Deny(args)) => answer(args, Word::Deny),
    }
}

fn list(which: Which, as_json: bool) -> Outcome {
    let (mut gate, _) = Gate::open(project::here())?;
    let mut requests = gate.store().requests(which)?;
    requests.sort_by_key(|request| std::cmp::Reverse(request.made_ms));
    let now = now_ms();
    if which == Which::Open {
        let waits =
            |state: &RequestState| matches!(state, RequestState::Pending | RequestState::Approved { .. });
        requests.retain(|request| waits(&request.state) && !request.is_over(now));
    }
    if as_json {
        json(&requests);
        return Ok(ExitCode::SUCCESS);
    }
    if requests.is_empty() {
        talk("nothing waits");
    }
    for request in &requests {
        let state = styled(YELLOW, &format!("{:<8}", request.state.name()));
        out(&format!("{}  {state} {:<9} {}", request.id, left(request, now), one_line(&request.title, 100)));
    }
    Ok(ExitCode::SUCCESS)
}

fn left(request: &Request, now: i64) -> String {
    let minutes = request.expires_ms.saturating_sub(now) / 60_000;
    if request.is_over(now) { "over".to_owned() } else { format!("{minutes} min") }
}

fn find(store: &dyn Store, id: &str) -> Result<Request, Failure> {
    if id.len() < 4 {
        return Err(Failure::new(
            format!("`{id}` is too short for a request"),
            "write at least `r-` and two characters more",
        ));
    }
    let matching: Vec<Request> =
        store.requests(Which::All)?.into_iter().filter(|request| request.id.starts_with(id)).collect();
    match matching.as_slice() {
        [request] => Ok(request.clone()),
        [] => {
            Err(Failure::new(format!("there is no request `{id}`"), "`toolgate inbox list --all` shows them"))
        }
        _ => {
            Err(Failure::new(format!("`{id}` is the beginning of several requests"), "write more of the id"))
        }
    }
}

/// One request, whole: nothing of the call is cut or hidden.
pub fn show(store: &dyn Store, id: &str, as_json: bool) -> Outcome {
    let request = find(store, id)?;
    if as_json {
        json(&request);
    } else {
        card(&request);
    }
    Ok(ExitCode::SUCCESS)
}

fn card(request: &Request) {
    out(&styled(BOLD, &format!("{}  {}", request.id, request.state.name())));
    out(&format!("what    {}", visible(&request.title)));
    for line in request.input.iter().flat_map(|input| input.lines()) {
        out(&format!("        {}", visible(line)));
    }
    out(&format!("tool    {} in {}", visible(&request.tool), visible(&request.dir)));
    for why in &request.why {
        out(&format!("why     {}", visible(why)));
    }
    out(&format!(
        "asked   {} by agent {} of session {}",
        logs::time(request.made_ms),
        visible(&request.agent),
        visible(&request.session)
    ));
    out(&format!("until   {} – then it counts as denied", logs::time(request.expires_ms)));
    out(&styled(DIM, "yes     lets exactly this call of this session run, once"));
}

fn answer(args: &AnswerArgs, word: Word) -> Outcome {
    let (mut gate, _) = Gate::open(project::here())?;
    let request = find(gate.store(), &args.id)?;
    if request.state != RequestState::Pending || request.is_over(now_ms()) {
        let state = if request.is_over(now_ms()) { "expired" } else { request.state.name() };
        return Err(Failure::new(
            format!("request {} is {state}", request.id),
            "a call that is repeated makes a new request",
        ));
    }
    let proof = approver::prove(&request, word, args.passphrase_stdin)?;
    let answer = Answer { request: request.id.clone(), word, by: person(), words: args.words.clone(), proof };
    gate.answer(&request, answer)?;
    // Racing answers: the first in the ledger counts, and this says which it was.
    let after = find(gate.store(), &request.id)?;
    if args.json {
        json(&after);
    } else {
        talk(&format!("{} is {}", request.id, after.state.name()));
    }
    let took = matches!(
        (word, &after.state),
        (Word::Approve, RequestState::Approved { .. } | RequestState::Used { .. })
            | (Word::Deny, RequestState::Denied { .. })
    );
    Ok(if took { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn person() -> String {
    std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).unwrap_or_else(|_| "somebody".to_owned())
}
