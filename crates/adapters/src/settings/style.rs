//! How a JSON text is formatted, so that what is added to it looks the same.

use crate::settings::spans::Node;
use serde_json::Value;

/// The formatting of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Style {
    /// What ends a line.
    pub newline: &'static str,
    /// One step of indentation.
    pub unit: String,
    /// All on one line.
    pub is_flat: bool,
    /// What is behind a comma or colon on one line: a space, or nothing.
    pub gap: &'static str,
}

impl Default for Style {
    fn default() -> Style {
        Style { newline: "\n", unit: "  ".to_owned(), is_flat: false, gap: " " }
    }
}

impl Style {
    /// As the text does it, from its first member.
    pub(super) fn of(text: &str, root: &Node) -> Style {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let Some((_, start, value)) = root.members().first() else {
            return Style { newline, ..Style::default() };
        };
        let before = text.get(root.start..*start).unwrap_or_default();
        let is_flat = !text.get(root.start..root.end).unwrap_or_default().contains('\n');
        let indent = before.rsplit('\n').next().unwrap_or_default();
        let unit = if before.contains('\n') && !indent.is_empty() { indent } else { "  " };
        let colon = text.get(*start..value.start).unwrap_or_default();
        let gap = if colon.ends_with(':') { "" } else { " " };
        Style { newline, unit: unit.to_owned(), is_flat, gap }
    }

    /// A name with its value.
    pub(super) fn member(&self, key: &str, value: &str) -> String {
        format!("{}:{}{value}", Value::from(key), self.gap)
    }

    /// A value as it is on a line that begins with `indent`.
    pub(super) fn render(&self, value: &Value, indent: &str, is_flat: bool) -> String {
        let inner = format!("{indent}{}", self.unit);
        let (open, items, close) = match value {
            Value::Object(members) if !members.is_empty() => {
                let member =
                    |(key, value): (&String, &Value)| self.member(key, &self.render(value, &inner, is_flat));
                ('{', members.iter().map(member).collect::<Vec<_>>(), '}')
            }
            Value::Array(values) if !values.is_empty() => {
                let values = values.iter().map(|value| self.render(value, &inner, is_flat));
                ('[', values.collect::<Vec<_>>(), ']')
            }
            other => return other.to_string(),
        };
        if is_flat {
            return format!("{open}{}{close}", items.join(&format!(",{}", self.gap)));
        }
        let line = format!("{}{inner}", self.newline);
        format!("{open}{line}{}{}{indent}{close}", items.join(&format!(",{line}")), self.newline)
    }
}
