//! What a browser sees: one file a page, every page readable and answerable
//! without any script.

mod grants;
mod inbox;
mod ledger;
mod playground;
mod request;
mod rules;
mod sessions;
mod supervisors;

pub(crate) use grants::{bypasses, grants};
pub(crate) use inbox::{behind as place, inbox};
pub(crate) use ledger::{ledger, record};
pub(crate) use playground::{judged, playground};
pub(crate) use request::{answer, handle, request};
pub(crate) use rules::rules;
pub(crate) use sessions::{session, sessions};
pub(crate) use supervisors::{state as state_of, supervisors};

use crate::failure::Failure;
use askama::Template;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse};
use jiff::Timestamp;
use jiff::tz::TimeZone;

pub(crate) type Page = Result<Html<String>, Failure>;

fn page(template: &impl Template) -> Page {
    let wrong = |error: askama::Error| {
        Failure::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("The page could not be rendered: {error}"),
            "This is a bug in Toolgate; please report it.",
        )
    };
    template.render().map(Html).map_err(wrong)
}

fn shown(ms: i64, form: &str) -> String {
    let zoned = Timestamp::from_millisecond(ms).map(|stamp| stamp.to_zoned(TimeZone::system()));
    zoned.map_or_else(|_| ms.to_string(), |zoned| zoned.strftime(form).to_string())
}

/// A moment, to the second.
pub(crate) fn time(ms: i64) -> String {
    shown(ms, "%Y-%m-%d %H:%M:%S %Z")
}

/// The time of day.
pub(crate) fn clock(ms: i64) -> String {
    shown(ms, "%H:%M %Z")
}

/// The one style sheet.
pub(crate) async fn style() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("../../assets/style.css"))
}

/// The one script: keys, and what changes while a page is open.
pub(crate) async fn keys() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/javascript; charset=utf-8")], include_str!("../../assets/keys.js"))
}
