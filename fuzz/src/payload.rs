//! What hosts send and what their settings files hold: any bytes go in. Used by
//! the fuzz targets and by the smoke test of `toolgate-adapters`.

use serde_json::{Value, json};
use toolgate_adapters::{Asked, HOSTS, Host, Ours, Wire};
use toolgate_core::{Facts, HostAnswer, Places};

/// Every event a host of ours can send.
const EVENTS: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SubagentStop",
    "SubagentStart",
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "ConfigChange",
    "BeforeTool",
    "AfterTool",
    "AfterAgent",
    "pre_tool",
    "post_tool",
    "post_agent",
    "tool.execute.before",
    "tool_call",
    "tool_result",
    "pre_tool_call",
    "post_tool_call",
    "preToolUse",
    "pre_run_command",
    "pre_mcp_tool_use",
    "Unknown",
];

/// The fields hosts name the event in.
const EVENT_FIELDS: &[&str] = &["hook_event_name", "event", "event_type", "hookName", "agent_action_name"];

/// The bytes as they are, and, where they are an object, as each event.
pub fn payload(bytes: &[u8]) {
    for host in HOSTS {
        decoded(*host, bytes);
        let Ok(Value::Object(fields)) = serde_json::from_slice(bytes) else { continue };
        for event in EVENTS {
            let mut fields = fields.clone();
            for field in EVENT_FIELDS {
                fields.insert((*field).to_owned(), json!(event));
            }
            decoded(*host, Value::Object(fields).to_string().as_bytes());
        }
    }
}

/// Whatever is read gets an answer that is one JSON object, and a call its facts.
fn decoded(host: &dyn Host, bytes: &[u8]) {
    let asked = match host.decode(bytes) {
        Ok(asked) => asked,
        Err(unreadable) => {
            let wire = host.closed(&unreadable.why);
            let is_closed =
                wire.code != 0 || ["deny", "block", "cancel"].iter().any(|word| wire.stdout.contains(word));
            assert!(is_closed, "a message that cannot be read is closed: {wire:?}");
            return one_object(&wire);
        }
    };
    let text = "a\u{1b}\u{202e}\"\n\\".to_owned();
    let input = json!({ "command": text });
    for delivered in [
        HostAnswer::Silence,
        HostAnswer::Approved { text: text.clone() },
        HostAnswer::Warned { text: text.clone() },
        HostAnswer::Modified { input, text: text.clone() },
        HostAnswer::Denied { text: text.clone() },
        HostAnswer::Deferred { text: text.clone() },
        HostAnswer::Asked { text: text.clone() },
    ] {
        one_object(&host.encode(&asked, &delivered));
    }
    one_object(&host.broken(&asked, &text));
    if let Asked::Judge(event) | Asked::Result(event, _) = &asked {
        assert!(event.call.dir.starts_with('/'), "{:?}", event.call.dir);
        assert!(!event.call.session.is_empty());
        let _ =
            (Facts::of(&event.call, &Places::default()), event.call.arguments_digest(), event.call.title());
    }
}

fn one_object(wire: &Wire) {
    let read: Result<Value, _> = serde_json::from_str(&wire.stdout);
    assert!(wire.stdout.is_empty() || read.is_ok_and(|value| value.is_object()), "{wire:?}");
}

/// A settings file: the hook goes in and comes out again.
pub fn settings(bytes: &[u8]) {
    for host in HOSTS {
        let _ = (
            host.installed(bytes),
            host.objection(Some(bytes), Ours::Yes),
            host.objection(Some(bytes), Ours::No),
        );
        let _ = host.uninstall(bytes);
        let Ok(new) = host.install(Some(bytes), "/usr/bin/toolgate") else { continue };
        assert!(host.installed(&new).is_some(), "{:?}", String::from_utf8_lossy(bytes));
        let without = host.uninstall(&new);
        assert!(without.is_ok(), "{:?}", String::from_utf8_lossy(bytes));
        if let Ok(Some(left)) = without {
            let again = host.install(Some(&left), "/usr/bin/toolgate");
            assert!(again.is_ok(), "{:?}", String::from_utf8_lossy(&left));
        }
    }
}
