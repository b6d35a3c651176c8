//! `toolgate explain`: the page of a rule, or the full story of one decision.

use crate::screen::{BOLD, DIM, json, out, styled, verdict_style, visible};
use crate::verbs::{Failure, Outcome, inbox, logs};
use crate::{explanation, project};
use std::process::ExitCode;
use toolgate_core::{AppliesTo, CheckResult, Decided, Entry, GuardrailEntry, Record, RuleEntry, guards};
use toolgate_runtime::{Gate, load_uncached};
use toolgate_store::Store;

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
    let setup = project::here();
    if let Some(page) = guards::page(&args.what) {
        if args.json {
            json(&serde_json::json!({ "id": args.what, "page": page }))
        } else {
            out(page.trim_end())
        }
        return Ok(ExitCode::SUCCESS);
    }
    let loaded =
        load_uncached(&setup.dirs, &setup.project).map_err(|faults| Failure::of_broken_policy(&faults))?;
    let guardrails = &loaded.policy.settings().guardrails;
    if let Some(entry) = guardrails.iter().find(|entry| entry.guardrail.id == args.what) {
        if args.json {
            json(entry)
        } else {
            out(&guardrail_page(entry))
        }
        return Ok(ExitCode::SUCCESS);
    }
    let rules: Vec<RuleEntry> = loaded.policy.entries().into_iter().chain(loaded.off).collect();
    if let Some(entry) = rules.iter().find(|entry| entry.rule.id == args.what) {
        if args.json {
            json(entry)
        } else {
            out(&page(entry))
        }
        return Ok(ExitCode::SUCCESS);
    }
    let (mut gate, _) = Gate::open(setup)?;
    if args.what.starts_with("r-") {
        return inbox::show(gate.store(), &args.what, args.json);
    }
    let record = find(gate.store(), &args.what)?;
    if args.json {
        json(&record)
    } else {
        story(&record)
    }
    Ok(ExitCode::SUCCESS)
}

/// The page of a rule, fixed headings.
fn page(entry: &RuleEntry) -> String {
    let rule = &entry.rule;
    let mut text = format!("{}\n", styled(BOLD, &format!("# {}", rule.id)));
    let state = if rule.enabled { "" } else { ", off" };
    text.push_str(&format!(
        "{}\n",
        styled(
            DIM,
            &format!("{}, {} severity, {}{state}", rule.kind.name(), rule.severity.name(), entry.source)
        )
    ));
    if let Some(name) = &rule.name {
        text.push_str(&format!("What     {name}\n"));
    }
    text.push_str(&format!("Why      {}\n", rule.reason));
    if let Some(step) = &rule.remediation {
        text.push_str(&format!("Do       {step}\n"));
    }
    for alternative in &rule.alternatives {
        text.push_str(&format!("Instead  {alternative}\n"));
    }
    for example in &rule.examples.matching {
        text.push_str(&format!("Stops    {example}\n"));
    }
    for example in &rule.examples.pass {
        text.push_str(&format!("Leaves   {example}\n"));
    }
    text.trim_end().to_owned()
}

/// The page of a guardrail, the same headings where there are the same things.
fn guardrail_page(entry: &GuardrailEntry) -> String {
    let own = &entry.guardrail;
    let state = if own.enabled { "" } else { ", off" };
    let (action, event) = (own.validation.action_on_fail.unwrap_or_default().name(), own.event.name());
    let head = format!("{action}, {event}, priority {}, {}{state}", own.priority, entry.source);
    let mut text = format!("{}\n{}\n", styled(BOLD, &format!("# {}", own.id)), styled(DIM, &head));
    let mut add = |name: &str, said: &str| text.push_str(&format!("{name:<8} {}\n", visible(said.trim())));
    let AppliesTo { agents, tasks, tools } = own.condition.applies_to.clone().unwrap_or_default();
    own.name.iter().for_each(|name| add("What", name));
    own.description.iter().for_each(|said| add("Why", said));
    own.condition.expression.iter().for_each(|when| add("When", when));
    for (name, names) in [("Agents", agents), ("Tasks", tasks), ("Tools", tools)] {
        names.iter().for_each(|names| add(name, &names.iter().collect::<Vec<_>>().join(", ")));
    }
    add("Checks", &own.validation.check);
    own.validation.threshold.iter().for_each(|number| add("With", &format!("threshold {number}")));
    if let Some(bypass) = own.bypass.as_ref().filter(|bypass| bypass.allowed) {
        add("Bypass", bypass.requires_approval.as_deref().unwrap_or("a person"));
    }
    text.trim_end().to_owned()
}

fn find(store: &dyn Store, what: &str) -> Result<Record, Failure> {
    let missing = || {
        Failure::new(
            format!("no rule, request or record is called `{what}`"),
            "`toolgate rules list`, `toolgate inbox list` and `toolgate logs` show the ids",
        )
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

fn story(record: &Record) {
    out(&styled(BOLD, &format!("record {}  {}", record.seq, logs::time(record.time_ms))));
    out(&format!(
        "session  {} ({}, agent {})",
        visible(&record.context.session),
        visible(&record.context.host),
        visible(&record.context.agent)
    ));
    match &record.entry {
        Entry::Decided(decided) => decision(decided),
        Entry::Checked { results, .. } => results.iter().for_each(checked),
        other => out(&visible(&serde_json::to_string_pretty(other).unwrap_or_default())),
    }
    out(&styled(DIM, &format!("policy   {}", record.context.policy)));
}

fn checked(result: &CheckResult) {
    let word = if result.passed { "passed " } else { "failed " };
    out(&format!("{word}  {} ({} ms)", visible(&result.check.description), result.duration_ms));
    out(&format!("  wanted   {}", visible(&result.check.method.to_string())));
    out(&format!("  found    {}", visible(&result.found)));
    if !result.cure.is_empty() {
        out(&format!("  do       {}", visible(&result.cure)));
    }
}

fn decision(decided: &Decided) {
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
    }
    for finding in decided.objections() {
        out(&format!("rule     {}  {}  ({} µs)", finding.guard, finding.source, finding.duration_us));
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
