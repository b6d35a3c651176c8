//! What the server answers: results pass the guards on output before the client
//! reads them, and a server that is gone or silent is told of.

use super::{Asked, Open, Proxy};
use serde_json::{Value, json};
use std::time::Instant;
use toolgate_adapters::mcp::{
    Envelope, Id, denied_result, error_answer, instructions_of, strict_value, with_note, without_secrets,
};
use toolgate_core::{Event, EventKind, HostAnswer, without_leaks};

/// Larger results are withheld: nothing that size is read by a model, and it is not checked.
const RESULT_MAX: usize = 8 << 20;

impl Proxy {
    pub(super) fn answered(&mut self, line: &[u8], text: &str, found: &Envelope<'_>, id: Id, open: Open) {
        let is_large = line.len() > RESULT_MAX;
        match &open.what {
            Asked::Other => self.send_client(line),
            Asked::Begin => {
                if let Some(instructions) = instructions_of(text) {
                    self.pin_instructions(&instructions);
                }
                self.send_client(line);
            }
            Asked::List { is_first } => self.list_answered(line, text, found, *is_first, &open.id_text),
            Asked::Call { .. } | Asked::Read(_) if is_large => {
                let size = line.len() >> 20;
                self.unanswered(
                    open,
                    &format!("the result has {size} MiB; at most 8 MiB are passed on. Ask for less at once"),
                );
            }
            Asked::Call { event, told, is_modern } => {
                let (mut event, told, is_modern) = (event.clone(), told.clone(), *is_modern);
                let Some(value) = found.result.or(found.error).and_then(strict_value) else {
                    let open = Open { id_text: open.id_text, what: Asked::Call { event, told, is_modern } };
                    return self.unanswered(open, "the result can be read in more than one way");
                };
                if let Some(state) = value.get("requestState").and_then(Value::as_str) {
                    self.goes_on(state, &event);
                }
                let failed = found.error.is_some() || value.get("isError") == Some(&Value::Bool(true));
                event.kind = if failed { EventKind::OnError } else { EventKind::PostExecution };
                let new = self.checked(text, &mut event, &value, told, &open.id_text, is_modern);
                self.send_client(new.as_bytes());
            }
            Asked::Read(event) => {
                let mut event = event.clone();
                event.kind =
                    if found.error.is_some() { EventKind::OnError } else { EventKind::PostExecution };
                let value = found.result.or(found.error).and_then(strict_value);
                let new = match value {
                    Some(value) => self.checked(text, &mut event, &value, None, &open.id_text, false),
                    None => error_answer(
                        Some(&open.id_text),
                        -32603,
                        "Toolgate did not pass the result on: it can be read in more than one way",
                    ),
                };
                self.send_client(new.as_bytes());
            }
        }
        let _ = id;
    }

    /// The line as the client may read it: recorded, secrets masked, with what the model is told.
    fn checked(
        &mut self,
        line: &str,
        event: &mut Event,
        value: &Value,
        told: Option<String>,
        id_text: &str,
        is_modern: bool,
    ) -> String {
        event.output = Some(without_blobs(value));
        let said = (event.kind == EventKind::OnError).then(|| first_text(value));
        let answer = match self.gate.result(event, said.as_deref()) {
            Ok(answer) => answer,
            Err(broken) => {
                let text = format!("The call ran, but its result cannot be checked. {broken}");
                return denied_result(id_text, &text, is_modern);
            }
        };
        let personal = self.gate.policy().settings().personal_sought();
        let masked =
            |line: &str| without_secrets(line, &masked_texts(value, &|text| without_leaks(text, &personal)));
        let (line, text) = match answer {
            HostAnswer::Replaced { output, text } => {
                let stripped = without_blobs(value);
                let is_secret = without_leaks(&stripped, &personal) == output;
                let new = if is_secret { masked(line) } else { without_secrets(line, &output) };
                (new.unwrap_or_else(|| line.to_owned()), Some(text))
            }
            // A host cannot replace what failed; here it can be done.
            HostAnswer::Told { text } => (masked(line).unwrap_or_else(|| line.to_owned()), Some(text)),
            HostAnswer::Warned { text } => (line.to_owned(), Some(text)),
            _ => (line.to_owned(), None),
        };
        let notes: Vec<String> = told.into_iter().chain(text).collect();
        if notes.is_empty() { line } else { with_note(&line, &notes.join(" ")) }
    }

