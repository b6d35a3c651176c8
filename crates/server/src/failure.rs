//! What goes wrong, as a page or as JSON: what and what to do, never more.

use crate::BODY_MAX;
use crate::view::Problem;
use askama::Template;
use axum::Json;
use axum::http::header::{HeaderValue, RETRY_AFTER};
use axum::http::{StatusCode, Uri};
use axum::response::{Html, IntoResponse, Response};
use toolgate_core::visible;
use toolgate_runtime::{Broken, NotAPerson};
use toolgate_store::StoreError;

/// An answer that is none.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: StatusCode,
    what: String,
    help: String,
    /// The field of a form that is to be fixed.
    field: Option<&'static str>,
    /// In how many seconds it may be tried again, if only that is needed.
    again_s: Option<i64>,
}

/// The page, with the way on to all others.
#[derive(Template)]
#[template(path = "failure.html")]
struct FailurePage {
    what: String,
    help: String,
}

impl Failure {
    pub(crate) fn new(status: StatusCode, what: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure { status, what: what.into(), help: help.into(), field: None, again_s: None }
    }

    /// The same about one field of a form.
    pub(crate) fn at(self, field: &'static str) -> Failure {
        Failure { field: Some(field), ..self }
    }

    /// The same for something that may be tried again after so long.
    pub(crate) fn again_in(self, seconds: i64) -> Failure {
        Failure { again_s: Some(seconds), ..self }
    }

    /// A body that cannot be read, with the limit if it is too large.
    pub(crate) fn of_body(status: StatusCode, text: String, help: &str) -> Failure {
        if status != StatusCode::PAYLOAD_TOO_LARGE {
            return Failure::new(status, text, help);
        }
        Failure::new(status, format!("The form is larger than the limit of {BODY_MAX} bytes."), help)
    }

    /// The same about a page or a value of its own.
    pub(crate) fn with(&self, body: impl IntoResponse) -> Response {
        let mut response = (self.status, body).into_response();
        if let Some(seconds) = self.again_s {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }

    /// The field to fix and what is wrong with it, if it is about one.
    pub(crate) fn fault(&self) -> Option<(&'static str, String)> {
        self.field.map(|field| (field, visible(&self.what)))
    }

    /// As JSON for programs, as a page for people.
    pub(crate) fn fitting(self, uri: &Uri) -> Response {
        if uri.path().starts_with("/api/") { self.as_json() } else { self.into_response() }
    }

    /// The same for programs.
    pub(crate) fn as_json(&self) -> Response {
        self.with(Json(Problem::new(&self.what, &self.help)))
    }
}

impl From<Broken> for Failure {
    fn from(broken: Broken) -> Failure {
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, broken.what, broken.cure)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string(), error.cure())
    }
}

impl From<NotAPerson> for Failure {
    fn from(error: NotAPerson) -> Failure {
        let help = match error {
            NotAPerson::AgentAbove { .. } => {
                "Answer from your own browser or terminal, not from a program an agent started."
            }
            NotAPerson::Gone => "Keep the connection open until the response arrives.",
            NotAPerson::WrongPassphrase
            | NotAPerson::TooShort
            | NotAPerson::NeedsPassphrase
            | NotAPerson::NoTerminal => "Go back and answer again.",
        };
        let failure = Failure::new(StatusCode::FORBIDDEN, error.to_string(), help);
        match error {
            NotAPerson::WrongPassphrase | NotAPerson::TooShort | NotAPerson::NeedsPassphrase => {
                failure.at("passphrase")
            }
            NotAPerson::AgentAbove { .. } | NotAPerson::NoTerminal | NotAPerson::Gone => failure,
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let page = FailurePage { what: visible(&self.what), help: visible(&self.help) };
        self.with(Html(page.render().unwrap_or(page.what)))
    }
}

pub(crate) async fn nothing_here(uri: Uri) -> Response {
    let help = "Check the address, or go to the inbox.";
    Failure::new(StatusCode::NOT_FOUND, "Page not found.", help).fitting(&uri)
}
