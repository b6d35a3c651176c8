//! `toolgate logs`: what was decided, for people and for programs.

use crate::desk;
use crate::screen::{DIM, count, json, one_line, out, styled, talk, verdict_style, visible};
use crate::verbs::{Failure, Outcome};
use jiff::tz::TimeZone;
use jiff::{Span, SpanTotal, Timestamp, Unit};
use std::process::ExitCode;
use std::time::Duration;
use toolgate_core::{Answer, Decided, Entry, Finding, Handling, Record, Reviewed, Verdict};
use toolgate_runtime::now_ms;
use toolgate_store::Store;

/// Show decisions.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate logs --last 24h --decisions block,ask
  toolgate logs --session 6fb8 --rule git-force-push
  toolgate logs --follow
  toolgate logs --json | jq 'select(.entry.verdict == \"block\")'")]
pub struct Args {
    /// Only this far back: 30m, 24h, 7d
    #[arg(long)]
    pub last: Option<String>,
    /// Only these verdicts: allow, warn, rewrite, ask, block (or APPROVE, REJECT …)
    #[arg(long, value_delimiter = ',')]
    pub decisions: Vec<String>,
    /// Only sessions whose id begins like this
    #[arg(long)]
    pub session: Option<String>,
    /// Only decisions that this rule or guard contributed to
    #[arg(long, value_name = "ID")]
    pub rule: Option<String>,
    /// Show at most this many
    #[arg(long, default_value_t = 200)]
    pub limit: u32,
    /// Keep printing new entries
    #[arg(long, short)]
    pub follow: bool,
    /// Also show results, sessions and answers
    #[arg(long)]
    pub all: bool,
    /// Print JSON, one record per line
    #[arg(long)]
    pub json: bool,
}

struct Filter {
    since_ms: i64,
    wanted: Vec<String>,
    session: Option<String>,
    rule: Option<String>,
    all: bool,
}

/// Prints records, oldest first.
pub fn run(args: &Args) -> Outcome {
    let filter = filter(args)?;
    let mut desk = desk::open()?;
    let store = desk.store();
    let found = collect(store, &filter, args.limit)?;
    let mut last = found.iter().map(|record| record.seq).max();
    found.iter().rev().for_each(|record| print(store, record, args.json));
    if found.is_empty() && !args.json && args.limit > 0 {
        talk(&filter.nothing());
    }
    if !args.follow {
        return Ok(ExitCode::SUCCESS);
    }
    if last.is_none() {
        last = store.head()?.map(|head| head.checkpoint.seq);
    }
    let mut after = last.unwrap_or(0);
    loop {
        for record in store.records_after(after, 1000)? {
            after = record.seq.max(after.saturating_add(1));
            if filter.keeps(&record) {
                print(store, &record, args.json);
            }
        }
        std::thread::sleep(Duration::from_millis(250));
    }
}

fn filter(args: &Args) -> Result<Filter, Failure> {
    const KNOWN: [&str; 12] = [
        "APPROVE",
        "REJECT",
        "MODIFY",
        "ESCALATE",
        "DELAY",
        "ALLOW",
        "WARN",
        "BLOCK",
        "PREREQUISITES",
        "PASS",
        "DENY",
        "LOG",
    ];
    let wanted: Vec<String> = args.decisions.iter().map(|word| word.to_uppercase()).collect();
    if let Some(odd) = wanted.iter().find(|word| !KNOWN.contains(&word.as_str())) {
        return Err(Failure::new(
            format!("unknown verdict `{odd}`"),
            "use allow, warn, rewrite, delay, ask, check or block",
        ));
    }
    let since_ms = match &args.last {
        Some(text) => now_ms().saturating_sub(duration_ms(text)?),
        None => i64::MIN,
    };
    Ok(Filter { since_ms, wanted, session: args.session.clone(), rule: args.rule.clone(), all: args.all })
}

/// A length of time as people write it, in milliseconds.
pub fn duration_ms(text: &str) -> Result<i64, Failure> {
    let wrong =
        || Failure::new(format!("`{text}` is not a duration"), "use a number and a unit: 30m, 24h or 7d");
    let span: Span = text.parse().map_err(|_| wrong())?;
    let total = span.total(SpanTotal::from(Unit::Second).days_are_24_hours()).map_err(|_| wrong())?;
    // Whole seconds are enough to look back.
    let seconds = format!("{total:.0}").parse::<i64>().map_err(|_| wrong())?;
    Ok(seconds.saturating_mul(1000))
}

