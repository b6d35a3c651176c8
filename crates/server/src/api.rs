//! The inbox as JSON. What it takes and gives is in `docs/openapi.json`,
//! made from this file.

use crate::failure::Failure;
use crate::handling::{Covered, RequestAction};
use crate::inbox::{Given, on_blocking_thread};
use crate::pages::{place, state_of};
use crate::peer::Peer;
use crate::view::{
    LedgerView, Problem, ReachView, RecordView, RequestView, RuleView, StatusView, SupervisorView, WordView,
};
use crate::{App, Shared};
use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Extension, Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use toolgate_core::SupervisorEntry;
use toolgate_runtime::now_ms;
use toolgate_store::{Part, Store};
use utoipa::{IntoParams, OpenApi, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Records in one answer.
const RECORDS: u32 = 200;

/// Requests in one answer.
const REQUESTS: u32 = 100;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Toolgate",
        description = "Requests, decisions and answers. Every call needs the token that \
                       `toolgate serve --api-token` prints, as `Authorization: Bearer`. The cookie of the pages \
                       does not count."
    ),
    modifiers(&Token)
)]
struct Document;

/// Describes the authentication.
struct Token;

impl utoipa::Modify for Token {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        let parts = document.components.get_or_insert_with(Default::default);
        parts.add_security_scheme("token", SecurityScheme::Http(bearer));
        document.security =
            Some(vec![utoipa::openapi::security::SecurityRequirement::new("token", Vec::<String>::new())]);
    }
}

/// The routes of the API with their documentation.
pub(crate) fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(requests))
        .routes(routes!(request))
        .routes(routes!(answer))
        .routes(routes!(handle))
        .routes(routes!(covered))
        .routes(routes!(grants))
        .routes(routes!(bypasses))
        .routes(routes!(supervisors))
        .routes(routes!(log))
        .routes(routes!(rules))
        .routes(routes!(ledger))
        .routes(routes!(status))
}

/// The document, as it is served and kept in `docs/openapi.json`.
pub(crate) fn document() -> String {
    let mut text = routes().get_openapi().to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

/// The document.
pub(crate) async fn openapi() -> impl IntoResponse {
    ([(axum::http::header::CONTENT_TYPE, "application/json")], document())
}

fn respond<T: serde::Serialize>(result: Result<T, Failure>) -> Response {
    match result {
        Ok(value) => Json(value).into_response(),
        Err(failure) => failure.as_json(),
    }
}

fn unreadable(wrong: &QueryRejection) -> Response {
    Failure::new(StatusCode::BAD_REQUEST, wrong.body_text(), "see /api/openapi.json").as_json()
}

/// Which requests to list.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Sort {
    /// Waiting for an answer.
    #[default]
    Waiting,
    /// Closed.
    Over,
    /// Approved and not used yet.
    Granted,
    /// Bypass requests.
    Bypasses,
}

impl From<Sort> for Part {
    fn from(sort: Sort) -> Part {
        match sort {
            Sort::Waiting => Part::Waiting,
            Sort::Over => Part::Over,
            Sort::Granted => Part::Granted,
            Sort::Bypasses => Part::Bypasses,
        }
    }
}

/// Which requests, and where the page starts.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Listed {
    /// Which requests to list.
    #[serde(default)]
    #[param(inline)]
    part: Sort,
    /// Start after this request: `made_ms` and `id`, joined by a dot.
    #[serde(default)]
    #[param(pattern = r"^[0-9]{1,15}\.r-[0-9a-f]{10}$")]
    behind: Option<String>,
}

/// Lists requests, newest first; long texts are truncated.
#[utoipa::path(get, path = "/api/requests", params(Listed), responses(
    (status = 200, body = Vec<RequestView>),
    (status = 400, description = "A parameter is invalid", body = Problem),
    (status = 401, description = "Not signed in", body = Problem),
    (status = 403, description = "The request came from another site", body = Problem),
))]
pub(crate) async fn requests(
    State(app): State<Shared>,
    query: Result<Query<Listed>, QueryRejection>,
) -> Response {
    match query {
        Ok(Query(Listed { part, behind })) => listed(&app, part.into(), behind).await,
        Err(wrong) => unreadable(&wrong),
    }
}

