//! Cursor, written from its documents and the program text of its SDK: no version could be driven.

use crate::Can;
use crate::command_host::{
    Answers, CommandHost, Deny, Fields, Flat, Form, McpNames, Moment, Note, Registration, Replace, Rewrite,
    Tool,
};
use crate::hosts::{first_of, fold_in};
use crate::surface::Surface;
use serde_json::Value;
use toolgate_core::Access;

pub(crate) const CURSOR: CommandHost = CommandHost {
    name: "cursor",
    title: "Cursor",
    programs: &["cursor-agent"],
    no_session: &[
        "--version",
        "-v",
        "--help",
        "-h",
        "help",
        "login",
        "logout",
        "status",
        "update",
        "mcp",
        "about",
    ],
    traces: &["~/.cursor"],
    fields: Fields {
        normal: Some(normal),
        session: "/conversation_id",
        agent: "",
        role: "",
        output: "/tool_output",
        error: "/error_message",
        ..Fields::COMMON
    },
    events: &[
        ("preToolUse", Moment::Before),
        ("postToolUse", Moment::After),
        ("postToolUseFailure", Moment::Failed),
        ("stop", Moment::Stop),
        ("subagentStart", Moment::Note("subagent-start")),
        ("subagentStop", Moment::Note("subagent-stop")),
        ("sessionStart", Moment::Note("session-start")),
        ("sessionEnd", Moment::Note("session-end")),
    ],
    tools: &[
        ("Shell", Tool::ShellIn("command", "working_directory")),
        ("Write", Tool::Write("file_path")),
        ("Edit", Tool::Write("file_path")),
        ("Read", Tool::Read("file_path")),
        ("Delete", Tool::All(Access::Delete)),
        ("Grep", Tool::Search("file_path", "glob")),
        ("Glob", Tool::Search("file_path", "pattern")),
        ("LS", Tool::Search("file_path", "")),
        ("WebFetch", Tool::Web("url")),
        ("WebSearch", Tool::Plain),
        ("Task", Tool::Agent),
        ("TodoWrite", Tool::Plain),
    ],
    mcp: McpNames::Joined("MCP:", ":"),
    mcp_input: "",
    answers: Answers {
        deny: Deny::Flagged,
        rewrite: Rewrite::FieldWith("updated_input", "permission", "allow"),
        asks: false,
        approves: false,
        context_before: Note::Field("additional_context"),
        context_after: Note::Field("additional_context"),
        replace: Replace::Never,
        refuse_stop: Deny::FollowUp,
        closed: Deny::Flagged,
        no_objection: Some(("permission", "allow")),
    },
    can: Can {
        proven: None,
        rewrite: true,
        ask: false,
        tell: true,
        replace: false,
        refuse_stop: true,
        subagents: true,
        mcp: true,
        fails_open: "by its documents nothing, as `failClosed` is set; files open in the editor and attachments are read without a tool",
        hold_seconds: 112,
    },
    registration: Registration {
        user: "~/.cursor/hooks.json",
        project: Some(".cursor/hooks.json"),
        form: Form::Flat(&Flat {
            version: true,
            first: &[],
            command: "command",
            timeout: "timeout",
            yes: &["failClosed"],
        }),
        events: &[
            ("preToolUse", None),
            ("postToolUse", None),
            ("postToolUseFailure", None),
            ("stop", None),
            ("subagentStart", None),
            ("sessionStart", None),
            ("sessionEnd", None),
        ],
        timeout: 120,
        off_switch: None,
    },
    own_files: &["~/.cursor/hooks.json", ".cursor/hooks.json", "/etc/cursor"],
    own_settings: &[".cursor/hooks.json"],
    surface: Surface {
        marks: &["CURSOR_AGENT", "CURSOR_TRACE_ID"],
        machine: "/etc/cursor/hooks.json",
        ..Surface::NONE
    },
    trust: None,
    project_variable: "CURSOR_PROJECT_DIR",
};

/// Messages without a folder name the roots of the workspace; tools call a file by several names.
fn normal(message: &mut Value) {
    first_of(message, "cwd", &["/cwd", "/workspace_roots/0"]);
    first_of(message, "conversation_id", &["/conversation_id", "/session_id"]);
    fold_in(message, "/tool_input", "file_path", &["file_path", "path", "target_file", "target_notebook"]);
}
