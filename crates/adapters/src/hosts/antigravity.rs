//! Antigravity CLI, written from its documents. Its messages do not name their event, so only calls about to run are
//! sent here.

use crate::Can;
use crate::command_host::{
    Answers, CommandHost, Deny, Fields, Form, McpNames, Moment, Note, Registration, Replace, Rewrite, Tool,
};
use crate::hosts::first_of;
use crate::surface::Surface;
use serde_json::Value;

pub(crate) const ANTIGRAVITY: CommandHost = CommandHost {
    name: "antigravity",
    title: "Antigravity",
    programs: &["agy"],
    no_session: &["--version", "-v", "--help", "-h", "help", "login", "logout", "update", "mcp", "plugin"],
    traces: &["~/.gemini/antigravity-cli"],
    fields: Fields {
        event: "",
        shape: Some(event_of),
        normal: Some(normal),
        session: "/conversationId",
        dir: "/dir",
        tool: "/toolCall/name",
        input: "/toolCall/args",
        call: "",
        agent: "",
        role: "",
        log: "/transcriptPath",
        ..Fields::COMMON
    },
    events: &[("PreToolUse", Moment::Before)],
    tools: &[
        ("run_command", Tool::ShellIn("CommandLine", "Cwd")),
        ("send_command_input", Tool::Keys("Input")),
        ("write_to_file", Tool::Write("TargetFile")),
        ("replace_file_content", Tool::Write("TargetFile")),
        ("multi_replace_file_content", Tool::Write("TargetFile")),
        ("view_file", Tool::Read("AbsolutePath")),
        ("list_dir", Tool::Search("DirectoryPath", "")),
        ("grep_search", Tool::Search("SearchPath", "")),
        ("find_by_name", Tool::Search("SearchDirectory", "Pattern")),
        ("read_url_content", Tool::Web("Url")),
        ("search_web", Tool::Plain),
    ],
    mcp: McpNames::Joined("mcp_", "_"),
    mcp_input: "",
    answers: Answers {
        deny: Deny::Decision("deny"),
        rewrite: Rewrite::FieldWith("overwrite", "decision", "allow"),
        asks: false,
        approves: false,
        context_before: Note::Never,
        context_after: Note::Never,
        replace: Replace::Never,
        refuse_stop: Deny::Never,
        closed: Deny::Decision("deny"),
        no_objection: Some(("decision", "allow")),
    },
    can: Can {
        proven: None,
        rewrite: true,
        ask: false,
        tell: false,
        replace: false,
        refuse_stop: false,
        subagents: false,
        mcp: true,
        fails_open: "what the host does when the hook fails is not documented; without a decision it asks its person",
        hold_seconds: 112,
    },
    registration: Registration {
        user: "~/.gemini/config/hooks.json",
        project: Some(".agents/hooks.json"),
        form: Form::Named,
        events: &[("PreToolUse", Some(".*"))],
        timeout: 120,
        off_switch: None,
    },
    own_files: &[
        "~/.gemini/config/hooks.json",
        "~/.gemini/antigravity-cli/settings.json",
        ".agents/hooks.json",
    ],
    own_settings: &[
        ".gemini/config/hooks.json",
        ".gemini/antigravity-cli/settings.json",
        ".agents/hooks.json",
    ],
    surface: Surface::NONE,
    trust: None,
    project_variable: "",
};

fn event_of(message: &Value) -> Option<&'static str> {
    message.get("toolCall").map(|_| "PreToolUse")
}

fn normal(message: &mut Value) {
    first_of(message, "dir", &["/dir", "/workspacePaths/0", "/toolCall/args/Cwd"]);
}
