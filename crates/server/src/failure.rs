//! What goes wrong, as a page or as JSON: what and what to do, never more.

use crate::view::Problem;
use axum::Json;
use axum::http::{StatusCode, Uri};
use axum::response::{Html, IntoResponse, Response};
use toolgate_core::visible;
use toolgate_runtime::{Broken, NotAPerson};
use toolgate_store::StoreError;

/// An answer that is none.
#[derive(Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    what: String,
    cure: String,
}

impl Failure {
    pub(crate) fn new(status: StatusCode, what: impl Into<String>, cure: impl Into<String>) -> Failure {
        Failure { status, what: what.into(), cure: cure.into() }
    }

    /// As JSON for programs, as a page for people.
    pub(crate) fn fitting(self, uri: &Uri) -> Response {
        if uri.path().starts_with("/api/") { self.as_json() } else { self.into_response() }
    }

    /// The same for programs.
    pub(crate) fn as_json(&self) -> Response {
        (self.status, Json(Problem::new(&self.what, &self.cure))).into_response()
    }
}

impl From<Broken> for Failure {
    fn from(broken: Broken) -> Failure {
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, broken.to_string(), "run `toolgate doctor`")
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string(), error.cure())
    }
}

impl From<NotAPerson> for Failure {
    fn from(error: NotAPerson) -> Failure {
        Failure::new(StatusCode::FORBIDDEN, error.to_string(), "go back and answer again")
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let page = format!(
            "<!doctype html><html lang=en><meta charset=utf-8><title>Toolgate</title>\
             <link rel=stylesheet href=/style.css><main><h1>{}</h1><p>{}</p><p><a href=/>Inbox</a></p></main>",
            escaped(&self.what),
            escaped(&self.cure)
        );
        (self.status, Html(page)).into_response()
    }
}

/// Text that cannot become markup, for the one page without a template.
fn escaped(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

pub(crate) async fn nothing_here(uri: Uri) -> Response {
    let cure = "The inbox has everything that waits.";
    Failure::new(StatusCode::NOT_FOUND, "There is nothing here.", cure).fitting(&uri)
}
