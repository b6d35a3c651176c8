//! Edits a host's JSON settings as text: an edit changes no byte but those it
//! is about, whatever the formatting of the file.
//!
//! Deliberately absent: what the settings mean; that is for each host.

mod spans;
mod style;

pub(crate) use spans::{Node, Shape};

use serde_json::Value;
use std::fmt;
use std::ops::Range;
use style::Style;

/// Some editors begin a file with it. It is not part of the JSON.
const BOM: char = '\u{feff}';

/// Settings that cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFault {
    /// What is wrong, as the end of a sentence.
    pub why: String,
    /// Line and column, from 1, where there is a place to name.
    pub place: Option<(usize, usize)>,
    /// What to do.
    pub help: String,
}

impl SettingsFault {
    /// The whole sentence: the file by its name, or the part of it that is wrong.
    #[must_use]
    pub fn of(&self, file: &str) -> String {
        match self.why.strip_prefix('`').and_then(|rest| rest.split_once("` ")) {
            Some((part, wrong)) => format!("`{part}` in `{file}` {wrong}"),
            None => format!("`{file}` {}", self.why),
        }
    }
}

impl fmt::Display for SettingsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.why)
    }
}

impl std::error::Error for SettingsFault {}

/// Reads the value of settings; nothing or white space is an empty object.
pub(crate) fn value_of(bytes: &[u8]) -> Result<Value, SettingsFault> {
    Settings::read(bytes).map(|settings| settings.value())
}

/// The text of a settings file that holds one JSON object, or nothing.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    text: String,
    style: Style,
}

impl Settings {
    /// Reads the text.
    pub(crate) fn read(bytes: &[u8]) -> Result<Settings, SettingsFault> {
        let text = std::str::from_utf8(bytes).map_err(|error| not_utf8(bytes, error.valid_up_to()))?;
        let settings = Settings { text: text.to_owned(), style: Style::default() };
        if settings.is_blank() {
            return Ok(settings);
        }
        let json = text.trim_start_matches(BOM);
        let value: Value = serde_json::from_str(json).map_err(|error| not_json(json, &error))?;
        if !value.is_object() {
            return Err(settings.fault_at(&settings.start(), "is not a JSON object", "make it an object"));
        }
        let style = Style::of(text, &settings.root());
        Ok(Settings { style, ..settings })
    }

