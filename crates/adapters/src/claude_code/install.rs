//! The hook in Claude Code's settings: for every event that matters, for
//! every tool, with the host's fail-closed switch on.

use crate::Ours;
use crate::claude_code::{NAME, types};
use crate::settings::{Node, Settings, SettingsFault, Shape, value_of};
use serde_json::{Map, Value, json};

/// Seconds the host waits. Above the longest hold plus the ledger's own wait,
/// so that the gate always answers first.
const TIMEOUT: u32 = 120;

/// What the host shows next to its spinner while the hook runs. The text is fixed when the hook is
/// installed, so it names the verb that lists what waits, and no request. Short enough for 80 columns.
const STATUS: &str = "Toolgate is checking this call. Waiting? Run `toolgate inbox`";

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
    let mut settings = Settings::read(settings.unwrap_or_default())?;
    let command = format!("{program} hook {NAME}");
    settings.begin();
    while let Some(stray) = hooks_in(&settings).into_iter().find(|found| !found.is_at_home(&settings)) {
        remove(&mut settings, &stray);
    }
    if settings.root().get("hooks").is_none() {
        let root = settings.root();
        settings.add(&root, Some("hooks"), &all(&command));
        return Ok(settings.into_bytes());
    }
    for (event, matcher) in EVENTS {
        put(&mut settings, event, *matcher, &command)?;
    }
    Ok(settings.into_bytes())
}

/// The hook at one event: an older one is brought up to date where it is.
fn put(
    settings: &mut Settings,
    event: &str,
    matcher: Option<&str>,
    command: &str,
) -> Result<(), SettingsFault> {
    let root = settings.root();
    let Some(hooks) = root.get("hooks") else { return Ok(()) };
    if !matches!(hooks.shape, Shape::Object(_)) {
        return Err(settings.fault(hooks, "`hooks` is not an object", "make it an object"));
    }
    let Some(groups) = hooks.get(event) else {
        settings.add(hooks, Some(event), &json!([group(matcher, command)]));
        return Ok(());
    };
    if !matches!(groups.shape, Shape::List(_)) {
        let why = format!("`hooks.{event}` is not a list");
        return Err(settings.fault(groups, &why, "make it a list"));
    }
    let own = hooks_in(settings).into_iter().find(|found| found.event == event);
    match own {
        Some(found) if settings.value_at(&found.node) == hook(command) => {}
        Some(found) => settings.replace(&found.node, &hook(command)),
        None => settings.add(groups, None, &group(matcher, command)),
    }
    Ok(())
}

fn all(command: &str) -> Value {
    let groups = EVENTS
        .iter()
        .map(|(event, matcher)| ((*event).to_owned(), Value::Array(vec![group(*matcher, command)])));
    Value::Object(groups.collect::<Map<_, _>>())
}

fn group(matcher: Option<&str>, command: &str) -> Value {
    match matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [hook(command)] }),
        None => json!({ "hooks": [hook(command)] }),
    }
}

fn hook(command: &str) -> Value {
    json!({
        "type": "command",
        "command": command,
        "timeout": TIMEOUT,
        "onFailure": "block",
        "statusMessage": STATUS
    })
}

/// One of our hooks in the settings.
struct Found {
    event: String,
    /// Which group of the event.
    group: usize,
    /// Which hook of the group.
    hook: usize,
    node: Node,
    /// Whether one of ours is before it at the same event.
    is_repeated: bool,
}

impl Found {
    /// Whether it is the one hook of an event the gate listens to, for every tool.
    fn is_at_home(&self, settings: &Settings) -> bool {
        let root = settings.root();
        let groups = root.get("hooks").and_then(|hooks| hooks.get(&self.event));
        let group = groups.and_then(|groups| groups.list().get(self.group));
        !self.is_repeated
            && EVENTS.iter().any(|(event, _)| *event == self.event)
            && group.is_some_and(|group| matches_all(&settings.value_at(group)))
    }
}

