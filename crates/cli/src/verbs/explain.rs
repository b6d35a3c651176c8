//! `toolgate explain`: the page of a rule, or the full story of one decision.

use crate::screen::{BOLD, DIM, json, out, styled, verdict_style, visible};
use crate::verbs::{Failure, Outcome, inbox, logs, rule_page, stats};
use crate::{desk, explanation, project};
use std::process::ExitCode;
use toolgate_core::{
    Answer, CheckResult, Decided, Entry, GuardTally, Record, Request, RuleEntry, Tally, guards,
};
use toolgate_runtime::{Desk, Setup, nearest};
use toolgate_store::{Sqlite, Store};

/// So many records of a session are searched for the answer to a request.
const ANSWERS_WITHIN: u32 = 5_000;

/// Explains a rule, a request or a record.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  toolgate explain git-skip-hooks     a rule\n  toolgate explain r-1a2b3c4d5e       a request\n  toolgate explain 42                 record 42 of the ledger"
)]
pub struct Args {
    /// Id of a rule, guardrail, request or decision, or the number of a record
    pub what: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Finds what is meant and explains it.
pub fn run(args: &Args) -> Outcome {
    let setup = &project::here();
    if let Some(page) = guards::page(&args.what) {
        if args.json {
            json(&serde_json::json!({ "id": args.what, "page": page, "about": guards::about(&args.what) }))
        } else {
            out(&rule_page::built_in(&args.what, page, hits(setup, &args.what).as_ref()))
        }
        return Ok(ExitCode::SUCCESS);
    }
    let loaded = match desk::readable_policy(setup) {
        Err(_) if is_in_ledger(&args.what) => return explain_recorded(args, setup, &[]),
        loaded => loaded?,
    };
    let guardrails = &loaded.policy.settings().guardrails;
    if let Some(entry) = guardrails.iter().find(|entry| entry.guardrail.id == args.what) {
        if args.json {
            json(entry)
        } else {
            out(&rule_page::guardrail(entry, hits(setup, &args.what).as_ref()))
        }
        return Ok(ExitCode::SUCCESS);
    }
    let rules: Vec<RuleEntry> = loaded.policy.entries().into_iter().chain(loaded.off).collect();
    if let Some(entry) = rules.iter().find(|entry| entry.rule.id == args.what) {
        if args.json {
            json(entry)
        } else {
            out(&rule_page::rule(entry, hits(setup, &args.what).as_ref()))
        }
        return Ok(ExitCode::SUCCESS);
    }
    let ids = rules.iter().map(|entry| entry.rule.id.as_str());
    let ids: Vec<&str> = ids.chain(guardrails.iter().map(|entry| entry.guardrail.id.as_str())).collect();
    explain_recorded(args, setup, &ids)
}

/// Whether it names a record, decision or request: what the ledger knows without any policy.
fn is_in_ledger(what: &str) -> bool {
    let is_number = what.bytes().all(|byte| byte.is_ascii_digit());
    is_number || what.starts_with("r-") || what.starts_with("d-")
}

/// What the ledger knows under a name; `ids` are what else could have been meant.
fn explain_recorded(args: &Args, setup: &Setup, ids: &[&str]) -> Outcome {
    let mut desk = Desk::open(&setup.dirs)?;
    if args.what.starts_with("r-") {
        return inbox::show(desk.store(), &args.what, args.json);
    }
    let record = find(desk.store(), &args.what, ids)?;
    if args.json {
        json(&record)
    } else {
        story(desk.store(), &record)
    }
    Ok(ExitCode::SUCCESS)
}

/// How often a rule has matched, if the ledger can be read and it ever has.
fn hits(setup: &Setup, id: &str) -> Option<GuardTally> {
    let mut desk = Desk::open(&setup.dirs).ok()?;
    let mut tally = Tally::default();
    stats::each(desk.store(), i64::MIN, |record| tally.add(record)).ok()?;
    tally.guards.remove(id)
}

fn find(store: &dyn Store, what: &str, ids: &[&str]) -> Result<Record, Failure> {
    let missing = || {
        let help = match nearest(what, ids) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => {
                "`toolgate rules list`, `toolgate inbox list` and `toolgate logs` show the ids".to_owned()
            }
        };
        Failure::new(format!("no rule, request or record is called `{what}`"), help)
    };
    if let Ok(seq) = what.parse::<u64>() {
        let found = store.records_after(seq.saturating_sub(1), 1)?;
        return found.into_iter().find(|record| record.seq == seq).ok_or_else(missing);
    }
    let mut before = u64::MAX;
    loop {
        let batch = store.records_before(before, 500)?;
        // In an altered ledger numbers need not fall.
        let Some(last) = batch.last().filter(|last| last.seq < before) else { return Err(missing()) };
        before = last.seq;
        let hit = batch
            .into_iter()
            .find(|record| matches!(&record.entry, Entry::Decided(decided) if decided.decision == what));
        if let Some(record) = hit {
            return Ok(record);
        }
    }
}

