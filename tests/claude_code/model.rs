//! A model that follows a script: the Anthropic Messages API on 127.0.0.1, streaming and not.
//!
//! The test says which tool the agent will try; the server keeps every request, so the test can read what
//! the agent was told afterwards. It knows nothing of hooks or of toolgate, and it never judges: all
//! assertions live in the tests.

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
    calls: Vec<(String, Value)>,
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
    Turn { calls: vec![(name.to_string(), input)], ..Turn::default() }
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

/// The input with `{word}` filled in, wherever a text stands.
fn filled(input: &Value, word: &str) -> Value {
    match input {
        Value::String(text) => json!(text.replace("{word}", word)),
        Value::Array(items) => items.iter().map(|item| filled(item, word)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), filled(value, word))).collect()
        }
        _ => input.clone(),
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
    /// `main`, `side` (no tools offered: titles and the like) or the mark of a stream.
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
        let board = Arc::new(Mutex::new(Board { script, asked: Vec::new() }));
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
    let path = request.url().split('?').next().unwrap_or_default().to_string();
    let mut text = String::new();
    let body = match request.as_reader().read_to_string(&mut text) {
        Ok(_) => serde_json::from_str(&text).unwrap_or(Value::Null),
        Err(_) => Value::Null,
    };
    let (status, kind, reply) = match (request.method(), path.as_str()) {
        (Method::Post, path) if path.ends_with("/count_tokens") => ok(&json!({"input_tokens": 10})),
        (Method::Post, path) if path.ends_with("/messages") => messages(body, board),
        (Method::Get, path) if path.ends_with("/models") => ok(&models()),
        (Method::Head, _) => ok(&json!({})),
        _ => (
            404,
            "application/json",
            json!({"type": "error", "error": {"type": "not_found_error"}}).to_string(),
        ),
    };
    let header = Header::from_bytes("Content-Type", kind).expect("a plain header");
    // The agent may have gone away meanwhile; that is its right.
    drop(request.respond(Response::from_string(reply).with_status_code(status).with_header(header)));
}

fn ok(reply: &Value) -> (u16, &'static str, String) {
    (200, "application/json", reply.to_string())
}

fn models() -> Value {
    let model = json!({"id": "scripted", "type": "model", "display_name": "scripted",
        "created_at": "2026-01-01T00:00:00Z"});
    json!({"data": [model], "has_more": false})
}

fn messages(body: Value, board: &Mutex<Board>) -> (u16, &'static str, String) {
    let (n, mut turn) = next_turn(&body, &mut locked(board));
    if let Some(word) = turn.gate.as_ref().map(Gate::wait) {
        turn.calls.iter_mut().for_each(|(_, input)| *input = filled(input, &word));
    }
    let message = message_of(&body, &turn, n);
    if body["stream"] == true { (200, "text/event-stream", events_of(&message)) } else { ok(&message) }
}

/// Notes the request and takes the turn that answers it.
fn next_turn(body: &Value, board: &mut Board) -> (usize, Turn) {
    let opening = opening_of(body);
    let has_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let stream = board.script.streams.iter_mut().find(|(mark, _)| opening.contains(mark.as_str()));
    let (name, turn) = match (has_tools, stream) {
        (false, _) => ("side".to_string(), side_turn(body)),
        (true, Some((mark, turns))) => (mark.clone(), take_first(turns)),
        (true, None) => ("main".to_string(), take_first(&mut board.script.turns)),
    };
    board.asked.push(Asked { stream: name, news: news_of(body), body: body.clone() });
    (board.asked.len(), turn)
}

fn take_first(turns: &mut Vec<Turn>) -> Turn {
    if turns.is_empty() { say("(the script is at its end)") } else { turns.remove(0) }
}

/// The agent's own business (titles, summaries): a constant, or the smallest value of the schema it wants.
fn side_turn(body: &Value) -> Turn {
    match body.pointer("/output_config/format/schema").or_else(|| body.pointer("/output_format/schema")) {
        Some(schema) => say(&smallest(schema).to_string()),
        None => say("ok"),
    }
}

fn smallest(schema: &Value) -> Value {
    if let Some(first) = schema.pointer("/enum/0") {
        return first.clone();
    }
    match schema["type"].as_str().unwrap_or("string") {
        "object" => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            fields
                .map(|(key, value)| (key.clone(), smallest(value)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        "array" => json!([]),
        "number" | "integer" => json!(0),
        "boolean" => json!(false),
        "null" => Value::Null,
        _ => json!("ok"),
    }
}

fn opening_of(body: &Value) -> String {
    let first = body.pointer("/messages/0/content").unwrap_or(&Value::Null);
    format!("{}\n{}", text_of(&body["system"]), text_of(first))
}

fn news_of(body: &Value) -> Vec<News> {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let after =
        messages.iter().rposition(|message| message["role"] == "assistant").map_or(0, |last| last + 1);
    messages[after..].iter().flat_map(news_of_message).collect()
}

fn news_of_message(message: &Value) -> Vec<News> {
    let speaker = if message["role"] == "system" { Kind::System } else { Kind::User };
    let Some(blocks) = message["content"].as_array() else {
        return vec![News { kind: speaker, text: text_of(&message["content"]) }];
    };
    let news = |block: &Value| match block["type"].as_str() {
        Some("tool_result") => {
            let kind = Kind::ToolResult { is_error: block["is_error"] == true };
            Some(News { kind, text: text_of(&block["content"]) })
        }
        Some("text") => Some(News { kind: speaker, text: text_of(&block["text"]) }),
        _ => None,
    };
    blocks.iter().filter_map(news).collect()
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        Value::Object(part) => {
            part.get("text").or_else(|| part.get("content")).map(text_of).unwrap_or_default()
        }
        _ => String::new(),
    }
}

fn message_of(body: &Value, turn: &Turn, n: usize) -> Value {
    let text = turn.text.iter().map(|text| json!({"type": "text", "text": text}));
    let calls = turn.calls.iter().enumerate().map(|(k, (name, input))| {
        json!({"type": "tool_use", "id": format!("toolu_{n}_{k}"), "name": name, "input": input})
    });
    json!({
        "id": format!("msg_{n}"), "type": "message", "role": "assistant", "model": body["model"],
        "content": text.chain(calls).collect::<Vec<_>>(),
        "stop_reason": if turn.calls.is_empty() { "end_turn" } else { "tool_use" }, "stop_sequence": null,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    })
}

/// The same message as server-sent events.
fn events_of(message: &Value) -> String {
    let mut head = message.clone();
    head["content"] = json!([]);
    head["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": head})];
    for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
        let (start, delta) = start_and_delta(block);
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let end = json!({"stop_reason": message["stop_reason"], "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": 10}}));
    events.push(json!({"type": "message_stop"}));
    let line =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    events.iter().map(line).collect()
}

fn start_and_delta(block: &Value) -> (Value, Value) {
    let mut start = block.clone();
    if block["type"] == "text" {
        start["text"] = json!("");
        return (start, json!({"type": "text_delta", "text": block["text"]}));
    }
    start["input"] = json!({});
    (start, json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}))
}
