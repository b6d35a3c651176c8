//! Sessions, and one of them from its last call back to its first.

use super::request::is_taken;
use super::{Page, page, time};
use crate::Shared;
use crate::access::Session as Inside;
use crate::api::Before;
use crate::failure::Failure;
use crate::inbox::on_blocking_thread;
use crate::reach::Reader;
use crate::shown::Shown;
use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Extension, Path, Query, State};
use std::collections::BTreeMap;
use toolgate_core::guards::PROBE_SESSION;
use toolgate_core::{Decided, Entry, EventKind, Judgement, Record, Reviewed, Word, visible};

/// Sessions on the list.
const SESSIONS: u32 = 100;

/// Records one page of a timeline is made from.
const RECORDS: u32 = 200;

struct SessionLine {
    id: Shown,
    /// As it is called, for links.
    raw: String,
    started: String,
    calls: u64,
    stopped: u64,
    labels: Shown,
}

#[derive(Template)]
#[template(path = "sessions.html")]
struct SessionsPage {
    sessions: Vec<SessionLine>,
}

#[derive(Template)]
#[template(path = "session.html")]
struct SessionPage {
    id: Shown,
    /// The same without marks.
    title: String,
    raw: String,
    steps: Vec<Step>,
    older: Option<u64>,
}

/// One moment of a session.
struct Step {
    seq: u64,
    time: String,
    verdict: String,
    told: String,
    what: Shown,
    reach: Vec<Shown>,
    rules: Vec<Shown>,
    who: Shown,
    took: String,
    result: Shown,
    request: Option<String>,
}

/// The sessions that began last.
pub(crate) async fn sessions(State(app): State<Shared>, Extension(_inside): Extension<Inside>) -> Page {
    let found = on_blocking_thread(&app, |app| app.store(|store| Ok(store.sessions_page(SESSIONS)?))).await?;
    // The doctor's test call is no work of an agent.
    let found: Vec<_> = found.into_iter().filter(|session| session.id != PROBE_SESSION).collect();
    let line = |session: &toolgate_core::Session| SessionLine {
        id: Shown::all(&session.id),
        raw: session.id.clone(),
        started: session.started_ms.map(time).unwrap_or_default(),
        calls: session.calls,
        stopped: session.stopped,
        labels: Shown::all(&session.labels.keys().map(String::as_str).collect::<Vec<_>>().join(", ")),
    };
    page(&SessionsPage { sessions: found.iter().map(line).collect() })
}

/// One session, the newest call first.
pub(crate) async fn session(
    State(app): State<Shared>,
    Extension(_inside): Extension<Inside>,
    Path(id): Path<String>,
    query: Result<Query<Before>, QueryRejection>,
) -> Page {
    let Query(Before { before }) = query
        .map_err(|wrong| Failure::new(wrong.status(), wrong.body_text(), "Go back to the newest page."))?;
    let (name, title, raw) = (Shown::all(&id), visible(&id), id.clone());
    let found = on_blocking_thread(&app, move |app| {
        let records = app.store(|store| Ok(store.records_of(&id, before.unwrap_or(u64::MAX), RECORDS)?))?;
        let older = records
            .last()
            .map(|record| record.seq)
            .filter(|seq| *seq > 1 && records.len() == RECORDS as usize);
        Ok((steps(&records, &mut Reader::new(app)), older))
    });
    let (steps, older) = found.await?;
    page(&SessionPage { id: name, title, raw, steps, older })
}

fn steps(records: &[Record], reader: &mut Reader) -> Vec<Step> {
    let ends = ends(records);
    records.iter().filter_map(|record| step(record, records, &ends, reader)).collect()
}

/// How calls ended, by the host's id.
fn ends(records: &[Record]) -> BTreeMap<&str, Shown> {
    let mut all = BTreeMap::new();
    for record in records {
        if let Entry::Resulted(resulted) = &record.entry
            && let Some(call) = resulted.call.as_deref()
        {
            let said = resulted.message.as_ref().map(|said| format!(": {said}"));
            let word = if resulted.succeeded() { "ran" } else { "failed" };
            all.insert(call, Shown::line(&format!("{word}{}", said.unwrap_or_default()), 170));
        }
    }
    all
}

