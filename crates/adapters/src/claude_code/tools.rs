//! What the tools of Claude Code do, by name and input.

use crate::Unreadable;
use crate::mcp_names::command_of;
use serde_json::Value;
use toolgate_core::{Access, Kind};

/// The kind of a call. A known tool whose input lacks what the tool needs is
/// unreadable, never harmless.
pub(super) fn kind_of(tool: &str, input: &Value) -> Result<Kind, Unreadable> {
    if !input.is_object() {
        return Err(Unreadable { why: format!("the input of `{tool}` is not an object") });
    }
    if let Some(rest) = tool.strip_prefix("mcp__") {
        let (server, name) = rest.split_once("__").unwrap_or((rest, ""));
        return match command_of(name, input) {
            Some((field, command)) => Ok(Kind::Shell { command, field }),
            None => Ok(Kind::Mcp { server: server.to_owned(), tool: name.to_owned() }),
        };
    }
    match tool {
        "Bash" | "PowerShell" => shell(tool, input),
        "Read" => file(tool, input, Access::Read, "file_path"),
        "Write" | "Edit" | "MultiEdit" => file(tool, input, Access::Write, "file_path"),
        "NotebookEdit" => file(tool, input, Access::Write, "notebook_path"),
        "Grep" => Ok(Kind::File { access: Access::Read, paths: searched(input) }),
        "Glob" | "LS" => Ok(Kind::File { access: Access::Read, paths: optional(input, "path") }),
        "WebFetch" => Ok(Kind::Fetch { url: required(tool, input, "url")? }),
        "Agent" | "Task" => Ok(Kind::Handoff),
        // Tools that carry a command (Monitor and what is to come) are shells too.
        _ if input.get("command").is_some_and(Value::is_string) => shell(tool, input),
        _ => Ok(Kind::Other),
    }
}

fn shell(tool: &str, input: &Value) -> Result<Kind, Unreadable> {
    Ok(Kind::Shell { command: required(tool, input, "command")?, field: "command".to_owned() })
}

fn file(tool: &str, input: &Value, access: Access, field: &str) -> Result<Kind, Unreadable> {
    Ok(Kind::File { access, paths: vec![required(tool, input, field)?] })
}

fn required(tool: &str, input: &Value, field: &str) -> Result<String, Unreadable> {
    let found = input.get(field).and_then(Value::as_str).map(str::to_owned);
    found.ok_or_else(|| Unreadable { why: format!("the input of `{tool}` has no string `{field}`") })
}

fn optional(input: &Value, field: &str) -> Vec<String> {
    input.get(field).and_then(Value::as_str).map(str::to_owned).into_iter().collect()
}

/// Where `Grep` looks: its folder, narrowed by its pattern of names.
fn searched(input: &Value) -> Vec<String> {
    let mut paths = optional(input, "path");
    let folder = paths.first().map_or(".", |path| path.trim_end_matches('/'));
    let narrowed =
        optional(input, "glob").into_iter().map(|glob| format!("{folder}/{glob}")).collect::<Vec<_>>();
    paths.extend(narrowed);
    paths
}
