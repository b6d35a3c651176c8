//! `toolgate status`: which hosts are guarded in this folder, and since when their
//! calls arrive.

use crate::installer::short_name;
use crate::project;
use crate::screen::{BOLD, DIM, GREEN, RED, YELLOW, json, out, styled};
use crate::verbs::Outcome;
use crate::wiring::{self, Wiring};
use serde_json::{Value, json};
use std::process::ExitCode;
use toolgate_adapters::HOSTS;
use toolgate_core::{Unguarded, age};
use toolgate_runtime::{Desk, Setup, now_ms};

/// Show which hosts are guarded in this folder.
///
/// For each host: whether the hook is configured, whether anything in this folder keeps it from
/// running, and when the host sent something last.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate status
  toolgate status --json

Exit codes: 0 every configured hook runs here · 1 one is switched off, or none is configured")]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Records looked at for the last sign of a host.
const RECORDS: u32 = 50_000;

/// `status`.
pub fn run(args: &Args) -> Outcome {
    let setup = project::here();
    let all: Vec<Wiring> = HOSTS.iter().map(|host| wiring::of(*host, &setup)).collect();
    let heard = heard(&setup);
    if args.json {
        json(&all.iter().map(|one| described(one, &setup, &heard)).collect::<Vec<_>>());
    } else {
        show(&all, &setup, &heard);
    }
    let configured = || all.iter().filter(|one| !one.places.is_empty());
    let is_fine = configured().next().is_some() && configured().all(|one| one.off.is_none());
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// When each host was heard last. Without a ledger none was.
fn heard(setup: &Setup) -> Vec<(String, i64)> {
    if !setup.dirs.ledger().exists() {
        return Vec::new();
    }
    let desk = Desk::open(&setup.dirs).ok();
    desk.and_then(|mut desk| desk.store().last_heard(RECORDS).ok()).unwrap_or_default()
}

fn last(heard: &[(String, i64)], one: &Wiring) -> Option<i64> {
    heard.iter().find(|(host, _)| host == one.host.name()).map(|(_, at)| *at)
}

fn described(one: &Wiring, setup: &Setup, heard: &[(String, i64)]) -> Value {
    let said = |found: &Unguarded| json!({ "why": found.why, "fix": found.fix });
    let files: Vec<Value> =
        one.places.iter().map(|(level, file)| json!({ "level": level.name(), "file": file })).collect();
    json!({
        "host": one.host.name(), "title": one.host.title(), "here": wiring::is_here(one.host, setup),
        "configured": files, "enabled": !one.places.is_empty() && one.off.is_none(),
        "off": one.off.as_ref().map(said), "observed_ms": last(heard, one),
        "repository": one.brought.iter().map(said).collect::<Vec<_>>()
    })
}

fn show(all: &[Wiring], setup: &Setup, heard: &[(String, i64)]) {
    let (configured, rest): (Vec<_>, Vec<_>) = all.iter().partition(|one| !one.places.is_empty());
    let (here, absent): (Vec<_>, Vec<_>) =
        rest.into_iter().partition(|one| wiring::is_here(one.host, setup) || !one.brought.is_empty());
    for one in &configured {
        let seen = last(heard, one);
        let observed = match seen {
            Some(at) => styled(GREEN, &format!("observed {}", age(at, now_ms()))),
            None => styled(YELLOW, "not observed yet"),
        };
        let enabled = if one.off.is_none() { styled(GREEN, "enabled") } else { styled(RED, "switched off") };
        let title = styled(BOLD, &format!("{:<14}", one.host.title()));
        out(&format!("{title} configured → {enabled} → {observed}"));
        for (level, file) in &one.places {
            out(&styled(DIM, &format!("{:<14} {} ({})", "", short_name(setup, file), level.name())));
        }
        one.off.iter().for_each(tell);
        let is_told = |found: &&Unguarded| one.off.as_ref().is_some_and(|off| off.why == found.why);
        one.brought.iter().filter(|found| !is_told(found)).for_each(tell);
    }
    for one in &here {
        let title = styled(BOLD, &format!("{:<14}", one.host.title()));
        out(&format!("{title} {}", styled(YELLOW, "not configured")));
        out(&format!("{:<14} fix: run `toolgate install {}`", "", one.host.name()));
        one.brought.iter().for_each(tell);
    }
    if configured.is_empty() && here.is_empty() {
        out("No host is guarded here. `toolgate init` guards those it finds.");
    } else if !absent.is_empty() {
        let titles: Vec<&str> = absent.iter().map(|one| one.host.title()).collect();
        out(&styled(DIM, &format!("Not found on this machine: {}.", titles.join(", "))));
    }
}

fn tell(found: &Unguarded) {
    out(&format!("{:<14} {}", "", found.why));
    out(&format!("{:<14} fix: {}", "", found.fix));
}
