//! Who may come in: a browser that followed the link this server printed.
//!
//! The link works once and becomes a cookie that no other site can send along.
//! Every request must name this server as its host (a page elsewhere cannot
//! rebind a name to us), and one that changes something must come from our own
//! page. Tokens live in memory only and end with the process. What an agent of
//! the same user can still do is in THREATS.md.

use crate::failure::Failure;
use crate::inbox::on_blocking_thread;
pub(crate) use crate::peer::Peer;
use crate::{App, Shared};
use axum::extract::{ConnectInfo, Query, Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use toolgate_core::hex;
use toolgate_runtime::{Broken, Dirs, make_private_folder, write_private};

const COOKIE: &str = "toolgate";

/// Characters of a token.
const TOKEN: usize = 64;

/// What lets a browser in.
#[derive(Debug, Clone)]
pub struct Link {
    /// Where the server is.
    pub origin: String,
    /// The address to open, once.
    pub enter: String,
    /// Where hosts with HTTP hooks send their events; the host's name comes behind it.
    pub hook: String,
    /// The file with the token they show.
    pub hook_token: PathBuf,
    /// Whether hook processes hand their events over, or why not.
    pub warm: Result<(), String>,
}

/// Who is in.
#[derive(Debug)]
pub(crate) struct Access {
    pub(crate) address: SocketAddr,
    hook: String,
    state: Mutex<Doors>,
}

#[derive(Debug)]
struct Doors {
    /// The token of the link, until someone used it.
    link: Option<String>,
    /// The browser that did.
    session: Option<Session>,
}

/// One browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Session {
    token: String,
    /// Is in every form, so that only our own pages can send one.
    pub(crate) form: String,
}

fn hook_token_path(dirs: &Dirs) -> PathBuf {
    dirs.state.join("hook.token")
}

/// The token of HTTP hooks. It stays the same from one server to the next,
/// because it is in the settings of hosts; it opens nothing else.
fn hook_token(dirs: &Dirs) -> Result<String, Broken> {
    let path = hook_token_path(dirs);
    match std::fs::read_to_string(&path) {
        Ok(known) if known.len() == TOKEN => Ok(known),
        _ => {
            let fresh = token()?;
            make_private_folder(&dirs.state)?;
            write_private(&path, fresh.as_bytes())?;
            Ok(fresh)
        }
    }
}

fn token() -> Result<String, Broken> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| Broken::new(format!("no randomness: {error}"), "run `toolgate doctor`"))?;
    Ok(hex(&bytes))
}

/// Compares without telling by its time where two tokens differ.
fn is_same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

impl Access {
    pub(crate) fn new(address: SocketAddr, dirs: &Dirs) -> Result<Access, Broken> {
        let state = Mutex::new(Doors { link: Some(token()?), session: None });
        Ok(Access { address, hook: hook_token(dirs)?, state })
    }

    /// Whether a request shows the token of HTTP hooks.
    pub(crate) fn is_hook(&self, headers: &HeaderMap) -> bool {
        bearer(headers).is_some_and(|given| is_same(&self.hook, given))
    }

    /// The link, as long as no one followed it.
    pub(crate) fn link(&self, dirs: &Dirs, warm: Result<(), String>) -> Link {
        let origin = format!("http://{}", self.address);
        let link = self.doors(|doors| doors.link.clone()).unwrap_or_default();
        let enter = format!("{origin}/enter?token={link}");
        let hook = format!("{origin}/hook/");
        Link { origin, enter, hook, hook_token: hook_token_path(dirs), warm }
    }

    /// Makes a new link in place of the one before; who is in stays in until it
    /// is used.
    pub(crate) fn renew(&self) {
        if let Ok(fresh) = token() {
            self.doors(|doors| doors.link = Some(fresh));
        }
    }

