//! `toolgate pins`: the tools of MCP servers as they were trusted, what changed,
//! and a person's word on it.

use crate::screen::{BOLD, DIM, GREEN, RED, YELLOW, json, one_line, out, styled, talk, visible};
use crate::verbs::{Failure, Outcome, approver, inbox, install, logs};
use crate::{desk, project};
use clap::Subcommand;
use serde::Serialize;
use serde_json::Value;
use similar::TextDiff;
use std::process::ExitCode;
use toolgate_core::{Definition, FieldChange, Pin, PinChange, PinState};
use toolgate_runtime::Desk;
use toolgate_runtime::mcp::{approved, revoked};
use toolgate_store::Store;

/// Show, approve and revoke the tools of MCP servers.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:
  toolgate pins                           list every pinned tool
  toolgate pins diff github               what the server `github` changed
  toolgate pins approve github            approve what it offers now
  toolgate pins approve github get_issue  approve one tool

Servers are named by their name, or by the beginning of their key where two have the same name.",
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

/// What to do with pins.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List pinned tools and which of them wait for you
    List(ServerArgs),
    /// Show the definition of a tool
    Show(ToolArgs),
    /// Show what changed, or what is new
    Diff(ToolArgs),
    /// Approve what a server offers now
    Approve(ApproveArgs),
    /// Revoke tools: they are blocked until approved again
    Revoke(ToolArgs),
    /// Check that pins match the ledger and none waits; exit code 1 if one does
    Verify(ServerArgs),
}

/// A server, or all of them.
#[derive(Debug, clap::Args)]
pub struct ServerArgs {
    /// The server; all if not given
    pub server: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Tools of a server.
#[derive(Debug, clap::Args)]
pub struct ToolArgs {
    /// The server
    pub server: String,
    /// One tool; all that wait if not given
    pub tool: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Tools of a server to approve.
#[derive(Debug, clap::Args)]
pub struct ApproveArgs {
    /// Which
    #[command(flatten)]
    pub tools: ToolArgs,
    /// Read the approver's passphrase from the first line of stdin
    #[arg(long)]
    pub passphrase_stdin: bool,
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    match &args.verb {
        None => list(None, args.json),
        Some(Verb::List(one)) => list(one.server.as_deref(), one.json),
        Some(Verb::Show(one)) => show(one),
        Some(Verb::Diff(one)) => diff(one),
        Some(Verb::Approve(one)) => approve(one),
        Some(Verb::Revoke(one)) => revoke(one),
        Some(Verb::Verify(one)) => verify(one.server.as_deref(), one.json),
    }
}

/// The pins of the named server, of all if none is named.
fn pins_of(store: &dyn Store, server: Option<&str>) -> Result<Vec<Pin>, Failure> {
    let all = store.pins()?;
    let Some(server) = server else { return Ok(all) };
    let named = |pin: &Pin| pin.name == server || server.len() >= 6 && pin.server.starts_with(server);
    let found: Vec<Pin> = all.iter().filter(|pin| named(pin)).cloned().collect();
    if found.is_empty() {
        let mut names: Vec<&str> = all.iter().map(|pin| pin.name.as_str()).collect();
        names.dedup();
        let known = if names.is_empty() { "no server is pinned yet".to_owned() } else { names.join(", ") };
        return Err(Failure::new(
            format!("no pinned server is called `{server}`"),
            format!("known: {known}"),
        ));
    }
    Ok(found)
}

/// One server alone: what is approved must be of one.
fn chosen(store: &dyn Store, args: &ToolArgs) -> Result<Vec<Pin>, Failure> {
    let pins = pins_of(store, Some(&args.server))?;
    let mut keys: Vec<&str> = pins.iter().map(|pin| pin.server.as_str()).collect();
    keys.dedup();
    if let [first, second, ..] = keys.as_slice() {
        let short = |key: &str| key.get(..12).unwrap_or(key).to_owned();
        let what = format!("{} servers are called `{}`", keys.len(), args.server);
        return Err(Failure::new(
            what,
            format!("name one by its key: {} or {}", short(first), short(second)),
        ));
    }
    let Some(tool) = &args.tool else { return Ok(pins) };
    let found: Vec<Pin> = pins.into_iter().filter(|pin| pin.tool == *tool).collect();
    if found.is_empty() {
        let help = format!("`toolgate pins list {}` lists its tools", args.server);
        return Err(Failure::new(format!("the server `{}` has no pinned tool `{tool}`", args.server), help));
    }
    Ok(found)
}

#[derive(Serialize)]
struct Line<'a> {
    server: &'a str,
    name: &'a str,
    transport: &'a str,
    tool: &'a str,
    state: PinState,
    why: Option<&'a str>,
    by: Option<&'a str>,
    digest: Option<String>,
    changed_ms: i64,
}

fn line(pin: &Pin) -> Line<'_> {
    let shown = pin.offered.as_ref().or(pin.trusted.as_ref());
    Line {
        server: &pin.server,
        name: &pin.name,
        transport: &pin.transport,
        tool: &pin.tool,
        state: pin.state,
        why: pin.why.as_deref(),
        by: pin.by.as_deref(),
        digest: shown.map(Definition::digest),
        changed_ms: pin.changed_ms,
    }
}