fn hooks_in(settings: &Settings) -> Vec<Found> {
    let root = settings.root();
    let mut all: Vec<Found> = Vec::new();
    let Some(hooks) = root.get("hooks") else { return all };
    for (at, (event, _, groups)) in hooks.members().iter().enumerate() {
        // Of a name written twice only the last counts.
        if hooks.position(event) != Some(at) {
            continue;
        }
        for (group_at, group) in groups.list().iter().enumerate() {
            for (hook_at, node) in group.get("hooks").map(Node::list).unwrap_or_default().iter().enumerate() {
                if is_ours(&settings.value_at(node)) {
                    let is_repeated = all.iter().any(|found| found.event == *event);
                    let (event, node) = (event.clone(), node.clone());
                    all.push(Found { event, group: group_at, hook: hook_at, node, is_repeated });
                }
            }
        }
    }
    all
}

pub(super) fn uninstall(settings: &[u8]) -> Result<Option<Vec<u8>>, SettingsFault> {
    let mut edited = Settings::read(settings)?;
    if hooks_in(&edited).is_empty() {
        return Ok(Some(settings.to_vec()));
    }
    while let Some(found) = hooks_in(&edited).first() {
        remove(&mut edited, found);
    }
    let is_empty = edited.root().members().is_empty();
    Ok((!is_empty).then(|| edited.into_bytes()))
}

/// Takes one of our hooks out, and what would be empty without it.
fn remove(settings: &mut Settings, found: &Found) {
    let root = settings.root();
    let Some(hooks) = root.get("hooks") else { return };
    let Some(groups) = hooks.get(&found.event) else { return };
    let Some(group) = groups.list().get(found.group) else { return };
    let Some(list) = group.get("hooks") else { return };
    let position = |node: &Node, key: &str| node.position(key).unwrap_or_default();
    match (list.list().len(), groups.list().len(), hooks.members().len()) {
        (1, 1, 1) => settings.remove(&root, position(&root, "hooks")),
        (1, 1, _) => settings.remove(hooks, position(hooks, &found.event)),
        (1, _, _) => settings.remove(groups, found.group),
        (_, _, _) => settings.remove(list, found.hook),
    }
}

/// The events our hook is at, in the order of the file.
pub(super) fn events(settings: &[u8]) -> Vec<String> {
    let Ok(settings) = Settings::read(settings) else { return Vec::new() };
    hooks_in(&settings).into_iter().map(|found| found.event).collect()
}

fn is_ours(hook: &Value) -> bool {
    let command = hook.get("command").and_then(Value::as_str).unwrap_or_default();
    command.contains("toolgate") && command.ends_with(&format!(" hook {NAME}"))
}

pub(super) fn installed(settings: &[u8]) -> Option<String> {
    let value = value_of(settings).ok()?;
    let groups = value.pointer("/hooks/PreToolUse")?.as_array()?;
    let hooks = groups.iter().filter_map(|group| group.get("hooks")?.as_array()).flatten();
    let ours = hooks.into_iter().find(|hook| is_ours(hook))?;
    ours.get("command").and_then(Value::as_str).map(str::to_owned)
}

/// Settings that would take the gate out of the path do not come into force.
pub(super) fn objection(settings: Option<&[u8]>, ours: Ours) -> Option<String> {
    let Some(bytes) = settings else {
        return (ours == Ours::Yes).then(|| "the settings file with Toolgate's hook was deleted".to_owned());
    };
    let Ok(value) = value_of(bytes) else {
        return Some("the changed settings are not valid JSON".to_owned());
    };
    if switches_off(&value) {
        return Some("the changed settings disable all hooks (`disableAllHooks`)".to_owned());
    }
    if let Some(fault) = types::fault(&value).filter(|_| ours == Ours::Yes) {
        return Some(format!("Claude Code would ignore the changed settings with the gate's hook: {fault}"));
    }
    let lost = ours == Ours::Yes && !is_whole(&value);
    lost.then(|| "the changed settings no longer contain Toolgate's hook as installed".to_owned())
}

/// Whether settings disable all hooks, in a spelling any version might accept.
pub(super) fn switches_off(settings: &Value) -> bool {
    settings.get("disableAllHooks").is_some_and(|switch| *switch != Value::Bool(false))
}

/// Whether our hook is at every event it was installed for, armed: for
/// every tool, with the fail-closed switch, and with the time it needs.
pub(super) fn is_whole(value: &Value) -> bool {
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