    fn doors<T>(&self, look: impl FnOnce(&mut Doors) -> T) -> T {
        look(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Uses up the link.
    fn let_in(&self, given: &str) -> Option<Session> {
        let session = Session { token: token().ok()?, form: token().ok()? };
        self.doors(|doors| {
            if !doors.link.as_ref().is_some_and(|link| is_same(link, given)) {
                return None;
            }
            doors.link = None;
            doors.session = Some(session.clone());
            Some(session)
        })
    }

    fn session(&self, given: &str) -> Option<Session> {
        self.doors(|doors| doors.session.clone().filter(|one| is_same(&one.token, given)))
    }

    /// Whether a `Host` or the rest of an origin is this server.
    fn is_ours(&self, host: &str) -> bool {
        let port = self.address.port();
        host == self.address.to_string() || host == format!("localhost:{port}")
    }
}

impl Session {
    /// Whether a form is one of ours.
    pub(crate) fn owns_form(&self, form: &str) -> bool {
        is_same(&self.form, form)
    }
}

/// What the link carries.
#[derive(Deserialize)]
pub(crate) struct Enter {
    token: String,
}

/// Turns the link into a cookie. A look at what the link would bring (`HEAD`) is
/// not following it, and an agent that has got hold of it is not let in.
pub(crate) async fn enter(
    State(app): State<Shared>,
    ConnectInfo(there): ConnectInfo<SocketAddr>,
    method: Method,
    Query(Enter { token }): Query<Enter>,
) -> Response {
    if method != Method::GET {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET")]).into_response();
    }
    let peer = Peer { there, here: app.access.address };
    if let Err(failure) = on_blocking_thread(&app, move |app| app.refuse_agent(peer)).await {
        return failure.into_response();
    }
    let Some(session) = app.access.let_in(&token) else {
        // Anyone who sees the terminal of the server sees the new link; no one else does.
        let cure = format!(
            "Run `kill -USR1 {}` to make `toolgate serve` print a new link in its terminal.",
            std::process::id()
        );
        return Failure::new(StatusCode::FORBIDDEN, "This link was already used or has expired.", cure)
            .into_response();
    };
    let cookie = format!("{COOKIE}={}; HttpOnly; SameSite=Strict; Path=/", session.token);
    // A redirect would come from outside, and a strict cookie stays at home then.
    let page = "<!doctype html><html lang=en><meta charset=utf-8><meta http-equiv=refresh content=\"0; url=/\">\
                <title>Toolgate</title><a href=/>Inbox</a>";
    match HeaderValue::from_str(&cookie) {
        Ok(cookie) => ([(header::SET_COOKIE, cookie)], axum::response::Html(page)).into_response(),
        Err(_) => Redirect::to("/").into_response(),
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Refuses whatever was not meant for this server or came from another page.
pub(crate) async fn only_ours(State(app): State<Shared>, request: Request, next: Next) -> Response {
    match refusal(&app, &request) {
        None => next.run(request).await,
        Some(what) => {
            let cure = "Open the inbox at the address `toolgate serve` printed.";
            Failure::new(StatusCode::FORBIDDEN, what, cure).fitting(request.uri())
        }
    }
}

fn refusal(app: &App, request: &Request) -> Option<&'static str> {
    let headers = request.headers();
    let hosts: Vec<_> = headers.get_all(header::HOST).iter().collect();
    let host = match hosts.as_slice() {
        [one] => one.to_str().ok(),
        _ => None,
    };
    if !host.is_some_and(|host| app.access.is_ours(host)) {
        return Some("The request names another host.");
    }
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    let origin = text(headers, header::ORIGIN);
    let from_us = |origin: &str| origin.strip_prefix("http://").is_some_and(|host| app.access.is_ours(host));
    if origin.is_some_and(|origin| !from_us(origin)) {
        return Some("The request came from another page.");
    }
    let site = headers.get("sec-fetch-site").map(|site| site.to_str().unwrap_or_default());
    if site.is_some_and(|site| site != "same-origin" && (changes || site != "none")) {
        return Some("The request came from another site.");
    }
    // A browser says where a change comes from; a program shows its token itself.
    if changes && origin.is_none() && bearer(headers).is_none() {
        return Some("The request has no `Origin` header.");
    }
    None
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    text(headers, header::AUTHORIZATION)?.strip_prefix("Bearer ")
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|line| line.split(';')).find_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='))
}

/// Only for those who are in.
pub(crate) async fn only_inside(State(app): State<Shared>, mut request: Request, next: Next) -> Response {
    let given = bearer(request.headers()).or_else(|| cookie(request.headers()));
    match given.and_then(|token| app.access.session(token)) {
        Some(session) => {
            let here = app.access.address;
            let there = request.extensions().get().map_or(here, |ConnectInfo(there)| *there);
            request.extensions_mut().insert(Peer { there, here });
            request.extensions_mut().insert(session);
            next.run(request).await
        }
        None => {
            let cure = "Open the link that `toolgate serve` printed in its terminal. If it was used already, `kill -USR1` with the server's process id prints a new one.";
            Failure::new(StatusCode::UNAUTHORIZED, "You are not signed in.", cure).fitting(request.uri())
        }
    }
}

/// What every answer says about itself: not to be framed, kept, guessed or
/// mixed with anybody else's code.
pub(crate) async fn with_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (
            "content-security-policy",
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; \
             base-uri 'none'; frame-ancestors 'none'",
        ),
        ("x-frame-options", "DENY"),
        ("x-content-type-options", "nosniff"),
        // Stricter, and browsers would hide where our own forms come from.
        ("referrer-policy", "same-origin"),
        ("cache-control", "no-store"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
