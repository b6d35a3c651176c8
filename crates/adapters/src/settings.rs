//! Edits a host's JSON settings: keys keep their order, the file keeps its
//! indentation and its last newline.

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};
use std::fmt;

/// Settings that cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFault {
    /// Why.
    pub why: String,
}

impl fmt::Display for SettingsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.why)
    }
}

impl std::error::Error for SettingsFault {}

/// Reads settings; nothing or white space is an empty object.
pub(crate) fn read(bytes: &[u8]) -> Result<Value, SettingsFault> {
    let text =
        std::str::from_utf8(bytes).map_err(|_| SettingsFault { why: "it is not UTF-8 text".to_owned() })?;
    if text.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    let value: Value = serde_json::from_str(text)
        .map_err(|error| SettingsFault { why: format!("it is not JSON: {error}") })?;
    if value.is_object() {
        Ok(value)
    } else {
        Err(SettingsFault { why: "it is not a JSON object".to_owned() })
    }
}

/// Writes settings in the manner of the bytes they were read from.
pub(crate) fn write(value: &Value, like: &[u8]) -> Vec<u8> {
    let like = String::from_utf8_lossy(like);
    let indent = like.lines().find_map(|line| {
        let blank = line.len().saturating_sub(line.trim_start_matches([' ', '\t']).len());
        if blank > 0 { line.get(..blank).map(str::to_owned) } else { None }
    });
    let indent = indent.unwrap_or_else(|| "  ".to_owned());
    let mut bytes = Vec::new();
    let mut serializer =
        Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(indent.as_bytes()));
    // A JSON value always has a JSON text; an empty file would only mean no settings.
    let _ = value.serialize(&mut serializer);
    if like.is_empty() || like.ends_with('\n') {
        bytes.push(b'\n');
    }
    bytes
}
