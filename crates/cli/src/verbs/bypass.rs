//! `toolgate bypass`: asking for one blocked call past one guardrail (S2-46).
//!
//! Asking is open to agents; the answer is given in the inbox, by a person.

use crate::project;
use crate::screen::{DIM, json, one_line, out, styled};
use crate::verbs::{Failure, Outcome};
use clap::{Subcommand, ValueEnum};
use std::process::ExitCode;
use toolgate_core::{Pressing, Request};
use toolgate_runtime::{BypassRefused, Gate};
use toolgate_store::{Store, Which};

/// One call past one guardrail.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate bypass request custom-scope-001 --call 3f2a91bc04de --reason \"the test must follow the renamed function\"
  toolgate bypass list

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
    let request = asked.map_err(|refused| match refused {
        BypassRefused::Broken(broken) => Failure::from(broken),
        BypassRefused::No(why, cure) => Failure::new(why, cure),
    })?;
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
    Ok(ExitCode::SUCCESS)
}

fn list(as_json: bool) -> Outcome {
    let (mut gate, _) = Gate::open(project::here())?;
    let all: Vec<Request> =
        gate.store().requests(Which::All)?.into_iter().filter(|request| request.bypass.is_some()).collect();
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
            "{:<13} {:<9} {:<22} {}",
            request.id,
            request.state.name(),
            own.guardrail,
            one_line(&own.reason, 80)
        );
        out(&line);
    }
    Ok(ExitCode::SUCCESS)
}
