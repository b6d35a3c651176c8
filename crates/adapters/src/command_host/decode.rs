//! Reads what a host sends, by the row of the host.
//!
//! A call that cannot be read is an error, which closes; an unknown event
//! without a call is recorded and lets the run go on, because hosts add events with
//! every release.

use crate::command_host::{CommandHost, Moment, Tool, tools};
use crate::{Asked, Unreadable};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use toolgate_core::{Call, Context, Event, EventKind, Kind, absolute, is_connection_failure};

/// Fields of an input that are written and never run, so that a NUL in them does no harm.
const CONTENT: &[&str] = &[
    "content",
    "old_string",
    "new_string",
    "new_source",
    "file_text",
    "old_str",
    "new_str",
    "before",
    "after",
    "new_text",
    "old_text",
];

pub(super) fn decode(host: &CommandHost, bytes: &[u8]) -> Result<Asked, Unreadable> {
    let value = read(host, bytes)?;
    let message = Message { host, value: &value };
    let name = message.event_name()?;
    let Some((_, moment)) = host.events.iter().find(|(known, _)| *known == name) else {
        return message.unknown(name);
    };
    match *moment {
        Moment::Before => Ok(Asked::Judge(message.event(EventKind::PreExecution)?)),
        Moment::Permission => Ok(Asked::Permission(message.event(EventKind::PreExecution)?)),
        Moment::After => {
            let kind = if message.has_failed() { EventKind::OnError } else { EventKind::PostExecution };
            message.result(kind)
        }
        Moment::Failed => message.result(EventKind::OnError),
        Moment::Stop => Ok(Asked::Judge(message.event(EventKind::Stop)?)),
        Moment::SubagentStart => Ok(Asked::Result(message.event(EventKind::PostHandoff)?, None)),
        Moment::Note(what) => message.note(what, name),
        Moment::Silent => message.note("event", name),
    }
}

fn read(host: &CommandHost, bytes: &[u8]) -> Result<Value, Unreadable> {
    let mut value: Value = serde_json::from_slice(bytes)
        .map_err(|error| unreadable(format!("the host's message is not JSON: {error}")))?;
    if let Some(normal) = host.fields.normal {
        normal(&mut value);
    }
    Ok(value)
}

/// The folder the session is in, whatever folder a call names.
pub(super) fn project(host: &CommandHost, bytes: &[u8]) -> Option<PathBuf> {
    let value = read(host, bytes).ok()?;
    let dir = value.pointer(host.fields.dir)?.as_str()?;
    dir.starts_with('/').then(|| PathBuf::from(dir))
}

/// A call of this host's tool, for judging without the host.
pub(super) fn call(host: &CommandHost, tool: &str, input: Value, dir: &str) -> Result<Call, Unreadable> {
    let kind = tools::kind_of(host, tool, &input)?;
    Ok(Call {
        host: host.name.to_owned(),
        session: "test".to_owned(),
        agent: "main".to_owned(),
        role: None,
        task: None,
        id: None,
        tool: tool.to_owned(),
        kind,
        input,
        dir: dir.to_owned(),
        scripts: Vec::new(),
        salt: None,
        standing: None,
    })
}

/// An event as the host would send it about a shell command.
pub(super) fn probe(host: &CommandHost, command: &str, dir: &str) -> String {
    let fields = &host.fields;
    let shell = host.tools.iter().find_map(|(name, tool)| match tool {
        Tool::Shell(field) | Tool::ShellIn(field, _) => Some((*name, json!({ *field: command }))),
        Tool::Commands(field) => Some((*name, json!({ *field: [command] }))),
        _ => None,
    });
    let (tool, input) = shell.unwrap_or(("shell", json!({ "command": command })));
    let mut message = Value::Object(Map::new());
    for (pointer, value) in [
        (fields.event, json!(host.event_at(Moment::Before))),
        (fields.session, json!("toolgate-doctor")),
        (fields.dir, json!(dir)),
        (fields.tool, json!(tool)),
        (fields.input, input),
        (fields.call, json!("toolgate-doctor")),
    ] {
        put(&mut message, pointer, value);
    }
    message.to_string()
}

/// Puts a value where a pointer says, with the objects on the way.
fn put(into: &mut Value, pointer: &str, value: Value) {
    let mut at = into;
    let mut names = pointer.split('/').skip(1).peekable();
    while let Some(name) = names.next() {
        let Some(fields) = at.as_object_mut() else { return };
        if names.peek().is_none() {
            fields.insert(name.to_owned(), value);
            return;
        }
        at = fields.entry(name).or_insert_with(|| Value::Object(Map::new()));
    }
}

fn unreadable(why: String) -> Unreadable {
    Unreadable { why }
}

/// Names in an error come from outside; keep them short and printable.
fn shorten(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}

struct Message<'a> {
    host: &'a CommandHost,
    value: &'a Value,
}

