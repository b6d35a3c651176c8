//! Events of hosts: handed over by hook processes through a socket, or sent over
//! HTTP by hosts that can.
//!
//! Both are judged by the code of the hook itself. Workers are plain threads, away
//! from everything the pages do.

use crate::failure::Failure;
use crate::peer::Peer;
use crate::stores::Identity;
use crate::{App, Shared};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use toolgate_runtime::{Broken, Gate, Handed, HookReply, Listening};

/// Hooks answered side by side; each takes a fraction of a millisecond, because
/// nothing is waited for here.
const WORKERS: usize = 4;

/// Before the next try when no one can be listened to: too many open files, say.
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
                let after = |left| {
                    let _ = catch_unwind(AssertUnwindSafe(|| app.put_back(left)));
                };
                if listening.answer_one(safely, after).is_err() {
                    std::thread::sleep(PAUSE);
                }
            }
        });
    }
    Ok(listening.path().to_path_buf())
}

/// A gate that has answered, and which ledger it had.
struct Left {
    opened: Option<Identity>,
    gate: Gate,
}

impl App {
    /// The answer, if one transaction gives it, and what is put back behind it.
    fn at_once(&self, handed: &Handed) -> (Option<HookReply>, Option<Left>) {
        let mut opened = None;
        let mut ledger = || {
            let (store, identity) = self.stores.take(&self.setup.dirs).ok()?;
            opened = identity;
            Some(store)
        };
        let Some((told, gate)) = (self.callbacks.at_once)(handed, &self.policies, &mut ledger) else {
            return (None, None);
        };
        self.judged.fetch_add(u64::from(told.is_some()), Ordering::Relaxed);
        (told, Some(Left { opened, gate }))
    }

    /// What no one need wait for.
    fn put_back(&self, left: Option<Left>) {
        if let Some(Left { opened, gate }) = left {
            self.stores.give(&self.setup.dirs, opened, gate.done(&self.policies));
        }
    }

    /// The answer, however long it takes.
    fn in_the_end(&self, mut handed: Handed, peer: Peer, is_there: &dyn Fn() -> bool) -> HookReply {
        let (told, left) = self.at_once(&handed);
        self.put_back(left);
        told.unwrap_or_else(|| {
            // Anyone who cannot be seen is no one; this process and those above it ask nothing.
            handed.asked_by = Some(peer.process().unwrap_or_default());
            (self.callbacks.to_the_end)(&handed, is_there)
        })
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
    ConnectInfo(there): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if !app.access.is_hook(&headers) {
        let help =
            "send the token from the file that `toolgate serve --json` names as `Authorization: Bearer`";
        return Failure::new(StatusCode::UNAUTHORIZED, "Invalid hook token.", help).as_json();
    }
    let handed = Handed::new(&host, None, body.to_vec());
    // A host that goes away takes this with it, and the work notices.
    let listener = Arc::new(());
    let heard = Arc::downgrade(&listener);
    let peer = Peer { there, here: app.access.address };
    let work = move || app.in_the_end(handed, peer, &|| heard.strong_count() > 0);
    let told = tokio::task::spawn_blocking(work).await;
    drop(listener);
    match told {
        Ok(told) if !told.stdout.is_empty() => {
            ([(CONTENT_TYPE, "application/json")], told.stdout).into_response()
        }
        Ok(_) => Failure::new(StatusCode::NOT_FOUND, "Unknown host.", "see `toolgate hook --help`").as_json(),
        Err(_) => {
            let help = "run `toolgate doctor` and report what it says";
            Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "Toolgate crashed while judging the call.", help)
                .as_json()
        }
    }
}
