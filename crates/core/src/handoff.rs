//! The section `handoff`: what work handed to another agent must come with

use crate::call::Call;
use crate::finding::Source;
use crate::path::absolute;
use crate::rule::Names;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The section.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Handoff {
    /// Parts the task text must have, each as a heading or a line `Context: …` with something below or behind it.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub payload: Names,
    /// Only agents the policy speaks of may be given work.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub known_receivers: bool,
}

/// What one layer says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandoffEntry {
    /// Where it is written.
    pub source: Source,
    /// What is said.
    pub handoff: Handoff,
}

/// Longest task text looked at.
const TEXT_MAX: usize = 64 << 10;

/// Most files of one hand-over that are looked up.
const FILES_MAX: usize = 64;

/// The task text of a hand-over: every text of its input.
fn text_of(call: &Call) -> String {
    let fields = call.input.as_object().into_iter().flatten();
    let texts: Vec<&str> = fields.filter_map(|(_, value)| Value::as_str(value)).collect();
    let mut text = texts.join("\n");
    text.truncate(text.floor_char_boundary(TEXT_MAX));
    text
}

/// The name of a part a line opens, and what follows it.
fn opened(line: &str) -> Option<(String, &str)> {
    let bare = line.trim().trim_start_matches(['#', '*', '-', ' ']);
    let is_heading = line.trim_start().starts_with('#');
    let (name, rest) = match bare.split_once(':') {
        Some((name, rest)) => (name, rest),
        None if is_heading => (bare, ""),
        None => return None,
    };
    let name = name.trim_matches(['*', ' ']);
    let plain = !name.is_empty() && name.len() <= 40 && name.chars().all(|c| c.is_alphanumeric() || c == ' ');
    plain.then(|| (canonical(name), rest.trim_matches(['*', ' '])))
}

/// One word for what is spelled several ways.
fn canonical(name: &str) -> String {
    let name = name.to_lowercase();
    match name.as_str() {
        "artifacts" | "files" | "artefact" | "artifact" => "artefacts".to_owned(),
        "why" | "reason" => "rationale".to_owned(),
        "capabilities" | "requires" => "needs".to_owned(),
        _ => name,
    }
}

/// What is in a part of the task text; `None` if it is not there or empty.
fn part<'a>(text: &'a str, wanted: &str) -> Option<Vec<&'a str>> {
    let wanted = canonical(wanted);
    let mut found = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match opened(line) {
            Some((name, rest)) => {
                inside = name == wanted;
                found.extend(Some(rest).filter(|rest| inside && !rest.is_empty()));
            }
            None => found.extend(Some(line.trim()).filter(|line| inside && !line.is_empty())),
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The first of these parts the task text lacks.
pub(crate) fn missing<'a>(call: &Call, wanted: &'a Names) -> Option<&'a str> {
    if wanted.is_empty() {
        return None;
    }
    let text = text_of(call);
    wanted.iter().find(|name| part(&text, name).is_none())
}

fn words(lines: Vec<&str>) -> impl Iterator<Item = &str> {
    lines.into_iter().flat_map(|line| line.split([',', ' ', '\t']))
}

/// The capabilities the task text says it needs.
pub(crate) fn needs(call: &Call) -> Vec<String> {
    let text = text_of(call);
    let lines = part(&text, "needs").unwrap_or_default();
    words(lines)
        .map(|word| word.trim_matches(['-', '*', '`', '.']).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// The files the task text names, as absolute paths.
#[must_use]
pub fn artefacts(call: &Call) -> Vec<String> {
    let text = text_of(call);
    let lines = part(&text, "artefacts").unwrap_or_default();
    let names = words(lines).map(|word| word.trim_matches(['-', '*', '`', '"', '\'', ';']));
    let files = names.filter(|name| name.contains(['/', '.']) && name.chars().any(char::is_alphanumeric));
    files.take(FILES_MAX).map(|name| absolute(name, &call.dir)).collect()
}
