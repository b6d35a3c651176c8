//! A model that follows a script, on 127.0.0.1, in the dialect the agent speaks: Anthropic Messages, OpenAI
//! Responses, Chat Completions or Gemini, streaming and not.
//!
//! The test says which tool the agent will try; the server keeps every request, so the test can read what
//! the agent was told afterwards. It knows nothing of hooks or of toolgate, and it never judges: all
//! assertions live in the tests.

mod anthropic;
mod chat;
mod dialect;
mod gemini;
mod responses;
mod wish;

pub use wish::Wish;

use dialect::{Dialect, is_side, smallest, wanted_schema};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;
use tiny_http::{Header, Method, Request, Response, Server};

/// Longest time a turn waits for its gate; a test that forgets to open it fails instead of hanging.
const GATE_WAIT_MAX: Duration = Duration::from_secs(120);

/// One answer of the model: text, tool calls, or both.
#[derive(Clone, Default)]
pub struct Turn {
    text: Option<String>,
    calls: Vec<Wish>,
    gate: Option<Gate>,
}

impl Turn {
    /// The answer is sent only once the test has opened `gate`.
    pub fn after(mut self, gate: &Gate) -> Turn {
        self.gate = Some(gate.clone());
        self
    }
}

/// The model only talks; without a tool call this ends the agent's turn.
pub fn say(text: &str) -> Turn {
    Turn { text: Some(text.to_string()), ..Turn::default() }
}

/// The model calls the tool `name`.
pub fn call(name: &str, input: Value) -> Turn {
    Turn { calls: vec![Wish::Exact(name.to_string(), input)], ..Turn::default() }
}

/// The model makes these calls at once, each with whatever tool the agent offers for it.
pub fn wish(calls: impl IntoIterator<Item = Wish>) -> Turn {
    Turn { calls: calls.into_iter().collect(), ..Turn::default() }
}

/// The model runs a shell command.
pub fn bash(command: &str) -> Turn {
    call("Bash", json!({"command": command, "description": "scripted command"}))
}

/// The model hands `prompt` to a sub-agent and waits for it.
pub fn sub_agent(prompt: &str) -> Turn {
    let input = json!({
        "description": "scripted sub-agent", "prompt": prompt,
        "subagent_type": "general-purpose", "run_in_background": false,
    });
    call("Agent", input)
}

/// A door between test and model: the turn behind it waits until the test opens it.
#[derive(Clone, Default)]
pub struct Gate(Arc<(Mutex<Option<String>>, Condvar)>);

impl Gate {
    /// Lets the waiting turn go; stays open.
    pub fn open(&self) {
        self.open_with("");
    }

    /// The same, and puts `word` where the waiting turn's tool calls say `{word}`.
    pub fn open_with(&self, word: &str) {
        *locked(&self.0.0) = Some(word.to_string());
        self.0.1.notify_all();
    }

    fn wait(&self) -> String {
        let closed = |word: &mut Option<String>| word.is_none();
        match self.0.1.wait_timeout_while(locked(&self.0.0), GATE_WAIT_MAX, closed) {
            Ok((word, _)) => word.clone().unwrap_or_default(),
            Err(_) => String::new(),
        }
    }
}

/// What the model will do: the turns of the main thread, and of sub-agents known by their opening text.
#[derive(Clone, Default)]
pub struct Script {
    turns: Vec<Turn>,
    streams: Vec<(String, Vec<Turn>)>,
}

impl Script {
    /// The main thread plays these turns in order, then says it is done.
    pub fn of(turns: impl IntoIterator<Item = Turn>) -> Script {
        Script { turns: turns.into_iter().collect(), streams: Vec::new() }
    }

    /// Requests whose system prompt or first user message holds `mark` play `turns` instead.
    pub fn stream(mut self, mark: &str, turns: impl IntoIterator<Item = Turn>) -> Script {
        self.streams.push((mark.to_string(), turns.into_iter().collect()));
        self
    }
}

/// Who said the new text in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    User,
    System,
    ToolResult { is_error: bool },
}

/// One piece of text that is new since the model's last answer.
#[derive(Debug, Clone)]
pub struct News {
    pub kind: Kind,
    pub text: String,
}

