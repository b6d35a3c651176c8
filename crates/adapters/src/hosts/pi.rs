//! pi: an extension runs in the program and asks the gate about each call. pi has no permissions of its own.

use crate::Can;
use crate::command_host::{
    Answers, CommandHost, Deny, Fields, Form, McpNames, Moment, Note, Registration, Replace, Rewrite, Tool,
    Whole,
};
use crate::surface::Surface;

pub(crate) const PI: CommandHost = CommandHost {
    name: "pi",
    title: "pi",
    programs: &["pi"],
    no_session: &[
        "--version",
        "-v",
        "--help",
        "-h",
        "install",
        "remove",
        "uninstall",
        "update",
        "list",
        "config",
    ],
    traces: &["~/.pi"],
    fields: Fields::COMMON,
    events: &[
        ("tool_call", Moment::Before),
        ("tool_result", Moment::After),
        ("agent_before_settle", Moment::Stop),
        ("session_start", Moment::Note("session-start")),
    ],
    tools: &[
        ("bash", Tool::Shell("command")),
        ("powershell", Tool::Shell("command")),
        ("write", Tool::Write("path")),
        ("edit", Tool::Write("path")),
        ("read", Tool::Read("path")),
        ("grep", Tool::Search("path", "glob")),
        ("find", Tool::Search("path", "pattern")),
        ("ls", Tool::Search("path", "")),
    ],
    mcp: McpNames::Between("__"),
    mcp_input: "",
    answers: Answers {
        deny: Deny::Decision("block"),
        rewrite: Rewrite::ModifiedArgs,
        asks: false,
        approves: false,
        context_before: Note::Flat,
        context_after: Note::Flat,
        replace: Replace::ModifiedResult,
        refuse_stop: Deny::Decision("block"),
        closed: Deny::Decision("block"),
        no_objection: Some(("decision", "allow")),
    },
    can: Can {
        proven: Some("0.87.1"),
        rewrite: true,
        ask: false,
        tell: true,
        replace: true,
        refuse_stop: true,
        subagents: false,
        mcp: true,
        fails_open: "nothing; but `--no-extensions` starts pi without the gate, and another extension can change a call after it was judged",
        hold_seconds: 592,
    },
    registration: Registration {
        user: "~/.pi/agent/extensions/toolgate.ts",
        project: None,
        form: Form::Whole(&Whole {
            text: concat!(include_str!("shims/ask.js"), include_str!("shims/pi.ts")),
            more: &[],
            are_programs: false,
        }),
        events: &[
            ("tool_call", None),
            ("tool_result", None),
            ("agent_before_settle", None),
            ("session_start", None),
        ],
        timeout: 0,
        off_switch: None,
    },
    own_files: &["~/.pi/agent/extensions/toolgate.ts"],
    own_settings: &[".pi/agent/extensions/toolgate.ts"],
    surface: Surface {
        marks: &["PI_CODING_AGENT"],
        off_words: &["--no-extensions", "-ne"],
        off_variables: &["PI_CODING_AGENT_DIR"],
        ..Surface::NONE
    },
    trust: None,
    project_variable: "TOOLGATE_PROJECT_DIR",
};
