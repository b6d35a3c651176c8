//! `toolgate serve`: the inbox in a browser, and the same as JSON.
//!
//! It listens on this machine only and lets in whoever has the link it printed,
//! once. Nothing on the hook path needs it: a hook decides by itself, this is a
//! window on the ledger and a place to answer.
//!
//! In the order of one request: `access` (who may come in), `pages` or `api`
//! (what is shown and taken), `inbox` (requests and answers through the
//! runtime), `live` (tells browsers that something changed).
//!
//! Deliberately absent: judging, SQL, host formats.

mod access;
mod api;
mod failure;
mod inbox;
mod live;
mod pages;

pub use access::Link;

use access::Access;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use toolgate_runtime::{Broken, Setup};

/// Largest form or JSON taken; nobody types more.
const BODY_MAX: usize = 64 << 10;

/// What is served.
#[derive(Debug, Clone)]
pub struct Config {
    /// The gate's folders and the project the server was started in.
    pub setup: Setup,
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Who answers, for the ledger.
    pub person: String,
}

/// What every handler has.
#[derive(Debug)]
struct App {
    setup: Setup,
    person: String,
    access: Access,
}

type Shared = Arc<App>;

/// Serves until the process is told to end. `ready` is called once with the
/// link that lets the first browser in.
///
/// # Errors
/// If the address is not this machine's own, or cannot be listened on.
pub fn serve(config: Config, ready: impl FnOnce(&Link)) -> Result<(), Broken> {
    if !config.listen.ip().is_loopback() {
        return Err(Broken::new(
            format!("`{}` can be reached from other machines", config.listen),
            "listen on 127.0.0.1 or [::1]; a tunnel such as `ssh -L` brings it elsewhere",
        ));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Broken::new(format!("the server cannot start: {error}"), "try again"))?;
    runtime.block_on(run(config, ready))
}

async fn run(config: Config, ready: impl FnOnce(&Link)) -> Result<(), Broken> {
    let unreachable = |error: std::io::Error| {
        Broken::new(
            format!("cannot listen on `{}`: {error}", config.listen),
            "choose another port with --listen",
        )
    };
    let listener = TcpListener::bind(config.listen).await.map_err(unreachable)?;
    let address = listener.local_addr().map_err(unreachable)?;
    let access = Access::new(address)?;
    ready(&access.link());
    let app = Arc::new(App { setup: config.setup, person: config.person, access });
    let served = axum::serve(listener, router(app)).with_graceful_shutdown(ended());
    served.await.map_err(|error| Broken::new(format!("the server ended: {error}"), "start it again"))
}

/// Ctrl-C; without it the server runs on.
async fn ended() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn router(app: Shared) -> Router {
    let inside = Router::new()
        .route("/", get(pages::inbox))
        .route("/requests/{id}", get(pages::request).post(pages::answer))
        .route("/log", get(pages::log))
        .route("/rules", get(pages::rules))
        .route("/ledger", get(pages::ledger))
        .route("/live", get(live::changes))
        .route("/api/requests", get(api::requests))
        .route("/api/requests/{id}", get(api::request))
        .route("/api/requests/{id}/answer", post(api::answer))
        .route("/api/log", get(api::log))
        .layer(from_fn_with_state(app.clone(), access::only_inside));
    Router::new()
        .route("/enter", get(access::enter))
        .route("/style.css", get(pages::style))
        .route("/keys.js", get(pages::keys))
        .merge(inside)
        .fallback(failure::nothing_here)
        .layer(from_fn_with_state(app.clone(), access::only_ours))
        .layer(from_fn(access::with_headers))
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .with_state(app)
}
