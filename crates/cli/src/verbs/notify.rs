//! `toolgate notify`: whether people would hear that a call waits.

use crate::project;
use crate::screen::{GREEN, RED, json, one_line, out, styled, talk};
use crate::verbs::{Outcome, install};
use clap::Subcommand;
use serde_json::json;
use std::process::ExitCode;
use toolgate_runtime::Gate;

/// How people hear that a call waits.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  toolgate notify test")]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do about messages.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Send a test message to every webhook of the policy and show the response
    Test {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    let Verb::Test { json: as_json } = args.verb;
    install::refuse_agent()?;
    let (gate, _) = Gate::open(project::here())?;
    let sent = gate.test_messages();
    let bad = sent.iter().any(|(_, came)| came.is_err());
    if as_json {
        let line = |(url, came): &(String, Result<String, String>)| {
            let text = came.as_ref().unwrap_or_else(|why| why);
            json!({ "url": url, "sent": came.is_ok(), "text": text })
        };
        json(&sent.iter().map(line).collect::<Vec<_>>());
    } else if sent.is_empty() {
        talk(
            "no webhook is configured; add `notify: { webhook: … }` to your user policy (see docs/policy.md)",
        );
    } else {
        for (url, came) in &sent {
            let (mark, text) = match came {
                Ok(text) => (styled(GREEN, "sent"), text),
                Err(why) => (styled(RED, "NOT SENT"), why),
            };
            out(&format!("{mark}  {}: {}", one_line(url, 200), one_line(text, 300)));
        }
    }
    Ok(if bad { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
