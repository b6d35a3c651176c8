//! The inbox as JSON.

use crate::Shared;
use crate::failure::Failure;
use crate::inbox::{Given, apart};
use crate::pages::place;
use crate::peer::Peer;
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Extension, Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use toolgate_core::{Extent, Word};
use toolgate_store::Part;

/// Records in one answer.
const RECORDS: u32 = 200;

/// Requests in one answer.
const REQUESTS: u32 = 100;

fn told<T: serde::Serialize>(result: Result<T, Failure>) -> Response {
    match result {
        Ok(value) => Json(value).into_response(),
        Err(failure) => failure.as_json(),
    }
}

/// Which requests, and where the page begins.
#[derive(Deserialize)]
pub(crate) struct Listed {
    #[serde(default)]
    part: Option<String>,
    #[serde(default)]
    behind: Option<String>,
}

/// Requests of one sort, the newest first, a page at a time.
pub(crate) async fn requests(
    State(app): State<Shared>,
    query: Result<Query<Listed>, axum::extract::rejection::QueryRejection>,
) -> Response {
    let Query(Listed { part, behind }) = match query {
        Ok(query) => query,
        Err(wrong) => {
            return Failure::new(StatusCode::BAD_REQUEST, wrong.body_text(), "see /api/openapi.json")
                .as_json();
        }
    };
    let part = match part.as_deref() {
        None | Some("waiting") => Part::Waiting,
        Some("over") => Part::Over,
        Some("granted") => Part::Granted,
        Some("bypasses") => Part::Bypasses,
        Some(_) => {
            let cure = "use `waiting`, `over`, `granted` or `bypasses`";
            return Failure::new(StatusCode::BAD_REQUEST, "There is no such part.", cure).as_json();
        }
    };
    match place(behind.as_deref()) {
        Ok(behind) => told(apart(&app, move |app| app.page(part, &behind, REQUESTS)).await),
        Err(failure) => failure.as_json(),
    }
}

/// One request.
pub(crate) async fn request(State(app): State<Shared>, Path(id): Path<String>) -> Response {
    told(apart(&app, move |app| app.request(&id)).await)
}

/// What a program says to a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerBody {
    word: Word,
    #[serde(default)]
    words: Option<String>,
    /// How far it reaches: this call, once, if nothing is said.
    #[serde(default)]
    reach: Extent,
    #[serde(default)]
    passphrase: Option<String>,
}

/// Answers one request.
pub(crate) async fn answer(
    State(app): State<Shared>,
    Extension(peer): Extension<Peer>,
    Path(id): Path<String>,
    body: Result<Json<AnswerBody>, JsonRejection>,
) -> Response {
    let Json(AnswerBody { word, words, reach, passphrase }) = match body {
        Ok(body) => body,
        Err(wrong) => {
            let cure = "send `{\"word\": \"approve\" or \"deny\"}`, with `words` and `passphrase` if needed";
            return Failure::new(wrong.status(), wrong.body_text(), cure).as_json();
        }
    };
    told(apart(&app, move |app| app.answer(&id, Given { word, words, reach, passphrase, peer })).await)
}

/// Where to go on reading.
#[derive(Deserialize)]
pub(crate) struct Before {
    #[serde(default)]
    pub(crate) before: Option<u64>,
}

/// Records, the newest first.
pub(crate) async fn log(
    State(app): State<Shared>,
    query: Result<Query<Before>, axum::extract::rejection::QueryRejection>,
) -> Response {
    match query {
        Ok(Query(Before { before })) => {
            told(apart(&app, move |app| app.records(before.unwrap_or(u64::MAX), RECORDS)).await)
        }
        Err(wrong) => {
            Failure::new(StatusCode::BAD_REQUEST, wrong.body_text(), "`before` is a number").as_json()
        }
    }
}
