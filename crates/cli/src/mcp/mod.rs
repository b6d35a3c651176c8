//! `toolgate mcp`: the proxy between a client and one MCP server at work.
//!
//! One thread reads both sides and judges; only a call that waits for a person
//! gets a thread of its own. What the messages mean is in `toolgate-adapters`,
//! what may happen in the gate; here they meet.

mod calls;
mod lists;
mod results;
mod wire;

use crate::screen::talk;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use toolgate_adapters::mcp::{
    Envelope, EnvelopeFault, Id, READ_METHODS, ServerIdentity, begins_listing, envelope, error_answer,
    is_harmless_noise, is_plain_line, looks_like_call,
};
use toolgate_core::{Context, Event, HostAnswer, Listing, Standing, visible};
use toolgate_runtime::{Broken, Gate, Setup};

pub use wire::run;

/// More open requests than this are refused.
const OPEN_MAX: usize = 4096;
/// More calls than this do not wait for people at once.
const HELD_MAX: usize = 64;
/// So many odd messages of one session are recorded.
const NOTES_MAX: u32 = 50;
/// Ids of cancelled requests that are remembered.
const CANCELLED_MAX: usize = 1024;
/// How long the server has to list its tools when a call comes before a list.
const LIST_TIME: Duration = Duration::from_secs(5);

/// How the proxy is run.
#[derive(Debug)]
pub struct Options {
    /// The server.
    pub server: ServerIdentity,
    /// The folder calls are judged in.
    pub dir: String,
    /// The session all calls belong to.
    pub session: String,
    /// How long the server may be silent while a call waits for it.
    pub silence: Duration,
}

/// A request of the client that the server has not answered yet.
#[derive(Debug)]
pub(crate) struct Open {
    id_text: String,
    what: Asked,
}

#[derive(Debug)]
pub(crate) enum Asked {
    /// The call of a tool that runs, and what the model is told next to its result.
    Call {
        event: Box<Event>,
        told: Option<String>,
        is_modern: bool,
    },
    /// Anything else a model reads.
    Read(Box<Event>),
    /// A page of the list of tools; whether it is the first.
    List {
        is_first: bool,
    },
    /// The beginning of a session.
    Begin,
    Other,
}

/// A call that waits: for a list of tools, or for a person.
#[derive(Debug)]
pub(crate) struct Waiting {
    line: Vec<u8>,
    id: Id,
}

/// A call a person is asked about.
#[derive(Debug)]
pub(crate) struct Held {
    line: Vec<u8>,
    id_text: String,
    event: Box<Event>,
    is_modern: bool,
    is_wanted: Arc<AtomicBool>,
}

/// The proxy's own request for the list of tools.
#[derive(Debug)]
pub(crate) struct OwnList {
    id: Id,
    meta: Option<String>,
    since: Instant,
    waiting: Vec<Waiting>,
}

type Outcome = (Id, Result<HostAnswer, Broken>);

/// The proxy.
pub(crate) struct Proxy {
    options: Options,
    gate: Gate,
    setup: Setup,
    /// What the client calls itself, as a name of a host.
    host: String,
    open: HashMap<Id, Open>,
    held: HashMap<Id, Held>,
    cancelled: VecDeque<Id>,
    /// The list of tools as far as it was seen, and whether all of it was.
    listing: Listing,
    standings: BTreeMap<String, Standing>,
    is_listed: bool,
    own: Option<OwnList>,
    own_count: u64,
    calls: u64,
    /// Which call a repeated one goes on with.
    continued: HashMap<String, String>,
    noted: u32,
    told: HashSet<String>,
    outcomes: Receiver<Outcome>,
    report: Sender<Outcome>,
    wake: UnixStream,
    /// Bytes on their way.
    to_server: Vec<u8>,
    to_client: Vec<u8>,
    heard: Instant,
}

impl Proxy {
    pub(crate) fn new(options: Options, mut gate: Gate, setup: Setup, wake: UnixStream) -> Proxy {
        gate.tidy_later();
        let (report, outcomes) = channel();
        Proxy {
            options,
            gate,
            setup,
            host: "mcp".to_owned(),
            open: HashMap::new(),
            held: HashMap::new(),
            cancelled: VecDeque::new(),
            listing: Listing::default(),
            standings: BTreeMap::new(),
            is_listed: false,
            own: None,
            own_count: 0,
            calls: 0,
            continued: HashMap::new(),
            noted: 0,
            told: HashSet::new(),
            outcomes,
            report,
            wake,
            to_server: Vec::new(),
            to_client: Vec::new(),
            heard: Instant::now(),
        }
    }

