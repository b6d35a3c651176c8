//! The pages: made here whole, readable and answerable without any script.

use crate::Shared;
use crate::access::Session;
use crate::api::Before;
use crate::failure::Failure;
use crate::inbox::{Given, RuleLine, apart, is_waiting};
use askama::Template;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Extension, Form, Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Redirect, Response};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;
use toolgate_core::{Entry, Extent, Record, Request, RequestState, Word, one_line, visible};
use toolgate_runtime::now_ms;
use toolgate_store::Verified;

/// Lines of the log on one page.
const LINES: u32 = 100;

/// Answered requests on the inbox page.
const ANSWERED: usize = 20;

/// One request in a list.
struct Line {
    id: String,
    what: String,
    place: String,
    why: String,
    state: &'static str,
    left: String,
}

impl Line {
    fn of(request: &Request) -> Line {
        let minutes = request.expires_ms.saturating_sub(now_ms()).max(0) / 60_000;
        let over = request.state == RequestState::Pending && !is_waiting(request);
        Line {
            id: request.id.clone(),
            what: one_line(&request.title, 160),
            place: one_line(&request.dir, 80),
            why: request.why.first().map(|why| one_line(why, 160)).unwrap_or_default(),
            state: if over { "expired" } else { request.state.name() },
            left: if is_waiting(request) { format!("{minutes} min left") } else { String::new() },
        }
    }
}

#[derive(Template)]
#[template(path = "inbox.html")]
struct InboxPage {
    waiting: Vec<Line>,
    answered: Vec<Line>,
}

#[derive(Template)]
#[template(path = "request.html")]
struct RequestPage {
    line: Line,
    text: String,
    input: Option<String>,
    tool: String,
    why: Vec<String>,
    agent: String,
    session: String,
    asked: String,
    said: Option<String>,
    waits: bool,
    passphrase: bool,
    form: String,
}

#[derive(Template)]
#[template(path = "log.html")]
struct LogPage {
    lines: Vec<LogLine>,
    older: Option<u64>,
}

struct LogLine {
    seq: u64,
    time: String,
    verdict: String,
    what: String,
    by: String,
    agent: String,
}

#[derive(Template)]
#[template(path = "rules.html")]
struct RulesPage {
    rules: Vec<RuleLine>,
}

#[derive(Template)]
#[template(path = "ledger.html")]
struct LedgerPage {
    whole: bool,
    text: String,
}

type Page = Result<Html<String>, Failure>;

fn page(template: &impl Template) -> Page {
    let wrong = |error: askama::Error| {
        Failure::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("The page cannot be made: {error}"),
            "Report it.",
        )
    };
    template.render().map(Html).map_err(wrong)
}

