//! Auggie, written from the program text of its package: it needs a login and was not driven.

use crate::Can;
use crate::command_host::{
    Answers, CommandHost, Deny, Fields, Form, McpNames, Moment, Note, Registration, Replace, Rewrite, Tool,
};
use crate::hosts::first_of;
use crate::surface::Surface;
use serde_json::Value;
use toolgate_core::Access;

pub(crate) const AUGGIE: CommandHost = CommandHost {
    name: "auggie",
    title: "Auggie",
    programs: &["auggie"],
    no_session: &[
        "--version",
        "-v",
        "--help",
        "-h",
        "help",
        "login",
        "logout",
        "token",
        "session",
        "mcp",
        "tools",
        "model",
        "upgrade",
    ],
    traces: &["~/.augment"],
    fields: Fields { normal: Some(normal), agent: "", role: "", ..Fields::COMMON },
    events: &[
        ("PreToolUse", Moment::Before),
        ("PostToolUse", Moment::After),
        ("Stop", Moment::Stop),
        ("SessionStart", Moment::Note("session-start")),
        ("SessionEnd", Moment::Note("session-end")),
    ],
    tools: &[
        ("launch-process", Tool::ShellIn("command", "cwd")),
        ("write-process", Tool::Keys("input_text")),
        ("save-file", Tool::Write("path")),
        ("str-replace-editor", Tool::Write("path")),
        ("remove-files", Tool::All(Access::Delete)),
        ("view", Tool::Read("path")),
        ("web-fetch", Tool::Web("url")),
        ("web-search", Tool::Plain),
        ("codebase-retrieval", Tool::Plain),
    ],
    mcp: McpNames::Joined("mcp:", "_"),
    mcp_input: "",
    answers: Answers {
        deny: Deny::Permission,
        rewrite: Rewrite::UpdatedInputWithAllow,
        asks: false,
        approves: false,
        context_before: Note::Never,
        context_after: Note::Specific,
        replace: Replace::Never,
        refuse_stop: Deny::Decision("block"),
        closed: Deny::Permission,
        no_objection: None,
    },
    can: Can {
        proven: None,
        rewrite: true,
        ask: false,
        tell: true,
        replace: false,
        refuse_stop: true,
        subagents: false,
        mcp: true,
        fails_open: "a crash, a timeout, a missing program or an answer it cannot read",
        hold_seconds: 50,
    },
    registration: Registration {
        user: "~/.augment/settings.json",
        project: Some(".augment/settings.json"),
        form: Form::Groups(&[]),
        events: &[
            ("PreToolUse", Some(".*")),
            ("PostToolUse", Some(".*")),
            ("Stop", None),
            ("SessionStart", None),
            ("SessionEnd", None),
        ],
        timeout: 60_000,
        off_switch: None,
    },
    own_files: &[
        "~/.augment/settings.json",
        ".augment/settings.json",
        ".augment/settings.local.json",
        "/etc/augment",
    ],
    own_settings: &[".augment/settings.json", ".augment/settings.local.json"],
    surface: Surface { machine: "/etc/augment/settings.json", ..Surface::NONE },
    trust: None,
    project_variable: "",
};

fn normal(message: &mut Value) {
    first_of(message, "session_id", &["/session_id", "/conversation_id"]);
    first_of(message, "cwd", &["/cwd", "/workspace_roots/0"]);
}