    fn send_server(&mut self, line: &[u8]) {
        self.to_server.extend_from_slice(line);
        self.to_server.push(b'\n');
    }

    fn send_client(&mut self, line: &[u8]) {
        self.to_client.extend_from_slice(line);
        self.to_client.push(b'\n');
    }

    fn context(&self) -> Context {
        Context {
            host: self.host.clone(),
            session: self.options.session.clone(),
            agent: "main".to_owned(),
            policy: String::new(),
        }
    }

    /// Whether there is something to do when nothing else is.
    pub(crate) fn is_untidy(&self) -> bool {
        self.gate.is_untidy()
    }

    /// Does what can wait until everything is on its way.
    pub(crate) fn tidy(&mut self) {
        self.gate.tidy();
    }

    /// Whether calls wait for the list of tools.
    pub(crate) fn waits_for_list(&self) -> bool {
        self.own.is_some()
    }

    /// Records something odd, as long as there is not too much of it.
    fn note(&mut self, what: &str, text: &str) {
        if self.noted < NOTES_MAX {
            self.noted += 1;
            let context = self.context();
            let text = format!("server {}: {text}", self.options.server.name);
            // What cannot be recorded is told at least.
            if self.gate.note(&context, what, &text).is_err() {
                self.tell(&text);
            }
        }
    }

    /// Tells the person who reads the client's log, once.
    fn tell(&mut self, text: &str) {
        if self.told.len() < 1000 && self.told.insert(text.to_owned()) {
            talk(&format!("toolgate: {}", visible(text)));
        }
    }

    /// One line of the client.
    pub(crate) fn on_client_line(&mut self, line: &[u8]) {
        let Ok(text) = std::str::from_utf8(line) else {
            return self.refuse(None, -32700, "it is not UTF-8 text");
        };
        if text.trim().is_empty() {
            return self.send_server(line);
        }
        match envelope(text) {
            Ok(found) => self.message(line, &found),
            // The server says itself what it thinks of it.
            Err(EnvelopeFault::NotJson) if is_harmless_noise(line) => self.send_server(line),
            Err(EnvelopeFault::NotJson) => self.refuse(None, -32700, "it is not JSON"),
            Err(EnvelopeFault::Refused { why, id }) => self.refuse(id.as_deref(), -32600, &why),
        }
    }

    fn refuse(&mut self, id: Option<&str>, code: i64, why: &str) {
        self.note("mcp-refused", &format!("a message of the client was not passed on: {why}"));
        let text = format!("Toolgate did not pass this message on: {why}");
        let answer = error_answer(id, code, &text);
        self.send_client(answer.as_bytes());
    }

    fn message(&mut self, line: &[u8], found: &Envelope<'_>) {
        let Some(method) = found.method.as_deref() else { return self.send_server(line) };
        let (Some(id), Some(id_text)) = (found.id.clone(), found.id_text) else {
            return self.notification(line, method, found.params);
        };
        if looks_like_call(method) {
            return self.refuse(
                found.id_text,
                -32600,
                &format!("its method `{method}` is not exactly `tools/call`"),
            );
        }
        if self.open.contains_key(&id) || self.held.contains_key(&id) || self.is_waiting(&id) {
            return self.refuse(found.id_text, -32600, "another request with this id is not answered yet");
        }
        let waiting = self.own.as_ref().map_or(0, |own| own.waiting.len());
        if self.open.len() + waiting >= OPEN_MAX {
            return self.refuse(found.id_text, -32000, "too many requests are not answered yet");
        }
        self.cancelled.retain(|one| *one != id);
        let what = match method {
            "tools/call" => return self.call(line, id, id_text, found.params),
            "resources/read" => return self.read(line, id, id_text, found.params),
            "tools/list" => Asked::List { is_first: begins_listing(found.params) },
            "initialize" | "server/discover" => {
                self.begin(found.params);
                Asked::Begin
            }
            method if READ_METHODS.contains(&method) => {
                Asked::Read(Box::new(self.read_event(method, found.params)))
            }
            _ => Asked::Other,
        };
        self.open.insert(id, Open { id_text: id_text.to_owned(), what });
        self.send_server(line);
    }

