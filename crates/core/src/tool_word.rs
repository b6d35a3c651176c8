//! The words tools of every host go by: a rule that says `tool: web` holds however
//! a host calls its tool.
//!
//! Told by what the call does and by its input, never by the host.

use crate::call::{Call, Kind};
use crate::facts::Access;
use serde_json::Value;

/// Every word, in the order they are explained.
pub const TOOL_WORDS: [&str; 8] = ["shell", "read", "search", "write", "edit", "web", "agent", "mcp"];

/// Fields of an input that say what to look for.
const SOUGHT: [&str; 4] = ["pattern", "query", "regex", "glob"];

/// Fields that say what is replaced in a file.
const REPLACED: [&str; 11] = [
    "old_string",
    "old_str",
    "old_text",
    "oldString",
    "oldText",
    "before",
    "edits",
    "new_source",
    "patch",
    "diff",
    "insert_line",
];

/// Fields that hold a whole new text.
const WHOLE: [&str; 4] = ["content", "contents", "file_text", "text"];

/// Names of tools of the web that take no address.
const WEB: [&str; 4] = ["websearch", "webfetch", "fetchurl", "searchweb"];

impl Call {
    /// The words its tool goes by.
    #[must_use]
    pub fn tool_words(&self) -> Vec<&'static str> {
        let has =
            |names: &[&str]| names.iter().any(|name| self.input.get(*name).is_some_and(|v| !v.is_null()));
        let mut words = match &self.kind {
            Kind::Shell { .. } => vec!["shell"],
            Kind::File { access: Access::Read, .. } if has(&SOUGHT) => vec!["search"],
            Kind::File { access: Access::Read, .. } => vec!["read"],
            Kind::File { .. } if has(&REPLACED) => vec!["edit"],
            Kind::File { .. } if has(&WHOLE) => vec!["write"],
            // A patch can do both; so can what says neither.
            Kind::File { .. } | Kind::Files { .. } => vec!["write", "edit"],
            Kind::Fetch { .. } => vec!["web"],
            Kind::Handoff => vec!["agent"],
            Kind::Other if self.is_web() => vec!["web"],
            Kind::Mcp { .. } | Kind::Stop | Kind::Other => Vec::new(),
        };
        if self.server().is_some() {
            words.push("mcp");
        }
        words
    }

    /// The name under which policies know a tool of an MCP server, however the host writes it.
    #[must_use]
    pub fn server_tool(&self) -> Option<String> {
        match &self.kind {
            Kind::Mcp { server, tool } => Some(format!("mcp__{server}__{tool}")),
            _ => None,
        }
    }

    fn is_web(&self) -> bool {
        let letters = self.tool.chars().filter(char::is_ascii_alphanumeric);
        let name: String = letters.map(|c| c.to_ascii_lowercase()).collect();
        WEB.iter().any(|web| name.contains(web)) && !matches!(self.input, Value::Null)
    }
}
