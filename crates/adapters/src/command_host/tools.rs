//! What the tools of a host do, by the row of the host and the input.

use crate::Unreadable;
use crate::command_host::{CommandHost, patch};
use crate::mcp_names::command_of;
use serde_json::Value;
use toolgate_core::{Access, Kind};

/// What a tool does, and which fields of its input say to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// Runs the shell command in this field.
    Shell(&'static str),
    /// Types this field into a program that runs, which may be a shell.
    Keys(&'static str),
    /// Reads the file this field names.
    Read(&'static str),
    /// Writes the file this field names.
    Write(&'static str),
    /// Looks for text below the folder in the first field, in files the second one names.
    Search(&'static str, &'static str),
    /// Changes files as the patch in this field says.
    Patch(&'static str),
    /// Views or edits the file in `path`, as its `command` says.
    Editor,
    /// Fetches the address in this field.
    Web(&'static str),
    /// Hands work to another agent.
    Agent,
    /// Touches nothing outside the conversation.
    Plain,
}

/// How a host names the tools of MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum McpNames {
    /// `PREFIX` server `BETWEEN` tool.
    Joined(&'static str, &'static str),
    /// Any name with this in it that is no tool of the host: server before, tool behind.
    Between(&'static str),
    /// The tool's own name; this field of the input has this value.
    Marked(&'static str, &'static str),
}

/// The kind of a call. A known tool whose input lacks what the tool needs is
/// unreadable, never harmless.
pub(super) fn kind_of(host: &CommandHost, tool: &str, input: &Value) -> Result<Kind, Unreadable> {
    if !input.is_object() {
        return Err(Unreadable { why: format!("the input of `{tool}` is not an object") });
    }
    if let Some((_, known)) = host.tools.iter().find(|(name, _)| *name == tool) {
        return known.kind(tool, input);
    }
    if let Some((server, name)) = host.mcp.split(tool, input) {
        return Ok(match command_of(name, input) {
            Some((field, command)) => Kind::Shell { command, field },
            None => Kind::Mcp { server: server.to_owned(), tool: name.to_owned() },
        });
    }
    // A tool that carries a command is a shell, whatever it is called.
    match input.get("command") {
        Some(Value::String(_)) => Tool::Shell("command").kind(tool, input),
        _ => Ok(Kind::Other),
    }
}

impl McpNames {
    fn split<'a>(self, tool: &'a str, input: &Value) -> Option<(&'a str, &'a str)> {
        match self {
            McpNames::Joined(prefix, between) => {
                let rest = tool.strip_prefix(prefix)?;
                Some(rest.split_once(between).unwrap_or((rest, "")))
            }
            McpNames::Between(between) => tool.split_once(between),
            McpNames::Marked(field, value) => {
                (input.get(field).and_then(Value::as_str) == Some(value)).then_some(("", tool))
            }
        }
    }
}

impl Tool {
    fn kind(self, tool: &str, input: &Value) -> Result<Kind, Unreadable> {
        let file = |access, field| Ok(Kind::File { access, paths: vec![text(tool, input, field)?] });
        match self {
            Tool::Shell(field) => {
                Ok(Kind::Shell { command: text(tool, input, field)?, field: field.to_owned() })
            }
            // Looking at the output, or a key such as Enter, types no text.
            Tool::Keys(field) => Ok(match input.get(field).and_then(Value::as_str) {
                Some(typed) => Kind::Shell { command: typed.to_owned(), field: field.to_owned() },
                None => Kind::Other,
            }),
            Tool::Read(field) => file(Access::Read, field),
            Tool::Write(field) => file(Access::Write, field),
            Tool::Search(folder, names) => {
                Ok(Kind::File { access: Access::Read, paths: searched(input, folder, names) })
            }
            Tool::Patch(field) => {
                let written = text(tool, input, field)?;
                let files = patch::files(&written);
                files
                    .map(|files| Kind::Files { files })
                    .map_err(|why| Unreadable { why: format!("the patch of `{tool}` cannot be read: {why}") })
            }
            Tool::Editor if input.get("command").and_then(Value::as_str) == Some("view") => {
                file(Access::Read, "path")
            }
            Tool::Editor => file(Access::Write, "path"),
            Tool::Web(field) => Ok(Kind::Fetch { url: text(tool, input, field)? }),
            Tool::Agent => Ok(Kind::Handoff),
            Tool::Plain => Ok(Kind::Other),
        }
    }
}

fn text(tool: &str, input: &Value, field: &str) -> Result<String, Unreadable> {
    let found = input.get(field).and_then(Value::as_str).map(str::to_owned);
    found.ok_or_else(|| Unreadable { why: format!("the input of `{tool}` has no text `{field}`") })
}

/// Where a search looks: its folder, narrowed by its pattern of names.
fn searched(input: &Value, folder: &str, names: &str) -> Vec<String> {
    let text = |field: &str| input.get(field).and_then(Value::as_str).map(str::to_owned);
    let top = text(folder);
    let base = top.as_deref().unwrap_or(".").trim_end_matches('/').to_owned();
    let narrowed = text(names).map(|glob| format!("{base}/{glob}"));
    top.into_iter().chain(narrowed).collect()
}
