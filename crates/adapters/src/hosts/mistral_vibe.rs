//! Mistral Vibe. With `strict` a hook that fails denies; an answer with exit code 0 must be one object it knows.

use crate::Can;
use crate::command_host::{
    Answers, CommandHost, Deny, Fields, Form, McpNames, Moment, Note, Registration, Replace, Rewrite, Tool,
};

pub(crate) const MISTRAL_VIBE: CommandHost = CommandHost {
    name: "mistral-vibe",
    title: "Mistral Vibe",
    program: "vibe",
    traces: &["~/.vibe"],
    fields: Fields {
        call: "/tool_call_id",
        agent: "",
        role: "",
        output: "/tool_output",
        error: "/tool_error",
        log: "",
        ..Fields::COMMON
    },
    events: &[("pre_tool", Moment::Before), ("post_tool", Moment::After), ("post_agent", Moment::Stop)],
    tools: &[
        ("file_system.bash", Tool::Shell("command")),
        ("file_system.write_file", Tool::Write("file_path")),
        ("file_system.search_replace", Tool::Write("file_path")),
        ("file_system.read_file", Tool::Read("file_path")),
        ("file_system.grep", Tool::Search("path", "")),
        ("process.start", Tool::Shell("command")),
        ("process.write", Tool::Keys("text")),
        ("process.output", Tool::Plain),
        ("agents.spawn", Tool::Agent),
        ("self.sleep", Tool::Plain),
    ],
    mcp: McpNames::Joined("mcp_", "."),
    mcp_input: "",
    answers: Answers {
        deny: Deny::Decision("deny"),
        rewrite: Rewrite::ToolInput("hook_specific_output"),
        asks: false,
        approves: false,
        context_before: Note::Never,
        context_after: Note::Snake,
        replace: Replace::Decision("deny"),
        refuse_stop: Deny::Decision("deny"),
        closed: Deny::Decision("deny"),
        no_objection: None,
    },
    can: Can {
        proven: None,
        rewrite: true,
        ask: false,
        tell: true,
        replace: true,
        refuse_stop: true,
        subagents: true,
        mcp: true,
        fails_open: "an unknown `decision`",
        hold_seconds: 112,
    },
    registration: Registration {
        user: "~/.vibe/hooks.toml",
        project: Some(".vibe/hooks.toml"),
        form: Form::Tables {
            event: "type",
            matcher: "match",
            more: "name = \"toolgate-EVENT\"\n",
            more_with_matcher: "strict = true\n",
        },
        events: &[("pre_tool", Some("*")), ("post_tool", Some("*")), ("post_agent", None)],
        timeout: 120,
        off_switch: None,
    },
    own_files: &[
        "~/.vibe/hooks.toml",
        "~/.vibe/config.toml",
        "~/.vibe/trusted_folders.toml",
        ".vibe/hooks.toml",
    ],
    project_variable: "",
};