impl Filter {
    /// What is said where nothing fits.
    fn nothing(&self) -> String {
        let mut parts = vec![if self.all { "no records" } else { "no decisions" }.to_owned()];
        if let Some(session) = &self.session {
            parts.push(format!("of a session that begins with `{}`", visible(session)));
        }
        if let Some(rule) = &self.rule {
            parts.push(format!("by the rule `{}`", visible(rule)));
        }
        if !self.wanted.is_empty() {
            parts.push(format!("that is {}", self.wanted.join(" or ")));
        }
        if self.since_ms > i64::MIN {
            parts.push(format!("since {}", time(self.since_ms)));
        }
        parts.join(" ")
    }

    fn keeps(&self, record: &Record) -> bool {
        let is_of = |session: &String| record.context.session.starts_with(session.as_str());
        let session_ok = self.session.as_ref().is_none_or(is_of);
        let entry_ok = match &record.entry {
            Entry::Decided(decided) => {
                let by = |rule: &String| decided.findings.iter().any(|finding| finding.guard == *rule);
                let wanted =
                    self.wanted.is_empty() || self.wanted.iter().any(|word| is_called(decided.verdict, word));
                wanted && self.rule.as_ref().is_none_or(by)
            }
            _ => self.all && self.wanted.is_empty() && self.rule.is_none(),
        };
        let is_wanted = !record.is_probe() || self.all || self.session.is_some();
        record.time_ms >= self.since_ms && session_ok && entry_ok && is_wanted
    }
}

fn is_called(verdict: Verdict, word: &str) -> bool {
    let alias = match verdict {
        Verdict::Allow => "PASS",
        Verdict::Block => "DENY",
        _ => "",
    };
    verdict.decision() == word || verdict.name().eq_ignore_ascii_case(word) || alias == word
}

/// Newest first, up to `limit`.
fn collect(store: &dyn Store, filter: &Filter, limit: u32) -> Result<Vec<Record>, Failure> {
    let mut found = Vec::new();
    let mut before = u64::MAX;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    while found.len() < limit {
        let batch = store.records_before(before, 1000)?;
        // In an altered ledger numbers need not fall.
        let Some(last) = batch.last().filter(|last| last.seq < before) else { return Ok(found) };
        before = last.seq;
        let too_old = last.time_ms < filter.since_ms;
        for record in batch.into_iter().filter(|record| filter.keeps(record)) {
            found.push(record);
            if found.len() >= limit {
                break;
            }
        }
        if too_old {
            break;
        }
    }
    Ok(found)
}

/// A time stamp as people read it: their own zone, to the second.
pub fn time(ms: i64) -> String {
    let zoned = Timestamp::from_millisecond(ms).map(|stamp| stamp.to_zoned(TimeZone::system()));
    zoned.map_or_else(|_| ms.to_string(), |zoned| zoned.strftime("%Y-%m-%d %H:%M:%S %Z").to_string())
}

/// Characters of a session's id in a line; `--session` takes them back.
const SESSION_SHORT: usize = 8;

/// Who asked: the beginning of the session's id, and the agent.
fn asked_by(record: &Record) -> String {
    let session: String = record.context.session.chars().take(SESSION_SHORT).collect();
    format!(
        "{:<SESSION_SHORT$} {:<8}",
        one_line(&session, SESSION_SHORT),
        one_line(&record.context.agent, 24)
    )
}

fn print(store: &dyn Store, record: &Record, as_json: bool) {
    if as_json {
        json(record);
        return;
    }
    let stamp = styled(DIM, &format!("{:>5} {} {}", record.seq, time(record.time_ms), asked_by(record)));
    match &record.entry {
        Entry::Decided(decided) => print_decision(store, &stamp, decided),
        Entry::Checked { results, .. } => results.iter().for_each(|result| {
            let word = if result.passed { "passed" } else { "not met" };
            let text = format!("{}: {}", result.check.description, result.found);
            out(&format!("{stamp} {word:<8} {}", one_line(&text, 140)));
        }),
        _ => out(format!("{stamp} {}", event(record)).trim_end()),
    }
}

