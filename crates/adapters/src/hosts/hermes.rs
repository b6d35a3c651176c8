//! Hermes Agent. Only JSON counts, an exit code never denies, and a hook runs once the person agreed to its very command:
//! `install` writes that consent. The command answers for the gate where it gives none.

use crate::Can;
use crate::command_host::{
    Answers, CommandHost, Deny, Fields, Form, McpNames, Moment, Note, Registration, Replace, Rewrite, Tool,
    Yaml,
};
use crate::surface::Surface;
use serde_json::Value;

pub(crate) const HERMES: CommandHost = CommandHost {
    name: "hermes",
    title: "Hermes Agent",
    programs: &["hermes"],
    no_session: &[
        "--version",
        "-V",
        "--help",
        "-h",
        "version",
        "config",
        "setup",
        "status",
        "doctor",
        "hooks",
        "model",
        "auth",
        "login",
        "logout",
        "update",
        "uninstall",
        "skills",
        "tools",
        "sessions",
        "profile",
        "mcp",
        "plugins",
        "completion",
        "logs",
        "dump",
        "backup",
        "import",
    ],
    traces: &["~/.hermes"],
    fields: Fields {
        normal: Some(normal),
        call: "/extra/tool_call_id",
        agent: "",
        role: "",
        output: "/extra/result",
        error: "/extra/error_message",
        log: "",
        ..Fields::COMMON
    },
    events: &[
        ("pre_tool_call", Moment::Before),
        ("post_tool_call", Moment::After),
        ("pre_verify", Moment::Stop),
        ("on_session_start", Moment::Note("session-start")),
        ("on_session_end", Moment::Note("session-end")),
        ("subagent_stop", Moment::Note("subagent-stop")),
        ("pre_llm_call", Moment::Silent),
        ("post_llm_call", Moment::Silent),
        ("transform_tool_result", Moment::Silent),
    ],
    tools: &[
        ("terminal", Tool::ShellIn("command", "workdir")),
        ("process", Tool::Keys("data")),
        ("execute_code", Tool::Python("code")),
        ("write_file", Tool::Write("path")),
        ("patch", Tool::WriteOrPatch("path", "patch")),
        ("read_file", Tool::Read("path")),
        ("search_files", Tool::Search("path", "file_glob")),
        ("web_extract", Tool::WebAll("urls")),
        ("browser_navigate", Tool::Web("url")),
        ("web_search", Tool::Plain),
        ("session_search", Tool::Plain),
        ("todo", Tool::Plain),
        ("clarify", Tool::Plain),
        ("skills_list", Tool::Plain),
        ("skill_view", Tool::Plain),
        ("delegate_task", Tool::Agent),
    ],
    mcp: McpNames::Joined("mcp__", "__"),
    mcp_input: "",
    answers: Answers {
        deny: Deny::Decision("block"),
        rewrite: Rewrite::Never,
        asks: false,
        approves: false,
        context_before: Note::Never,
        context_after: Note::Never,
        replace: Replace::Never,
        refuse_stop: Deny::Decision("block"),
        closed: Deny::Decision("block"),
        no_objection: None,
    },
    can: Can {
        proven: Some("0.19.0"),
        rewrite: false,
        ask: false,
        tell: false,
        replace: false,
        refuse_stop: true,
        subagents: true,
        mcp: true,
        fails_open: "a timeout (300 s), a withdrawn consent, `--safe-mode` and `--ignore-user-config`. A stop is refused only after edits",
        hold_seconds: 292,
    },
    registration: Registration {
        user: "~/.hermes/config.yaml",
        project: None,
        form: Form::Yaml(&Yaml {
            before: r#"sh -c 'answer=$(COMMAND) && case $answer in "{"*"}") printf "%s\n" "$answer"; exit 0;; esac; printf "%s\n" "{\"decision\":\"block\",\"reason\":\"Toolgate is broken, so nothing was run: its hook gave no answer. Fix: run toolgate doctor in a terminal, or install Toolgate again. This is a problem with the setup, not a decision about the call.\"}"'"#,
            other: "sh -c 'COMMAND'",
            consents: "shell-hooks-allowlist.json",
        }),
        events: &[
            ("pre_tool_call", None),
            ("post_tool_call", None),
            ("pre_verify", None),
            ("on_session_start", None),
            ("on_session_end", None),
            ("subagent_stop", None),
        ],
        timeout: 300,
        off_switch: None,
    },
    own_files: &["~/.hermes/config.yaml", "~/.hermes/shell-hooks-allowlist.json"],
    own_settings: &[".hermes/config.yaml", ".hermes/shell-hooks-allowlist.json"],
    surface: Surface {
        off_words: &["--safe-mode", "--ignore-user-config"],
        off_variables: &["HERMES_HOME", "HERMES_SAFE_MODE", "HERMES_IGNORE_USER_CONFIG"],
        ..Surface::NONE
    },
    trust: None,
    project_variable: "",
};

/// A result is a text that holds JSON.
fn normal(message: &mut Value) {
    let Some(result) = message.pointer_mut("/extra/result") else { return };
    let parsed = result.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    if let Some(parsed) = parsed.filter(Value::is_object) {
        *result = parsed;
    }
}