fn step(record: &Record, all: &[Record], ends: &BTreeMap<&str, Shown>, reader: &mut Reader) -> Option<Step> {
    let (seq, time) = (record.seq, time(record.time_ms));
    let agent = Shown::line(&record.context.agent, 40);
    let plain = |verdict: &str, what: Shown, who: Shown, request: Option<String>| Step {
        seq,
        time: time.clone(),
        verdict: verdict.to_owned(),
        told: String::new(),
        what,
        reach: Vec::new(),
        rules: Vec::new(),
        who,
        took: String::new(),
        result: Shown::default(),
        request,
    };
    match &record.entry {
        Entry::Decided(decided) => Some(Step {
            reach: reach(decided, reader),
            rules: decided
                .objections()
                .map(|one| Shown::all(&format!("{} {}", one.guard, one.source)))
                .collect(),
            told: delivery(decided),
            took: took(decided),
            result: decided
                .call
                .as_deref()
                .filter(|_| decided.delivered.runs() && decided.event == EventKind::PreExecution)
                .and_then(|id| ends.get(id).cloned())
                .unwrap_or_default(),
            ..plain(decided.verdict.name(), Shown::line(&decided.title, 400), agent, decided.request.clone())
        }),
        Entry::Answered(answer) => {
            let word = if answer.word == Word::Approve { "yes" } else { "no" };
            let words = answer.words.as_deref().map(|words| Shown::line(words, 300)).unwrap_or_default();
            Some(plain(word, words, Shown::line(&answer.by, 60), Some(answer.request.clone())))
        }
        Entry::Reviewed(said) => {
            let word = said.decision.map_or("no answer", Judgement::name);
            let who = Shown::line(
                &format!("supervisor {}, {} % sure", said.supervisor, said.confidence_percent),
                80,
            );
            let step = plain(word, reviewed(said), who, Some(said.request.clone()));
            Some(Step { result: proposed(said, all), ..step })
        }
        Entry::Expired { request } => Some(plain(
            "expired",
            Shown::all("not answered in time"),
            Shown::default(),
            Some(request.clone()),
        )),
        Entry::Noted { what, text } => {
            Some(plain("noted", Shown::line(&format!("{what}: {text}"), 300), agent, None))
        }
        _ => None,
    }
}

/// Why a supervisor said what it said, or why it said nothing.
fn reviewed(said: &Reviewed) -> Shown {
    let reasons: Vec<&str> = said.reasons.iter().map(|one| one.text.as_str()).collect();
    Shown::line(&said.missing.clone().unwrap_or_else(|| reasons.join(" ")), 300)
}

/// What it wanted run instead, and whether that was done.
fn proposed(said: &Reviewed, all: &[Record]) -> Shown {
    let Some(instead) = &said.instead else { return Shown::default() };
    let taken = if is_taken(all, &said.request, &said.supervisor) { "taken" } else { "not used" };
    Shown::line(&format!("proposed instead ({taken}): {instead}"), 430)
}

fn reach(decided: &Decided, reader: &mut Reader) -> Vec<Shown> {
    if decided.event != EventKind::PreExecution || decided.tool != "Bash" {
        return Vec::new();
    }
    reader.of_command(&decided.tool, &decided.title, &decided.dir)
}

/// What the host was told, where that is not what the guards said.
fn delivery(decided: &Decided) -> String {
    if decided.delivered == decided.verdict {
        String::new()
    } else {
        format!("told: {}", decided.delivered.name())
    }
}

fn took(decided: &Decided) -> String {
    let us: u64 = decided.findings.iter().map(|finding| finding.duration_us).sum();
    if decided.findings.is_empty() { String::new() } else { format!("{us} µs") }
}
