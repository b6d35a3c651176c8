//! GitHub Copilot CLI, in its camelCase dialect, which does not name the event: the shape of the message does.

use crate::Can;
use crate::command_host::{
    Answers, CommandHost, Deny, Fields, Form, McpNames, Moment, Note, Registration, Replace, Rewrite, Tool,
};
use serde_json::Value;

pub(crate) const COPILOT_CLI: CommandHost = CommandHost {
    name: "copilot-cli",
    title: "Copilot CLI",
    program: "copilot",
    traces: &["~/.copilot"],
    fields: Fields {
        event: "",
        shape: Some(event_of),
        session: "/sessionId",
        tool: "/toolName",
        input: "/toolArgs",
        call: "",
        agent: "/agentId",
        role: "/agentType",
        output: "/toolResult",
        error: "/error",
        log: "",
        ..Fields::COMMON
    },
    events: &[
        ("preToolUse", Moment::Before),
        ("postToolUse", Moment::After),
        ("postToolUseFailure", Moment::Failed),
        ("agentStop", Moment::Stop),
        ("subagentStart", Moment::SubagentStart),
        ("subagentStop", Moment::Note("subagent-stop")),
        ("sessionStart", Moment::Note("session-start")),
        ("sessionEnd", Moment::Note("session-end")),
        ("userPromptSubmitted", Moment::Note("prompt")),
    ],
    tools: &[
        ("bash", Tool::Shell("command")),
        ("powershell", Tool::Shell("command")),
        ("write_bash", Tool::Keys("input")),
        ("read_bash", Tool::Plain),
        ("stop_bash", Tool::Plain),
        ("create", Tool::Write("path")),
        ("edit", Tool::Write("path")),
        ("view", Tool::Read("path")),
        ("grep", Tool::Search("path", "glob")),
        ("glob", Tool::Search("path", "pattern")),
        ("web_fetch", Tool::Web("url")),
        ("task", Tool::Agent),
        ("report_intent", Tool::Plain),
        ("update_todo", Tool::Plain),
    ],
    mcp: McpNames::Between("-"),
    mcp_input: "",
    answers: Answers {
        deny: Deny::FlatPermission,
        rewrite: Rewrite::ModifiedArgs,
        asks: true,
        approves: true,
        context_before: Note::Flat,
        context_after: Note::Flat,
        replace: Replace::ModifiedResult,
        refuse_stop: Deny::Decision("block"),
        closed: Deny::FlatPermission,
        no_objection: None,
    },
    can: Can {
        proven: None,
        rewrite: true,
        ask: true,
        tell: true,
        replace: true,
        refuse_stop: true,
        subagents: true,
        mcp: true,
        fails_open: "a timeout or an answer it cannot read",
        hold_seconds: 112,
    },
    registration: Registration {
        user: "~/.copilot/hooks/toolgate.json",
        project: Some(".github/hooks/toolgate.json"),
        form: Form::Flat,
        events: &[
            ("preToolUse", None),
            ("postToolUse", None),
            ("postToolUseFailure", None),
            ("agentStop", None),
            ("subagentStart", None),
            ("subagentStop", None),
            ("sessionStart", None),
            ("sessionEnd", None),
            ("userPromptSubmitted", None),
        ],
        timeout: 120,
        off_switch: Some(("/disableAllHooks", false)),
    },
    own_files: &[
        "~/.copilot/hooks",
        "~/.copilot/settings.json",
        ".github/hooks",
        ".github/copilot",
        "/etc/github-copilot",
    ],
    project_variable: "COPILOT_PROJECT_DIR",
};

/// The event a message is about. One with a tool that is none of the known shapes names no event, and closes.
fn event_of(message: &Value) -> Option<&'static str> {
    let has = |name: &str| message.get(name).is_some_and(|found| !found.is_null());
    match has("toolName") {
        true if has("hookName") || has("toolInput") => None,
        true if has("error") => Some("postToolUseFailure"),
        true if has("toolResult") => Some("postToolUse"),
        true if has("toolArgs") => Some("preToolUse"),
        true => None,
        // The end of a sub-agent is told as one, too.
        false if has("stopReason") && has("parentAgentId") => Some("subagentStop"),
        false if has("stopReason") => Some("agentStop"),
        false if has("agentName") => Some("subagentStart"),
        false if has("source") => Some("sessionStart"),
        false if has("notification_type") => Some("notification"),
        false if has("prompt") => Some("userPromptSubmitted"),
        false if has("reason") => Some("sessionEnd"),
        false => None,
    }
}