/// What happened, in one line, for records other than decisions and checks.
pub fn event(record: &Record) -> String {
    match &record.entry {
        Entry::Decided(decided) => one_line(&decided.title, 100),
        Entry::Checked { results, .. } => count(results.len(), "check"),
        Entry::Resulted(resulted) => {
            let word = if resulted.succeeded() { "ran" } else { "failed" };
            let said = resulted.message.as_deref().unwrap_or_default();
            format!("{word:<8} {} {}", one_line(&resulted.tool, 30), one_line(said, 100))
        }
        Entry::Requested(request) => {
            format!("asked    {} {}", request.id, one_line(&request.title, 100))
        }
        Entry::Answered(answer) => {
            let word = answer.word.past();
            let (id, by, reach) = (&answer.request, one_line(&answer.by, 40), answer.reach.words());
            format!("{word:<8} {id} by {by} for {}", one_line(&reach, 100))
        }
        Entry::Consulted(asked) => format!("consults {} {}", asked.request, asked.supervisor),
        Entry::Reviewed(said) => format!("reviewed {}", reviewed(said)),
        Entry::Spent(usage) => format!("spent    {}", count(usage.tokens, "token")),
        Entry::Backed(backed) => {
            format!("backup   {} before {}", count(backed.files.len(), "file"), one_line(&backed.title, 80))
        }
        Entry::Changed(changed) => {
            format!("changed  {} of backup {}", count(changed.files.len(), "file"), changed.backup)
        }
        Entry::Advised(advice) => {
            let text = format!("{}: {}", advice.provider, advice.text);
            format!("advised  {}", one_line(&text, 100))
        }
        Entry::Used { request, .. } => format!("used     {request}"),
        Entry::Expired { request } => format!("expired  {request}"),
        Entry::Handled { request, by, what } => {
            format!("{:<8} {request} by {}", handled(what), one_line(by, 40))
        }
        Entry::Repeated { request, asker } => {
            format!("repeated {request} by {}, process {}", asker.program, asker.pid)
        }
        Entry::Pinned(pin) => {
            let text = format!("tool {} of server {}", pin.tool, pin.name);
            format!("{:<8} {}", pin.change.name(), one_line(&text, 100))
        }
        Entry::Noted { what, text } => format!("noted    {what}: {}", one_line(text, 100)),
    }
}

fn print_decision(store: &dyn Store, stamp: &str, decided: &Decided) {
    let word = styled(verdict_style(decided.verdict), &format!("{:<8}", decided.verdict.name()));
    let told = match (decided.verdict, decided.delivered) {
        (verdict, told) if verdict.runs() == told.runs() => String::new(),
        (_, told) if told.runs() && decided.request.is_some() => match approval(store, decided) {
            Some(answer) => format!(" (approved by {})", one_line(&answer.by, 40)),
            None => " (approved)".to_owned(),
        },
        _ => " (only recorded)".to_owned(),
    };
    let rules: Vec<String> = decided.objections().map(Finding::cited).collect();
    // The title of a file tool begins with its name.
    let title = decided.title.strip_prefix(&format!("{} ", decided.tool)).unwrap_or(&decided.title);
    let instead = decided.modified.as_ref().map(|input| format!(" → {}", one_line(&instead(input), 100)));
    out(&format!(
        "{stamp} {word} {:<6} {}{}  {}",
        one_line(&decided.tool, 30),
        one_line(title, 100),
        instead.unwrap_or_default(),
        styled(DIM, &format!("{}{told}", rules.join(", ")))
    ));
}

/// The approval a decision rests on.
fn approval(store: &dyn Store, decided: &Decided) -> Option<Answer> {
    let request = store.request(decided.request.as_deref()?).ok()??;
    request.progress.agreed().cloned()
}

/// What ran in place of what was asked for: the command, or the whole input of
/// another tool.
pub fn instead(input: &serde_json::Value) -> String {
    let command = input.get("command").and_then(serde_json::Value::as_str);
    command.map_or_else(|| input.to_string(), str::to_owned)
}

/// What was done with a request, in one word.
fn handled(what: &Handling) -> &'static str {
    match what {
        Handling::Claimed => "claimed",
        Handling::Commented { .. } => "comment",
        Handling::Undone => "undone",
        Handling::Revoked => "revoked",
        Handling::Reviewed { .. } => "reviewed",
    }
}

/// What a supervisor said, in one line.
fn reviewed(said: &Reviewed) -> String {
    let words: Vec<&str> = said.reasons.iter().map(|one| one.text.as_str()).collect();
    let why = said.missing.clone().unwrap_or_else(|| words.join(" "));
    let decision = match said.decision {
        Some(decision) => format!("{} ({} %)", decision.name(), said.confidence_percent),
        None => "without an answer".to_owned(),
    };
    format!("{} {decision} by {}  {}", said.request, said.supervisor, one_line(&why, 100))
}