impl<'a> Message<'a> {
    fn at(&self, pointer: &str) -> Option<&'a Value> {
        if pointer.is_empty() { None } else { self.value.pointer(pointer).filter(|found| !found.is_null()) }
    }

    fn optional(&self, pointer: &str) -> Option<&'a str> {
        self.at(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    fn text(&self, pointer: &str) -> Result<&'a str, Unreadable> {
        let name = pointer.trim_start_matches('/');
        self.optional(pointer).ok_or_else(|| unreadable(format!("the host's message has no text `{name}`")))
    }

    fn event_name(&self) -> Result<&'a str, Unreadable> {
        let fields = &self.host.fields;
        if let Some(name) = self.optional(fields.event) {
            return Ok(name);
        }
        let shape = fields.shape.and_then(|shape| shape(self.value));
        shape.ok_or_else(|| unreadable("the host's message does not say which event it is".to_owned()))
    }

    /// An event the row does not name. With a call in it, the call may be about to run.
    fn unknown(&self, name: &str) -> Result<Asked, Unreadable> {
        let fields = &self.host.fields;
        if self.at(fields.tool).is_some() {
            let name = shorten(name);
            return Err(unreadable(format!(
                "the host sent a call with an event this gate does not know: `{name}`"
            )));
        }
        self.note("unknown-event", name)
    }

    fn note(&self, what: &str, name: &str) -> Result<Asked, Unreadable> {
        Ok(Asked::Note { context: self.context()?, what: what.to_owned(), text: shorten(name) })
    }

    fn context(&self) -> Result<Context, Unreadable> {
        Ok(Context {
            host: self.host.name.to_owned(),
            session: self.text(self.host.fields.session)?.to_owned(),
            agent: self.agent(),
            policy: String::new(),
        })
    }

    fn agent(&self) -> String {
        self.optional(self.host.fields.agent).unwrap_or("main").to_owned()
    }

    fn dir(&self) -> Result<String, Unreadable> {
        let dir = self.text(self.host.fields.dir)?;
        if dir.starts_with('/') && !dir.contains('\0') {
            return Ok(dir.to_owned());
        }
        let name = self.host.fields.dir.trim_start_matches('/');
        Err(unreadable(format!("the host's `{name}` is not an absolute path")))
    }

    fn result(&self, kind: EventKind) -> Result<Asked, Unreadable> {
        let (fields, event) = (&self.host.fields, self.event(kind)?);
        let said = match kind {
            EventKind::OnError => self.at(fields.error).or_else(|| self.at(fields.output)).map(plain_text),
            // A command can end well though what it was for could not be reached.
            _ => self.at(fields.output).map(plain_text).filter(|text| is_connection_failure(text)),
        };
        let output = self.at(fields.output).cloned();
        Ok(Asked::Result(Event { output, ..event }, said.filter(|text| !text.is_empty())))
    }

    /// Whether a result says of itself that the call failed.
    fn has_failed(&self) -> bool {
        let output = self.at(self.host.fields.output);
        let field = |name: &str| output.and_then(|output| output.get(name));
        let code = field("exit_code").or_else(|| field("returncode")).and_then(Value::as_i64);
        let is_error = field("is_error").or_else(|| field("isError")).and_then(Value::as_bool);
        code.is_some_and(|code| code != 0)
            || is_error == Some(true)
            || field("error").is_some_and(|error| !error.is_null())
    }

    fn event(&self, kind: EventKind) -> Result<Event, Unreadable> {
        let call = match kind {
            EventKind::Stop => self.call_with("Stop", Kind::Stop, json!({}))?,
            EventKind::PostHandoff => self.call_with("Agent", Kind::Handoff, json!({}))?,
            // What did not run, or ran with less than its tool needs, still ended.
            EventKind::PostExecution | EventKind::OnError => {
                let input = self.at(self.host.fields.input).cloned().unwrap_or_else(|| json!({}));
                let tool = self.text(self.host.fields.tool)?;
                self.call().or_else(|_| self.call_with(tool, Kind::Other, input))?
            }
            _ => self.call()?,
        };
        let log = self.optional(self.host.fields.log).filter(|path| path.starts_with('/')).map(str::to_owned);
        Ok(Event { kind, call, log, output: None })
    }

    fn call(&self) -> Result<Call, Unreadable> {
        let fields = &self.host.fields;
        let tool = self.text(fields.tool)?;
        if self.at(fields.truncated).and_then(Value::as_bool) == Some(true) {
            return Err(unreadable(format!("the host cut the input of `{}` short", shorten(tool))));
        }
        let input = self.at(fields.input).cloned().unwrap_or_else(|| json!({}));
        let kind = tools::kind_of(self.host, tool, &input)?;
        let texts = input.as_object().into_iter().flatten();
        let mut run = texts.filter(|(name, _)| !CONTENT.contains(&name.as_str()));
        if run.any(|(_, value)| value.as_str().is_some_and(|text| text.contains('\0'))) {
            return Err(Unreadable::nul(&shorten(tool)));
        }
        let folder = tools::folder_of(self.host, tool, &input).map(str::to_owned);
        let input = unwrapped(self.host, &kind, input);
        let mut call = self.call_with(tool, kind, input)?;
        if let Some(folder) = folder {
            call.dir = absolute(&folder, &call.dir);
        }
        Ok(call)
    }

    fn call_with(&self, tool: &str, kind: Kind, input: Value) -> Result<Call, Unreadable> {
        let fields = &self.host.fields;
        Ok(Call {
            host: self.host.name.to_owned(),
            session: self.text(fields.session)?.to_owned(),
            agent: self.agent(),
            role: self.optional(fields.role).map(str::to_owned),
            task: None,
            id: self.optional(fields.call).map(str::to_owned),
            tool: tool.to_owned(),
            kind,
            input,
            dir: self.dir()?,
            scripts: Vec::new(),
            salt: None,
            standing: None,
        })
    }
}

/// What a server is given, where the host wraps it.
fn unwrapped(host: &CommandHost, kind: &Kind, input: Value) -> Value {
    match input.get(host.mcp_input) {
        Some(inner @ Value::Object(_)) if matches!(kind, Kind::Mcp { .. }) => inner.clone(),
        _ => input,
    }
}

/// The text of an output or error in whatever form a host gives it.
fn plain_text(value: &Value) -> String {
    let inner = ["message", "stderr", "textResultForLlm", "llmContent", "output_for_prompt", "output"]
        .iter()
        .find_map(|name| value.get(*name));
    match inner.unwrap_or(value) {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