fn list(server: Option<&str>, as_json: bool) -> Outcome {
    let mut desk = desk::open()?;
    let pins = pins_of(desk.store(), server)?;
    if as_json {
        json(&pins.iter().map(line).collect::<Vec<_>>());
        return Ok(ExitCode::SUCCESS);
    }
    if pins.is_empty() {
        talk("no tool is pinned yet; `toolgate mcp -- SERVER` pins the tools of a server");
    }
    let mut last = "";
    for pin in &pins {
        if pin.server != last {
            let key = pin.server.get(..12).unwrap_or_default();
            out(&format!(
                "{}  {}",
                styled(BOLD, &visible(&pin.name)),
                styled(DIM, &format!("{key}  {}", one_line(&pin.transport, 90)))
            ));
            last = &pin.server;
        }
        let style = if pin.state == PinState::Trusted { GREEN } else { YELLOW };
        let by =
            pin.by.as_ref().map_or_else(|| "on first use".to_owned(), |by| format!("by {}", visible(by)));
        let why = pin.why.as_ref().map_or(by, |why| one_line(why, 90));
        let state = styled(style, &format!("{:<8}", pin.state.name()));
        out(&format!("  {state} {:<32} {why}, {}", one_line(&pin.tool, 60), logs::time(pin.changed_ms)));
    }
    Ok(ExitCode::SUCCESS)
}

