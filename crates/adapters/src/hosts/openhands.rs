//! OpenHands CLI. The first settings file it finds counts alone; what its sub-agents do passes no hook.

use crate::Can;
use crate::command_host::{
    Answers, CommandHost, Deny, Fields, Form, McpNames, Moment, Note, Registration, Replace, Rewrite, Tool,
};

pub(crate) const OPENHANDS: CommandHost = CommandHost {
    name: "openhands",
    title: "OpenHands",
    program: "openhands",
    traces: &["~/.openhands"],
    fields: Fields {
        event: "/event_type",
        dir: "/working_dir",
        call: "",
        agent: "",
        role: "",
        log: "",
        ..Fields::COMMON
    },
    events: &[
        ("PreToolUse", Moment::Before),
        ("PostToolUse", Moment::After),
        ("Stop", Moment::Stop),
        ("SessionStart", Moment::Note("session-start")),
        ("SessionEnd", Moment::Note("session-end")),
        ("UserPromptSubmit", Moment::Note("prompt")),
    ],
    tools: &[
        ("terminal", Tool::Shell("command")),
        ("file_editor", Tool::Editor),
        ("task", Tool::Agent),
        ("task_tracker", Tool::Plain),
        ("think", Tool::Plain),
        ("finish", Tool::Plain),
    ],
    mcp: McpNames::Marked("kind", "MCPToolAction"),
    mcp_input: "data",
    answers: Answers {
        deny: Deny::Decision("deny"),
        rewrite: Rewrite::Never,
        asks: false,
        approves: false,
        context_before: Note::Never,
        context_after: Note::Never,
        replace: Replace::Never,
        refuse_stop: Deny::Decision("deny"),
        closed: Deny::Decision("deny"),
        no_objection: None,
    },
    can: Can {
        proven: None,
        rewrite: false,
        ask: false,
        tell: false,
        replace: false,
        refuse_stop: true,
        subagents: false,
        mcp: true,
        fails_open: "a crash, a timeout, a missing program or an answer it cannot read",
        hold_seconds: 112,
    },
    registration: Registration {
        user: "~/.openhands/hooks.json",
        project: Some(".openhands/hooks.json"),
        form: Form::Groups(&[]),
        events: &[
            ("PreToolUse", Some("*")),
            ("PostToolUse", Some("*")),
            ("Stop", None),
            ("SessionStart", None),
            ("SessionEnd", None),
            ("UserPromptSubmit", None),
        ],
        timeout: 120,
        off_switch: None,
    },
    own_files: &["~/.openhands/hooks.json", ".openhands/hooks.json"],
    project_variable: "OPENHANDS_PROJECT_DIR",
};
