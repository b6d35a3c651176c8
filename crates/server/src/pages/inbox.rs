//! What waits, and what was said last.

use super::{Page, page};
use crate::Shared;
use crate::access::Session;
use crate::card::Card;
use crate::failure::Failure;
use crate::inbox::on_blocking_thread;
use crate::reach::Reader;
use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use serde::Deserialize;
use toolgate_runtime::now_ms;
use toolgate_store::{Behind, Part};

/// Cards on one page.
const CARDS: usize = 25;

/// Answered requests below them.
const ANSWERED: u32 = 10;

#[derive(Template)]
#[template(path = "inbox.html")]
struct InboxPage {
    /// The newest record before the page was made.
    head: u64,
    now_ms: i64,
    count: u64,
    waiting: Vec<Card>,
    answered: Vec<Card>,
    first: bool,
    more: Option<String>,
}

/// Where a page begins.
#[derive(Deserialize)]
pub(crate) struct From {
    #[serde(default)]
    behind: Option<String>,
}

/// A place in the list: when it was made and its id, with a dot between.
pub(crate) fn behind(text: Option<&str>) -> Result<Behind, Failure> {
    let Some(text) = text else { return Ok(Behind::nothing()) };
    let place = text.split_once('.').and_then(|(ms, id)| Some((ms.parse().ok()?, id.to_owned())));
    let (made_ms, id) = place.ok_or_else(|| {
        let cure = "Go back to the first page.";
        Failure::new(StatusCode::BAD_REQUEST, "This page of the inbox does not exist.", cure)
    })?;
    Ok(Behind { made_ms, id })
}

/// What waits, and what was said last.
pub(crate) async fn inbox(
    State(app): State<Shared>,
    Extension(_session): Extension<Session>,
    query: Result<Query<From>, QueryRejection>,
) -> Page {
    let Query(from) = query
        .map_err(|wrong| Failure::new(wrong.status(), wrong.body_text(), "Go back to the first page."))?;
    let place = behind(from.behind.as_deref())?;
    let first = from.behind.is_none();
    let found = on_blocking_thread(&app, move |app| {
        let head = app.head()?;
        let waiting = app.waiting(&place, CARDS)?;
        let more = (waiting.len() == CARDS)
            .then(|| waiting.last().map(|(last, _)| format!("{}.{}", last.made_ms, last.id)))
            .flatten();
        let answered = if first { app.page(Part::Over, &Behind::nothing(), ANSWERED)? } else { Vec::new() };
        let mut reader = Reader::new(app);
        let card = |(request, alike)| Card { alike, ..Card::of(&request, &mut reader) };
        let waiting = waiting.into_iter().map(card).collect();
        let answered = answered.iter().map(|request| Card::of(request, &mut reader)).collect();
        Ok(InboxPage {
            head,
            now_ms: now_ms(),
            count: app.count(Part::Waiting)?,
            waiting,
            answered,
            first,
            more,
        })
    });
    page(&found.await?)
}
