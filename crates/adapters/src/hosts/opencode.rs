//! OpenCode 1.x and 2.x, and Kilo, its fork: a plugin runs in the program and asks the gate about each call.

use crate::Can;
use crate::command_host::{
    Answers, CommandHost, Deny, Fields, Form, McpNames, Moment, Note, Registration, Replace, Rewrite, Tool,
    Whole,
};
use crate::surface::Surface;

const PLUGIN: Form = Form::Whole(&Whole {
    text: concat!(include_str!("shims/ask.js"), include_str!("shims/opencode.js")),
    more: &[],
    are_programs: false,
});

pub(crate) const OPENCODE: CommandHost = CommandHost {
    name: "opencode",
    title: "OpenCode",
    programs: &["opencode"],
    no_session: &[
        "--version",
        "-v",
        "--help",
        "-h",
        "completion",
        "auth",
        "models",
        "upgrade",
        "uninstall",
        "stats",
        "export",
        "import",
        "session",
        "mcp",
        "plugin",
        "db",
    ],
    traces: &["~/.config/opencode", "~/.local/share/opencode"],
    fields: Fields::COMMON,
    events: &[
        ("tool.execute.before", Moment::Before),
        ("tool.execute.after", Moment::After),
        ("session.idle", Moment::Stop),
    ],
    tools: &[
        ("bash", Tool::ShellIn("command", "workdir")),
        ("shell", Tool::ShellIn("command", "workdir")),
        ("write", Tool::Write("filePath")),
        ("edit", Tool::Write("filePath")),
        ("multiedit", Tool::Write("filePath")),
        ("read", Tool::Read("filePath")),
        ("apply_patch", Tool::Patch("patchText")),
        ("grep", Tool::Search("path", "include")),
        ("glob", Tool::Search("path", "pattern")),
        ("list", Tool::Search("path", "")),
        ("webfetch", Tool::Web("url")),
        ("websearch", Tool::Plain),
        ("codesearch", Tool::Plain),
        ("task", Tool::Agent),
        ("subagent", Tool::Agent),
        ("skill", Tool::Plain),
        ("todowrite", Tool::Plain),
        ("todoread", Tool::Plain),
        ("question", Tool::Plain),
        ("plan_enter", Tool::Plain),
        ("plan_exit", Tool::Plain),
    ],
    mcp: McpNames::Between("_"),
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
        proven: Some("1.18.33"),
        rewrite: true,
        ask: false,
        tell: true,
        replace: true,
        refuse_stop: true,
        subagents: true,
        mcp: true,
        fails_open: "a plugin that cannot be loaded; `--pure` loads none. `opencode run` ends before a refused stop goes on",
        hold_seconds: 592,
    },
    registration: Registration {
        user: "~/.config/opencode/plugins/toolgate.js",
        project: None,
        form: PLUGIN,
        events: &[("tool.execute.before", None), ("tool.execute.after", None), ("session.idle", None)],
        timeout: 0,
        off_switch: None,
    },
    own_files: &["~/.config/opencode/plugins/toolgate.js"],
    own_settings: &[".config/opencode/plugins/toolgate.js"],
    surface: Surface {
        marks: &["OPENCODE"],
        off_words: &["--pure"],
        off_variables: &["OPENCODE_PURE", "OPENCODE_CONFIG_DIR", "OPENCODE_TEST_HOME"],
        ..Surface::NONE
    },
    trust: None,
    project_variable: "TOOLGATE_PROJECT_DIR",
};

pub(crate) const KILO: CommandHost = CommandHost {
    name: "kilo",
    title: "Kilo Code",
    programs: &["kilo", "kilocode"],
    traces: &["~/.config/kilo", "~/.local/share/kilo"],
    can: Can {
        proven: Some("7.7.7"),
        fails_open: "a plugin that cannot be loaded; `--pure` loads none",
        ..OPENCODE.can
    },
    registration: Registration {
        user: "~/.config/kilo/plugins/toolgate.js",
        project: None,
        form: PLUGIN,
        events: OPENCODE.registration.events,
        timeout: 0,
        off_switch: None,
    },
    own_files: &["~/.config/kilo/plugins/toolgate.js"],
    own_settings: &[".config/kilo/plugins/toolgate.js"],
    surface: Surface {
        marks: &["KILO"],
        off_words: &["--pure"],
        off_variables: &["KILO_PURE", "KILO_CONFIG_DIR"],
        ..Surface::NONE
    },
    ..OPENCODE
};
