//! The AI supervisors the policy names.

use super::{Page, page};
use crate::Shared;
use crate::access::Session;
use crate::inbox::apart;
use askama::Template;
use axum::extract::{Extension, State};

#[derive(Template)]
#[template(path = "supervisors.html")]
struct SupervisorsPage {
    hold: String,
    seconds: u64,
    minutes: u64,
}

/// Who is asked before a person is, and how long each may take.
pub(crate) async fn supervisors(State(app): State<Shared>, Extension(_session): Extension<Session>) -> Page {
    let found = apart(&app, |app| {
        let gate = app.gate()?;
        let review = gate.policy().review();
        Ok(SupervisorsPage {
            hold: format!("{:?}", review.delivery).to_lowercase(),
            seconds: u64::from(review.hold_seconds),
            minutes: u64::from(review.expires_minutes),
        })
    });
    page(&found.await?)
}