fn show(args: &ToolArgs) -> Outcome {
    let mut desk = desk::open()?;
    let pins = chosen(desk.store(), args)?;
    if args.json {
        json(&pins);
        return Ok(ExitCode::SUCCESS);
    }
    for pin in &pins {
        out(&styled(BOLD, &format!("{} {} ({})", visible(&pin.name), visible(&pin.tool), pin.state.name())));
        if let Some(shown) = pin.trusted.as_ref().or(pin.offered.as_ref()) {
            out(&visible(&pretty(&shown.to_value())));
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct Difference<'a> {
    #[serde(flatten)]
    line: Line<'a>,
    changes: Vec<FieldChange>,
}

fn changes_of(pin: &Pin) -> Vec<FieldChange> {
    let nothing = Definition { name: pin.tool.clone(), fields: std::collections::BTreeMap::new() };
    let before = pin.trusted.as_ref().unwrap_or(&nothing);
    pin.offered.as_ref().map(|offered| before.changes(offered)).unwrap_or_default()
}

fn diff(args: &ToolArgs) -> Outcome {
    let mut desk = desk::open()?;
    let pins = chosen(desk.store(), args)?;
    let waiting: Vec<&Pin> = pins.iter().filter(|pin| pin.state != PinState::Trusted).collect();
    if args.json {
        let all = waiting.iter().map(|pin| Difference { line: line(pin), changes: changes_of(pin) });
        json(&all.collect::<Vec<_>>());
        return Ok(ExitCode::SUCCESS);
    }
    if waiting.is_empty() {
        talk(&format!("nothing changed: every tool of `{}` is as it was trusted", visible(&args.server)));
    }
    waiting.iter().for_each(|pin| show_diff(pin));
    Ok(ExitCode::SUCCESS)
}

fn show_diff(pin: &Pin) {
    let why = pin.why.as_deref().unwrap_or_default();
    out(&styled(
        BOLD,
        &format!(
            "{} {} ({}): {}",
            visible(&pin.name),
            visible(&pin.tool),
            pin.state.name(),
            one_line(why, 200)
        ),
    ));
    for change in changes_of(pin) {
        out(&format!("  {}", visible(&change.field)));
        let text = |value: &Option<Value>| value.as_ref().map(readable).unwrap_or_default();
        let (before, after) = (text(&change.before), text(&change.after));
        let diff = TextDiff::from_lines(&before, &after);
        for one in diff.iter_all_changes() {
            let shown = visible(one.value().trim_end_matches('\n'));
            out(&match one.tag() {
                similar::ChangeTag::Delete => styled(RED, &format!("  - {shown}")),
                similar::ChangeTag::Insert => styled(GREEN, &format!("  + {shown}")),
                similar::ChangeTag::Equal => format!("    {shown}"),
            });
        }
    }
}

/// A text as it is, anything else as JSON.
fn readable(value: &Value) -> String {
    value.as_str().map_or_else(|| pretty(value), |text| format!("{text}\n"))
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn approve(args: &ApproveArgs) -> Outcome {
    install::refuse_agent()?;
    let ApproveArgs { tools: args, passphrase_stdin } = args;
    let mut desk = Desk::open(&project::dirs())?;
    let pins = chosen(desk.store(), args)?;
    let waiting: Vec<&Pin> = pins.iter().filter(|pin| pin.state != PinState::Trusted).collect();
    let by = inbox::person();
    // What was shown is what counts: it is read before the person is asked.
    let changes: Vec<PinChange> = waiting.iter().filter_map(|pin| approved(pin, &by)).collect();
    if !args.json {
        waiting.iter().for_each(|pin| show_diff(pin));
    }
    if let Some(first) = changes.first() {
        let several = changes.len() > 1;
        let code = if several { "all" } else { first.server.get(..4).unwrap_or("yes") };
        let what = if several { format!("these {} tools", changes.len()) } else { "this tool".to_owned() };
        approver::prove_person(code, &what, *passphrase_stdin)?;
    }
    let mut after = Vec::new();
    for change in changes {
        after.extend(desk.change_pin(change)?);
    }
    tell(&after, args, "approved")
}

fn revoke(args: &ToolArgs) -> Outcome {
    install::refuse_agent()?;
    let mut desk = Desk::open(&project::dirs())?;
    let pins = chosen(desk.store(), args)?;
    let by = inbox::person();
    let mut after = Vec::new();
    for pin in pins.iter().filter(|pin| pin.state != PinState::Revoked) {
        after.extend(desk.change_pin(revoked(pin, &by))?);
    }
    tell(&after, args, "revoked")
}

fn tell(after: &[Pin], args: &ToolArgs, what: &str) -> Outcome {
    if args.json {
        json(&after.iter().map(line).collect::<Vec<_>>());
    } else if after.is_empty() {
        talk(&format!("nothing to be {what} at `{}`", visible(&args.server)));
    } else {
        let tools: Vec<String> = after.iter().map(|pin| visible(&pin.tool)).collect();
        talk(&format!("{what}: {}. A running client sees it with its next list of tools", tools.join(", ")));
    }
    Ok(ExitCode::SUCCESS)
}

fn verify(server: Option<&str>, as_json: bool) -> Outcome {
    let mut desk = desk::open()?;
    let trusted = toolgate_runtime::trusted_key(&project::dirs());
    let ledger = desk.store().verify(trusted.as_deref(), &[])?;
    let intact = matches!(ledger, toolgate_store::Verified::Intact { .. });
    let pins = pins_of(desk.store(), server)?;
    let waiting: Vec<&Pin> = pins.iter().filter(|pin| pin.state != PinState::Trusted).collect();
    if as_json {
        json(&serde_json::json!({
            "ledger": if intact { "intact" } else { "broken" },
            "pins": pins.len(),
            "not_trusted": waiting.iter().map(|pin| line(pin)).collect::<Vec<_>>(),
        }));
    } else {
        if !intact {
            out("the ledger was changed; run `toolgate ledger verify`");
        }
        for pin in &waiting {
            let why = one_line(pin.why.as_deref().unwrap_or_default(), 120);
            out(&format!("{} {} is {}: {why}", visible(&pin.name), visible(&pin.tool), pin.state.name()));
        }
        out(&format!("{} pinned, {} not trusted", pins.len(), waiting.len()));
    }
    Ok(if intact && waiting.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
