//! `toolgate hosts`: which hosts there are, which of them are guarded here, and
//! what can be enforced on each.

use crate::installer::{guarded_levels, settings_file, short_name};
use crate::project;
use crate::screen::{BOLD, DIM, GREEN, json, out, styled};
use crate::verbs::{Outcome, install};
use serde_json::{Value, json};
use std::process::ExitCode;
use toolgate_adapters::{HOSTS, Host, Level};
use toolgate_runtime::Setup;

/// List the hosts Toolgate can guard, and what can be enforced on each.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Examples:
  toolgate hosts
  toolgate hosts {}
  toolgate hosts --json", HOSTS.get(1).map_or("HOST", |host| host.name())))]
pub struct Args {
    /// One host
    pub host: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `hosts`.
pub fn run(args: &Args) -> Outcome {
    let setup = project::here();
    let one = args.host.as_deref().map(install::known_host).transpose()?;
    match (one, args.json) {
        (Some(host), true) => json(&described(host, &setup)),
        (None, true) => json(&HOSTS.iter().map(|host| described(*host, &setup)).collect::<Vec<_>>()),
        (Some(host), false) => show(host, &setup),
        (None, false) => list(&setup),
    }
    Ok(ExitCode::SUCCESS)
}

fn list(setup: &Setup) {
    out(&styled(BOLD, &format!("{:<14} {:<20} {:<12} {}", "name", "host", "guarded", "tested with")));
    for host in HOSTS {
        let levels = guarded_levels(*host, setup);
        let names: Vec<&str> = levels.iter().map(|level| level.name()).collect();
        let guarded = match names.is_empty() {
            true => format!("{:<12}", "no"),
            false => styled(GREEN, &format!("{:<12}", names.join(", "))),
        };
        let seen = if host.is_from_documents() { "documents only" } else { "recorded messages only" };
        let tested = host.can().proven.unwrap_or(seen);
        out(format!("{:<14} {:<20} {guarded} {tested}", host.name(), host.title()).trim_end());
    }
    out(&styled(DIM, "`toolgate hosts NAME` shows what can be enforced, `toolgate install NAME` guards it."));
}

/// What can be enforced, each in words for yes and for no.
fn abilities(host: &dyn Host) -> [(&'static str, bool, &'static str, &'static str); 7] {
    let can = host.can();
    [
        (
            "rewrite",
            can.rewrite,
            "rules can rewrite a call",
            "a call that would be rewritten is blocked; the agent is told what to run",
        ),
        (
            "ask",
            can.ask,
            "the host can ask the person in front of it",
            "the host cannot ask; such a call is held, then becomes a ticket",
        ),
        ("remarks", can.tell, "the agent reads remarks on a result", "remarks on a result are only recorded"),
        (
            "output",
            can.replace,
            "secrets are removed from output before the model reads it",
            "output reaches the model as it is",
        ),
        (
            "stop",
            can.refuse_stop,
            "Toolgate can refuse to let the agent stop",
            "Toolgate cannot refuse to let the agent stop",
        ),
        (
            "sub-agents",
            can.subagents,
            "calls of sub-agents are judged",
            "calls of sub-agents are not sent to hooks; handing work over is judged",
        ),
        ("MCP", can.mcp, "calls of MCP tools are judged", "calls of MCP tools are not sent to hooks"),
    ]
}

fn show(host: &dyn Host, setup: &Setup) {
    let can = host.can();
    let tested = match can.proven {
        Some(version) => format!("tested with version {version}"),
        None if host.is_from_documents() => "written from its documents, not proven".to_owned(),
        None => "tested against messages recorded from the real program".to_owned(),
    };
    out(&format!("{} ({}), {tested}", styled(BOLD, host.title()), host.name()));
    for (name, holds, yes, no) in abilities(host) {
        let mark = if holds { styled(GREEN, "yes") } else { styled(DIM, "no ") };
        out(&format!("  {name:<11} {mark}  {}", if holds { yes } else { no }));
    }
    out(&format!("  {:<11} {} s at most", "hold", can.hold_seconds));
    if !can.fails_open.is_empty() {
        out(&format!("  {:<11} {}", "fails open", can.fails_open));
    }
    let guarded = guarded_levels(host, setup);
    for level in host.levels() {
        let file =
            settings_file(host, setup, *level).map(|file| short_name(setup, &file)).unwrap_or_default();
        let state = if guarded.contains(level) { styled(GREEN, "guarded") } else { "not guarded".to_owned() };
        out(&format!("  {:<11} {file}: {state}", level.name()));
    }
}

fn described(host: &dyn Host, setup: &Setup) -> Value {
    let can = host.can();
    let levels: Vec<&str> = guarded_levels(host, setup).into_iter().map(Level::name).collect();
    json!({
        "name": host.name(), "title": host.title(), "tested": can.proven, "from_documents": host.is_from_documents(), "guarded": levels,
        "can": abilities(host).iter().map(|(name, holds, _, _)| ((*name).to_owned(), json!(holds))).collect::<serde_json::Map<_, _>>(),
        "hold_seconds": can.hold_seconds, "fails_open": can.fails_open
    })
}
