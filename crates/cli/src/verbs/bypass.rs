//! `toolgate bypass`: asking for one blocked call past one guardrail.
//!
//! Asking is open to agents; the answer is given in the inbox, by a person.

use crate::project;
use crate::screen::{DIM, RED, json, one_line, out, styled, talk};
use crate::verbs::{Failure, Outcome, inbox, install, logs};
use clap::{Subcommand, ValueEnum};
use std::process::ExitCode;
use toolgate_core::{EMERGENCY_MS, Handling, Pressing, Request, span};
use toolgate_runtime::{BypassAsked, BypassRefused, Desk, Gate, now_ms};
use toolgate_store::{Store, Which};

/// One call past one guardrail.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:
  toolgate bypass request custom-scope-001 --call 3f2a91bc04de --reason \"the test must follow the renamed function\"
  toolgate bypass list
  toolgate bypass review r-1a2b --words \"the service was down, the restart was right\"

The message of a block shows whether a bypass is possible and names the call. People answer with
`toolgate inbox`.",
    args_conflicts_with_subcommands = true
)]
pub struct Args {
    /// What to do; lists every bypass if not given
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What to do with bypasses.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Request a bypass
    Request(RequestArgs),
    /// Review a call that ran unanswered in an emergency
    Review {
        /// The request
        id: String,
        /// What you found in the review
        #[arg(long)]
        words: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List bypass requests
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// What is asked for.
#[derive(Debug, clap::Args)]
pub struct RequestArgs {
    /// The guardrail's id
    pub guardrail: String,
    /// The blocked call, as shown in the message of the block
    #[arg(long)]
    pub call: String,
    /// Why this call must run and why there is no other way
    #[arg(long)]
    pub reason: String,
    /// Urgency of the request
    #[arg(long, value_enum, default_value_t = Urgency::Normal)]
    pub urgency: Urgency,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Urgency of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Urgency {
    /// Can wait
    Normal,
    /// Soon
    Urgent,
    /// Now
    Emergency,
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    match &args.verb {
        None => list(args.json),
        Some(Verb::List { json }) => list(*json),
        Some(Verb::Request(args)) => request(args),
        Some(Verb::Review { id, words, json }) => review(id, words, *json),
    }
}

fn request(args: &RequestArgs) -> Outcome {
    let urgency = match args.urgency {
        Urgency::Normal => Pressing::Normal,
        Urgency::Urgent => Pressing::Urgent,
        Urgency::Emergency => Pressing::Emergency,
    };
    let (mut gate, _) = Gate::open(project::here())?;
    let asked = gate.request_bypass(&args.guardrail, &args.call, &args.reason, urgency);
    let BypassAsked { request, is_new } = asked.map_err(|refused| match refused {
        BypassRefused::Broken(broken) => Failure::from(broken),
        BypassRefused::No(why, cure) => Failure::new(why, cure),
    })?;
    // People hear of it once.
    if is_new {
        gate.tell_of(&request);
    }
    if args.json {
        json(&request);
        return Ok(ExitCode::SUCCESS);
    }
    let role = request.bypass.as_ref().map_or("a person", |own| own.role.as_str());
    out(&format!(
        "{} is waiting for {role}: `toolgate inbox approve {}` in their terminal.",
        request.id, request.id
    ));
    out("Continue with other work. Once it is approved, repeat exactly the blocked call; it runs once.");
    if urgency == Pressing::Emergency {
        out(&format!(
            "Without an answer it runs after {}, but only if the policy lists exactly this command for emergencies.",
            span(EMERGENCY_MS / 1000)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// What is due after an emergency.
fn review(id: &str, words: &str, as_json: bool) -> Outcome {
    install::refuse_agent()?;
    inbox::are_words(words)?;
    let mut desk = Desk::open(&project::dirs())?;
    let request = inbox::find(desk.store(), id)?;
    if request.progress.review_due_ms().is_none() {
        let what = format!("{} has no review due", request.id);
        return Err(Failure::new(what, "`toolgate bypass list` shows what is due"));
    }
    let what = Handling::Reviewed { text: words.to_owned() };
    let after = desk.handle(&request, &inbox::person(), what)?;
    if as_json {
        json(&after);
    } else {
        talk(&format!("{} is reviewed", after.id));
    }
    Ok(ExitCode::SUCCESS)
}

/// What is still to be done about an emergency.
fn due(request: &Request) -> String {
    match request.progress.review_due_ms() {
        None => String::new(),
        Some(due) if due < now_ms() => styled(RED, &format!("  review overdue since {}", logs::time(due))),
        Some(due) => format!("  review due {}", logs::time(due)),
    }
}

fn list(as_json: bool) -> Outcome {
    let mut desk = Desk::open(&project::dirs())?;
    let mut all: Vec<Request> =
        desk.store().requests(Which::All)?.into_iter().filter(|request| request.bypass.is_some()).collect();
    all.sort_by_key(|request| std::cmp::Reverse(request.made_ms));
    if as_json {
        json(&all);
        return Ok(ExitCode::SUCCESS);
    }
    if all.is_empty() {
        out(&styled(DIM, "no bypass requests"));
    }
    for request in &all {
        let Some(own) = &request.bypass else { continue };
        let line = format!(
            "{:<13} {:<9} {:<22} {}{}",
            request.id,
            request.state_name(now_ms()),
            own.guardrail,
            one_line(&own.reason, 80),
            due(request)
        );
        out(&line);
    }
    Ok(ExitCode::SUCCESS)
}
