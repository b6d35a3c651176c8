//! Cline, the CLI and the extension: one program a moment, found by its file name. `cancel` ends the whole run,
//! so a denial empties the input, which the tool then refuses; tools of MCP servers take anything and are cancelled.

use crate::Can;
use crate::command_host::{
    Answers, CommandHost, Deny, Fields, Form, McpNames, Moment, Note, Registration, Replace, Rewrite, Tool,
    Whole,
};
use crate::surface::Surface;
use serde_json::{Map, Value, json};
use toolgate_core::Access;

pub(crate) const CLINE: CommandHost = CommandHost {
    name: "cline",
    title: "Cline",
    programs: &["cline"],
    no_session: &[
        "--version",
        "-v",
        "-V",
        "--help",
        "-h",
        "help",
        "version",
        "auth",
        "config",
        "history",
        "mcp",
        "update",
        "doctor",
        "completion",
    ],
    traces: &["~/.cline"],
    fields: Fields {
        event: "/hookName",
        normal: Some(normal),
        session: "/sessionContext/rootSessionId",
        dir: "/workspaceInfo/rootPath",
        tool: "/tool_call/name",
        input: "/tool_call/input",
        call: "/tool_call/id",
        agent: "/sub_agent",
        role: "",
        output: "/tool_call/output",
        error: "/tool_call/output/error",
        log: "",
        ..Fields::COMMON
    },
    events: &[
        ("tool_call", Moment::Before),
        ("tool_result", Moment::After),
        ("PreToolUse", Moment::Before),
        ("PostToolUse", Moment::After),
        ("agent_start", Moment::Note("agent-start")),
        ("agent_end", Moment::Note("agent-end")),
        ("prompt_submit", Moment::Note("prompt")),
        ("session_shutdown", Moment::Note("session-end")),
    ],
    tools: &[
        ("run_commands", Tool::Commands("commands")),
        ("editor", Tool::Write("path")),
        ("read_files", Tool::All(Access::Read)),
        ("search_codebase", Tool::Search("path", "")),
        ("fetch_web_content", Tool::WebAll("requests")),
        ("apply_patch", Tool::Patch("input")),
        ("spawn_agent", Tool::Agent),
        ("skills", Tool::Plain),
        ("ask_question", Tool::Plain),
        ("submit_and_exit", Tool::Plain),
        // The extension names them otherwise.
        ("execute_command", Tool::Shell("command")),
        ("write_to_file", Tool::Write("path")),
        ("replace_in_file", Tool::Write("path")),
        ("read_file", Tool::Read("path")),
        ("list_files", Tool::Search("path", "")),
        ("search_files", Tool::Search("path", "file_pattern")),
        ("web_fetch", Tool::Web("url")),
        ("new_task", Tool::Agent),
    ],
    mcp: McpNames::Between("__"),
    mcp_input: "",
    answers: Answers {
        deny: Deny::EmptyInput(&["run_commands", "editor", "read_files", "fetch_web_content", "spawn_agent"]),
        rewrite: Rewrite::Field("overrideInput"),
        asks: false,
        approves: false,
        context_before: Note::Field("context"),
        context_after: Note::Field("context"),
        replace: Replace::Never,
        refuse_stop: Deny::Never,
        closed: Deny::EmptyInput(&[]),
        no_objection: None,
    },
    can: Can {
        proven: Some("3.0.65"),
        rewrite: true,
        ask: false,
        tell: true,
        replace: false,
        refuse_stop: false,
        subagents: true,
        mcp: true,
        fails_open: "a timeout (120 s), or the hook's file missing; a denied call of an MCP tool ends the run",
        hold_seconds: 112,
    },
    registration: Registration {
        user: "~/.cline/hooks/PreToolUse.sh",
        project: None,
        form: Form::Whole(&Whole {
            text: include_str!("shims/cline_before.sh"),
            more: &[("PostToolUse.sh", include_str!("shims/cline_after.sh"))],
            are_programs: true,
        }),
        events: &[("tool_call", None), ("tool_result", None)],
        timeout: 0,
        off_switch: None,
    },
    own_files: &["~/.cline/hooks"],
    own_settings: &[
        "Cline/Hooks/PreToolUse",
        "Cline/Hooks/PreToolUse.sh",
        "Cline/Hooks/PostToolUse.sh",
        ".cline/hooks/PreToolUse",
        ".cline/hooks/PreToolUse.sh",
        ".cline/hooks/PostToolUse.sh",
        ".clinerules/hooks/PreToolUse",
        ".clinerules/hooks/PreToolUse.sh",
    ],
    surface: Surface {
        marks: &["CLINE_ACTIVE"],
        off_words: &[],
        off_variables: &["CLINE_DIR", "CLINE_DATA_DIR"],
        trust: "In VS Code, Cline runs hooks only with its setting *Enable Hooks*",
        ..Surface::NONE
    },
    trust: None,
    project_variable: "",
};

