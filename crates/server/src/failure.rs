//! What goes wrong, as a page or as JSON: what and what to do, never more.

use crate::view::Problem;
use askama::Template;
use axum::Json;
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
    cure: String,
    /// The field of a form that is to be mended.
    field: Option<&'static str>,
}

/// The page, with the way on to all others.
#[derive(Template)]
#[template(path = "failure.html")]
struct FailurePage {
    what: String,
    cure: String,
}

impl Failure {
    pub(crate) fn new(status: StatusCode, what: impl Into<String>, cure: impl Into<String>) -> Failure {
        Failure { status, what: what.into(), cure: cure.into(), field: None }
    }

    /// The same about one field of a form.
    pub(crate) fn at(self, field: &'static str) -> Failure {
        Failure { field: Some(field), ..self }
    }

    /// The field to mend and what is wrong with it, if it is about one.
    pub(crate) fn fault(&self) -> Option<(&'static str, String)> {
        self.field.map(|field| (field, visible(&self.what)))
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
        let cure = match error {
            NotAPerson::AgentAbove { .. } => {
                "Answer in your own browser or terminal, not from below an agent."
            }
            NotAPerson::Gone => "Keep the connection open until the answer comes.",
            NotAPerson::WrongPassphrase
            | NotAPerson::TooShort
            | NotAPerson::NeedsPassphrase
            | NotAPerson::NoTerminal => "go back and answer again",
        };
        let what = match error {
            NotAPerson::NeedsPassphrase => "an answer needs the approver's passphrase".to_owned(),
            _ => error.to_string(),
        };
        let failure = Failure::new(StatusCode::FORBIDDEN, what, cure);
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
        let page = FailurePage { what: visible(&self.what), cure: visible(&self.cure) };
        (self.status, Html(page.render().unwrap_or(page.what))).into_response()
    }
}

pub(crate) async fn nothing_here(uri: Uri) -> Response {
    let cure = "The inbox has everything that waits.";
    Failure::new(StatusCode::NOT_FOUND, "There is nothing here.", cure).fitting(&uri)
}