fn time(ms: i64) -> String {
    let zoned = Timestamp::from_millisecond(ms).map(|stamp| stamp.to_zoned(TimeZone::system()));
    zoned.map_or_else(|_| ms.to_string(), |zoned| zoned.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

/// What waits, and what was said last.
pub(crate) async fn inbox(State(app): State<Shared>) -> Page {
    let requests = apart(&app, |app| app.requests()).await?;
    let (waiting, answered): (Vec<&Request>, Vec<&Request>) =
        requests.iter().partition(|one| is_waiting(one));
    page(&InboxPage {
        waiting: waiting.into_iter().map(Line::of).collect(),
        answered: answered.into_iter().take(ANSWERED).map(Line::of).collect(),
    })
}

/// One request, whole, with the way to answer below its end.
pub(crate) async fn request(
    State(app): State<Shared>,
    Extension(session): Extension<Session>,
    Path(id): Path<String>,
) -> Page {
    let (request, passphrase) =
        apart(&app, move |app| Ok((app.request(&id)?, app.needs_passphrase()?))).await?;
    let said = match &request.state {
        RequestState::Approved { answer, .. } | RequestState::Denied { answer, .. } => {
            let words = answer.words.as_ref().map(|words| format!(": {}", visible(words)));
            Some(format!("by {}{}", visible(&answer.by), words.unwrap_or_default()))
        }
        _ => None,
    };
    page(&RequestPage {
        text: visible(&request.title),
        input: request.input.as_deref().map(visible),
        tool: visible(&request.tool),
        why: request.why.iter().map(|why| visible(why)).collect(),
        agent: visible(&request.agent),
        session: visible(&request.session),
        asked: time(request.made_ms),
        said,
        waits: is_waiting(&request),
        passphrase,
        form: session.form,
        line: Line::of(&request),
    })
}

/// What a form sends.
#[derive(Deserialize)]
pub(crate) struct AnswerForm {
    form: String,
    word: Word,
    #[serde(default)]
    words: Option<String>,
    #[serde(default)]
    passphrase: Option<String>,
}

/// Takes an answer and shows what became of it.
pub(crate) async fn answer(
    State(app): State<Shared>,
    Extension(session): Extension<Session>,
    Path(id): Path<String>,
    form: Result<Form<AnswerForm>, FormRejection>,
) -> Result<Response, Failure> {
    let Form(AnswerForm { form, word, words, passphrase }) = form
        .map_err(|wrong| Failure::new(wrong.status(), wrong.body_text(), "Answer from the page itself."))?;
    if !session.made(&form) {
        let what = "This form is not one of ours.";
        return Err(Failure::new(StatusCode::FORBIDDEN, what, "Open the request again and answer there."));
    }
    let at = format!("/requests/{id}");
    apart(&app, move |app| app.answer(&id, Given { word, words, reach: Extent::Once, passphrase })).await?;
    Ok(Redirect::to(&at).into_response())
}

/// What was decided, the newest first.
pub(crate) async fn log(State(app): State<Shared>, query: Result<Query<Before>, QueryRejection>) -> Page {
    let Query(Before { before }) = query
        .map_err(|wrong| Failure::new(wrong.status(), wrong.body_text(), "Begin at the newest page."))?;
    let records = apart(&app, move |app| app.records(before.unwrap_or(u64::MAX), LINES)).await?;
    let older = records.last().map(|record| record.seq).filter(|seq| *seq > 1);
    page(&LogPage { lines: records.iter().filter_map(log_line).collect(), older })
}

fn log_line(record: &Record) -> Option<LogLine> {
    let (verdict, what, by) = match &record.entry {
        Entry::Decided(decided) => {
            let by: Vec<&str> = decided.findings.iter().map(|finding| finding.guard.as_str()).collect();
            (decided.verdict.name().to_owned(), one_line(&decided.title, 160), by.join(", "))
        }
        Entry::Answered(answer) => {
            let word = if answer.word == Word::Approve { "yes" } else { "no" };
            (word.to_owned(), one_line(&answer.request, 40), one_line(&answer.by, 40))
        }
        Entry::Expired { request } => ("expired".to_owned(), one_line(request, 40), String::new()),
        _ => return None,
    };
    let agent = one_line(&record.context.agent, 40);
    Some(LogLine { seq: record.seq, time: time(record.time_ms), verdict, what, by, agent })
}

/// The rules in force and how often each spoke.
pub(crate) async fn rules(State(app): State<Shared>) -> Page {
    page(&RulesPage { rules: apart(&app, |app| app.rules()).await? })
}

/// Whether the ledger is what was written.
pub(crate) async fn ledger(State(app): State<Shared>) -> Page {
    let verified = apart(&app, |app| app.verified()).await?;
    let whole = matches!(verified, Verified::Intact { .. });
    let text = match verified {
        Verified::Intact { records } => format!("Intact: {records} records, every link and the signed head."),
        Verified::Broken(bad) => visible(&bad.to_string()),
    };
    page(&LedgerPage { whole, text })
}

/// The one style sheet.
pub(crate) async fn style() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("../assets/style.css"))
}

/// The one script: keys, and a fresh page when something changed.
pub(crate) async fn keys() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/javascript; charset=utf-8")], include_str!("../assets/keys.js"))
}
