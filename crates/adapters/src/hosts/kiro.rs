//! Kiro, CLI 3 and IDE 1, written from its documents: exit code 2 blocks, and nothing else is understood.

use crate::Can;
use crate::command_host::{
    Answers, CommandHost, Deny, Fields, Form, McpNames, Moment, Note, Registration, Replace, Rewrite, Tool,
};
use crate::hosts::first_of;
use crate::surface::Surface;
use serde_json::{Value, json};
use toolgate_core::Access;

const TIMEOUT: u64 = 120;

pub(crate) const KIRO: CommandHost = CommandHost {
    name: "kiro",
    title: "Kiro",
    programs: &["kiro-cli", "kiro"],
    no_session: &[
        "--version",
        "-V",
        "--help",
        "-h",
        "help",
        "login",
        "logout",
        "whoami",
        "settings",
        "doctor",
        "update",
        "mcp",
    ],
    traces: &["~/.kiro"],
    fields: Fields { normal: Some(normal), agent: "", role: "", log: "", ..Fields::COMMON },
    events: &[
        ("preToolUse", Moment::Before),
        ("PreToolUse", Moment::Before),
        ("postToolUse", Moment::After),
        ("PostToolUse", Moment::After),
        ("stop", Moment::Note("stop")),
        ("Stop", Moment::Note("stop")),
    ],
    tools: &[
        ("execute_bash", Tool::Shell("command")),
        ("executeBash", Tool::Shell("command")),
        ("shell", Tool::Shell("command")),
        ("fs_write", Tool::Write("path")),
        ("fsWrite", Tool::Write("path")),
        ("strReplace", Tool::Write("path")),
        ("fs_read", Tool::All(Access::Read)),
        ("readFile", Tool::All(Access::Read)),
    ],
    mcp: McpNames::Joined("@", "/"),
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
        fails_open: "a crash, a timeout or a missing program; CLI 2 and older read hooks from agent files only",
        hold_seconds: 112,
    },
    registration: Registration {
        user: "~/.kiro/hooks/toolgate.json",
        project: Some(".kiro/hooks/toolgate.json"),
        form: Form::Own(hooks),
        events: &[("PreToolUse", None), ("PostToolUse", None)],
        timeout: TIMEOUT,
        off_switch: None,
    },
    own_files: &["~/.kiro/hooks", "~/.kiro/agents"],
    own_settings: &[".kiro/hooks/toolgate.json"],
    surface: Surface::NONE,
    trust: None,
    project_variable: "",
};

fn hooks(command: &str) -> Value {
    let hook = |trigger: &str| {
        let action = json!({ "type": "command", "command": command });
        json!({
            "name": format!("toolgate-{trigger}"), "trigger": trigger, "matcher": ".*", "action": action,
            "timeout": TIMEOUT, "enabled": true
        })
    };
    json!({ "version": "v1", "hooks": [hook("PreToolUse"), hook("PostToolUse")] })
}

/// A session is not always named.
fn normal(message: &mut Value) {
    if message.pointer("/session_id").is_none() && message.pointer("/tool_name").is_some() {
        first_of(message, "session_id", &["/sessionId", "/cwd"]);
    }
}
