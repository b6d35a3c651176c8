//! The ledger, record by record, and whether it is what was written.

use super::{Page, page, time};
use crate::Shared;
use crate::access::Session;
use crate::failure::Failure;
use crate::inbox::{Proven, on_blocking_thread};
use crate::shown::Shown;
use askama::Template;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Extension, Path, Query, State};
use axum::http::StatusCode;
use serde::Deserialize;
use toolgate_core::{Entry, Record, Word};

/// Records on one page.
const LINES: u32 = 100;

#[derive(Template)]
#[template(path = "ledger.html")]
struct LedgerPage {
    proven: Proven,
    lines: Vec<Line>,
    older: Option<u64>,
}

#[derive(Template)]
#[template(path = "record.html")]
struct RecordPage {
    seq: u64,
    time: String,
    session: Shown,
    raw: String,
    host: Shown,
    body: Shown,
    hash: String,
    prev: String,
}

struct Line {
    seq: u64,
    time: String,
    sort: String,
    what: Shown,
    by: Shown,
    session: Shown,
    /// As it is called, for links.
    raw: String,
}

/// Where to go on reading, and whether to check all of it.
#[derive(Deserialize)]
pub(crate) struct From {
    #[serde(default)]
    before: Option<u64>,
    #[serde(default)]
    verify: Option<String>,
}

/// Records, the newest first, below what the last check found.
pub(crate) async fn ledger(
    State(app): State<Shared>,
    Extension(_session): Extension<Session>,
    query: Result<Query<From>, QueryRejection>,
) -> Page {
    let Query(From { before, verify }) = query
        .map_err(|wrong| Failure::new(wrong.status(), wrong.body_text(), "Go back to the newest page."))?;
    let found = on_blocking_thread(&app, move |app| {
        let proven = app.proven(verify.is_some())?;
        Ok((proven, app.records(before.unwrap_or(u64::MAX), LINES)?))
    });
    let (proven, records) = found.await?;
    let older = records.last().map(|record| record.seq).filter(|seq| *seq > 1);
    page(&LedgerPage { proven, lines: records.iter().map(line).collect(), older })
}

fn line(record: &Record) -> Line {
    let (sort, what, by) = match &record.entry {
        Entry::Decided(decided) => {
            let by: Vec<&str> = decided.objections().map(|finding| finding.guard.as_str()).collect();
            (decided.verdict.name().to_owned(), decided.title.clone(), by.join(", "))
        }
        Entry::Answered(answer) => {
            let word = if answer.word == Word::Approve { "yes" } else { "no" };
            (word.to_owned(), answer.request.clone(), answer.by.clone())
        }
        Entry::Requested(request) => ("asked".to_owned(), request.title.clone(), request.id.clone()),
        Entry::Resulted(result) => {
            let word = if result.succeeded() { "ran" } else { "failed" };
            (
                word.to_owned(),
                result.message.clone().unwrap_or_else(|| result.ran.join("; ")),
                result.tool.clone(),
            )
        }
        Entry::Pinned(pin) => (pin.change.name().to_owned(), pin.tool.clone(), pin.name.clone()),
        Entry::Noted { what, text } => ("noted".to_owned(), text.clone(), what.clone()),
        Entry::Consulted(asked) => ("consulted".to_owned(), asked.request.clone(), asked.supervisor.clone()),
        Entry::Reviewed(said) => {
            let word = said.decision.map_or("no answer", toolgate_core::Judgement::name);
            let what = said.instead.clone().unwrap_or_else(|| said.request.clone());
            (word.to_owned(), what, said.supervisor.clone())
        }
        Entry::Expired { request } => ("expired".to_owned(), request.clone(), String::new()),
        Entry::Used { request, .. } => ("used".to_owned(), request.clone(), String::new()),
        other => (sort_of(other), String::new(), String::new()),
    };
    Line {
        seq: record.seq,
        time: time(record.time_ms),
        sort,
        what: Shown::line(&what, 160),
        by: Shown::line(&by, 80),
        session: Shown::all(&record.context.session),
        raw: record.context.session.clone(),
    }
}

/// The word a record itself has for what it tells.
fn sort_of(entry: &Entry) -> String {
    let value = serde_json::to_value(entry).unwrap_or_default();
    value.get("entry").and_then(|sort| sort.as_str()).unwrap_or("record").to_owned()
}

/// One record, whole, as it is kept.
pub(crate) async fn record(
    State(app): State<Shared>,
    Extension(_session): Extension<Session>,
    seq: Result<Path<u64>, PathRejection>,
) -> Page {
    let none = || Failure::new(StatusCode::NOT_FOUND, "Record not found.", "Find it in the list of records.");
    let Path(seq) = seq.map_err(|_| none())?;
    let lines = on_blocking_thread(&app, move |app| app.lines(seq)).await?;
    let (_, body, hash) = lines.into_iter().find(|(found, _, _)| *found == seq).ok_or_else(none)?;
    let record: Record = serde_json::from_str(&body).map_err(|error| {
        Failure::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("The record cannot be read: {error}"),
            "run `toolgate ledger verify`",
        )
    })?;
    let pretty = serde_json::to_string_pretty(&record).unwrap_or(body);
    page(&RecordPage {
        seq,
        time: time(record.time_ms),
        session: Shown::all(&record.context.session),
        raw: record.context.session.clone(),
        host: Shown::all(&record.context.host),
        body: Shown::all(&pretty),
        hash,
        prev: record.prev.to_string(),
    })
}