    /// A request that gets no answer of the server's.
    pub(super) fn unanswered(&mut self, open: Open, why: &str) {
        let id_text = open.id_text.clone();
        let text = format!(
            "{}{}",
            why.get(..1).unwrap_or_default().to_uppercase(),
            why.get(1..).unwrap_or_default()
        );
        let answer = match &open.what {
            Asked::Call { is_modern, .. } => {
                denied_result(&id_text, &format!("{text}. The call may have run."), *is_modern)
            }
            _ => error_answer(Some(&id_text), -32000, &text),
        };
        self.failed(open, why);
        self.send_client(answer.as_bytes());
    }

    /// Records that a call came to nothing.
    pub(super) fn failed(&mut self, open: Open, why: &str) {
        if let Asked::Call { mut event, .. } = open.what {
            event.kind = EventKind::OnError;
            event.output = None;
            let said = format!("{why} (MCP server {})", self.options.server.name);
            if let Err(broken) = self.gate.result(&event, Some(&said)) {
                self.tell(&broken.to_string());
            }
        }
    }

    /// Everything that waits for a server that is gone.
    pub(crate) fn server_ended(&mut self, how: &str) {
        let name = self.options.server.name.clone();
        self.note("mcp-server-ended", how);
        let waiting = self.own.take().map(|own| own.waiting).unwrap_or_default();
        for one in waiting {
            let text = String::from_utf8(one.line).unwrap_or_default();
            if let Some(id) = toolgate_adapters::mcp::envelope(&text).ok().and_then(|found| found.id_text) {
                let answer = denied_result(
                    id,
                    &format!("The MCP server `{name}` ended ({how}) before this call ran."),
                    false,
                );
                self.send_client(answer.as_bytes());
            }
        }
        let open: Vec<Open> = self.open.drain().map(|(_, open)| open).collect();
        for one in open {
            self.unanswered(one, &format!("the MCP server `{name}` ended ({how}) before it answered"));
        }
    }

    /// Looks whether the server is silent for too long; when to look again.
    pub(crate) fn look_at_time(&mut self) -> Option<Instant> {
        let now = Instant::now();
        if self.own.as_ref().is_some_and(|own| now >= own.since + super::LIST_TIME) {
            self.give_up_list("the server did not list its tools in time");
        }
        let is_call = |open: &Open| matches!(open.what, Asked::Call { .. });
        let calls = self.open.values().any(is_call);
        let due = self.heard + self.options.silence;
        if calls && now >= due {
            let ids: Vec<Id> =
                self.open.iter().filter(|(_, open)| is_call(open)).map(|(id, _)| id.clone()).collect();
            let why = format!(
                "the MCP server `{}` was silent for {} s",
                self.options.server.name,
                self.options.silence.as_secs()
            );
            self.note("mcp-server-silent", &why);
            for id in ids {
                if let Some(open) = self.open.remove(&id) {
                    self.cancelled.push_back(id);
                    self.unanswered(open, &why);
                }
            }
            self.heard = now;
        }
        let list = self.own.as_ref().map(|own| own.since + super::LIST_TIME);
        list.into_iter().chain(calls.then_some(due)).min()
    }
}

/// The first text of a result or an error.
fn first_text(value: &Value) -> String {
    let content = value.get("content").and_then(Value::as_array).into_iter().flatten();
    let texts = content.filter_map(|item| item.get("text")).chain(value.get("message"));
    texts.filter_map(Value::as_str).next().unwrap_or_default().to_owned()
}

/// Pictures, sounds and files as they are sent are no text.
fn is_blob(fields: &serde_json::Map<String, Value>, name: &str) -> bool {
    name == "blob" || name == "data" && fields.contains_key("mimeType")
}

fn without_blobs(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(without_blobs).collect(),
        Value::Object(fields) => {
            let one = |(name, value): (&String, &Value)| {
                let value =
                    if is_blob(fields, name) && value.is_string() { json!("") } else { without_blobs(value) };
                (name.clone(), value)
            };
            Value::Object(fields.iter().map(one).collect())
        }
        other => other.clone(),
    }
}

/// The value with every text but blobs changed.
fn masked_texts(value: &Value, mask: &dyn Fn(&Value) -> Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(|one| masked_texts(one, mask)).collect(),
        Value::Object(fields) => {
            let one = |(name, value): (&String, &Value)| {
                let is_kept = is_blob(fields, name) && value.is_string();
                (name.clone(), if is_kept { value.clone() } else { masked_texts(value, mask) })
            };
            Value::Object(fields.iter().map(one).collect())
        }
        Value::String(_) => mask(value),
        other => other.clone(),
    }
}
