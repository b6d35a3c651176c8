//! `toolgate serve`: the inbox in a browser, and the same as JSON.
//!
//! It listens on this machine only and lets in anyone who has the link it printed,
//! once. Nothing on the hook path needs it: a hook decides by itself, this is a
//! window on the ledger and a place to answer.
//!
//! In the order of one request: `access` (who may come in), `pages` or `api`
//! (what is shown and taken), `inbox` (requests and answers through the
//! runtime), `live` (tells browsers that something changed).
//!
//! Deliberately absent: judging, SQL, host formats. What needs those is lent by
//! the program that starts the server, see [`HostCallbacks`].

mod access;
mod api;
mod card;
mod change;
mod failure;
mod handling;
mod hooks;
mod inbox;
mod live;
mod notice;
mod pages;
mod passphrase;
mod peer;
mod reach;
mod shown;
mod stores;
mod view;

pub use access::{Link, Naming};

use access::Access;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Redirect;
use axum::routing::{get, post};
use futures_util::future::{Either, select};
use inbox::{Counted, Proven};
use serde_json::Value;
use std::future::IntoFuture;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use stores::Stores;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use toolgate_core::{Call, Event, Tries};
use toolgate_runtime::{Broken, Gate, Handed, HookReply, Policies, Scene, Setup, running};
use toolgate_store::Sqlite;

/// Largest form or JSON taken. Words end much sooner, and with the form still
/// filled in; of what is larger than this nothing is read.
const BODY_MAX: usize = 1 << 20;

/// What is served.
#[derive(Debug, Clone)]
pub struct Config {
    /// The gate's folders and the project the server was started in.
    pub setup: Setup,
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// What the pages are reached by.
    pub naming: Naming,
    /// Whether programs get a token for the API.
    pub with_api: bool,
    /// Who answers, for the ledger.
    pub person: String,
    /// What the server cannot do itself.
    pub callbacks: HostCallbacks,
}

/// The answer, where there is one at once, and the gate that gave it, so that its
/// ledger can be used again; the last word lends an open one.
pub type AtOnce =
    fn(&Handed, &Policies, &mut dyn FnMut() -> Option<Sqlite>) -> Option<(Option<HookReply>, Gate)>;

/// What the program that starts the server provides: host formats and judging.
#[derive(Debug, Clone, Copy)]
pub struct HostCallbacks {
    /// A call of a tool with this input in this folder.
    pub call: fn(&str, Value, &str) -> Result<Call, String>,
    /// The verdict on an event, and why, with carets below the bytes that caused it.
    pub explain: fn(&Scene, &Event) -> (String, String),
    /// Judges an event on an open ledger, with a kept policy if there is one, if
    /// one transaction settles it.
    pub at_once: AtOnce,
    /// Judges an event with all the waiting that needs, while someone is there.
    pub to_the_end: fn(&Handed, &dyn Fn() -> bool) -> HookReply,
}

/// What the API takes and gives, as an OpenAPI document.
#[must_use]
pub fn openapi() -> String {
    api::document()
}

/// What every handler has.
#[derive(Debug)]
struct App {
    setup: Setup,
    person: String,
    access: Access,
    callbacks: HostCallbacks,
    stores: Stores,
    policies: Policies,
    counted: Mutex<Counted>,
    proven: Mutex<Proven>,
    /// Events judged for hooks since the server began.
    judged: AtomicU64,
    /// Passphrases that were tried, by whomever.
    tries: Mutex<Tries>,
    /// When the server began: its own clock, which no one sets.
    began: Instant,
}

type Shared = Arc<App>;

/// Serves until the process is told to end. `ready` is called with the link that
/// lets a browser in: at the start, and with a new one at each `SIGUSR1`.
///
/// # Errors
/// If the address is not this machine's own, or cannot be listened on.
pub fn serve(config: Config, ready: impl Fn(&Link)) -> Result<(), Broken> {
    if !config.listen.ip().is_loopback() {
        return Err(Broken::new(
            format!("`{}` can be reached from other machines", config.listen),
            "listen on 127.0.0.1 or [::1]; use a tunnel such as `ssh -L` to reach it from elsewhere",
        ));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Broken::new(format!("the server cannot start: {error}"), "try again"))?;
    runtime.block_on(run(config, ready))
}

