//! Who may come in: a browser that followed the link this server printed.
//!
//! The link works once and becomes a cookie that no other site can send along.
//! Cookies know no ports: one for `127.0.0.1` goes to every server on this machine,
//! also to the one an agent starts. So the pages have a name of their own below
//! `localhost`, new each time, which browsers resolve to this machine; the cookie
//! is for that name alone and opens nothing when it comes another way. Programs
//! have a token of their own, made only where it is asked for.
//!
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

/// Bytes of the name a server has for itself.
const NAME: usize = 8;

/// Characters of a token.
const TOKEN: usize = 64;

/// What lets a browser in.
#[derive(Debug, Clone)]
pub struct Link {
    /// Where the pages are.
    pub origin: String,
    /// The address to open, once.
    pub enter: String,
    /// Where hosts with HTTP hooks send their events; the host's name comes behind it.
    pub hook: String,
    /// The file with the token they show.
    pub hook_token: PathBuf,
    /// Where the API is for programs, and the token they show, if one was asked for.
    pub api: Option<(String, String)>,
    /// Whether hook processes hand their events over, or why not.
    pub warm: Result<(), String>,
}

/// Who is in.
#[derive(Debug)]
pub(crate) struct Access {
    pub(crate) address: SocketAddr,
    /// What the pages are reached by, port and all; the cookie is for this alone.
    host: String,
    /// What the cookie is called: another server of this user has another one.
    cookie: String,
    hook: String,
    /// Programs that answer through the API, if they may.
    api: Option<Session>,
    state: Mutex<Doors>,
}

/// What the pages are reached by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Naming {
    /// A name of its own below `localhost`.
    #[default]
    Name,
    /// The address listened at, for browsers that do not know such names.
    Address,
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
    random::<{ TOKEN / 2 }>()
}

/// So many random bytes in hex.
fn random<const BYTES: usize>() -> Result<String, Broken> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| Broken::new(format!("no randomness: {error}"), "run `toolgate doctor`"))?;
    Ok(hex(&bytes))
}

/// Compares without telling by its time where two tokens differ.
fn is_same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

impl Access {
    pub(crate) fn new(
        address: SocketAddr,
        naming: Naming,
        with_api: bool,
        dirs: &Dirs,
    ) -> Result<Access, Broken> {
        let state = Mutex::new(Doors { link: Some(token()?), session: None });
        let name = random::<NAME>()?;
        let host = match naming {
            Naming::Name => format!("t-{name}.localhost:{}", address.port()),
            Naming::Address => address.to_string(),
        };
        let api = if with_api { Some(Session { token: token()?, form: token()? }) } else { None };
        Ok(Access { address, host, cookie: format!("toolgate-{name}"), hook: hook_token(dirs)?, api, state })
    }

    /// Whether a request shows the token of HTTP hooks.
    pub(crate) fn is_hook(&self, headers: &HeaderMap) -> bool {
        bearer(headers).is_some_and(|given| is_same(&self.hook, given))
    }

    /// The link, as long as no one followed it.
    pub(crate) fn link(&self, dirs: &Dirs, warm: Result<(), String>) -> Link {
        let origin = format!("http://{}", self.host);
        let link = self.doors(|doors| doors.link.clone()).unwrap_or_default();
        let enter = format!("{origin}/enter?token={link}");
        // Programs need not know names below `localhost`.
        let address = format!("http://{}", self.address);
        let hook = format!("{address}/hook/");
        let api = self.api.as_ref().map(|api| (format!("{address}/api/"), api.token.clone()));
        Link { origin, enter, hook, hook_token: hook_token_path(dirs), api, warm }
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

    /// The browser a cookie lets in. Others may have set cookies of the same name for a name
    /// above this one: the one that fits counts.
    fn session(&self, headers: &HeaderMap) -> Option<Session> {
        if host_of(headers) != Some(self.host.as_str()) {
            return None;
        }
        let inside = self.doors(|doors| doors.session.clone())?;
        let lines = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut own = pairs.filter(|(name, _)| *name == self.cookie);
        own.any(|(_, given)| is_same(&inside.token, given)).then_some(inside)
    }

    /// The program a token lets in.
    fn program(&self, given: &str) -> Option<Session> {
        self.api.clone().filter(|api| is_same(&api.token, given))
    }

    /// Whether a `Host` or the rest of an origin is this server: the name of the pages, or
    /// for programs its address.
    fn is_ours(&self, host: &str) -> bool {
        host == self.host || host == self.address.to_string()
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
    headers: HeaderMap,
    Query(Enter { token }): Query<Enter>,
) -> Response {
    if method != Method::GET {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET")]).into_response();
    }
    let peer = Peer { there, here: app.access.address };
    if let Err(failure) = on_blocking_thread(&app, move |app| app.refuse_agent(peer)).await {
        return failure.into_response();
    }
    if host_of(&headers) != Some(app.access.host.as_str()) {
        // A cookie for the address would go to every other server there.
        let cure = "Open the link as it was printed. For a browser that cannot open it, \
                    start `toolgate serve --by-address`.";
        return Failure::new(StatusCode::FORBIDDEN, "The link has another host name.", cure).into_response();
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
    // No `Domain`: for this very name only. `Secure`, and with it the prefix `__Host-`, is for
    // https; some browsers refuse it even on this machine.
    let cookie = format!("{}={}; HttpOnly; SameSite=Strict; Path=/", app.access.cookie, session.token);
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

/// The one host a request is meant for.
fn host_of(headers: &HeaderMap) -> Option<&str> {
    let hosts: Vec<_> = headers.get_all(header::HOST).iter().collect();
    match hosts.as_slice() {
        [one] => one.to_str().ok(),
        _ => None,
    }
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
    if !host_of(headers).is_some_and(|host| app.access.is_ours(host)) {
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

/// Only for those who are in.
pub(crate) async fn only_inside(State(app): State<Shared>, mut request: Request, next: Next) -> Response {
    let headers = request.headers();
    let found = match bearer(headers) {
        Some(given) => app.access.program(given),
        None => app.access.session(headers),
    };
    match found {
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
