//! Says the gate's answer the way Claude Code understands it.
//!
//! A no is said three ways at once – JSON, stderr, exit code 2 – because the
//! host fails open on anything it does not understand. No answer is `{}`:
//! silence, so that the host's own permissions still apply (rule 9).

use crate::{Asked, Wire};
use serde_json::{Value, json};
use toolgate_core::{Event, EventKind, HostAnswer, Kind};

const PRE: &str = "PreToolUse";

pub(super) fn encode(asked: &Asked, delivered: &HostAnswer) -> Wire {
    match asked {
        Asked::Permission(_) => pre_tool_use(delivered),
        Asked::Judge(event) if event.kind == EventKind::PreExecution => pre_tool_use(delivered),
        Asked::Judge(_) | Asked::Settings { .. } => match delivered {
            HostAnswer::Denied { text } | HostAnswer::Asked { text } | HostAnswer::Deferred { text } => {
                closed(text)
            }
            HostAnswer::Warned { text } | HostAnswer::Told { text } => say(&json!({ "systemMessage": text })),
            HostAnswer::Silence
            | HostAnswer::Approved { .. }
            | HostAnswer::Modified { .. }
            | HostAnswer::Replaced { .. } => say(&json!({})),
        },
        Asked::Result(event, _) => after_tool(event, delivered),
        Asked::Note { .. } => say(&json!({})),
    }
}

/// What has run stays; the agent is told, and its output replaced where this
/// host allows it: after a success, in the tool's own shape.
fn after_tool(event: &Event, delivered: &HostAnswer) -> Wire {
    let is_success = event.kind == EventKind::PostExecution;
    let name = match event.kind {
        EventKind::OnError => "PostToolUseFailure",
        EventKind::PostHandoff => "SubagentStart",
        _ => "PostToolUse",
    };
    match delivered {
        HostAnswer::Warned { text } => say(&specific(name, json!({ "additionalContext": text }))),
        HostAnswer::Replaced { output, text } if is_success => {
            let mut fields = json!({ "updatedToolOutput": output, "additionalContext": text });
            if matches!(event.call.kind, Kind::Mcp { .. })
                && let Some(fields) = fields.as_object_mut()
            {
                fields.insert("updatedMCPToolOutput".to_owned(), output.clone());
            }
            say(&to_both(specific(name, fields), text))
        }
        HostAnswer::Told { text } | HostAnswer::Replaced { text, .. } => {
            say(&to_both(specific(name, json!({ "additionalContext": text })), text))
        }
        _ => say(&json!({})),
    }
}

/// The person reads it, too.
fn to_both(mut answer: Value, text: &str) -> Value {
    if let Some(fields) = answer.as_object_mut() {
        fields.insert("systemMessage".to_owned(), Value::String(text.to_owned()));
    }
    answer
}

fn pre_tool_use(delivered: &HostAnswer) -> Wire {
    match delivered {
        HostAnswer::Silence | HostAnswer::Replaced { .. } => say(&json!({})),
        HostAnswer::Approved { text } => {
            say(&specific(PRE, json!({ "permissionDecision": "allow", "permissionDecisionReason": text })))
        }
        HostAnswer::Warned { text } | HostAnswer::Told { text } => {
            say(&specific(PRE, json!({ "additionalContext": text })))
        }
        HostAnswer::Modified { input, text } => {
            say(&specific(PRE, json!({ "updatedInput": input, "additionalContext": text })))
        }
        HostAnswer::Asked { text } => {
            say(&specific(PRE, json!({ "permissionDecision": "ask", "permissionDecisionReason": text })))
        }
        HostAnswer::Deferred { text } => {
            say(&specific(PRE, json!({ "permissionDecision": "defer", "permissionDecisionReason": text })))
        }
        HostAnswer::Denied { text } => no(
            &specific(PRE, json!({ "permissionDecision": "deny", "permissionDecisionReason": text })),
            text,
        ),
    }
}

/// The gate is broken. What is about to run is refused; a person's prompt, a
/// stop and what already happened are only told, so that a broken gate is
/// never a trap.
pub(super) fn broken(asked: &Asked, text: &str) -> Wire {
    match asked {
        Asked::Judge(event) if event.kind == EventKind::PreExecution => {
            pre_tool_use(&HostAnswer::Denied { text: text.to_owned() })
        }
        Asked::Settings { .. } | Asked::Permission(_) => closed(text),
        Asked::Judge(_) | Asked::Result(..) | Asked::Note { .. } => say(&json!({ "systemMessage": text })),
    }
}

/// A no that holds for every event, with nothing the host could find wrong
/// for the one it is.
pub(super) fn closed(text: &str) -> Wire {
    no(&json!({ "decision": "block", "reason": text }), text)
}

fn specific(event: &str, mut answer: Value) -> Value {
    if let Some(fields) = answer.as_object_mut() {
        fields.insert("hookEventName".to_owned(), Value::String(event.to_owned()));
    }
    json!({ "hookSpecificOutput": answer })
}

fn say(answer: &Value) -> Wire {
    Wire { stdout: answer.to_string(), stderr: String::new(), code: 0 }
}

fn no(answer: &Value, text: &str) -> Wire {
    Wire { stdout: answer.to_string(), stderr: text.to_owned(), code: 2 }
}
