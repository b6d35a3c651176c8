//! Files that are all the gate's: code that hands calls over, or JSON. A file of
//! someone else in their place is never written over.

use super::is_ours;
use crate::settings::SettingsFault;
use serde_json::{Value, json};

/// What a file of code says before the command, in one of its first two lines.
const MARK: &str = "toolgate hook: ";

/// The same in the files next to it, which judge nothing by themselves.
const MARK_BESIDE: &str = "toolgate result hook: ";

pub(super) fn install(
    name: &str,
    text: &str,
    before: &[u8],
    command: &str,
) -> Result<Vec<u8>, SettingsFault> {
    if !is_own(name, before) && !is_blank(before) {
        return Err(not_ours());
    }
    let text = text.replace("JSON_OF_IT", &json!(command).to_string()).replace("COMMAND", command);
    Ok(text.into_bytes())
}

pub(super) fn command(name: &str, text: &str) -> Option<String> {
    command_behind(MARK, name, text)
}

/// Whether a file of code was written by the gate.
pub(super) fn is_own(name: &str, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    [MARK, MARK_BESIDE].iter().any(|mark| command_behind(mark, name, &text).is_some())
}

fn command_behind(mark: &str, name: &str, text: &str) -> Option<String> {
    let (_, command) = text.lines().take(2).find_map(|line| line.split_once(mark))?;
    is_ours(name, command).then(|| command.to_owned())
}

pub(super) fn install_json(
    name: &str,
    render: fn(&str) -> Value,
    before: &[u8],
    command: &str,
) -> Result<Vec<u8>, SettingsFault> {
    if command_in_json(name, before).is_none() && !is_blank(before) {
        return Err(not_ours());
    }
    Ok(format!("{:#}\n", render(command)).into_bytes())
}

pub(super) fn command_in_json(name: &str, bytes: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let mut texts = Vec::new();
    collect(&value, &mut texts);
    texts.into_iter().find(|text| is_ours(name, text)).map(str::to_owned)
}

fn collect<'a>(value: &'a Value, into: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => into.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, into)),
        _ => {}
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_whitespace)
}

fn not_ours() -> SettingsFault {
    SettingsFault {
        why: "was not written by Toolgate".to_owned(),
        place: None,
        help: "move the file away; Toolgate needs its name".to_owned(),
    }
}
