//! Windsurf (Devin Desktop), written from its documents: exit code 2 blocks, and nothing else is understood.

use crate::Can;
use crate::command_host::{
    Answers, CommandHost, Deny, Fields, Flat, Form, McpNames, Moment, Note, Registration, Replace, Rewrite,
    Tool,
};
use crate::surface::Surface;
use serde_json::{Value, json};

pub(crate) const WINDSURF: CommandHost = CommandHost {
    name: "windsurf",
    title: "Windsurf",
    programs: &["windsurf"],
    no_session: &["--version", "-v", "--help", "-h"],
    traces: &["~/.codeium/windsurf"],
    fields: Fields {
        event: "/agent_action_name",
        normal: Some(normal),
        session: "/trajectory_id",
        dir: "/tool_info/cwd",
        tool: "/tool",
        input: "/input",
        call: "",
        agent: "",
        role: "",
        output: "/tool_info/mcp_result",
        log: "",
        ..Fields::COMMON
    },
    events: &[
        ("pre_run_command", Moment::Before),
        ("pre_write_code", Moment::Before),
        ("pre_read_code", Moment::Before),
        ("pre_mcp_tool_use", Moment::Before),
        ("post_run_command", Moment::After),
        ("post_write_code", Moment::After),
        ("post_mcp_tool_use", Moment::After),
    ],
    tools: &[
        ("run_command", Tool::Shell("command_line")),
        ("write_code", Tool::Write("file_path")),
        ("read_code", Tool::Read("file_path")),
    ],
    mcp: McpNames::Between("__"),
    mcp_input: "",
    answers: Answers {
        deny: Deny::Exit,
        rewrite: Rewrite::Never,
        asks: false,
        approves: false,
        context_before: Note::Never,
        context_after: Note::Never,
        replace: Replace::Never,
        refuse_stop: Deny::Never,
        closed: Deny::Exit,
        no_objection: None,
    },
    can: Can {
        proven: None,
        rewrite: false,
        ask: false,
        tell: false,
        replace: false,
        refuse_stop: false,
        subagents: false,
        mcp: true,
        fails_open: "a crash, a timeout or a missing program",
        hold_seconds: 25,
    },
    registration: Registration {
        user: "~/.codeium/windsurf/hooks.json",
        project: Some(".windsurf/hooks.json"),
        form: Form::Flat(&Flat {
            version: false,
            first: &[],
            command: "command",
            timeout: "",
            yes: &["show_output"],
        }),
        events: &[
            ("pre_run_command", None),
            ("pre_write_code", None),
            ("pre_read_code", None),
            ("pre_mcp_tool_use", None),
            ("post_run_command", None),
            ("post_write_code", None),
            ("post_mcp_tool_use", None),
        ],
        timeout: 0,
        off_switch: None,
    },
    own_files: &[
        "~/.codeium/windsurf/hooks.json",
        "~/.codeium/hooks.json",
        ".windsurf/hooks.json",
        "/etc/windsurf",
    ],
    own_settings: &[".windsurf/hooks.json", ".codeium/windsurf/hooks.json", ".codeium/hooks.json"],
    surface: Surface { machine: "/etc/windsurf/hooks.json", ..Surface::NONE },
    trust: None,
    project_variable: "",
};

/// The event says the tool. Only commands come with a folder; a file is in one, and a server's tool in none.
fn normal(message: &mut Value) {
    let Some(fields) = message.as_object_mut() else { return };
    if fields.contains_key("tool") {
        return;
    }
    let event = fields.get("agent_action_name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let Some(info) = fields.get_mut("tool_info").and_then(Value::as_object_mut) else { return };
    let text = |name: &str| info.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let folder =
        text("file_path").rsplit_once('/').map_or_else(|| "/".to_owned(), |(folder, _)| format!("{folder}/"));
    let (tool, input) = match event.split_once('_').map(|(_, what)| what) {
        Some("mcp_tool_use") => {
            let tool = format!("{}__{}", text("mcp_server_name"), text("mcp_tool_name"));
            (tool, info.get("mcp_tool_arguments").cloned().unwrap_or_else(|| json!({})))
        }
        Some(what) => (what.to_owned(), Value::Object(info.clone())),
        None => return,
    };
    info.entry("cwd").or_insert_with(|| json!(folder));
    fields.insert("tool".to_owned(), json!(tool));
    fields.insert("input".to_owned(), input);
}
