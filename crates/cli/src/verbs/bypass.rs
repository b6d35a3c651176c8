//! `toolgate bypass`: asking for one blocked call past one guardrail (S2-46).
//!
//! Asking is open to agents; the answer is given in the inbox, by a person.

use crate::project;
use crate::screen::{DIM, RED, json, one_line, out, styled, talk};
use crate::verbs::{Failure, Outcome, inbox, install, logs};
use clap::{Subcommand, ValueEnum};
use std::process::ExitCode;
use toolgate_core::{EMERGENCY_MS, Handling, Pressing, Request};
use toolgate_runtime::{BypassAsked, BypassRefused, Desk, Gate, now_ms};
use toolgate_store::{Store, Which};

/// One call past one guardrail.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate bypass request custom-scope-001 --call 3f2a91bc04de --reason \"the test must follow the renamed function\"
  toolgate bypass list
  toolgate bypass review r-1a2b --words \"the service was down, the restart was right\"

A block says whether its guardrail allows this, and which call it was. The answer is given with `toolgate inbox`.")]
pub struct Args {
    /// What to do; lists every bypass if not given
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// What to do with bypasses.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Ask for one
    Request(RequestArgs),
    /// Say that you looked at what was let through in an emergency
    Review {
        /// The request
        id: String,
        /// What you found
        #[arg(long)]
        words: String,
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Every one that was asked for
    List {
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
}

/// What is asked for.
#[derive(Debug, clap::Args)]
pub struct RequestArgs {
    /// The guardrail
    pub guardrail: String,
    /// The blocked call, as the block names it
    #[arg(long)]
    pub call: String,
    /// Why this call must run and no other way will do
    #[arg(long)]
    pub reason: String,
    /// How much it presses
    #[arg(long, value_enum, default_value_t = Urgency::Normal)]
    pub urgency: Urgency,
    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// How much it presses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Urgency {
    /// It can wait
    Normal,
    /// Soon
    Urgent,
    /// Now
    Emergency,
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    match &args.verb {
        None => list(false),
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
        "{} waits for {role}: `toolgate inbox approve {}` in their terminal.",
        request.id, request.id
    ));
    out("Go on with other work; once it is approved, repeat exactly the blocked call. It runs once.");
    if urgency == Pressing::Emergency {
        out(&format!(
            "If nobody answers for {} seconds, it is let through then – where the policy lists this very command for \
             emergencies, and nowhere else.",
            EMERGENCY_MS / 1000
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// What is due after an emergency (S2-49).
fn review(id: &str, words: &str, as_json: bool) -> Outcome {
    install::refuse_agent()?;
    inbox::are_words(words)?;
    let mut desk = Desk::open(&project::dirs())?;
    let request = inbox::find(desk.store(), id)?;
    if request.progress.review_due_ms().is_none() {
        let what = format!("nothing about {} is left to look at", request.id);
        return Err(Failure::new(what, "`toolgate bypass list` shows what is due"));
    }
    let what = Handling::Reviewed { text: words.to_owned() };
    let after = desk.handle(&request, &inbox::person(), what)?;
    if as_json {
        json(&after);
    } else {
        talk(&format!("{} is looked at", after.id));
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
        all.iter().for_each(json);
        return Ok(ExitCode::SUCCESS);
    }
    if all.is_empty() {
        out(&styled(DIM, "no bypass was asked for"));
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
