//! One request, whole, with the way to answer below its end.

use super::{Page, page, time};
use crate::Shared;
use crate::access::{Peer, Session};
use crate::card::Card;
use crate::failure::Failure;
use crate::handling::{Choice, Covered, Deed, choices, pattern_of};
use crate::inbox::{Given, apart, is_waiting};
use crate::reach::Reader;
use askama::Template;
use axum::extract::rejection::FormRejection;
use axum::extract::{Extension, Form, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use toolgate_core::{Extent, Request, ReviewNote, Word, visible};
use toolgate_runtime::now_ms;

#[derive(Template)]
#[template(path = "request.html")]
struct RequestPage {
    /// The newest record before the page was made.
    head: u64,
    card: Card,
    text: String,
    input: Option<String>,
    asked: String,
    said: Option<String>,
    waits: bool,
    passphrase: bool,
    form: String,
    choices: Vec<Choice>,
    pattern: Option<String>,
    covered: Covered,
    claimed: Option<String>,
    comments: Vec<(String, String, String)>,
    reviews: Vec<String>,
    /// How many people must say yes, and who has.
    needs: Option<String>,
    may_undo: bool,
    may_revoke: bool,
    review_due: Option<String>,
    /// What other sessions ask alike: request and session.
    alike: Vec<(String, String)>,
    /// The same requests, for the form.
    also: String,
}

/// One request, whole, with the way to answer below its end.
pub(crate) async fn request(
    State(app): State<Shared>,
    Extension(session): Extension<Session>,
    Path(id): Path<String>,
) -> Page {
    let found = apart(&app, move |app| {
        let head = app.head()?;
        let request = app.request(&id)?;
        let card = Card::of(&request, &mut Reader::new(app));
        let covered = match pattern_of(&request) {
            Some(pattern) if is_waiting(&request) => app.covered(&pattern)?,
            _ => Covered::default(),
        };
        let alike = app.alike(&request)?;
        Ok((head, request, card, covered, app.needs_passphrase()?, alike))
    });
    let (head, request, card, covered, passphrase, alike) = found.await?;
    let progress = &request.progress;
    let comments = progress.comments.iter();
    let comments = comments.map(|one| (visible(&one.by), visible(&one.text), time(one.at_ms))).collect();
    let said = request.decisive_answer().map(|answer| {
        let words = answer.words.as_ref().map(|words| format!(": {}", visible(words)));
        format!(
            "by {}{} – {}",
            visible(&answer.by),
            words.unwrap_or_default(),
            visible(&answer.reach.words())
        )
    });
    page(&RequestPage {
        head,
        text: visible(&request.title),
        input: request.input.as_deref().map(visible),
        asked: time(request.made_ms),
        said,
        waits: is_waiting(&request),
        passphrase,
        form: session.form,
        choices: choices(&request),
        pattern: pattern_of(&request),
        covered,
        claimed: progress.claimed.as_deref().map(visible),
        comments,
        reviews: request.reviews.iter().map(review).collect(),
        needs: needs(&request),
        may_undo: request.may_be_undone(now_ms()),
        may_revoke: request.is_standing(),
        review_due: progress.review_due_ms().map(time),
        also: alike.iter().map(|one| one.id.as_str()).collect::<Vec<_>>().join(" "),
        alike: alike.iter().map(|one| (one.id.clone(), visible(&one.session))).collect(),
        card,
    })
}

/// What a supervisor said, in one line.
fn review(note: &ReviewNote) -> String {
    let word = note.decision.as_ref().map_or("no answer", |decision| decision.name());
    visible(&format!("{}: {word} ({} %) – {}", note.by, note.confidence_percent, note.said))
}

/// How many people must say yes and who has, where one is not enough.
fn needs(request: &Request) -> Option<String> {
    let progress = &request.progress;
    let yes: Vec<String> = progress.yes.iter().map(|answer| visible(&answer.by)).collect();
    let so_far = if yes.is_empty() { "nobody so far".to_owned() } else { yes.join(", ") };
    (progress.needs > 1).then(|| format!("{} people must say yes; {so_far}", progress.needs))
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
                let what = "An answer does not reach like that.";
                Err(Failure::new(StatusCode::UNPROCESSABLE_ENTITY, what, "Choose another reach."))
            }
        }
    }
}

/// What somebody does with a request besides answering it.
#[derive(Deserialize)]
pub(crate) struct HandleForm {
    form: String,
    deed: Deed,
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
    let Form(HandleForm { form, deed, text }) =
        form.map_err(|wrong| Failure::new(wrong.status(), wrong.body_text(), "Do it from the page itself."))?;
    session.check(&form)?;
    let at = format!("/requests/{id}");
    apart(&app, move |app| app.handle(&id, deed, &text, peer)).await?;
    Ok(Redirect::to(&at).into_response())
}

/// Takes an answer and shows what became of it.
pub(crate) async fn answer(
    State(app): State<Shared>,
    Extension(session): Extension<Session>,
    Extension(peer): Extension<Peer>,
    Path(id): Path<String>,
    form: Result<Form<AnswerForm>, FormRejection>,
) -> Result<Response, Failure> {
    let Form(sent) = form
        .map_err(|wrong| Failure::new(wrong.status(), wrong.body_text(), "Answer from the page itself."))?;
    session.check(&sent.form)?;
    let reach = sent.reach()?;
    let AnswerForm { word, words, passphrase, also, .. } = sent;
    let alike = also.unwrap_or_default().split_whitespace().map(str::to_owned).collect();
    let at = format!("/requests/{id}");
    apart(&app, move |app| app.answer(&id, Given { word, words, reach, passphrase, alike, peer })).await?;
    Ok(Redirect::to(&at).into_response())
}

impl Session {
    /// Only our own pages carry the token of a form.
    pub(crate) fn check(&self, form: &str) -> Result<(), Failure> {
        if self.made(form) {
            return Ok(());
        }
        let what = "This form is not one of ours.";
        Err(Failure::new(StatusCode::FORBIDDEN, what, "Open the page again and answer there."))
    }
}
