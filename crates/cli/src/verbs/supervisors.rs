//! `toolgate supervisors`: the models that may answer before a person is asked,
//! how they are, and a trial question to one of them.

use crate::screen::{DIM, GREEN, RED, YELLOW, json, one_line, out, styled, talk};
use crate::verbs::{Failure, Outcome};
use crate::{desk, project};
use clap::Subcommand;
use serde::Serialize;
use serde_json::json;
use std::process::ExitCode;
use toolgate_core::{Health, SupervisorEntry};
use toolgate_runtime::{Desk, Gate, Setup, nearest, now_ms};
use toolgate_store::Store;

/// List and test AI supervisors.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  toolgate supervisors list\n  toolgate supervisors test reviewer")]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do about supervisors.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List supervisors and their health
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Ask a supervisor a harmless test question; nothing is recorded
    Test {
        /// The supervisor's name
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    let setup = project::here();
    match &args.verb {
        Verb::List { json } => list(&setup, *json),
        Verb::Test { name, json } => test(&Gate::open(setup)?.0, name, *json),
    }
}

/// One supervisor as it is shown.
#[derive(Serialize)]
struct Row {
    name: String,
    role: toolgate_core::SupervisorRole,
    endpoint: toolgate_core::Endpoint,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    state: String,
    answered: u64,
    failed: u64,
    approved: u64,
    rejected: u64,
    latency_ms: u64,
    spent_cents_today: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_cents: Option<u32>,
    /// Of its last answers that a person answered after it, those they agreed with, and of how many.
    agreed: (u32, u32),
}

fn list(setup: &Setup, as_json: bool) -> Outcome {
    let policy = desk::readable_policy(setup)?.policy;
    let entries = policy.settings().supervision.supervisors.clone();
    let mut desk = Desk::open(&setup.dirs)?;
    let now = now_ms();
    let mut rows = Vec::new();
    for entry in entries {
        let health = desk.store().health(&entry.name)?;
        rows.push(row(entry, &health, now));
    }
    if as_json {
        json(&rows);
    } else if rows.is_empty() {
        talk("no supervisors; define them under `supervisors` in your user policy");
    } else {
        rows.iter().for_each(show);
    }
    Ok(ExitCode::SUCCESS)
}

fn row(entry: SupervisorEntry, health: &Health, now: i64) -> Row {
    let own = entry.supervisor;
    let today = now.div_euclid(86_400_000);
    let missing = own.key_env.as_ref().filter(|variable| std::env::var_os(variable).is_none());
    let state = match missing {
        Some(variable) => format!("`{variable}` is not set"),
        None if health.is_open(now) => "paused after failures".to_owned(),
        None if health.drifts() => "people mostly disagree".to_owned(),
        None if !health.can_afford(&own, now) => "daily budget used up".to_owned(),
        None => "ok".to_owned(),
    };
    Row {
        name: entry.name,
        role: own.role,
        endpoint: own.endpoint,
        model: own.model,
        state,
        answered: health.answered,
        failed: health.failed,
        approved: health.approved,
        rejected: health.rejected,
        latency_ms: health.latency_ms,
        spent_cents_today: if health.day == today { health.spent_cents } else { 0 },
        budget_cents: own.budget_cents,
        agreed: health.agreement(),
    }
}

fn show(row: &Row) {
    let state = if row.state == "ok" { styled(GREEN, "ok") } else { styled(YELLOW, &row.state) };
    let role = format!("{:?}", row.role).to_lowercase();
    out(&format!("{:<16} {role:<10} {:<28} {state}", row.name, row.model.as_deref().unwrap_or("-")));
    let budget = row.budget_cents.map_or_else(String::new, |cents| format!(" of {cents}"));
    out(&styled(
        DIM,
        &format!(
            "  {} answers ({} yes, {} no), {} without one, {} ms, {}{budget} cents today, people agreed {} of {}",
            row.answered,
            row.approved,
            row.rejected,
            row.failed,
            row.latency_ms,
            row.spent_cents_today,
            row.agreed.0,
            row.agreed.1
        ),
    ));
}

fn test(gate: &Gate, name: &str, as_json: bool) -> Outcome {
    let Some(trial) = gate.try_supervisor(name)? else {
        let known = gate.policy().settings().supervision.supervisors.iter();
        let known: Vec<&str> = known.map(|one| one.name.as_str()).collect();
        let help = match nearest(name, &known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "`toolgate supervisors list` shows them".to_owned(),
        };
        return Err(Failure::new(format!("unknown supervisor `{name}`"), help));
    };
    let ms = trial.duration_ms;
    match &trial.answer {
        Ok(opinion) => {
            let (said, sure) = (opinion.decision.name(), opinion.confidence_percent);
            let why = opinion.reasons.first().map(|one| one.text.clone()).unwrap_or_default();
            if as_json {
                json(
                    &json!({ "ok": true, "decision": said, "confidence_percent": sure, "reason": why, "duration_ms": ms }),
                );
            } else {
                out(&format!(
                    "{} {said} ({sure} %) in {ms} ms: {}",
                    styled(GREEN, "ok"),
                    one_line(&why, 200)
                ));
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(why) => {
            if as_json {
                json(&json!({ "ok": false, "why": why, "duration_ms": ms }));
            } else {
                out(&format!("{} no answer after {ms} ms: {}", styled(RED, "BAD"), one_line(why, 200)));
            }
            Ok(ExitCode::from(1))
        }
    }
}
