//! The rules in force and how often each spoke.

use super::{Page, page, time};
use crate::Shared;
use crate::access::Session;
use crate::inbox::{RuleLine, on_blocking_thread};
use askama::Template;
use axum::extract::{Extension, State};

#[derive(Template)]
#[template(path = "rules.html")]
struct RulesPage {
    judged: u64,
    used: Vec<Line>,
    never: Vec<Line>,
}

struct Line {
    rule: RuleLine,
    last: String,
}

/// The rules in force: those that spoke, the most talkative first, and those
/// that never did.
pub(crate) async fn rules(State(app): State<Shared>, Extension(_session): Extension<Session>) -> Page {
    let (judged, rules) = on_blocking_thread(&app, |app| app.rules()).await?;
    let line =
        |rule: RuleLine| Line { last: if rule.hits == 0 { String::new() } else { time(rule.last_ms) }, rule };
    let (mut used, never): (Vec<Line>, Vec<Line>) =
        rules.into_iter().map(line).partition(|line| line.rule.hits > 0);
    used.sort_by_key(|line| std::cmp::Reverse(line.rule.hits));
    page(&RulesPage { judged, used, never })
}