/// Puts the call where it is before it runs, and its input in the one shape Cline turns all others into.
fn normal(message: &mut Value) {
    let Some(fields) = message.as_object_mut() else { return };
    if let Some(result) = fields.remove("tool_result") {
        fields.insert("tool_call".to_owned(), result);
    }
    if fields.get("tool_call").is_none()
        && let Some(call) = fields.get("preToolUse").or_else(|| fields.get("postToolUse"))
    {
        let part = |name: &str| call.get(name).cloned().unwrap_or_default();
        let call = json!({ "name": part("toolName"), "input": part("parameters"), "output": part("result") });
        fields.insert("tool_call".to_owned(), call);
    }
    if fields.get("parent_agent_id").is_some_and(Value::is_string) {
        let agent = fields.get("agent_id").cloned().unwrap_or_default();
        fields.insert("sub_agent".to_owned(), agent);
    }
    if fields.get("sessionContext").is_none()
        && let Some(task) = fields.get("taskId").cloned()
    {
        fields.insert("sessionContext".to_owned(), json!({ "rootSessionId": task }));
    }
    if fields.get("workspaceInfo").is_none()
        && let Some(root) = fields.get("workspaceRoots").and_then(|roots| roots.get(0)).cloned()
    {
        fields.insert("workspaceInfo".to_owned(), json!({ "rootPath": root }));
    }
    if let Some(call) = fields.get_mut("tool_call").and_then(Value::as_object_mut) {
        normal_call(call);
    }
}

fn normal_call(call: &mut Map<String, Value>) {
    let failed = |item: &&Value| item.get("success") == Some(&Value::Bool(false));
    let error = match call.get("output") {
        Some(Value::Array(items)) => items.iter().find(failed).and_then(|item| item.get("error")).cloned(),
        _ => None,
    };
    if let Some(error) = error {
        let output = call.get("output").cloned().unwrap_or_default();
        call.insert("output".to_owned(), json!({ "error": error, "output": output }));
    }
    let input = call.get("input").cloned().unwrap_or_default();
    let new = match call.get("name").and_then(Value::as_str) {
        Some("run_commands") => commands(&input),
        Some("read_files") if !input.is_object() => Some(json!({ "files": input })),
        Some("apply_patch") if input.is_string() => Some(json!({ "input": input })),
        _ => None,
    };
    if let Some(new) = new {
        call.insert("input".to_owned(), new);
    }
}

/// Commands come as a text, a list of texts or programs with their arguments, with or without a name.
fn commands(input: &Value) -> Option<Value> {
    let listed = match input {
        Value::Object(fields) if fields.contains_key("commands") => fields.get("commands")?.clone(),
        other => other.clone(),
    };
    let items = match listed {
        Value::Array(items) => items,
        one => vec![one],
    };
    let texts: Option<Vec<Value>> = items.iter().map(|item| command(item).map(Value::String)).collect();
    Some(json!({ "commands": texts? }))
}

fn command(item: &Value) -> Option<String> {
    if let Some(text) = item.as_str() {
        return Some(text.to_owned());
    }
    let mut text = item.get("command")?.as_str()?.to_owned();
    for argument in item.get("args").and_then(Value::as_array).into_iter().flatten() {
        text.push_str(&format!(" '{}'", argument.as_str()?.replace('\'', "'\\''")));
    }
    Some(text)
}
