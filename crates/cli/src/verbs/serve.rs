//! `toolgate serve`: the inbox in a browser of this machine.

use crate::explanation;
use crate::hook;
use crate::project;
use crate::screen::{json, out, talk};
use crate::verbs::{Failure, Outcome, inbox};
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use toolgate_adapters::{AGENTS, reference_host, tool_named};
use toolgate_core::{Call, Event, Session};
use toolgate_runtime::{Approver, NotAPerson, Scene, agent_above, askers};
use toolgate_server::{Config, HostCallbacks, Link, Naming, openapi, serve};

/// Opens the inbox to a browser of this machine.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate serve
  toolgate serve --listen 127.0.0.1:0
  toolgate serve --by-address     for a browser that cannot open names below localhost (Safari)
  toolgate serve --api-token      also prints a token for programs that use the API

The link has a host name of its own, such as t-1f2e3d4c5b6a7988.localhost. Browsers share
cookies across ports; with its own host name, no other server on this machine (such as one an agent
starts) receives the cookie.

The link works once. SIGUSR1 makes the server print a new one in its terminal.")]
pub struct Args {
    /// Address to listen on, this machine only; port 0 picks a free port
    #[arg(long, default_value = "127.0.0.1:4517", default_value_if("by_address", "true", "[::1]:4517"))]
    pub listen: SocketAddr,
    /// Use the address in the link instead of a `*.localhost` name, and listen on [::1]
    #[arg(long)]
    pub by_address: bool,
    /// Print a token that lets programs use the API and answer requests
    #[arg(long)]
    pub api_token: bool,
    /// Print the OpenAPI document of the HTTP API and exit
    #[arg(long)]
    pub openapi: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const CALLBACKS: HostCallbacks =
    HostCallbacks { call, explain, at_once: hook::at_once, to_the_end: hook::to_the_end };

/// A call as the host names its tools.
pub fn call(tool: &str, input: Value, dir: &str) -> Result<Call, String> {
    reference_host().call(tool_named(tool), input, dir).map_err(|unreadable| unreadable.why)
}

/// What `toolgate test --explain` shows, without colours.
fn explain(scene: &Scene, event: &Event) -> (String, String) {
    let explained = scene.explain(event, &Session::new("playground"));
    let text = explanation::text(&explained, &scene.policy().entries());
    let plain = anstream::adapter::strip_str(&text).to_string();
    (explained.decision.verdict.name().to_owned(), plain)
}

/// Serves until Ctrl-C.
pub fn run(args: &Args) -> Outcome {
    if args.openapi {
        out(openapi().trim_end());
        return Ok(ExitCode::SUCCESS);
    }
    let setup = project::here();
    // Anyone who starts it reads the link, and with the link answers: not an agent.
    // With a passphrase the link alone answers nothing.
    if Approver::load(&setup.dirs)?.is_none()
        && let Some(mark) = agent_above(AGENTS, &|name| std::env::var(name).ok(), &askers(&setup.dirs))
    {
        return Err(Failure::from(NotAPerson::AgentAbove { mark }));
    }
    if args.by_address && args.listen.ip() == IpAddr::V4(Ipv4Addr::LOCALHOST) {
        return Err(Failure::new(
            "every server at 127.0.0.1 would get the cookie that lets you answer",
            "leave out --listen, or listen at [::1]",
        ));
    }
    let naming = if args.by_address { Naming::Address } else { Naming::Name };
    let config = Config {
        setup,
        listen: args.listen,
        naming,
        with_api: args.api_token,
        person: inbox::person(),
        callbacks: CALLBACKS,
    };
    serve(config, |link| show(link, args.json))?;
    Ok(ExitCode::SUCCESS)
}

fn show(link: &Link, as_json: bool) {
    if as_json {
        json(&json!({
            "origin": link.origin, "enter": link.enter, "warm": link.warm.is_ok(),
            "hook": { "url": link.hook, "token_file": link.hook_token },
            "api": link.api.as_ref().map(|(url, token)| json!({ "url": url, "token": token })),
        }));
        return;
    }
    talk("Open this link in a browser to sign in. It works once:");
    out(&link.enter);
    if let Some((url, token)) = &link.api {
        talk(&format!(
            "Programs use {url} with this token as `Authorization: Bearer`. It can approve requests:"
        ));
        out(token);
    }
    match &link.warm {
        Ok(()) => talk("This server also answers your hooks."),
        Err(why) => talk(&format!("Hooks do not use this server: {why}")),
    }
    let own = std::process::id();
    talk(&format!("`kill -USR1 {own}` prints a new link here; Ctrl-C stops the server."));
}
