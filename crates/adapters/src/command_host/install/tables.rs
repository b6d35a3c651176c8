//! Settings in TOML, which are added to at their end, between two lines that are ours.

use super::{BEGIN, CommandHost, END, Form, is_ours};
use crate::settings::SettingsFault;
use std::ops::Range;

pub(super) fn install(host: &CommandHost, before: &[u8], command: &str) -> Result<Vec<u8>, SettingsFault> {
    let mut text = read(before)?;
    if let Some(own) = own(&text) {
        text.replace_range(own, "");
    }
    if text.lines().any(|line| line.trim_start().starts_with("hooks") && line.contains("= [")) {
        return Err(SettingsFault {
            why: "lists its hooks in one line, which cannot be added to".to_owned(),
            place: None,
            help: "write each hook as a `[[hooks]]` table".to_owned(),
        });
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&block(host, command));
    Ok(text.into_bytes())
}

fn block(host: &CommandHost, command: &str) -> String {
    let Form::Tables { event, matcher, more, more_with_matcher } = host.registration.form else {
        return String::new();
    };
    let mut text = format!("{BEGIN}\n");
    for (name, pattern_of) in host.registration.events {
        let pattern = |pattern| format!("{matcher} = {pattern:?}\n{more_with_matcher}");
        let pattern = pattern_of.map(pattern).unwrap_or_default();
        let more = more.replace("EVENT", name);
        text.push_str(&format!(
            "[[hooks]]\n{event} = {name:?}\n{pattern}command = {command:?}\ntimeout = {}\n{more}\n",
            host.registration.timeout
        ));
    }
    text.truncate(text.trim_end().len());
    format!("{text}\n{END}\n")
}

/// Where our lines are.
pub(super) fn own(text: &str) -> Option<Range<usize>> {
    let start = text.find(&format!("{BEGIN}\n"))?;
    let length = text.get(start..)?.find(&format!("{END}\n"))? + END.len() + 1;
    Some(start..start + length)
}

pub(super) fn uninstall(before: &[u8]) -> Result<Option<Vec<u8>>, SettingsFault> {
    let mut text = read(before)?;
    let Some(own) = own(&text) else { return Ok(Some(before.to_vec())) };
    text.replace_range(own, "");
    Ok((!text.is_empty()).then(|| text.into_bytes()))
}

pub(super) fn command(host: &CommandHost, text: &str) -> Option<String> {
    let own = text.get(own(text)?)?;
    let line = own.lines().find_map(|line| line.strip_prefix("command = "))?;
    let command: String = serde_json::from_str(line).ok()?;
    is_ours(host.name, &command).then_some(command)
}

pub(super) fn read(bytes: &[u8]) -> Result<String, SettingsFault> {
    let text = std::str::from_utf8(bytes).map_err(|_| SettingsFault {
        why: "is not UTF-8 text".to_owned(),
        place: None,
        help: "save the file as UTF-8".to_owned(),
    })?;
    Ok(text.to_owned())
}