/// One request the agent made.
#[derive(Debug, Clone)]
pub struct Asked {
    /// `main`, `side` (no tools offered: titles and the like), `search` (a tool was looked for) or the mark of a stream.
    pub stream: String,
    pub news: Vec<News>,
    pub body: Value,
}

impl Asked {
    /// Everything new in this request, as one text.
    pub fn told(&self) -> String {
        self.news.iter().map(|news| news.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The new tool results: text and error flag.
    pub fn results(&self) -> Vec<(String, bool)> {
        let result = |news: &News| match news.kind {
            Kind::ToolResult { is_error } => Some((news.text.clone(), is_error)),
            Kind::User | Kind::System => None,
        };
        self.news.iter().filter_map(result).collect()
    }
}

#[derive(Default)]
struct Board {
    script: Script,
    /// The turn whose tool is being searched for.
    put_off: Option<Turn>,
    asked: Vec<Asked>,
}

/// The running server; it ends with the value.
pub struct Model {
    server: Arc<Server>,
    board: Arc<Mutex<Board>>,
    pub url: String,
}

impl Model {
    /// Starts playing `script` on a free port.
    pub fn start(script: Script) -> Model {
        let server = Arc::new(Server::http("127.0.0.1:0").expect("a free port on 127.0.0.1"));
        let url = format!("http://{}", server.server_addr());
        let board = Arc::new(Mutex::new(Board { script, ..Board::default() }));
        let model = Model { server, board, url };
        let (server, board) = (Arc::clone(&model.server), Arc::clone(&model.board));
        thread::spawn(move || {
            // One thread per request: a turn behind a gate must not keep a sub-agent waiting.
            for request in server.incoming_requests() {
                let board = Arc::clone(&board);
                thread::spawn(move || answer(request, &board));
            }
        });
        model
    }

    /// Plays another script from now on.
    pub fn play(&self, script: Script) {
        locked(&self.board).script = script;
    }

    /// The requests of one stream so far, in order.
    pub fn asked(&self, stream: &str) -> Vec<Asked> {
        locked(&self.board).asked.iter().filter(|asked| asked.stream == stream).cloned().collect()
    }

    /// The requests of the main thread so far.
    pub fn main(&self) -> Vec<Asked> {
        self.asked("main")
    }

    /// Everything new in the `n`-th request (from 0) of the main thread, or an empty text.
    pub fn told(&self, n: usize) -> String {
        self.main().get(n).map(Asked::told).unwrap_or_default()
    }

    /// The one tool result that is new in the `n`-th request of the main thread.
    #[track_caller]
    pub fn result(&self, n: usize) -> (String, bool) {
        let main = self.main();
        let asked = main.get(n).unwrap_or_else(|| panic!("the model was asked only {} times", main.len()));
        let results = asked.results();
        assert_eq!(results.len(), 1, "one tool result expected: {results:?}");
        results[0].clone()
    }

    /// Was `text` new in any request of any stream?
    pub fn was_told(&self, text: &str) -> bool {
        locked(&self.board).asked.iter().any(|asked| asked.told().contains(text))
    }

    /// Writes a readable digest and the raw requests, for a person who looks at a failed test.
    pub fn save(&self, folder: &Path) {
        let board = locked(&self.board);
        let mut digest = String::new();
        for (n, asked) in board.asked.iter().enumerate() {
            digest += &format!("#{n} {}\n", asked.stream);
            for news in &asked.news {
                digest += &format!("  {:?}: {}\n", news.kind, news.text);
            }
        }
        let bodies: Vec<&Value> = board.asked.iter().map(|asked| &asked.body).collect();
        drop(std::fs::write(folder.join("requests.txt"), digest));
        drop(std::fs::write(folder.join("requests.json"), json!(bodies).to_string()));
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.server.unblock();
    }
}

/// A test that failed elsewhere must not hide its message behind a poisoned lock.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn answer(mut request: Request, board: &Mutex<Board>) {
    let url = request.url().to_string();
    let path = url.split('?').next().unwrap_or_default();
    let mut bytes = Vec::new();
    let body = match request.as_reader().read_to_end(&mut bytes) {
        Ok(_) => serde_json::from_slice(&bytes).unwrap_or(Value::Null),
        Err(_) => Value::Null,
    };
    let (status, kind, reply) = match request.method() {
        Method::Post if path.ends_with("count_tokens") => ok(&json!({"input_tokens": 10})),
        Method::Post if path.ends_with(":countTokens") => ok(&json!({"totalTokens": 10})),
        Method::Post => match Dialect::of(path) {
            Some(dialect) => generate(dialect, path, body, board),
            None => not_found(),
        },
        Method::Get if path.ends_with("/models") => ok(&models()),
        Method::Head => ok(&json!({})),
        _ => not_found(),
    };
    let header = Header::from_bytes("Content-Type", kind).expect("a plain header");
    // The agent may have gone away meanwhile; that is its right.
    drop(request.respond(Response::from_string(reply).with_status_code(status).with_header(header)));
}

fn ok(reply: &Value) -> (u16, &'static str, String) {
    (200, "application/json", reply.to_string())
}

fn not_found() -> (u16, &'static str, String) {
    (404, "application/json", json!({"type": "error", "error": {"type": "not_found_error"}}).to_string())
}

fn models() -> Value {
    let model = json!({"id": "scripted", "type": "model", "object": "model", "display_name": "scripted",
        "created_at": "2026-01-01T00:00:00Z"});
    json!({"object": "list", "data": [model], "models": [], "has_more": false})
}

fn generate(
    dialect: &'static Dialect,
    path: &str,
    body: Value,
    board: &Mutex<Board>,
) -> (u16, &'static str, String) {
    // A tool that has to be searched for first costs a request of its own, on the side.
    let second = locked(board).put_off.take();
    let is_second = second.is_some();
    let (n, mut turn) = next_turn(dialect, &body, second, &mut locked(board));
    let offers = (dialect.offers)(&body);
    let search = turn.calls.iter().find_map(|wish| wish.search(&offers));
    if let Some(search) = search.filter(|_| !is_second) {
        locked(board).put_off = Some(turn);
        turn = Turn { calls: vec![search], ..Turn::default() };
    }
    let word = turn.gate.as_ref().map(Gate::wait);
    let calls: Vec<_> = (0..)
        .zip(&turn.calls)
        .map(|(k, wish)| wish.resolve(&offers, &format!("call_{n}_{k}"), word.as_deref()))
        .collect();
    let answer = (dialect.answer)(&body, turn.text.as_deref(), &calls, n);
    if body["stream"] == true || path.contains("streamGenerate") {
        (200, "text/event-stream", (dialect.events)(&answer))
    } else {
        ok(&answer)
    }
}

/// Notes the request and takes the turn that answers it.
fn next_turn(dialect: &Dialect, body: &Value, second: Option<Turn>, board: &mut Board) -> (usize, Turn) {
    let opening = (dialect.opening)(body);
    let stream = board.script.streams.iter_mut().find(|(mark, _)| opening.contains(mark.as_str()));
    if let Some(turn) = second {
        let stream = "search".to_string();
        board.asked.push(Asked { stream, news: (dialect.news)(body), body: body.clone() });
        return (board.asked.len(), turn);
    }
    let (name, turn) = match (is_side(&(dialect.offers)(body)), stream) {
        (true, _) => ("side".to_string(), side_turn(body)),
        (false, Some((mark, turns))) => (mark.clone(), take_first(turns)),
        (false, None) => ("main".to_string(), take_first(&mut board.script.turns)),
    };
    board.asked.push(Asked { stream: name, news: (dialect.news)(body), body: body.clone() });
    (board.asked.len(), turn)
}

fn take_first(turns: &mut Vec<Turn>) -> Turn {
    if turns.is_empty() { say("(the script is at its end)") } else { turns.remove(0) }
}

/// The agent's own business (titles, summaries): a constant, or the smallest value of the schema it wants.
fn side_turn(body: &Value) -> Turn {
    match wanted_schema(body) {
        Some(schema) => say(&smallest(schema).to_string()),
        None => say("ok"),
    }
}
