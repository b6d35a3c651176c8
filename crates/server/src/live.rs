//! Tells open pages that the ledger has grown.

use crate::Shared;
use crate::inbox::apart;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{Stream, unfold};
use std::convert::Infallible;
use std::time::Duration;

/// How long a change may stay unseen.
const PAUSE: Duration = Duration::from_millis(500);

/// One event for every look that finds something new.
pub(crate) async fn changes(State(app): State<Shared>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let known = apart(&app, |app| app.head()).await.unwrap_or(0);
    let stream = unfold((app, known), |(app, known)| async move {
        loop {
            tokio::time::sleep(PAUSE).await;
            // A store that cannot be read just now is looked at again.
            let head = apart(&app, |app| app.head()).await.unwrap_or(known);
            if head != known {
                return Some((Ok(Event::default().event("changed").data(head.to_string())), (app, head)));
            }
        }
    });
    Sse::new(stream).keep_alive(KeepAlive::default())
}