fn story(store: &Sqlite, record: &Record) {
    out(&styled(BOLD, &format!("record {}  {}", record.seq, logs::time(record.time_ms))));
    let context = &record.context;
    if !context.session.is_empty() {
        let (session, host) = (visible(&context.session), visible(&context.host));
        let agent = if context.agent.is_empty() {
            String::new()
        } else {
            format!(", agent {}", visible(&context.agent))
        };
        out(&format!("session  {session} ({host}{agent})"));
    }
    match &record.entry {
        Entry::Decided(decided) => decision(store, decided),
        Entry::Checked { results, .. } => results.iter().for_each(checked),
        // With everything that led to it, and what came of it.
        Entry::Requested(Request { id: request, .. })
        | Entry::Answered(Answer { request, .. })
        | Entry::Used { request, .. }
        | Entry::Expired { request }
        | Entry::Repeated { request, .. }
        | Entry::Handled { request, .. } => {
            out(&format!("event    {}", logs::event(record)));
            request_of(store, request);
        }
        _ => out(&format!("event    {}", logs::event(record))),
    }
    if !context.policy.is_empty() {
        out(&styled(DIM, &format!("policy   {}", context.policy)));
    }
}

/// The request a record is about, as it is now.
fn request_of(store: &Sqlite, id: &str) {
    match inbox::show(store, id, false) {
        Ok(_) => {}
        Err(failure) => out(&styled(DIM, &visible(&failure.what))),
    }
}

/// Who answered its request, when, how far that reaches, and what was said.
fn answered(store: &Sqlite, request: &Request) {
    let records = store.records_of(&request.session, u64::MAX, ANSWERS_WITHIN).unwrap_or_default();
    let answers = records.iter().filter_map(|record| match &record.entry {
        Entry::Answered(answer) if answer.request == request.id => Some((record.time_ms, answer)),
        _ => None,
    });
    for (at_ms, answer) in answers.collect::<Vec<_>>().into_iter().rev() {
        let (word, by, reach) = (answer.word.past(), visible(&answer.by), visible(&answer.reach.words()));
        out(&format!("{word:<8} by {by} at {} for {reach}", logs::time(at_ms)));
        if let Some(words) = &answer.words {
            out(&format!("message  {}", visible(words)));
        }
    }
}

fn checked(result: &CheckResult) {
    let word = if result.passed { "passed " } else { "failed " };
    out(&format!("{word}  {} ({} ms)", visible(&result.check.description), result.duration_ms));
    out(&format!("  wanted   {}", visible(&result.check.method.to_string())));
    out(&format!("  found    {}", visible(&result.found)));
    if !result.cure.is_empty() {
        out(&format!("  fix      {}", visible(&result.cure)));
    }
}

fn decision(store: &Sqlite, decided: &Decided) {
    out(&format!("decision {}", decided.decision));
    out(&format!("call     {}", visible(&decided.title)));
    out(&format!("in       {}", visible(&decided.dir)));
    out(&format!("verdict  {}", styled(verdict_style(decided.verdict), decided.verdict.name())));
    if decided.delivered != decided.verdict {
        out(&format!("told     {}", decided.delivered.name()));
    }
    if let Some(input) = &decided.modified {
        out(&format!("instead  {}", visible(&logs::instead(input))));
    }
    if let Some(request) = &decided.request {
        out(&format!("request  {request}"));
        if let Ok(Some(request)) = store.request(request) {
            answered(store, &request);
        }
    }
    for finding in decided.objections() {
        out(&format!("rule     {}  ({} µs)", finding.cited(), finding.duration_us));
        out(&format!("  reason   {}", visible(&finding.message)));
        for evidence in &finding.evidence {
            out(&format!("  found    {}", explanation::quoted(evidence)));
        }
        if let toolgate_core::Outcome::Check(checks) = &finding.outcome {
            for check in checks {
                let text = format!("{} – {}", check.description, check.method);
                out(&format!("  check    {}", visible(&text)));
            }
        }
    }
}
