//! Reads what Claude Code sends to a hook.

use crate::claude_code::{NAME, tools};
use crate::{Asked, Unreadable};
use serde_json::{Value, json};
use std::path::PathBuf;
use toolgate_core::{
    Call, Context, Event, EventKind, Kind, SESSION_END, SUBAGENT_STOP, is_connection_failure,
};

pub(super) fn decode(bytes: &[u8]) -> Result<Asked, Unreadable> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| unreadable(format!("the host's message is not JSON: {error}")))?;
    let message = Message { value: &value };
    match message.text("hook_event_name")? {
        "PreToolUse" => Ok(Asked::Judge(message.event(EventKind::PreExecution)?)),
        "PostToolUse" => {
            let event = message.event(EventKind::PostExecution)?;
            let output = value.get("tool_response").cloned();
            Ok(Asked::Result(Event { output, ..event }, message.stderr()))
        }
        "PostToolUseFailure" => {
            let event = message.event(EventKind::OnError)?;
            let output = value.get("error").cloned();
            Ok(Asked::Result(Event { output, ..event }, message.error()))
        }
        "Stop" => Ok(Asked::Judge(message.event(EventKind::Stop)?)),
        // A sub-agent's end is noted; what it must have done is for the main agent's stop.
        "SubagentStop" => message.note(SUBAGENT_STOP, "a sub-agent ended"),
        "SubagentStart" => Ok(Asked::Result(message.event(EventKind::PostHandoff)?, None)),
        "SessionStart" => {
            message.note("session-start", message.optional("source").unwrap_or("a session started"))
        }
        "SessionEnd" => message.note(SESSION_END, message.optional("reason").unwrap_or("a session ended")),
        "UserPromptSubmit" => message.note("prompt", "the user sent a prompt"),
        "ConfigChange" => Ok(Asked::Settings {
            context: message.context()?,
            file: message.optional("file_path").map(PathBuf::from),
        }),
        // What a call is about to do must be said by an event that is known.
        other if value.get("tool_name").is_some() && !AFTER_CALLS.contains(&other) => {
            let name = shorten(other);
            Err(unreadable(format!("the host sent a call with an event this gate does not know: `{name}`")))
        }
        other => message.note("unknown-event", other),
    }
}

/// Events about a call that say nothing about whether it runs.
const AFTER_CALLS: &[&str] = &["PermissionDenied", "PostToolBatch"];

fn unreadable(why: String) -> Unreadable {
    Unreadable { why }
}

/// Names in an error come from outside; keep them short and printable.
fn shorten(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}

/// No command, path or argument can hold a NUL. File contents may.
fn has_nul(input: &Value) -> bool {
    let texts = input.as_object().into_iter().flatten();
    texts
        .filter(|(name, _)| !matches!(name.as_str(), "content" | "old_string" | "new_string" | "new_source"))
        .any(|(_, value)| value.as_str().is_some_and(|text| text.contains('\0')))
}

struct Message<'a> {
    value: &'a Value,
}

impl<'a> Message<'a> {
    fn text(&self, field: &str) -> Result<&'a str, Unreadable> {
        let found = self.value.get(field).and_then(Value::as_str);
        found.ok_or_else(|| unreadable(format!("the host's message has no string `{field}`")))
    }

    fn optional(&self, field: &str) -> Option<&'a str> {
        self.value.get(field).and_then(Value::as_str)
    }

    fn session(&self) -> Result<String, Unreadable> {
        let id = self.text("session_id")?;
        if id.is_empty() {
            Err(unreadable("the host's message has an empty `session_id`".to_owned()))
        } else {
            Ok(id.to_owned())
        }
    }

    fn agent(&self) -> String {
        self.optional("agent_id").filter(|id| !id.is_empty()).unwrap_or("main").to_owned()
    }

    fn dir(&self) -> Result<String, Unreadable> {
        let dir = self.text("cwd")?;
        if dir.starts_with('/') && !dir.contains('\0') {
            Ok(dir.to_owned())
        } else {
            Err(unreadable("the host's `cwd` is not an absolute path".to_owned()))
        }
    }

    fn context(&self) -> Result<Context, Unreadable> {
        Ok(Context {
            host: NAME.to_owned(),
            session: self.session()?,
            agent: self.agent(),
            policy: String::new(),
        })
    }

    fn note(&self, what: &str, text: &str) -> Result<Asked, Unreadable> {
        Ok(Asked::Note { context: self.context()?, what: what.to_owned(), text: shorten(text) })
    }

    fn call(&self) -> Result<Call, Unreadable> {
        let tool = self.text("tool_name")?;
        if tool.is_empty() {
            return Err(unreadable("the host's message has an empty `tool_name`".to_owned()));
        }
        let input = self.value.get("tool_input").cloned().unwrap_or(Value::Null);
        let kind = tools::kind_of(tool, &input)?;
        if has_nul(&input) {
            return Err(Unreadable::nul(&shorten(tool)));
        }
        self.call_with(tool, kind, input)
    }

    fn event(&self, kind: EventKind) -> Result<Event, Unreadable> {
        let call = match kind {
            EventKind::Stop => self.stop()?,
            // What was handed over is in the call before; this tells who took it on.
            EventKind::PostHandoff => self.call_with("Agent", Kind::Handoff, json!({}))?,
            _ => self.call()?,
        };
        let log = self.optional("transcript_path").filter(|path| path.starts_with('/')).map(str::to_owned);
        Ok(Event { kind, call, log, output: None })
    }

    /// What a failed call said. One the person interrupted has nothing to say.
    fn error(&self) -> Option<String> {
        let interrupted = self.value.get("is_interrupt").and_then(Value::as_bool).unwrap_or(false);
        self.optional("error").filter(|text| !interrupted && !text.is_empty()).map(str::to_owned)
    }

    /// A command can end well though what it was for could not be reached:
    /// `curl … | jq`, `… || true`.
    fn stderr(&self) -> Option<String> {
        let text = self.value.get("tool_response")?.get("stderr")?.as_str()?;
        is_connection_failure(text).then(|| text.to_owned())
    }

    fn stop(&self) -> Result<Call, Unreadable> {
        self.call_with("Stop", Kind::Stop, json!({}))
    }

    fn call_with(&self, tool: &str, kind: Kind, input: Value) -> Result<Call, Unreadable> {
        Ok(Call {
            host: NAME.to_owned(),
            session: self.session()?,
            agent: self.agent(),
            role: self.optional("agent_type").map(str::to_owned),
            task: None,
            id: self.optional("tool_use_id").map(str::to_owned),
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
