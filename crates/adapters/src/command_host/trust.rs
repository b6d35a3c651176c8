//! Hooks that a host runs only when their hash is in a file of its own: what is
//! written there, and whether it is there.
//!
//! The hash is over the part of a hook the host knows, with sorted keys: verified with Codex 0.169.0,
//! which accepts what is written here.

use super::{CommandHost, install};
use crate::settings::{SettingsFault, value_of};
use crate::surface::toml_of;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use toolgate_core::{canonical, digest_of};

/// Between these lines, each with the file of the hooks, is what the gate wrote.
const BEGIN: &str = "# begin toolgate, trusted hooks of";
const END: &str = "# end toolgate, trusted hooks of";

/// Seconds a host gives a hook that names no time.
const DEFAULT_TIMEOUT: u64 = 600;

/// One hook of ours: the name under which it is trusted, its event, and its hash.
struct Trusted {
    key: String,
    event: String,
    hash: String,
}

fn hooks(host: &CommandHost, file: &Path, settings: &[u8]) -> Vec<Trusted> {
    let Ok(value) = value_of(settings) else { return Vec::new() };
    let mut all = Vec::new();
    for (event, groups) in value.get("hooks").and_then(Value::as_object).into_iter().flatten() {
        for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
            let listed = group.get("hooks").and_then(Value::as_array).into_iter().flatten();
            for (index, hook) in listed.enumerate() {
                let command = hook.get("command").and_then(Value::as_str).unwrap_or_default();
                if install::is_ours(host.name, command) {
                    let name = snake(event);
                    let key = format!("{}:{name}:{at}:{index}", file.display());
                    let hash = hash(&name, group.get("matcher"), hook);
                    all.push(Trusted { key, event: event.clone(), hash });
                }
            }
        }
    }
    all
}

fn hash(event: &str, matcher: Option<&Value>, hook: &Value) -> String {
    let timeout = hook.get("timeout").and_then(Value::as_u64).unwrap_or(DEFAULT_TIMEOUT);
    let hook =
        json!({ "async": false, "command": hook.get("command"), "timeout": timeout, "type": "command" });
    let mut whole = json!({ "event_name": event, "hooks": [hook] });
    if let (Some(fields), Some(matcher)) = (whole.as_object_mut(), matcher) {
        fields.insert("matcher".to_owned(), matcher.clone());
    }
    format!("sha256:{}", digest_of(canonical(&whole).as_bytes()))
}

/// `PreToolUse` as `pre_tool_use`.
fn snake(event: &str) -> String {
    let mut name = String::new();
    for c in event.chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(c.to_lowercase());
    }
    name
}

/// The file of trusted hooks with ours in it.
pub(super) fn add(
    host: &CommandHost,
    trust: &[u8],
    file: &Path,
    settings: &[u8],
) -> Result<Vec<u8>, SettingsFault> {
    let mut text = without(trust, file)?;
    if toml_of(text.as_bytes()).is_none() {
        return Err(fault("is not valid TOML", "correct the file"));
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let _ = writeln!(text, "{BEGIN} {}", file.display());
    for one in hooks(host, file, settings) {
        let _ = writeln!(text, "[hooks.state.{}]\ntrusted_hash = {}", quoted(&one.key), quoted(&one.hash));
    }
    let _ = writeln!(text, "{END} {}", file.display());
    if toml_of(text.as_bytes()).is_none() {
        return Err(fault(
            "holds `hooks` in a form that cannot be added to",
            "write trusted hooks as `[hooks.state.\"…\"]` tables",
        ));
    }
    Ok(text.into_bytes())
}

/// The same without ours; `None` if nothing is left.
pub(super) fn remove(trust: &[u8], file: &Path) -> Result<Option<Vec<u8>>, SettingsFault> {
    let text = without(trust, file)?;
    Ok((!text.is_empty()).then(|| text.into_bytes()))
}

fn without(trust: &[u8], file: &Path) -> Result<String, SettingsFault> {
    let text =
        std::str::from_utf8(trust).map_err(|_| fault("is not UTF-8 text", "save the file as UTF-8"))?;
    let (begin, end) = (format!("{BEGIN} {}\n", file.display()), format!("{END} {}\n", file.display()));
    let own = text.find(&begin).and_then(|start| {
        let length = text.get(start..)?.find(&end)?.saturating_add(end.len());
        Some(start..start.saturating_add(length))
    });
    let mut text = text.to_owned();
    if let Some(own) = own {
        text.replace_range(own, "");
    }
    Ok(text)
}

/// The first event whose hook of ours is not trusted, or is switched off.
pub(super) fn missing(host: &CommandHost, trust: &[u8], file: &Path, settings: &[u8]) -> Option<String> {
    let state = toml_of(trust).and_then(|value| value.pointer("/hooks/state").cloned()).unwrap_or_default();
    let is_trusted = |one: &Trusted| {
        state.get(&one.key).is_some_and(|entry| {
            entry.get("trusted_hash").and_then(Value::as_str) == Some(one.hash.as_str())
                && entry.get("enabled") != Some(&Value::Bool(false))
        })
    };
    hooks(host, file, settings).into_iter().find(|one| !is_trusted(one)).map(|one| one.event)
}

/// A text in TOML; a basic string is written as in JSON.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn fault(why: &str, help: &str) -> SettingsFault {
    SettingsFault { why: why.to_owned(), place: None, help: help.to_owned() }
}
