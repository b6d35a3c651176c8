//! One request, whole, with the way to answer below its end.

use super::{Page, page, time};
use crate::Shared;
use crate::access::{Peer, Session};
use crate::card::Card;
use crate::failure::Failure;
use crate::inbox::{Given, apart, is_waiting};
use crate::reach::Reader;
use askama::Template;
use axum::extract::rejection::FormRejection;
use axum::extract::{Extension, Form, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use toolgate_core::{RequestState, Word, visible};

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
        Ok((head, request, card, app.needs_passphrase()?))
    });
    let (head, request, card, passphrase) = found.await?;
    let said = match &request.state {
        RequestState::Approved { answer, .. } | RequestState::Denied { answer, .. } => {
            let words = answer.words.as_ref().map(|words| format!(": {}", visible(words)));
            Some(format!("by {}{}", visible(&answer.by), words.unwrap_or_default()))
        }
        _ => None,
    };
    page(&RequestPage {
        head,
        text: visible(&request.title),
        input: request.input.as_deref().map(visible),
        asked: time(request.made_ms),
        said,
        waits: is_waiting(&request),
        passphrase,
        form: session.form,
        card,
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
    Extension(peer): Extension<Peer>,
    Path(id): Path<String>,
    form: Result<Form<AnswerForm>, FormRejection>,
) -> Result<Response, Failure> {
    let Form(AnswerForm { form, word, words, passphrase }) = form
        .map_err(|wrong| Failure::new(wrong.status(), wrong.body_text(), "Answer from the page itself."))?;
    session.check(&form)?;
    let at = format!("/requests/{id}");
    apart(&app, move |app| {
        app.answer(&id, Given { word, words, reach: toolgate_core::Extent::Once, passphrase, peer })
    })
    .await?;
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
