//! The AI supervisors the policy names, and how each is.

use super::{Page, page};
use crate::Shared;
use crate::access::Session;
use crate::inbox::on_blocking_thread;
use askama::Template;
use axum::extract::{Extension, State};
use toolgate_core::{Health, SupervisorEntry, visible};
use toolgate_runtime::now_ms;
use toolgate_store::Store;

#[derive(Template)]
#[template(path = "supervisors.html")]
struct SupervisorsPage {
    /// Nothing while the policy is broken.
    asked: Option<Asked>,
}

/// Who is asked, and for how long.
struct Asked {
    rows: Vec<Row>,
    hold: String,
    seconds: u64,
    minutes: u64,
}

/// One supervisor.
struct Row {
    name: String,
    role: String,
    model: String,
    sort: &'static str,
    state: String,
    answered: u64,
    approved: u64,
    rejected: u64,
    failed: u64,
    latency_ms: u64,
    agreed: String,
}

/// Who is asked before a person is, how each is, and how long all may take.
pub(crate) async fn supervisors(State(app): State<Shared>, Extension(_session): Extension<Session>) -> Page {
    let found = on_blocking_thread(&app, |app| {
        let Some(policy) = app.policy() else { return Ok(None) };
        let entries = &policy.settings().supervision.supervisors;
        let row = |entry: &SupervisorEntry| -> Result<Row, crate::failure::Failure> {
            Ok(row(entry, &app.store(|store| Ok(store.health(&entry.name)?))?, now_ms()))
        };
        let review = policy.review();
        Ok(Some(Asked {
            rows: entries.iter().map(row).collect::<Result<_, _>>()?,
            hold: format!("{:?}", review.delivery).to_lowercase(),
            seconds: u64::from(review.hold_seconds),
            minutes: u64::from(review.expires_minutes),
        }))
    });
    page(&SupervisorsPage { asked: found.await? })
}

/// How one is: as a class of the page, and in words.
pub(crate) fn state(entry: &SupervisorEntry, health: &Health, now: i64) -> (&'static str, &'static str) {
    if health.is_open(now) {
        ("failed", "paused after failures")
    } else if health.drifts() {
        ("warn", "people mostly disagree")
    } else if !health.can_afford(&entry.supervisor, now) {
        ("warn", "daily budget used up")
    } else {
        ("allow", "ok")
    }
}

fn row(entry: &SupervisorEntry, health: &Health, now: i64) -> Row {
    let (sort, state) = state(entry, health, now);
    let (agreed, of) = health.agreement();
    Row {
        name: visible(&entry.name),
        role: format!("{:?}", entry.supervisor.role).to_lowercase(),
        model: visible(entry.supervisor.model.as_deref().unwrap_or("–")),
        sort,
        state: state.to_owned(),
        answered: health.answered,
        approved: health.approved,
        rejected: health.rejected,
        failed: health.failed,
        latency_ms: health.latency_ms,
        agreed: format!("{agreed} of {of}"),
    }
}