async fn listed(app: &Shared, part: Part, behind: Option<String>) -> Response {
    let behind = match place(behind.as_deref()) {
        Ok(behind) => behind,
        Err(failure) => return failure.as_json(),
    };
    let found = on_blocking_thread(app, move |app| app.page(part, &behind, REQUESTS)).await;
    respond(found.map(|found| found.iter().map(RequestView::listed).collect::<Vec<_>>()))
}

/// Where a page starts.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Begin {
    /// Start after this request: `made_ms` and `id`, joined by a dot.
    #[serde(default)]
    #[param(pattern = r"^[0-9]{1,15}\.r-[0-9a-f]{10}$")]
    behind: Option<String>,
}

/// Lists active grants, newest first.
#[utoipa::path(get, path = "/api/grants", params(Begin), responses(
    (status = 200, body = Vec<RequestView>),
    (status = 400, description = "A parameter is invalid", body = Problem),
    (status = 401, description = "Not signed in", body = Problem),
    (status = 403, description = "The request came from another site", body = Problem),
))]
pub(crate) async fn grants(
    State(app): State<Shared>,
    query: Result<Query<Begin>, QueryRejection>,
) -> Response {
    match query {
        Ok(Query(Begin { behind })) => listed(&app, Part::Granted, behind).await,
        Err(wrong) => unreadable(&wrong),
    }
}

/// Lists bypass requests, newest first.
#[utoipa::path(get, path = "/api/bypasses", params(Begin), responses(
    (status = 200, body = Vec<RequestView>),
    (status = 400, description = "A parameter is invalid", body = Problem),
    (status = 401, description = "Not signed in", body = Problem),
    (status = 403, description = "The request came from another site", body = Problem),
))]
pub(crate) async fn bypasses(
    State(app): State<Shared>,
    query: Result<Query<Begin>, QueryRejection>,
) -> Response {
    match query {
        Ok(Query(Begin { behind })) => listed(&app, Part::Bypasses, behind).await,
        Err(wrong) => unreadable(&wrong),
    }
}

/// Lists AI supervisors and their health.
#[utoipa::path(get, path = "/api/supervisors", responses(
    (status = 200, body = Vec<SupervisorView>),
    (status = 401, description = "Not signed in", body = Problem),
    (status = 403, description = "The request came from another site", body = Problem),
))]
pub(crate) async fn supervisors(State(app): State<Shared>) -> Response {
    let look = |app: &App| {
        let entries =
            app.policy().map(|policy| policy.settings().supervision.supervisors.clone()).unwrap_or_default();
        let view = |entry: &SupervisorEntry| -> Result<SupervisorView, Failure> {
            let health = app.store(|store| Ok(store.health(&entry.name)?))?;
            Ok(SupervisorView {
                name: entry.name.clone(),
                role: format!("{:?}", entry.supervisor.role).to_lowercase(),
                model: entry.supervisor.model.clone(),
                state: state_of(entry, &health, now_ms()).1,
                answered: health.answered,
                approved: health.approved,
                rejected: health.rejected,
                failed: health.failed,
                latency_ms: health.latency_ms,
            })
        };
        entries.iter().map(view).collect::<Result<Vec<_>, _>>()
    };
    respond(on_blocking_thread(&app, look).await)
}

/// Shows one request.
#[utoipa::path(get, path = "/api/requests/{id}", params(("id" = String, Path, description = "The full request id")), responses(
    (status = 200, body = RequestView),
    (status = 401, description = "Not signed in", body = Problem),
    (status = 403, description = "The request came from another site", body = Problem),
    (status = 404, description = "No such request", body = Problem),
))]
pub(crate) async fn request(State(app): State<Shared>, Path(id): Path<String>) -> Response {
    respond(on_blocking_thread(&app, move |app| Ok(RequestView::of(&app.request(&id)?))).await)
}

