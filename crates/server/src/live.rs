//! Tells open pages that the ledger has grown.

use crate::Shared;
use crate::inbox::on_blocking_thread;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{Stream, unfold};
use serde::Deserialize;
use std::convert::Infallible;
use std::time::Duration;

/// How long a change may stay unseen.
const PAUSE: Duration = Duration::from_millis(250);

/// The newest record a page knows of.
#[derive(Deserialize)]
pub(crate) struct Since {
    #[serde(default)]
    since: u64,
}

/// One event for every look that finds something new. What came between the
/// page and this is new as well.
pub(crate) async fn changes(
    State(app): State<Shared>,
    query: Result<Query<Since>, QueryRejection>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let known = query.map_or(0, |Query(Since { since })| since);
    let stream = unfold((app, known), |(app, known)| async move {
        loop {
            // A store that cannot be read just now is looked at again.
            let head = on_blocking_thread(&app, |app| app.head()).await.unwrap_or(known);
            if head != known {
                return Some((Ok(Event::default().event("changed").data(head.to_string())), (app, head)));
            }
            tokio::time::sleep(PAUSE).await;
        }
    });
    Sse::new(stream).keep_alive(KeepAlive::default())
}
