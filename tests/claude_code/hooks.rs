//! Hooks the tests write themselves, and a look into a host's settings file.

use crate::host::Stage;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// Seconds the host waits for a hook of a test. Short, because one test lets it run out.
const HOOK_WAIT_S: u32 = 2;

/// Whose settings file.
#[derive(Clone, Copy)]
pub enum Level {
    User,
    Project,
}

fn settings_path(stage: &Stage, level: Level) -> PathBuf {
    let folder = match level {
        Level::User => &stage.home,
        Level::Project => &stage.work,
    };
    folder.join(".claude/settings.json")
}

/// Adds `command` as a hook of `event` to the settings, blocking when it fails.
pub fn add_hook(stage: &Stage, level: Level, event: &str, command: &str) {
    let path = settings_path(stage, level);
    let mut settings: Value = serde_json::from_str(&stage.read(&path)).unwrap_or_else(|_| json!({}));
    let hook = json!({"type": "command", "command": command, "timeout": HOOK_WAIT_S, "onFailure": "block"});
    let entries = &mut settings["hooks"][event];
    if entries.is_null() {
        *entries = json!([]);
    }
    entries.as_array_mut().expect("a list of hooks").push(json!({"hooks": [hook]}));
    stage.write(&path, &settings.to_string());
}

/// Replaces the command of every installed hook of `event` by another program, without arguments.
pub fn replace_hook(stage: &Stage, level: Level, event: &str, command: &str) {
    let path = settings_path(stage, level);
    let mut settings: Value = serde_json::from_str(&stage.read(&path)).expect("installed settings");
    let entries = settings["hooks"][event].as_array_mut().expect("an installed hook");
    let hooks = entries.iter_mut().flat_map(|entry| entry["hooks"].as_array_mut().expect("hooks"));
    let mut count = 0;
    for hook in hooks {
        let hook = hook.as_object_mut().expect("a hook");
        hook.remove("args");
        hook.insert("command".to_string(), json!(command));
        count += 1;
    }
    assert!(count > 0, "no hook of {event} was installed");
    stage.write(&path, &settings.to_string());
}

/// Adds a hook that keeps each payload of `event` and has no opinion.
pub fn tap(stage: &Stage, level: Level, event: &str) {
    let folder = stage.home.join("taps").join(event);
    fs::create_dir_all(&folder).expect("a new folder");
    // Renamed when complete, so that a test which polls never reads half a payload.
    let folder = folder.display();
    let keep = format!("cat > '{folder}'/$$.part && mv '{folder}'/$$.part '{folder}'/$$.json");
    let command = stage.program(&format!("tap-{event}"), &keep);
    add_hook(stage, level, event, command.to_str().expect("a plain path"));
}

/// The payloads of `event` so far, oldest first.
pub fn taps(stage: &Stage, event: &str) -> Vec<Value> {
    let files = fs::read_dir(stage.home.join("taps").join(event)).into_iter().flatten().flatten();
    let mut paths: Vec<_> = files
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .map(|path| (path.metadata().and_then(|file| file.modified()).ok(), path))
        .collect();
    paths.sort();
    paths.iter().map(|(_, path)| serde_json::from_str(&stage.read(path)).expect("a payload")).collect()
}