/// An answer to a request.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerBody {
    /// Approve or deny.
    word: WordView,
    /// Message to the agent.
    #[serde(default)]
    #[schema(max_length = 4000)]
    words: Option<String>,
    /// The scope; default: this call, once.
    #[serde(default)]
    reach: ReachView,
    /// The approver's passphrase, if one is set.
    #[serde(default)]
    passphrase: Option<String>,
    /// Identical requests of other sessions that get the same answer; an answer for
    /// any session is given once.
    #[serde(default)]
    alike: Vec<String>,
}

/// Answers a request. If several answers race, the first in the ledger counts.
/// Returns the request after the answer.
#[utoipa::path(post, path = "/api/requests/{id}/answer", request_body = AnswerBody,
    params(("id" = String, Path, description = "The full request id")), responses(
    (status = 200, body = RequestView),
    (status = 400, description = "The body is not JSON", body = Problem),
    (status = 401, description = "Not signed in", body = Problem),
    (status = 403, description = "The request came from another site or from an agent, or the passphrase is wrong", body = Problem),
    (status = 404, description = "No such request", body = Problem),
    (status = 409, description = "The request is closed, or this passphrase has already approved it under another name", body = Problem),
    (status = 413, description = "The body is too large", body = Problem),
    (status = 415, description = "The body is not declared as JSON", body = Problem),
    (status = 422, description = "The body has invalid values, or the message is too long", body = Problem),
    (status = 429, description = "Too many wrong passphrases; `Retry-After` says when the next one is checked",
        body = Problem, headers(("Retry-After" = i64, description = "Seconds"))),
    (status = 500, description = "Toolgate is broken; with a policy that does not load, requests can be denied but not approved", body = Problem),
))]
pub(crate) async fn answer(
    State(app): State<Shared>,
    Extension(peer): Extension<Peer>,
    Path(id): Path<String>,
    body: Result<Json<Box<RawValue>>, JsonRejection>,
) -> Response {
    let help = "send `{\"word\": \"approve\" or \"deny\"}`, with `words`, `reach` and `passphrase` if needed";
    let AnswerBody { word, words, reach, passphrase, alike } = match object(body, help) {
        Ok(body) => body,
        Err(failure) => return failure.as_json(),
    };
    let given = Given { word: word.into(), words, reach: reach.into(), passphrase, alike, peer };
    respond(
        on_blocking_thread(&app, move |app| app.answer(&id, given).map(|request| RequestView::of(&request)))
            .await,
    )
}

/// An action on a request other than an answer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HandleBody {
    /// The action.
    #[serde(alias = "deed")]
    action: RequestAction,
    /// The text of a comment or review.
    #[serde(default)]
    #[schema(max_length = 4000)]
    text: String,
}

/// Claims a request, comments on it, undoes or revokes its answer, or reviews an
/// emergency.
#[utoipa::path(post, path = "/api/requests/{id}/handle", request_body = HandleBody,
    params(("id" = String, Path, description = "The full request id")), responses(
    (status = 200, body = RequestView),
    (status = 400, description = "The body is not JSON", body = Problem),
    (status = 401, description = "Not signed in", body = Problem),
    (status = 403, description = "The request came from another site or from an agent", body = Problem),
    (status = 404, description = "No such request", body = Problem),
    (status = 409, description = "That is no longer possible, or not for you", body = Problem),
    (status = 413, description = "The body is too large", body = Problem),
    (status = 415, description = "The body is not declared as JSON", body = Problem),
    (status = 422, description = "The body has invalid values", body = Problem),
))]
pub(crate) async fn handle(
    State(app): State<Shared>,
    Extension(peer): Extension<Peer>,
    Path(id): Path<String>,
    body: Result<Json<Box<RawValue>>, JsonRejection>,
) -> Response {
    let HandleBody { action, text } =
        match object(body, "send `{\"action\": \"claim\"}`, with `text` if needed") {
            Ok(body) => body,
            Err(failure) => return failure.as_json(),
        };
    respond(
        on_blocking_thread(&app, move |app| Ok(RequestView::of(&app.handle(&id, action, &text, peer)?)))
            .await,
    )
}

