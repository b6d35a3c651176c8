//! One request, whole, with the way to answer below its end.

use super::{Page, page, time};
use crate::access::{Peer, Session};
use crate::card::Card;
use crate::change::{Change, changes};
use crate::failure::Failure;
use crate::handling::{Choice, Covered, RequestAction, choices, pattern_of};
use crate::inbox::{Given, is_waiting, on_blocking_thread};
use crate::reach::Reader;
use crate::shown::Shown;
use crate::{App, Shared};
use askama::Template;
use axum::extract::rejection::FormRejection;
use axum::extract::{Extension, Form, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use toolgate_core::{
    Answer, Decided, Entry, Extent, Judgement, Proof, Record, Request, ReviewNote, Verdict, Word, earlier,
    visible,
};
use toolgate_runtime::{now_ms, policy_of};

/// So many records of a session are looked through for what supervisors wanted.
const RECORDS: u32 = 500;

/// So many requests about the same call are counted.
const EARLIER_MAX: u32 = 1_000;

#[derive(Template)]
#[template(path = "request.html")]
#[derive(Default)]
struct RequestPage {
    /// The newest record before the page was made.
    head: u64,
    now_ms: i64,
    card: Card,
    text: Shown,
    /// Whether something the rules found is marked in it.
    is_marked: bool,
    /// What was answered to the very same call before.
    earlier: Option<String>,
    /// What it changes in files, where its input is just that.
    changes: Vec<Change>,
    input: Option<Shown>,
    said: Option<Shown>,
    waits: bool,
    /// Whether anyone who looks at it has said yes, and someone else must.
    said_yes: bool,
    /// Under which other name their passphrase has said yes.
    said_as: Option<Shown>,
    /// Why no one can say yes: what is wrong with the policy, and its fix.
    broken: Option<(Shown, Shown)>,
    /// Whose yes is there and what is missing, where several must say it.
    missing: Option<Shown>,
    passphrase: bool,
    form: String,
    choices: Vec<Choice>,
    pattern: Option<String>,
    covered: Covered,
    covered_calls: Vec<Shown>,
    claimed: Option<Shown>,
    comments: Vec<(Shown, Shown, String)>,
    reviews: Vec<Shown>,
    may_undo: bool,
    may_revoke: bool,
    /// What other sessions ask alike: request and session.
    alike: Vec<(String, Shown)>,
    /// The same requests, for the form.
    also: String,
    /// What was written before, where something was wrong with it.
    draft: Draft,
}

/// What a form held that could not be taken, and why.
#[derive(Default)]
struct Draft {
    words: String,
    scope: String,
    minutes: String,
    pattern: Option<String>,
    also: bool,
    text: String,
    fault: Option<(&'static str, String)>,
}

impl Draft {
    /// What is wrong with a field.
    fn fault(&self, field: &str) -> Option<&str> {
        self.fault.as_ref().filter(|(own, _)| *own == field).map(|(_, what)| what.as_str())
    }
}

/// One request, whole, with the way to answer below its end.
pub(crate) async fn request(
    State(app): State<Shared>,
    Extension(session): Extension<Session>,
    Path(id): Path<String>,
) -> Page {
    shown(&app, session, id, Draft { minutes: "30".to_owned(), ..Draft::default() }).await
}

/// The page again with what was written, where something is wrong with a field;
/// else just what went wrong.
async fn mended(app: &Shared, session: Session, id: String, draft: Draft, failure: Failure) -> Response {
    let Some(fault) = failure.fault() else { return failure.into_response() };
    match shown(app, session, id, Draft { fault: Some(fault), ..draft }).await {
        Ok(page) => failure.with(page),
        Err(worse) => worse.into_response(),
    }
}

async fn shown(app: &Shared, session: Session, id: String, draft: Draft) -> Page {
    let found = on_blocking_thread(app, move |app| {
        let head = app.head()?;
        let request = app.request(&id)?;
        let card = Card::of(&request, &mut Reader::new(app));
        let covered = match draft.pattern.clone().or_else(|| suggested(&request)) {
            Some(pattern) if is_waiting(&request) && !pattern.is_empty() => app.covered(&pattern)?,
            _ => Covered::default(),
        };
        let alike = app.alike(&request)?;
        let reviews = app.reviews(&request)?;
        let others = app.store(|store| Ok(store.requests_ever_about(&request.arguments, EARLIER_MAX)?))?;
        let key = app.key()?;
        let said_yes = request.progress.is_said_by(&app.person);
        let said_as = key.as_deref().filter(|_| !said_yes);
        let said_as = said_as.and_then(|key| request.progress.said_as(&app.person, key)).map(Shown::all);
        let waiting = Some(&request).filter(|request| is_waiting(request));
        let broken = waiting.and_then(|request| policy_of(&app.setup.dirs, request).err());
        Ok(page_of(
            &request,
            draft,
            RequestPage {
                head,
                now_ms: now_ms(),
                card,
                covered_calls: covered.shown(),
                covered,
                reviews,
                earlier: earlier(&request, &others).words(now_ms()),
                passphrase: key.is_some(),
                said_yes,
                said_as,
                broken: broken.map(|own| (Shown::all(&own.what), Shown::all(&own.cure))),
                form: session.form,
                also: alike.iter().map(|one| one.id.as_str()).collect::<Vec<_>>().join(" "),
                alike: alike.iter().map(|one| (one.id.clone(), Shown::all(&one.session))).collect(),
                ..RequestPage::default()
            },
        ))
    });
    page(&found.await?)
}

/// What is told of the request itself.
fn page_of(request: &Request, draft: Draft, page: RequestPage) -> RequestPage {
    let progress = &request.progress;
    let comments = progress.comments.iter();
    let comments =
        comments.map(|one| (Shown::all(&one.by), Shown::all(&one.text), time(one.at_ms))).collect();
    let said = request.decisive_answer().map(|answer| {
        let words = answer.words.as_ref().map(|words| format!(": {words}"));
        let (by, reach) = (&answer.by, answer.reach.words());
        Shown::all(&format!("by {by}{} – {reach}", words.unwrap_or_default()))
    });
    let changes = request.input.as_deref().and_then(|input| changes(&request.tool, input));
    RequestPage {
        text: Shown::marked(&request.title, &request.details.marks_in(&request.title)),
        is_marked: !request.details.marks_in(&request.title).is_empty(),
        changes: changes.unwrap_or_default(),
        input: request.input.as_deref().map(Shown::all),
        said,
        waits: is_waiting(request),
        choices: choices(request),
        pattern: suggested(request).map(|own| draft.pattern.clone().unwrap_or(own)),
        claimed: progress.claimed.as_deref().map(Shown::all),
        comments,
        missing: request.still_missing().as_deref().map(Shown::all),
        may_undo: request.may_be_undone(now_ms()),
        may_revoke: request.is_standing(),
        draft,
        ..page
    }
}

impl App {
    /// What supervisors said, with what they wanted run instead.
    fn reviews(&self, request: &Request) -> Result<Vec<Shown>, Failure> {
        let wants = |note: &&ReviewNote| note.decision == Some(Judgement::Modify);
        let mut records = Vec::new();
        if request.reviews.iter().any(|note| wants(&note)) {
            records = self.store(|store| Ok(store.records_of(&request.session, u64::MAX, RECORDS)?))?;
        }
        let proposed = |note: &ReviewNote| {
            let found = records.iter().find_map(|record| match &record.entry {
                Entry::Reviewed(said) if said.question == note.question => said.instead.clone(),
                _ => None,
            });
            let taken = if is_taken(&records, &request.id, &note.by) { "taken" } else { "not used" };
            found.map(|instead| format!(" – proposed instead ({taken}): {instead}"))
        };
        let line = |note: &ReviewNote| {
            Shown::all(&format!("{}{}", review(note), proposed(note).unwrap_or_default()))
        };
        Ok(request.reviews.iter().map(line).collect())
    }
}

/// Whether the call of a request ran as this supervisor wanted it: the call as it
/// was got its no, and another one ran.
pub(crate) fn is_taken(records: &[Record], request: &str, supervisor: &str) -> bool {
    let by_it = |answer: &Answer| {
        let named = |names: &[String]| names.iter().any(|name| name == supervisor);
        answer.request == request
            && answer.word == Word::Deny
            && matches!(&answer.proof, Proof::Supervisor { names, .. } if named(names))
    };
    let ran = |decided: &Decided| {
        decided.request.as_deref() == Some(request) && decided.delivered == Verdict::Rewrite
    };
    records.iter().any(|record| matches!(&record.entry, Entry::Answered(answer) if by_it(answer)))
        && records.iter().any(|record| matches!(&record.entry, Entry::Decided(decided) if ran(decided)))
}

/// What a supervisor said, in one line.
fn review(note: &ReviewNote) -> String {
    let word = note.decision.as_ref().map_or("no answer", |decision| decision.name());
    format!("{}: {word} ({} %) – {}", note.by, note.confidence_percent, note.said)
}

/// A pattern for the person to edit; an empty one where it would hold what
/// no one sees: a field cannot spell it out, and what is not seen is not said yes to.
fn suggested(request: &Request) -> Option<String> {
    pattern_of(request).map(|pattern| if visible(&pattern) == pattern { pattern } else { String::new() })
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
    #[serde(default)]
    scope: Option<String>,
    #[serde(default)]
    minutes: Option<String>,
    #[serde(default)]
    pattern: Option<String>,
    #[serde(default)]
    also: Option<String>,
}

impl AnswerForm {
    /// How far it reaches; nothing said is the narrowest.
    fn reach(&self) -> Result<Extent, Failure> {
        let minutes = || self.minutes.as_deref().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
        match self.scope.as_deref() {
            None | Some("once") => Ok(Extent::Once),
            Some("session") => Ok(Extent::Session),
            Some("for") => Ok(Extent::For { minutes: minutes() }),
            Some("always") => Ok(Extent::Always { pattern: None }),
            Some("pattern") => Ok(Extent::Always {
                pattern: Some(self.pattern.clone().unwrap_or_default().trim().to_owned()),
            }),
            Some(_) => {
                let what = "This scope is not available for this request.";
                Err(Failure::new(StatusCode::UNPROCESSABLE_ENTITY, what, "Choose another scope.").at("scope"))
            }
        }
    }

    fn draft(&self) -> Draft {
        Draft {
            words: self.words.clone().unwrap_or_default(),
            scope: self.scope.clone().unwrap_or_default(),
            minutes: self.minutes.clone().unwrap_or_default(),
            pattern: self.pattern.clone(),
            also: self.also.is_some(),
            ..Draft::default()
        }
    }
}

/// What someone does with a request besides answering it.
#[derive(Deserialize)]
pub(crate) struct HandleForm {
    form: String,
    action: RequestAction,
    #[serde(default)]
    text: String,
}

/// Does it and shows what became of it.
pub(crate) async fn handle(
    State(app): State<Shared>,
    Extension(session): Extension<Session>,
    Extension(peer): Extension<Peer>,
    Path(id): Path<String>,
    form: Result<Form<HandleForm>, FormRejection>,
) -> Result<Response, Failure> {
    let Form(HandleForm { form, action, text }) = form.map_err(|wrong| {
        Failure::of_body(
            wrong.status(),
            wrong.body_text(),
            "Open the request again and send the form from there.",
        )
    })?;
    session.check(&form)?;
    let (at, own) = (format!("/requests/{id}"), id.clone());
    let draft = Draft { minutes: "30".to_owned(), text: text.clone(), ..Draft::default() };
    match on_blocking_thread(&app, move |app| app.handle(&id, action, &text, peer)).await {
        Ok(_) => Ok(Redirect::to(&at).into_response()),
        Err(failure) => Ok(mended(&app, session, own, draft, failure).await),
    }
}

/// Takes an answer and shows what became of it.
pub(crate) async fn answer(
    State(app): State<Shared>,
    Extension(session): Extension<Session>,
    Extension(peer): Extension<Peer>,
    Path(id): Path<String>,
    form: Result<Form<AnswerForm>, FormRejection>,
) -> Result<Response, Failure> {
    let Form(sent) = form.map_err(|wrong| {
        Failure::of_body(wrong.status(), wrong.body_text(), "Open the request again and answer there.")
    })?;
    session.check(&sent.form)?;
    let (at, own, draft) = (format!("/requests/{id}"), id.clone(), sent.draft());
    let reach = match sent.reach() {
        Ok(reach) => reach,
        Err(failure) => return Ok(mended(&app, session, own, draft, failure).await),
    };
    let AnswerForm { word, words, passphrase, also, .. } = sent;
    let alike = also.unwrap_or_default().split_whitespace().map(str::to_owned).collect();
    let given = Given { word, words, reach, passphrase, alike, peer };
    match on_blocking_thread(&app, move |app| app.answer(&id, given)).await {
        Ok(_) => Ok(Redirect::to(&at).into_response()),
        Err(failure) => Ok(mended(&app, session, own, draft, failure).await),
    }
}

impl Session {
    /// Only our own pages carry the token of a form.
    pub(crate) fn check(&self, form: &str) -> Result<(), Failure> {
        if self.owns_form(form) {
            return Ok(());
        }
        let what = "This form has expired.";
        Err(Failure::new(StatusCode::FORBIDDEN, what, "Open the page again and send the form from there."))
    }
}
