//! What a yes still allows, and who went past which guardrail.

use super::{Page, page, time};
use crate::Shared;
use crate::access::Session;
use crate::card::{Card, times};
use crate::inbox::on_blocking_thread;
use crate::reach::Reader;
use crate::shown::Shown;
use askama::Template;
use axum::extract::{Extension, State};
use toolgate_core::{Request, Word};
use toolgate_store::{Behind, Part};

/// Lines on one page.
const LINES: u32 = 100;

#[derive(Template)]
#[template(path = "grants.html")]
struct GrantsPage {
    rows: Vec<Row>,
}

/// One answer that may still count.
struct Row {
    id: String,
    what: Shown,
    word: &'static str,
    reach: Shown,
    end: String,
    uses: String,
    by: Shown,
    given: String,
    place: Shown,
}

fn row(request: &Request) -> Option<Row> {
    let (answer, at_ms) = request.answer()?;
    let end = match request.ends_ms() {
        i64::MAX => "until revoked".to_owned(),
        end => time(end),
    };
    Some(Row {
        id: request.id.clone(),
        what: Shown::line(&request.title, 160),
        word: if answer.word == Word::Approve { "yes" } else { "no" },
        reach: Shown::all(&answer.reach.words()),
        end,
        uses: times(request.progress.uses),
        by: Shown::line(&answer.by, 60),
        given: time(at_ms),
        place: Shown::line(&request.dir, 120),
    })
}

#[derive(Template)]
#[template(path = "bypasses.html")]
struct BypassesPage {
    cards: Vec<Card>,
}

async fn cards(app: &Shared, part: Part) -> Result<Vec<Card>, crate::failure::Failure> {
    let found = on_blocking_thread(app, move |app| {
        let requests = app.page(part, &Behind::nothing(), LINES)?;
        let mut reader = Reader::new(app);
        Ok(requests.iter().map(|request| Card::of(request, &mut reader)).collect())
    });
    found.await
}

/// Every yes that may still be used.
pub(crate) async fn grants(State(app): State<Shared>, Extension(_session): Extension<Session>) -> Page {
    let found = on_blocking_thread(&app, |app| app.page(Part::Granted, &Behind::nothing(), LINES)).await?;
    page(&GrantsPage { rows: found.iter().filter_map(row).collect() })
}

/// Every request past a guardrail, the newest first.
pub(crate) async fn bypasses(State(app): State<Shared>, Extension(_session): Extension<Session>) -> Page {
    page(&BypassesPage { cards: cards(&app, Part::Bypasses).await? })
}
