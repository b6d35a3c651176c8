//! Events of hosts: handed over by hook processes through a socket, or sent over
//! HTTP by hosts that can.
//!
//! Both are judged by the code of the hook itself. Workers are plain threads, away
//! from everything the pages do.

use crate::failure::Failure;
use crate::stores::identity;
use crate::{App, Shared};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use toolgate_runtime::{Broken, Handed, Listening, Told};

/// Hooks answered side by side; each takes a fraction of a millisecond, because
/// nothing is waited for here.
const WORKERS: usize = 4;

/// Before the next try when nobody can be listened to: too many open files, say.
const PAUSE: Duration = Duration::from_millis(100);

/// Largest event taken over HTTP; the same as through a pipe.
const EVENT_MAX: usize = 8 << 20;

/// Answers hook processes from now on; where.
pub(crate) fn listen(app: &Shared) -> Result<PathBuf, Broken> {
    let listening = Arc::new(Listening::open(&app.setup.dirs)?);
    for _ in 0..WORKERS {
        let (app, listening) = (app.clone(), listening.clone());
        std::thread::spawn(move || {
            loop {
                // What crashes here is judged by the hook itself, which then stays closed.
                let safely = |handed: &Handed| {
                    catch_unwind(AssertUnwindSafe(|| app.at_once(handed))).unwrap_or_default()
                };
                if listening.answer_one(safely).is_err() {
                    std::thread::sleep(PAUSE);
                }
            }
        });
    }
    Ok(listening.path().to_path_buf())
}

impl App {
    /// The answer, if one transaction gives it.
    fn at_once(&self, handed: &Handed) -> Option<Told> {
        let dirs = &self.setup.dirs;
        let store = self.stores.take(dirs).ok()?;
        let opened = identity(dirs);
        let (told, store) = (self.lent.at_once)(handed, store);
        if let Some(store) = store {
            self.stores.give(dirs, opened, store);
        }
        self.judged.fetch_add(u64::from(told.is_some()), Ordering::Relaxed);
        told
    }
}

/// The door for hosts with HTTP hooks.
pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/hook/{host}", post(hook)).layer(DefaultBodyLimit::max(EVENT_MAX))
}

/// One event of a host. The answer is never empty: to a host that would be
/// consent.
async fn hook(
    State(app): State<Shared>,
    Path(host): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if !app.access.is_hook(&headers) {
        let cure = "send the token of the file `toolgate serve --json` names as `Authorization: Bearer`";
        return Failure::new(StatusCode::UNAUTHORIZED, "This is no hook of ours.", cure).as_json();
    }
    let handed = Handed::new(&host, None, body.to_vec());
    let work = move || app.at_once(&handed).unwrap_or_else(|| (app.lent.to_the_end)(&handed));
    match tokio::task::spawn_blocking(work).await {
        Ok(told) if !told.stdout.is_empty() => {
            ([(CONTENT_TYPE, "application/json")], told.stdout).into_response()
        }
        Ok(_) => Failure::new(StatusCode::NOT_FOUND, "There is no such host.", "see `toolgate hook --help`")
            .as_json(),
        Err(_) => {
            let cure = "run `toolgate doctor` and report what it says";
            Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "The gate crashed while judging.", cure).as_json()
        }
    }
}
