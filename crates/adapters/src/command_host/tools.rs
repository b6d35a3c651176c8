//! What the tools of a host do, by the row of the host and the input.

use crate::Unreadable;
use crate::command_host::{CommandHost, patch};
use crate::mcp_names::command_of;
use serde_json::Value;
use toolgate_core::{Access, Call, Kind};

/// What a tool does, and which fields of its input say to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// Runs the shell command in this field.
    Shell(&'static str),
    /// Runs the shell command in the first field, in the folder the second one may name.
    ShellIn(&'static str, &'static str),
    /// Runs each shell command of the list in this field, each in a shell of its own.
    Commands(&'static str),
    /// Runs the Python code in this field.
    Python(&'static str),
    /// Types this field into a program that runs, which may be a shell.
    Keys(&'static str),
    /// Reads the file this field names.
    Read(&'static str),
    /// Writes the file this field names.
    Write(&'static str),
    /// Does this to every file its input names, in whatever field.
    All(Access),
    /// Looks for text below the folder in the first field, in files the second one names.
    Search(&'static str, &'static str),
    /// Changes files as the patch in this field says.
    Patch(&'static str),
    /// The same, or writes the file the first field names where there is no patch in the second.
    WriteOrPatch(&'static str, &'static str),
    /// Views or edits the file in `path`, as its `command` says.
    Editor,
    /// Fetches the address in this field.
    Web(&'static str),
    /// Fetches every address in this field.
    WebAll(&'static str),
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
            Tool::ShellIn(field, _) => Tool::Shell(field).kind(tool, input),
            Tool::Commands(field) => {
                let command = each_in_its_shell(&listed(tool, input, field)?);
                Ok(Kind::Shell { command, field: field.to_owned() })
            }
            Tool::Python(field) => {
                let command = format!("python3 -c {}", quoted(&text(tool, input, field)?));
                Ok(Kind::Shell { command, field: field.to_owned() })
            }
            // Looking at the output, or a key such as Enter, types no text.
            Tool::Keys(field) => Ok(match input.get(field).and_then(Value::as_str) {
                Some(typed) => Kind::Shell { command: typed.to_owned(), field: field.to_owned() },
                None => Kind::Other,
            }),
            Tool::Read(field) => file(Access::Read, field),
            Tool::Write(field) => file(Access::Write, field),
            Tool::All(access) => {
                let mut paths = Vec::new();
                texts_in(input, &mut paths);
                match paths.is_empty() {
                    true => Err(Unreadable { why: format!("the input of `{tool}` names no file") }),
                    false => Ok(Kind::File { access, paths }),
                }
            }
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
            Tool::WriteOrPatch(_, patch) if input.get(patch).is_some_and(Value::is_string) => {
                Tool::Patch(patch).kind(tool, input)
            }
            Tool::WriteOrPatch(path, _) => file(Access::Write, path),
            Tool::Editor if input.get("command").and_then(Value::as_str) == Some("view") => {
                file(Access::Read, "path")
            }
            Tool::Editor => file(Access::Write, "path"),
            Tool::Web(field) => Ok(Kind::Fetch { url: text(tool, input, field)? }),
            Tool::WebAll(field) => {
                let mut urls = Vec::new();
                texts_in(input.get(field).unwrap_or(&Value::Null), &mut urls);
                let urls: Vec<String> = urls.into_iter().filter(|url| url.contains("://")).collect();
                match urls.as_slice() {
                    [url] => Ok(Kind::Fetch { url: url.clone() }),
                    // Addresses anywhere in the input of a server's tool are all judged.
                    _ => Ok(Kind::Mcp { server: "web".to_owned(), tool: tool.to_owned() }),
                }
            }
            Tool::Agent => Ok(Kind::Handoff),
            Tool::Plain => Ok(Kind::Other),
        }
    }
}

fn text(tool: &str, input: &Value, field: &str) -> Result<String, Unreadable> {
    let found = input.get(field).and_then(Value::as_str).map(str::to_owned);
    found.ok_or_else(|| Unreadable { why: format!("the input of `{tool}` has no text `{field}`") })
}

/// The folder a call names for itself.
pub(super) fn folder_of<'a>(host: &CommandHost, tool: &str, input: &'a Value) -> Option<&'a str> {
    let (_, known) = host.tools.iter().find(|(name, _)| *name == tool)?;
    let Tool::ShellIn(_, folder) = known else { return None };
    input.get(folder)?.as_str().filter(|folder| !folder.is_empty() && !folder.contains('\0'))
}

/// A new input in the shape the tool takes: a list stays a list.
pub(super) fn in_own_shape(host: &CommandHost, call: &Call, input: &Value) -> Value {
    let known = host.tools.iter().find(|(name, _)| *name == call.tool);
    let mut input = input.clone();
    if let (Some((_, Tool::Commands(field))), Some(fields)) = (known, input.as_object_mut())
        && let Some(command @ Value::String(_)) = fields.get_mut(*field)
    {
        *command = Value::Array(vec![command.take()]);
    }
    input
}

fn listed(tool: &str, input: &Value, field: &str) -> Result<Vec<String>, Unreadable> {
    let items = input.get(field).and_then(Value::as_array).into_iter().flatten();
    let texts: Option<Vec<String>> = items.map(|item| item.as_str().map(str::to_owned)).collect();
    let wrong = || Unreadable { why: format!("the input of `{tool}` has no list of commands `{field}`") };
    texts.filter(|texts| !texts.is_empty()).ok_or_else(wrong)
}

/// Several commands as one text, none of which can change the shell of the next.
fn each_in_its_shell(commands: &[String]) -> String {
    match commands {
        [one] => one.clone(),
        many => {
            let lines: Vec<String> =
                many.iter().map(|command| format!("bash -c {}", quoted(command))).collect();
            lines.join("\n")
        }
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Every text in a value, at any depth.
fn texts_in(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts_in(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| texts_in(field, into)),
        _ => {}
    }
}

/// Where a search looks: its folder, narrowed by its pattern of names.
fn searched(input: &Value, folder: &str, names: &str) -> Vec<String> {
    let text = |field: &str| input.get(field).and_then(Value::as_str).map(str::to_owned);
    let top = text(folder);
    let base = top.as_deref().unwrap_or(".").trim_end_matches('/').to_owned();
    let narrowed = text(names).map(|glob| format!("{base}/{glob}"));
    top.into_iter().chain(narrowed).collect()
}