async fn run(config: Config, ready: impl Fn(&Link)) -> Result<(), Broken> {
    let unreachable = |error: std::io::Error| match running(&config.setup.dirs) {
        Some(id) if error.kind() == ErrorKind::AddrInUse => Broken::new(
            format!("`toolgate serve` is running already (process {id})"),
            format!(
                "`kill -USR1 {id}` prints a new link where it runs; for a second one choose another port with --listen"
            ),
        ),
        _ => Broken::new(
            format!("cannot listen on `{}`: {error}", config.listen),
            "choose another port with --listen",
        ),
    };
    let listener = TcpListener::bind(config.listen).await.map_err(unreachable)?;
    let address = listener.local_addr().map_err(unreachable)?;
    let Config { setup, person, naming, with_api, callbacks, .. } = config;
    let access = Access::new(address, naming, with_api, &setup.dirs)?;
    let app = Arc::new(App {
        setup,
        person,
        access,
        callbacks,
        stores: Stores::default(),
        policies: Policies::default(),
        counted: Mutex::default(),
        proven: Mutex::default(),
        judged: AtomicU64::new(0),
        tries: Mutex::default(),
        began: Instant::now(),
    });
    let warm = hooks::listen(&app);
    let tell = |app: &App| {
        let warm = warm.as_ref().map(|_| ()).map_err(|broken| broken.what.clone());
        ready(&app.access.link(&app.setup.dirs, warm));
    };
    tell(&app);
    let service = router(app.clone()).into_make_service_with_connect_info::<SocketAddr>();
    let served = axum::serve(listener, service).with_graceful_shutdown(ended());
    let ended = match select(pin!(served.into_future()), pin!(renewed(&app, &tell))).await {
        Either::Left((ended, _)) => ended,
        Either::Right(((), served)) => served.await,
    };
    if let Ok(socket) = warm {
        // No one finds a server that is gone.
        let _ = std::fs::remove_file(socket);
    }
    ended.map_err(|error| Broken::new(format!("the server stopped: {error}"), "start it again"))
}

/// A new link for each `SIGUSR1`: told where the server runs, to no one else.
async fn renewed(app: &App, tell: &impl Fn(&App)) {
    let Ok(mut asked) = signal(SignalKind::user_defined1()) else { return };
    while asked.recv().await.is_some() {
        app.access.renew();
        tell(app);
    }
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
        .route("/requests/{id}/handle", post(pages::handle))
        .route("/sessions", get(pages::sessions))
        .route("/sessions/{id}", get(pages::session))
        .route("/rules", get(pages::rules))
        .route("/log", get(async || Redirect::permanent("/ledger")))
        .route("/ledger", get(pages::ledger))
        .route("/ledger/{seq}", get(pages::record))
        .route("/grants", get(pages::grants))
        .route("/bypasses", get(pages::bypasses))
        .route("/supervisors", get(pages::supervisors))
        .route("/playground", get(pages::playground).post(pages::judged))
        .route("/live", get(live::changes))
        .route("/api/openapi.json", get(api::openapi))
        .merge(axum::Router::from(api::routes()))
        .layer(from_fn_with_state(app.clone(), notice::with_notice))
        .layer(from_fn_with_state(app.clone(), access::only_inside));
    Router::new()
        .route("/enter", get(access::enter))
        .route("/style.css", get(pages::style))
        .route("/keys.js", get(pages::keys))
        .merge(inside)
        .merge(hooks::routes())
        .fallback(failure::nothing_here)
        .layer(from_fn_with_state(app.clone(), access::only_ours))
        .layer(from_fn(access::with_headers))
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .with_state(app)
}
