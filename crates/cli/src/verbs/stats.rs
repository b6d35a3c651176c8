//! `toolgate stats`: how often each guard spoke, and what each session used up.

use crate::screen::{DIM, RED, json as print_json, one_line, out, styled};
use crate::verbs::logs::{duration_ms, time};
use crate::verbs::{Failure, Outcome};
use crate::{desk, project};
use serde_json::{Value, json};
use std::process::ExitCode;
use toolgate_core::{
    ALERTS_MS, AgentEntry, Alert, Budget, Metrics, Record, Session, Tally, alerts, autonomy, duration,
};
use toolgate_runtime::{Desk, now_ms};
use toolgate_store::Store;

/// Sessions shown.
const SESSIONS_MAX: usize = 20;

/// Counts over the ledger.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate stats
  toolgate stats --last 7d
  toolgate stats --json | jq .guards
  toolgate stats --metrics > /var/lib/node_exporter/toolgate.prom")]
pub struct Args {
    /// Only this far back: 30m, 24h, 7d
    #[arg(long)]
    pub last: Option<String>,
    /// Print metrics in Prometheus text format
    #[arg(long, conflicts_with = "json")]
    pub metrics: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Prints them.
pub fn run(args: &Args) -> Outcome {
    let since = match &args.last {
        Some(text) => now_ms().saturating_sub(duration_ms(text)?),
        None => i64::MIN,
    };
    let setup = project::here();
    let policy = desk::policy_or_warn(&setup);
    let mut desk = Desk::open(&setup.dirs)?;
    if args.metrics {
        let mut metrics = Metrics::default();
        each(desk.store(), since, |record| metrics.add(record))?;
        out(metrics.text().trim_end());
        return Ok(ExitCode::SUCCESS);
    }
    let mut tally = Tally::default();
    each(desk.store(), since, |record| tally.add(record))?;
    let alerts = alerts_now(desk.store())?;
    let agents = policy.as_ref().map_or(&[][..], |policy| policy.settings().agents.as_slice());
    let main: Vec<&AgentEntry> =
        agents.iter().filter(|entry| matches!(entry.name.as_str(), "main" | "*")).collect();
    if args.json {
        let mut shown = with_modes(&tally, &main);
        if let Some(fields) = shown.as_object_mut() {
            fields.insert("alerts".to_owned(), json!(alerts));
        }
        print_json(&shown);
    } else {
        for alert in &alerts {
            out(&styled(RED, &format!("{}: {} ({})", alert.name, one_line(&alert.text, 160), alert.to)));
        }
        print(&tally, &main);
    }
    Ok(ExitCode::SUCCESS)
}

/// What someone should look at, by the records of the last hour.
pub fn alerts_now(store: &dyn Store) -> Result<Vec<Alert>, Failure> {
    let now = now_ms();
    let mut records = Vec::new();
    let mut before = u64::MAX;
    loop {
        let batch = store.records_before(before, 1000)?;
        // In an altered ledger numbers need not fall.
        let Some(last) = batch.last().filter(|last| last.seq < before) else { break };
        before = last.seq;
        let is_over = last.time_ms < now.saturating_sub(ALERTS_MS);
        records.extend(batch);
        if is_over {
            break;
        }
    }
    Ok(alerts(&records, now))
}

/// Every record since a time, oldest first.
pub fn each(store: &dyn Store, since_ms: i64, mut count: impl FnMut(&Record)) -> Result<(), Failure> {
    let mut after = 0;
    loop {
        let batch = store.records_after(after, 1000)?;
        // In an altered ledger numbers need not grow.
        let Some(last) = batch.last().filter(|last| last.seq > after) else { return Ok(()) };
        after = last.seq;
        batch.iter().filter(|record| record.time_ms >= since_ms).for_each(&mut count);
    }
}

/// The counts, each session with how freely its agent works.
fn with_modes(tally: &Tally, main: &[&AgentEntry]) -> Value {
    let mut shown = serde_json::to_value(tally).unwrap_or_default();
    for (id, session) in &tally.sessions {
        let mode = json!(mode_of(session, main));
        if let Some(own) =
            shown.pointer_mut("/sessions").and_then(|all| all.get_mut(id)).and_then(Value::as_object_mut)
        {
            own.insert("mode".to_owned(), mode);
        }
    }
    shown
}

/// The mode of a session now.
fn mode_of(session: &Session, main: &[&AgentEntry]) -> &'static str {
    autonomy(main.iter().copied(), session, now_ms()).map_or("standard", |(mode, _)| mode.name())
}

fn print(tally: &Tally, main: &[&AgentEntry]) {
    let verdicts: Vec<String> =
        tally.verdicts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    out(&format!(
        "{} judged: {}",
        tally.judged,
        if verdicts.is_empty() { "nothing yet".to_owned() } else { verdicts.join(", ") }
    ));
    if !tally.guards.is_empty() {
        out("");
        out(&styled(
            DIM,
            &format!(
                "{:<28} {:>6} {:>7} {:>6} {:>8} {:>8}  last",
                "guard", "warn", "rewrite", "ask", "block", "mean µs"
            ),
        ));
    }
    for (name, guard) in &tally.guards {
        out(&format!(
            "{:<28} {:>6} {:>7} {:>6} {:>8} {:>8}  {}",
            one_line(name, 28),
            guard.warned,
            guard.modified,
            guard.escalated,
            guard.blocked,
            guard.took_us / guard.spoke.max(1),
            time(guard.last_ms)
        ));
    }
    print_sessions(tally, main);
}

fn print_sessions(tally: &Tally, main: &[&AgentEntry]) {
    let budget: Option<&Budget> = main.iter().find_map(|entry| entry.agent.budget.as_ref());
    let mut sessions: Vec<&Session> = tally.sessions.values().collect();
    sessions.sort_by_key(|session| std::cmp::Reverse(session.started_ms));
    if sessions.is_empty() {
        return;
    }
    out("");
    out(&styled(
        DIM,
        &format!(
            "{:<13} {:>9} {:>7} {:>15} {:>9} {:>7} {:>9}  {:<8}  began",
            "session", "calls", "stopped", "tokens", "lines", "files", "cents", "mode"
        ),
    ));
    for session in sessions.iter().take(SESSIONS_MAX) {
        out(&format!(
            "{:<13} {:>9} {:>7} {:>15} {:>9} {:>7} {:>9}  {:<8}  {}",
            one_line(&session.id, 13),
            of(session.calls, budget.and_then(|budget| budget.calls)),
            session.stopped,
            of(session.spent.tokens, budget.and_then(|budget| budget.tokens)),
            of(session.spent.lines, budget.and_then(|budget| budget.lines)),
            of(session.files_taken(), budget.and_then(|budget| budget.files)),
            cents(session, budget),
            mode_of(session, main),
            session.started_ms.map_or_else(String::new, time)
        ));
    }
    if let Some(minutes) = budget.and_then(|budget| budget.minutes) {
        out(&styled(DIM, &format!("a session may take {}", duration(minutes.saturating_mul(60)))));
    }
}

/// `12/400` where there is a limit.
fn of(used: u64, limit: Option<u64>) -> String {
    limit.map_or_else(|| used.to_string(), |limit| format!("{used}/{limit}"))
}

/// What was spent by the prices of the policy, where it says some.
fn cents(session: &Session, budget: Option<&Budget>) -> String {
    match budget {
        Some(budget) if !budget.prices.is_empty() => match budget.cost_cents_of(&session.spent) {
            Ok(used) => of(used, budget.cost_cents),
            Err(_) => "?".to_owned(),
        },
        _ => "-".to_owned(),
    }
}
