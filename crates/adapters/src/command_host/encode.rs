//! Says the gate's answer in the words of a host, by the row of the host.
//!
//! Exactly one JSON object, nothing before or behind it: on every host a second
//! document lets the call run. No objection is `{}`, so that the host's own
//! permissions still apply.

use crate::command_host::{CommandHost, Deny, Moment, Note, Replace, Rewrite, tools};
use crate::{Asked, Wire};
use serde_json::{Value, json};
use toolgate_core::{Event, EventKind, HostAnswer};

pub(super) fn encode(host: &CommandHost, asked: &Asked, delivered: &HostAnswer) -> Wire {
    match asked {
        Asked::Judge(event) if event.kind == EventKind::PreExecution => before(host, event, delivered),
        Asked::Permission(_) => match delivered {
            HostAnswer::Denied { text } | HostAnswer::Asked { text } | HostAnswer::Deferred { text } => {
                permitted(host, "deny", Some(text))
            }
            HostAnswer::Approved { .. } => permitted(host, "allow", None),
            _ => silence(host),
        },
        Asked::Judge(_) => match delivered {
            HostAnswer::Denied { text } | HostAnswer::Asked { text } | HostAnswer::Deferred { text } => {
                deny(host.answers.refuse_stop, host.event_at(Moment::Stop), text)
            }
            _ => silence(host),
        },
        Asked::Settings { .. } => match delivered {
            HostAnswer::Denied { text } => closed(host, text),
            _ => silence(host),
        },
        Asked::Result(event, _) => after(host, event, delivered),
        Asked::Note { .. } => silence(host),
    }
}

fn before(host: &CommandHost, event: &Event, delivered: &HostAnswer) -> Wire {
    let (answers, name) = (&host.answers, host.event_at(Moment::Before));
    let how = for_tool(answers.deny, &event.call.tool);
    match delivered {
        HostAnswer::Silence | HostAnswer::Replaced { .. } => silence(host),
        HostAnswer::Approved { text } if answers.approves => permission(host, "allow", text),
        HostAnswer::Approved { .. } => silence(host),
        HostAnswer::Warned { text } | HostAnswer::Told { text } => {
            note(host, answers.context_before, name, text)
        }
        HostAnswer::Modified { input, text } => rewritten(host, event, input, text),
        HostAnswer::Asked { text } if answers.asks => permission(host, "ask", text),
        HostAnswer::Asked { text } | HostAnswer::Deferred { text } | HostAnswer::Denied { text } => {
            deny(how, name, text)
        }
    }
}

/// The answer to a host that would ask its person.
fn permitted(host: &CommandHost, word: &str, text: Option<&str>) -> Wire {
    let mut decision = json!({ "behavior": word });
    if let (Some(fields), Some(text)) = (decision.as_object_mut(), text) {
        fields.insert("message".to_owned(), json!(text));
    }
    let name = host.event_at(Moment::Permission);
    say(&json!({ "hookSpecificOutput": { "hookEventName": name, "decision": decision } }))
}

/// An empty input stops only tools that need one.
fn for_tool(how: Deny, tool: &str) -> Deny {
    match how {
        Deny::EmptyInput(tools) if !tools.contains(&tool) => Deny::EmptyInput(&[]),
        other => other,
    }
}

/// The new input; where the host takes none, a block that says what to run.
fn rewritten(host: &CommandHost, event: &Event, input: &Value, text: &str) -> Wire {
    let name = host.event_at(Moment::Before);
    let input = &tools::in_own_shape(host, &event.call, input);
    let mut answer = match host.answers.rewrite {
        Rewrite::UpdatedInputWithAllow => {
            json!({ "hookSpecificOutput": { "hookEventName": name, "permissionDecision": "allow", "updatedInput": input } })
        }
        Rewrite::UpdatedInput => {
            json!({ "hookSpecificOutput": { "hookEventName": name, "updatedInput": input } })
        }
        Rewrite::ToolInput("hookSpecificOutput") => {
            json!({ "hookSpecificOutput": { "hookEventName": name, "tool_input": input } })
        }
        Rewrite::ToolInput(field) => json!({ field: { "tool_input": input } }),
        Rewrite::ModifiedArgs => json!({ "modifiedArgs": input }),
        Rewrite::Field(field) => json!({ field: input }),
        Rewrite::FieldWith(field, name, word) => json!({ name: word, field: input }),
        Rewrite::Never => {
            let command = ["command", "cmd"].iter().find_map(|field| input.get(*field)?.as_str());
            let instead = command.map_or_else(|| input.to_string(), str::to_owned);
            return deny(
                for_tool(host.answers.deny, &event.call.tool),
                name,
                &format!("Not run as written: {text} Run this instead: `{instead}`"),
            );
        }
    };
    add_note(&mut answer, host.answers.context_before, text);
    say(&answer)
}

fn after(host: &CommandHost, event: &Event, delivered: &HostAnswer) -> Wire {
    let moment = match event.kind {
        EventKind::PostHandoff => Moment::SubagentStart,
        EventKind::OnError if !host.event_at(Moment::Failed).is_empty() => Moment::Failed,
        _ => Moment::After,
    };
    let name = host.event_at(moment);
    match delivered {
        HostAnswer::Replaced { output, text } => match host.answers.replace {
            Replace::Decision(word) => {
                say(&json!({ "decision": word, "reason": format!("{}\n\n[{text}]", shown(output)) }))
            }
            Replace::ModifiedResult => say(&json!({
                "modifiedResult": { "resultType": "success", "textResultForLlm": shown(output) },
                "additionalContext": text
            })),
            Replace::Never => note(host, host.answers.context_after, name, text),
        },
        HostAnswer::Warned { text } | HostAnswer::Told { text } => {
            note(host, host.answers.context_after, name, text)
        }
        _ => silence(host),
    }
}