    /// The text as it is now.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.text.into_bytes()
    }

    /// The text itself.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What the text says.
    pub(crate) fn value(&self) -> Value {
        if self.is_blank() {
            return Value::Object(serde_json::Map::new());
        }
        self.value_at(&self.root())
    }

    /// The object that is the file.
    pub(crate) fn root(&self) -> Node {
        // Read as JSON before, so it has spans; a blank file has none and is never asked for any.
        spans::parse(&self.text, self.start().start).unwrap_or_default()
    }

    /// What one part of the text says.
    pub(crate) fn value_at(&self, node: &Node) -> Value {
        let text = self.text.get(node.start..node.end).unwrap_or_default();
        serde_json::from_str(text).unwrap_or_default()
    }

    /// A problem with one part of the text.
    pub(crate) fn fault(&self, node: &Node, why: &str, help: &str) -> SettingsFault {
        self.fault_at(&(node.start..node.end), why, help)
    }

    /// Writes a value in the place of another.
    pub(crate) fn replace(&mut self, node: &Node, value: &Value) {
        let is_flat = !self.text.get(node.start..node.end).unwrap_or_default().contains('\n');
        let indent = self.indent_of(node.start);
        let new = self.style.render(value, &indent, is_flat);
        self.text.replace_range(node.start..node.end, &new);
    }

    /// Adds a value behind the last one of a list, or of an object under `key`.
    pub(crate) fn add(&mut self, container: &Node, key: Option<&str>, value: &Value) {
        let item = |style: &Style, indent: &str, is_flat: bool| {
            let value = style.render(value, indent, is_flat);
            key.map_or_else(|| value.clone(), |key| style.member(key, &value))
        };
        let style = self.style.clone();
        let Some((first, last)) = container.first_and_last() else {
            let outer = self.indent_of(container.start);
            let inner = format!("{outer}{}", style.unit);
            let inside =
                self.text.get(container.start + 1..container.end.saturating_sub(1)).unwrap_or_default();
            let new = if style.is_flat {
                item(&style, &inner, true)
            } else {
                let end =
                    if inside.contains('\n') { String::new() } else { format!("{}{outer}", style.newline) };
                format!("{}{inner}{}{end}", style.newline, item(&style, &inner, false))
            };
            return self.text.insert_str(container.start + 1, &new);
        };
        let is_flat = !self.text.get(container.start..first).unwrap_or_default().contains('\n');
        let new = if is_flat {
            format!(",{}{}", style.gap, item(&style, "", true))
        } else {
            let indent = self.indent_of(first);
            format!(",{}{indent}{}", style.newline, item(&style, &indent, false))
        };
        self.text.insert_str(last, &new);
    }

    /// The object of a file that held nothing.
    pub(crate) fn begin(&mut self) {
        if self.is_blank() {
            let bom = if self.text.starts_with(BOM) { BOM.to_string() } else { String::new() };
            self.text = format!("{bom}{{}}\n");
        }
    }

    /// Takes out the item of a list or object that is at `at`, and the comma it needed.
    pub(crate) fn remove(&mut self, container: &Node, at: usize) {
        let spans: Vec<Range<usize>> = container.items();
        let span = |at: usize| spans.get(at).cloned().unwrap_or_default();
        let (own, is_last) = (span(at), at + 1 == spans.len());
        let range = match (at.checked_sub(1), is_last) {
            (Some(before), _) => span(before).end..own.end,
            (None, false) => own.start..span(at + 1).start,
            (None, true) => container.start + 1..container.end.saturating_sub(1),
        };
        self.text.replace_range(range, "");
    }

    fn is_blank(&self) -> bool {
        self.text.trim_start_matches(BOM).trim().is_empty()
    }

    /// Where the JSON begins.
    fn start(&self) -> Range<usize> {
        let start = self.text.len() - self.text.trim_start_matches(BOM).len();
        start..self.text.len()
    }

    /// The white space the line of `at` begins with.
    fn indent_of(&self, at: usize) -> String {
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default().trim_start_matches(BOM);
        line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
    }

    fn fault_at(&self, range: &Range<usize>, why: &str, help: &str) -> SettingsFault {
        let before = self.text.get(..range.start).unwrap_or_default();
        SettingsFault { why: why.to_owned(), place: Some(place_behind(before)), help: help.to_owned() }
    }
}

/// Line and column of what comes behind a text.
fn place_behind(before: &str) -> (usize, usize) {
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start_matches(BOM);
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

fn not_utf8(bytes: &[u8], valid: usize) -> SettingsFault {
    let before = String::from_utf8_lossy(bytes.get(..valid).unwrap_or_default());
    SettingsFault {
        why: "is not UTF-8 text".to_owned(),
        place: Some(place_behind(&before)),
        help: "save the file as UTF-8".to_owned(),
    }
}

/// What the parser found, with the fix where it is a usual one.
fn not_json(text: &str, error: &serde_json::Error) -> SettingsFault {
    let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    // The parser counts bytes.
    let before = line.get(..error.column().saturating_sub(1)).unwrap_or(line);
    let rest = line.get(before.len()..).unwrap_or_default();
    let message = error.to_string();
    let (why, help) = if rest.starts_with("//") || rest.starts_with("/*") {
        ("comments are not allowed", "remove the comment")
    } else {
        match message.split(" at line ").next().unwrap_or_default() {
            "trailing comma" => ("trailing comma", "remove the comma before the closing bracket"),
            "trailing characters" => ("text after the closing bracket", "remove it"),
            "key must be a string" => ("a key must be in double quotes", "put the key in double quotes"),
            found if found.starts_with("EOF") => ("a bracket or quote is never closed", "close it"),
            found => (found, "correct the file at this place"),
        }
    };
    SettingsFault {
        why: format!("is not valid JSON: {why}"),
        place: Some((error.line().max(1), before.chars().count() + 1)),
        help: help.to_owned(),
    }
}
