//! One real payload of each event in `samples/*.json`, made anonymous, for the adapter's own tests.
//!
//! The test holds the samples against the living host: same keys, same kinds of values. After a change of
//! the host, `TOOLGATE_E2E_BLESS=1` writes them anew.

use crate::hooks::{Level, tap, taps};
use crate::host::{Permissions, Stage, poll};
use crate::model::{Gate, Script, bash, call, say, sub_agent};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Sample, event, and which of its payloads.
const SAMPLES: &[(&str, &str, usize)] = &[
    ("session_start", "SessionStart", 0),
    ("user_prompt_submit", "UserPromptSubmit", 0),
    ("pre_tool_use_bash", "PreToolUse", 0),
    ("pre_tool_use_bash_failing", "PreToolUse", 1),
    ("pre_tool_use_write", "PreToolUse", 2),
    ("pre_tool_use_agent", "PreToolUse", 3),
    ("pre_tool_use_bash_in_sub_agent", "PreToolUse", 4),
    ("post_tool_use_bash", "PostToolUse", 0),
    ("post_tool_use_write", "PostToolUse", 1),
    ("post_tool_use_bash_in_sub_agent", "PostToolUse", 2),
    ("post_tool_use_failure_bash", "PostToolUseFailure", 0),
    ("sub_agent_start", "SubagentStart", 0),
    ("sub_agent_stop", "SubagentStop", 0),
    ("config_change", "ConfigChange", 0),
    ("stop", "Stop", 0),
    ("session_end", "SessionEnd", 0),
];

fn sample_path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/claude_code/samples");
    folder.join(format!("{name}.json"))
}

#[test]
fn the_samples_have_the_shape_of_real_payloads() {
    let Some(stage) = play_every_event() else { return };
    for (name, event, n) in SAMPLES {
        let payloads = taps(&stage, event);
        let payload =
            payloads.get(*n).unwrap_or_else(|| panic!("{event} came only {} times", payloads.len()));
        check_sample(name, &anonymous(&stage, payload));
    }
}

/// What would be asked is asked of the hook first, also without a person.
#[test]
fn the_sample_of_a_permission_request_is_real_too() {
    let Some(stage) = Stage::set(Script::of([bash("touch ran.txt"), say("bye")])) else { return };
    tap(&stage, Level::Project, "PermissionRequest");
    stage.claude().permissions(Permissions::Default).start().finish();
    let payload = taps(&stage, "PermissionRequest").pop().expect("a PermissionRequest");
    check_sample("permission_request_bash", &anonymous(&stage, &payload));
}

fn play_every_event() -> Option<Stage> {
    let changed = Gate::default();
    let script = Script::of([
        bash("echo hi"),
        bash("echo out; echo err >&2; exit 3"),
        call("Write", json!({"file_path": "note.txt", "content": "a\n"})),
        sub_agent("SUB-MARK do it"),
        say("bye").after(&changed),
    ]);
    let stage = Stage::set(script.stream("SUB-MARK", [bash("echo hi"), say("done")]))?;
    let mut events: Vec<&str> = SAMPLES.iter().map(|(_, event, _)| *event).collect();
    events.dedup();
    for event in events {
        tap(&stage, Level::User, event);
    }
    let running = stage.claude().start();
    poll(Duration::from_secs(30), || (stage.model.main().len() == 5).then_some(()))
        .expect("the fifth request");
    stage.write(".claude/settings.json", "{}");
    poll(Duration::from_secs(30), || taps(&stage, "ConfigChange").pop()).expect("a ConfigChange");
    changed.open();
    assert!(running.finish().status.success());
    Some(stage)
}

#[track_caller]
fn check_sample(name: &str, payload: &Value) {
    let path = sample_path(name);
    if std::env::var_os("TOOLGATE_E2E_BLESS").is_some_and(|value| value == "1") {
        let text = serde_json::to_string_pretty(payload).expect("JSON");
        std::fs::write(&path, text + "\n").expect("a written sample");
    }
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let sample: Value = serde_json::from_str(&text).expect("a sample");
    assert_eq!(shape(&sample), shape(payload), "{name}");
}

/// The value with every leaf replaced by its kind.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), shape(value))).collect(),
        Value::Array(items) => items.iter().map(shape).collect(),
        Value::String(_) => json!("text"),
        Value::Number(_) => json!("number"),
        Value::Bool(_) => json!("bool"),
        Value::Null => Value::Null,
    }
}

/// The payload with stable ids and paths.
fn anonymous(stage: &Stage, payload: &Value) -> Value {
    let work = stage.work.to_str().expect("a plain path");
    let slug = |path: &str| path.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    let mut text = payload.to_string();
    let mut swap = |from: &str, to: &str| text = text.replace(from, to);
    // The host names the folder of a project's transcripts after its path.
    swap(&slug(work), &slug("/home/dev/project"));
    swap(work, "/home/dev/project");
    swap(stage.home.to_str().expect("a plain path"), "/home/dev");
    let ids = [
        ("session_id", "00000000-0000-4000-8000-000000000001"),
        ("prompt_id", "00000000-0000-4000-8000-000000000002"),
        ("agent_id", "a0000000000000001"),
    ];
    for (key, to) in ids {
        if let Some(from) = payload[key].as_str() {
            swap(from, to);
        }
    }
    let mut payload: Value = serde_json::from_str(&text).expect("still JSON");
    if let Some(duration_ms) = payload.get_mut("duration_ms") {
        *duration_ms = json!(12);
    }
    payload
}
