//! What a yes still allows, and who went past which guardrail.

use super::{Page, page};
use crate::Shared;
use crate::access::Session;
use crate::card::Card;
use crate::inbox::apart;
use crate::reach::Reader;
use askama::Template;
use axum::extract::{Extension, State};
use toolgate_store::{Behind, Part};

/// Lines on one page.
const LINES: u32 = 100;

#[derive(Template)]
#[template(path = "grants.html")]
struct GrantsPage {
    cards: Vec<Card>,
}

#[derive(Template)]
#[template(path = "bypasses.html")]
struct BypassesPage {
    cards: Vec<Card>,
}

async fn cards(app: &Shared, part: Part) -> Result<Vec<Card>, crate::failure::Failure> {
    let found = apart(app, move |app| {
        let requests = app.page(part, &Behind::nothing(), LINES)?;
        let mut reader = Reader::new(app);
        Ok(requests.iter().map(|request| Card::of(request, &mut reader)).collect())
    });
    found.await
}

/// Every yes that may still be used.
pub(crate) async fn grants(State(app): State<Shared>, Extension(_session): Extension<Session>) -> Page {
    page(&GrantsPage { cards: cards(&app, Part::Granted).await? })
}

/// Every request past a guardrail, the newest first.
pub(crate) async fn bypasses(State(app): State<Shared>, Extension(_session): Extension<Session>) -> Page {
    page(&BypassesPage { cards: cards(&app, Part::Bypasses).await? })
}
