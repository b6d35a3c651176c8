//! `toolgate serve`: the inbox in a browser of this machine.

use crate::project;
use crate::screen::{json, out, talk};
use crate::verbs::{Failure, Outcome, inbox};
use serde_json::json;
use std::net::SocketAddr;
use std::process::ExitCode;
use toolgate_runtime::{Approver, NotAPerson, agent_above};
use toolgate_server::{Config, Link, serve};

/// Opens the inbox to a browser of this machine.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate serve
  toolgate serve --listen 127.0.0.1:0")]
pub struct Args {
    /// Where to listen: an address of this machine only; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:4517")]
    pub listen: SocketAddr,
    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// Serves until Ctrl-C.
pub fn run(args: &Args) -> Outcome {
    let setup = project::here();
    // Whoever starts it reads the link, and with the link answers: not an agent.
    // With a passphrase the link alone answers nothing.
    if Approver::load(&setup.dirs)?.is_none()
        && let Some(mark) = agent_above(&|name| std::env::var(name).ok())
    {
        return Err(Failure::from(NotAPerson::AgentAbove { mark }));
    }
    let config = Config { setup, listen: args.listen, person: inbox::person() };
    serve(config, |link| show(link, args.json))?;
    Ok(ExitCode::SUCCESS)
}

fn show(link: &Link, as_json: bool) {
    if as_json {
        json(&json!({ "origin": link.origin, "enter": link.enter }));
        return;
    }
    talk("The inbox is open to one browser; this link lets it in, once:");
    out(&link.enter);
    talk("Ctrl-C ends it.");
}