/// A command pattern.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Pattern {
    /// A command in which `*` matches any text of one word.
    pattern: String,
}

/// Shows which recent calls a pattern would match.
#[utoipa::path(get, path = "/api/covered", params(Pattern), responses(
    (status = 200, body = Covered),
    (status = 400, description = "A parameter is invalid", body = Problem),
    (status = 401, description = "Not signed in", body = Problem),
    (status = 403, description = "The request came from another site", body = Problem),
))]
pub(crate) async fn covered(
    State(app): State<Shared>,
    query: Result<Query<Pattern>, QueryRejection>,
) -> Response {
    match query {
        Ok(Query(Pattern { pattern })) => {
            respond(on_blocking_thread(&app, move |app| app.covered(&pattern)).await)
        }
        Err(wrong) => unreadable(&wrong),
    }
}

/// A body that is one object. A list with the same values in order would be
/// taken for it otherwise.
fn object<T: DeserializeOwned>(
    body: Result<Json<Box<RawValue>>, JsonRejection>,
    help: &str,
) -> Result<T, Failure> {
    let Json(body) = body.map_err(|wrong| Failure::of_body(wrong.status(), wrong.body_text(), help))?;
    let said = |text: String| Failure::new(StatusCode::UNPROCESSABLE_ENTITY, text, help);
    if !body.get().starts_with('{') {
        return Err(said("the body is not a JSON object".to_owned()));
    }
    serde_json::from_str(body.get()).map_err(|error| said(error.to_string()))
}

/// Where to continue.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Before {
    /// Only records before this number.
    #[serde(default)]
    #[param(minimum = 0)]
    pub(crate) before: Option<u64>,
}

/// Lists records, newest first.
#[utoipa::path(get, path = "/api/log", params(Before), responses(
    (status = 200, body = Vec<RecordView>),
    (status = 400, description = "A parameter is invalid", body = Problem),
    (status = 401, description = "Not signed in", body = Problem),
    (status = 403, description = "The request came from another site", body = Problem),
))]
pub(crate) async fn log(State(app): State<Shared>, query: Result<Query<Before>, QueryRejection>) -> Response {
    match query {
        Ok(Query(Before { before })) => {
            let found =
                on_blocking_thread(&app, move |app| app.records(before.unwrap_or(u64::MAX), RECORDS)).await;
            respond(found.map(|found| found.into_iter().map(RecordView::of).collect::<Vec<_>>()))
        }
        Err(wrong) => unreadable(&wrong),
    }
}

/// Lists active rules and how often each matched.
#[utoipa::path(get, path = "/api/rules", responses(
    (status = 200, body = Vec<RuleView>),
    (status = 401, description = "Not signed in", body = Problem),
    (status = 403, description = "The request came from another site", body = Problem),
))]
pub(crate) async fn rules(State(app): State<Shared>) -> Response {
    respond(
        on_blocking_thread(&app, |app| Ok(app.rules()?.1.into_iter().map(RuleView::of).collect::<Vec<_>>()))
            .await,
    )
}

/// Verifies the whole ledger.
#[utoipa::path(get, path = "/api/ledger", responses(
    (status = 200, body = LedgerView),
    (status = 401, description = "Not signed in", body = Problem),
    (status = 403, description = "The request came from another site", body = Problem),
))]
pub(crate) async fn ledger(State(app): State<Shared>) -> Response {
    let look = |app: &App| {
        let proven = app.proven(true)?;
        Ok(LedgerView { records: proven.head, whole: proven.whole, text: proven.text })
    };
    respond(on_blocking_thread(&app, look).await)
}

/// Shows the state of the server.
#[utoipa::path(get, path = "/api/status", responses(
    (status = 200, body = StatusView),
    (status = 401, description = "Not signed in", body = Problem),
    (status = 403, description = "The request came from another site", body = Problem),
))]
pub(crate) async fn status(State(app): State<Shared>) -> Json<StatusView> {
    let judged = app.judged.load(std::sync::atomic::Ordering::Relaxed);
    Json(StatusView { version: env!("CARGO_PKG_VERSION"), judged })
}