/// An output as text for the model.
fn shown(output: &Value) -> String {
    let inner = ["textResultForLlm", "llmContent", "output_for_prompt", "stdout", "output"]
        .iter()
        .find_map(|name| output.get(*name)?.as_str());
    match (inner, output) {
        (Some(text), _) => text.to_owned(),
        (None, Value::String(text)) => text.clone(),
        (None, other) => other.to_string(),
    }
}

fn permission(host: &CommandHost, word: &str, text: &str) -> Wire {
    let name = host.event_at(Moment::Before);
    say(&match host.answers.deny {
        Deny::FlatPermission => json!({ "permissionDecision": word, "permissionDecisionReason": text }),
        Deny::Decision(_) => json!({ "decision": word, "reason": text }),
        Deny::Flagged => json!({ "permission": word, "user_message": text, "agent_message": text }),
        _ => json!({ "hookSpecificOutput": {
            "hookEventName": name, "permissionDecision": word, "permissionDecisionReason": text
        } }),
    })
}

fn note(host: &CommandHost, how: Note, event: &str, text: &str) -> Wire {
    if how == Note::Never {
        return silence(host);
    }
    let mut answer = match how {
        Note::Specific => json!({ "hookSpecificOutput": { "hookEventName": event } }),
        _ => json!({}),
    };
    add_note(&mut answer, how, text);
    say(&answer)
}

fn add_note(answer: &mut Value, how: Note, text: &str) {
    let (group, field) = match how {
        Note::Specific => (Some("hookSpecificOutput"), "additionalContext"),
        Note::Snake => (Some("hook_specific_output"), "additional_context"),
        Note::Flat => (None, "additionalContext"),
        Note::Field(field) => (None, field),
        Note::Never => return,
    };
    let Some(fields) = answer.as_object_mut() else { return };
    let into = match group {
        Some(group) => fields.entry(group).or_insert_with(|| json!({})).as_object_mut(),
        None => Some(fields),
    };
    if let Some(into) = into {
        into.insert(field.to_owned(), Value::String(text.to_owned()));
    }
}

fn deny(how: Deny, event: &str, text: &str) -> Wire {
    let answer = match how {
        Deny::Permission => json!({ "hookSpecificOutput": {
            "hookEventName": event, "permissionDecision": "deny", "permissionDecisionReason": text
        } }),
        Deny::FlatPermission => json!({ "permissionDecision": "deny", "permissionDecisionReason": text }),
        Deny::Decision(word) => json!({ "decision": word, "reason": text }),
        Deny::EmptyInput([]) => json!({ "cancel": true, "errorMessage": text }),
        Deny::EmptyInput(_) => json!({ "overrideInput": {}, "context": text }),
        Deny::Flagged => json!({ "permission": "deny", "user_message": text, "agent_message": text }),
        Deny::FollowUp => json!({ "followup_message": text }),
        Deny::Exit => {
            let stdout = json!({ "decision": "block", "reason": text }).to_string();
            return Wire { stdout, stderr: text.to_owned(), code: 2 };
        }
        Deny::Never => json!({}),
    };
    say(&answer)
}

/// The gate is broken: a call about to run is denied; a stop and what already
/// happened are let be, so that a broken gate is never a trap.
pub(super) fn broken(host: &CommandHost, asked: &Asked, text: &str) -> Wire {
    match asked {
        Asked::Judge(event) if event.kind == EventKind::PreExecution => {
            let how = for_tool(host.answers.deny, &event.call.tool);
            deny(how, host.event_at(Moment::Before), text)
        }
        Asked::Permission(_) => permitted(host, "deny", Some(text)),
        Asked::Settings { .. } => closed(host, text),
        Asked::Result(..) => note(host, host.answers.context_after, host.event_at(Moment::After), text),
        Asked::Judge(_) | Asked::Note { .. } => silence(host),
    }
}

pub(super) fn closed(host: &CommandHost, text: &str) -> Wire {
    deny(host.answers.closed, host.event_at(Moment::Before), text)
}

pub(super) fn is_denial(host: &CommandHost, stdout: &str, code: Option<i32>) -> bool {
    let value: Value = serde_json::from_str(stdout).unwrap_or_default();
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
    match host.answers.deny {
        Deny::Permission => code == Some(0) && text("/hookSpecificOutput/permissionDecision") == Some("deny"),
        Deny::FlatPermission => code == Some(0) && text("/permissionDecision") == Some("deny"),
        Deny::Decision(word) => code == Some(0) && text("/decision") == Some(word),
        Deny::EmptyInput(_) => {
            let is_empty = value.get("overrideInput") == Some(&json!({}));
            value.get("cancel") == Some(&json!(true)) || is_empty && text("/context").is_some()
        }
        Deny::Flagged => code == Some(0) && text("/permission") == Some("deny"),
        Deny::Exit => code == Some(2),
        Deny::FollowUp | Deny::Never => false,
    }
}

fn silence(host: &CommandHost) -> Wire {
    match host.answers.no_objection {
        Some((field, word)) => say(&json!({ field: word })),
        None => say(&json!({})),
    }
}

fn say(answer: &Value) -> Wire {
    Wire { stdout: answer.to_string(), stderr: String::new(), code: 0 }
}