    fn is_waiting(&self, id: &Id) -> bool {
        self.own.as_ref().is_some_and(|own| own.id == *id || own.waiting.iter().any(|one| one.id == *id))
    }

    fn notification(&mut self, line: &[u8], method: &str, params: Option<&str>) {
        if method == "tools/call" || looks_like_call(method) {
            // No one could be told why it did not run.
            return self.note("mcp-refused", "a call of a tool without an id was not passed on");
        }
        if method == "notifications/cancelled" && self.cancel(params) {
            return;
        }
        self.send_server(line);
    }

    /// Takes a request back; whether the server never heard of it.
    fn cancel(&mut self, params: Option<&str>) -> bool {
        let params: Option<serde_json::Value> = params.and_then(|text| serde_json::from_str(text).ok());
        let id = params.as_ref().and_then(|value| value.get("requestId"));
        let Some(id) = id.and_then(|id| Id::of(&id.to_string())) else { return false };
        if let Some(held) = self.held.remove(&id) {
            held.is_wanted.store(false, std::sync::atomic::Ordering::SeqCst);
            return true;
        }
        if let Some(own) = &mut self.own {
            let before = own.waiting.len();
            own.waiting.retain(|one| one.id != id);
            if own.waiting.len() < before {
                return true;
            }
        }
        if let Some(open) = self.open.remove(&id) {
            if self.cancelled.len() >= CANCELLED_MAX {
                self.cancelled.pop_front();
            }
            self.cancelled.push_back(id);
            self.failed(open, "the client cancelled it");
        }
        false
    }

    /// One line of the server.
    pub(crate) fn on_server_line(&mut self, line: &[u8]) {
        self.heard = Instant::now();
        let text = std::str::from_utf8(line).ok();
        let Some(text) = text else { return self.drop_line("it is not UTF-8 text", None) };
        if text.trim().is_empty() {
            return self.send_client(line);
        }
        let found = match envelope(text) {
            Ok(found) => found,
            Err(EnvelopeFault::NotJson) if is_plain_line(line) => return self.send_client(line),
            Err(EnvelopeFault::NotJson) => return self.drop_line("it is not JSON", None),
            Err(EnvelopeFault::Refused { why, id }) => return self.drop_line(&why, id.as_deref()),
        };
        if let Some(method) = found.method.as_deref() {
            if method == "notifications/tools/list_changed" {
                self.is_listed = false;
                self.standings.clear();
            }
            return self.send_client(line);
        }
        let Some(id) = found.id.clone() else {
            // What has no id answers nothing; an error may still say what went wrong.
            return if found.error.is_some() {
                self.send_client(line)
            } else {
                self.drop_line("it has no id", None)
            };
        };
        if self.own.as_ref().is_some_and(|own| own.id == id) {
            return self.own_page(text);
        }
        match self.open.remove(&id) {
            Some(open) => self.answered(line, text, &found, id, open),
            None if self.cancelled.contains(&id) => {}
            None => self.drop_line("no request has its id", None),
        }
    }

    /// A message of the server that is not passed on. The request it answers gets an answer.
    fn drop_line(&mut self, why: &str, id: Option<&str>) {
        self.note("mcp-dropped", &format!("a message of the server was not passed on: {why}"));
        let Some(open) = id.and_then(Id::of).and_then(|id| self.open.remove(&id)) else { return };
        self.unanswered(open, &format!("the answer of the MCP server was not passed on: {why}"));
    }

    /// A line of the client that was never read.
    pub(crate) fn client_line_too_long(&mut self) {
        self.refuse(None, -32600, "it is longer than 32 MiB");
    }

    /// A line of the server that was never read. Which request it answered cannot be told; when
    /// only one is open, it is that one.
    pub(crate) fn server_line_too_long(&mut self) {
        let why = "the MCP server sent a message of more than 32 MiB, which was not passed on";
        self.note("mcp-dropped", why);
        self.tell(why);
        let ids: Vec<Id> = self.open.keys().cloned().collect();
        if let [id] = ids.as_slice()
            && let Some(open) = self.open.remove(id)
        {
            self.cancelled.push_back(id.clone());
            self.unanswered(open, why);
        }
    }
}
