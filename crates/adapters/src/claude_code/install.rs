//! The hook in Claude Code's settings: for every event that matters, for
//! every tool, with the host's fail-closed switch on.

use crate::Ours;
use crate::claude_code::NAME;
use crate::settings::{SettingsFault, read, write};
use serde_json::{Map, Value, json};

/// Seconds the host waits. Above the longest hold plus the ledger's own wait,
/// so that the gate always answers first.
const TIMEOUT: u32 = 120;

/// Events, with the matcher for those that have one.
const EVENTS: &[(&str, Option<&str>)] = &[
    ("PreToolUse", Some("*")),
    ("PostToolUse", Some("*")),
    ("PostToolUseFailure", Some("*")),
    ("Stop", None),
    ("SubagentStart", None),
    ("SubagentStop", None),
    ("SessionStart", None),
    ("SessionEnd", None),
    ("UserPromptSubmit", None),
    ("ConfigChange", None),
];

pub(super) fn install(settings: Option<&[u8]>, program: &str) -> Result<Vec<u8>, SettingsFault> {
    let before = settings.unwrap_or_default();
    let mut value = read(before)?;
    let command = format!("{program} hook {NAME}");
    if stands(&value, &command) {
        return Ok(before.to_vec());
    }
    remove(&mut value);
    let root = value.as_object_mut().ok_or_else(|| fault("it is not a JSON object"))?;
    let hooks = root.entry("hooks").or_insert_with(|| Value::Object(Map::new()));
    let hooks = hooks.as_object_mut().ok_or_else(|| fault("its `hooks` is not an object"))?;
    for (event, matcher) in EVENTS {
        let groups = hooks.entry(*event).or_insert_with(|| Value::Array(Vec::new()));
        groups
            .as_array_mut()
            .ok_or_else(|| fault(&format!("its `hooks.{event}` is not a list")))?
            .push(group(*matcher, &command));
    }
    Ok(write(&value, before))
}

fn group(matcher: Option<&str>, command: &str) -> Value {
    let hook = json!({ "type": "command", "command": command, "timeout": TIMEOUT, "onFailure": "block" });
    match matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [hook] }),
        None => json!({ "hooks": [hook] }),
    }
}

/// Whether exactly the hook that would be installed stands there already.
fn stands(value: &Value, command: &str) -> bool {
    let groups = |event: &str| value.pointer(&format!("/hooks/{event}")).and_then(Value::as_array);
    let all = value.get("hooks").and_then(Value::as_object).into_iter().flat_map(Map::values);
    let hooks = all.filter_map(Value::as_array).flatten().filter_map(|group| group.get("hooks")?.as_array());
    EVENTS
        .iter()
        .all(|(event, matcher)| groups(event).is_some_and(|own| own.contains(&group(*matcher, command))))
        && hooks.flatten().filter(|hook| is_ours(hook)).count() == EVENTS.len()
}

pub(super) fn uninstall(settings: &[u8]) -> Result<Option<Vec<u8>>, SettingsFault> {
    let mut value = read(settings)?;
    if !remove(&mut value) {
        return Ok(Some(settings.to_vec()));
    }
    let is_empty = value.as_object().is_some_and(Map::is_empty);
    Ok((!is_empty).then(|| write(&value, settings)))
}

fn fault(why: &str) -> SettingsFault {
    SettingsFault { why: why.to_owned() }
}

/// Takes our hooks out, and what is empty without them; says whether there
/// were any.
fn remove(value: &mut Value) -> bool {
    let Some(hooks) = value.get_mut("hooks").and_then(Value::as_object_mut) else { return false };
    let mut removed = false;
    for groups in hooks.values_mut().filter_map(Value::as_array_mut) {
        for group in groups.iter_mut() {
            if let Some(list) = group.get_mut("hooks").and_then(Value::as_array_mut) {
                let before = list.len();
                list.retain(|hook| !is_ours(hook));
                removed |= list.len() != before;
            }
        }
        groups.retain(|group| !group.get("hooks").and_then(Value::as_array).is_some_and(Vec::is_empty));
    }
    hooks.retain(|_, groups| !groups.as_array().is_some_and(Vec::is_empty));
    if removed
        && hooks.is_empty()
        && let Some(root) = value.as_object_mut()
    {
        root.shift_remove("hooks");
    }
    removed
}

fn is_ours(hook: &Value) -> bool {
    let command = hook.get("command").and_then(Value::as_str).unwrap_or_default();
    command.contains("toolgate") && command.ends_with(&format!(" hook {NAME}"))
}

pub(super) fn installed(settings: &[u8]) -> Option<String> {
    let value = read(settings).ok()?;
    let groups = value.pointer("/hooks/PreToolUse")?.as_array()?;
    let hooks = groups.iter().filter_map(|group| group.get("hooks")?.as_array()).flatten();
    let ours = hooks.into_iter().find(|hook| is_ours(hook))?;
    ours.get("command").and_then(Value::as_str).map(str::to_owned)
}

/// Settings that would take the gate out of the path do not come into force.
pub(super) fn objection(settings: Option<&[u8]>, ours: Ours) -> Option<String> {
    let Some(bytes) = settings else {
        return (ours == Ours::Yes).then(|| "the settings that hold the gate's hook were deleted".to_owned());
    };
    let Ok(value) = read(bytes) else {
        return Some("the changed settings are not valid JSON".to_owned());
    };
    if value.get("disableAllHooks").is_some_and(|switch| *switch != Value::Bool(false)) {
        return Some("the changed settings switch all hooks off (`disableAllHooks`)".to_owned());
    }
    let lost = ours == Ours::Yes && !is_whole(&value);
    lost.then(|| "the settings no longer hold the gate's hook as it was installed".to_owned())
}

/// Whether our hook stands at every event it was installed for, armed: for
/// every tool, with the fail-closed switch, and with the time it needs.
fn is_whole(value: &Value) -> bool {
    EVENTS.iter().all(|(event, _)| {
        let groups = value.pointer(&format!("/hooks/{event}")).and_then(Value::as_array);
        groups.into_iter().flatten().any(|group| {
            let hooks = group.get("hooks").and_then(Value::as_array);
            matches_all(group) && hooks.into_iter().flatten().any(|hook| is_ours(hook) && is_armed(hook))
        })
    })
}

fn matches_all(group: &Value) -> bool {
    group.get("matcher").is_none_or(|matcher| matches!(matcher.as_str(), Some("" | "*")))
}

fn is_armed(hook: &Value) -> bool {
    let loosens = ["async", "asyncRewake", "once", "if", "args", "shell"];
    hook.get("type").and_then(Value::as_str) == Some("command")
        && hook.get("onFailure").and_then(Value::as_str) == Some("block")
        && hook.get("timeout").and_then(Value::as_u64).is_some_and(|seconds| seconds >= u64::from(TIMEOUT))
        && loosens.iter().all(|key| hook.get(*key).is_none())
}
