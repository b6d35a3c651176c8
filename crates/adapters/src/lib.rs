//! The wire formats of the hosts, and what their installers write.
//!
//! One host, one line in [`HOSTS`]: a row of data in `hosts/` for those that run a command for
//! each event, a folder for those that need code. An adapter turns host bytes
//! into what the gate understands and the gate's answer into host bytes; it
//! decides nothing. Everything here is pure: the bytes of settings files come
//! in and go out as values.
//!
//! Deliberately absent: files, processes, policy, judging.

mod claude_code;
mod command_host;
mod hosts;
pub mod mcp;
mod mcp_names;
mod settings;
mod surface;

pub use command_host::Companion;
pub use settings::SettingsFault;
pub use surface::{By, Sign, Surface, Switch};

use std::path::{Path, PathBuf};
use toolgate_core::{AgentProgram, Call, Context, Event, HostAnswer, UsageReader};

/// What a host asks or tells the gate.
#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    /// May this happen?
    Judge(Event),
    /// The host would ask its person, or a reviewer of its own, about this call.
    Permission(Event),
    /// This is how it ended, and what it said if it failed.
    Result(Event, Option<String>),
    /// Something worth a record happened.
    Note {
        /// Who and where.
        context: Context,
        /// What, in one word.
        what: String,
        /// In one sentence.
        text: String,
    },
    /// The host's settings changed.
    Settings {
        /// Who and where.
        context: Context,
        /// The file that changed, where the host says it.
        file: Option<PathBuf>,
    },
}

impl Asked {
    /// The same as coming from the host of this name.
    #[must_use]
    pub fn from_host(mut self, name: &str) -> Asked {
        match &mut self {
            Asked::Judge(event) | Asked::Permission(event) | Asked::Result(event, _) => {
                name.clone_into(&mut event.call.host);
            }
            Asked::Note { context, .. } | Asked::Settings { context, .. } => {
                name.clone_into(&mut context.host);
            }
        }
        self
    }
}

/// Host bytes that are not what the host is known to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// What is wrong with them.
    pub why: String,
}

/// What follows the name of a tool whose input holds one.
const HAS_NUL: &str = "contains a NUL byte, which no program can be given";

impl Unreadable {
    /// Text after a NUL would be judged but never run, or the other way round.
    pub(crate) fn nul(tool: &str) -> Unreadable {
        Unreadable { why: format!("the input of `{tool}` {HAS_NUL}") }
    }

    /// What to say where the call is at fault, not the setup.
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        let is_call = self.why.ends_with(HAS_NUL);
        is_call.then(|| format!("Blocked: {}. Remove the NUL byte and call the tool again.", self.why))
    }
}

/// What the hook process writes and how it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Wire {
    /// One JSON object.
    pub stdout: String,
    /// The same in plain words, for hosts that read this instead.
    pub stderr: String,
    /// Exit code.
    pub code: u8,
}

/// Whose settings the hook is installed in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Level {
    /// Every session of this user, in any folder: the only level that a host
    /// reads wherever it is started.
    #[default]
    User,
    /// The project's settings, shared through version control.
    Project,
    /// The project's settings that stay on this machine.
    Local,
}

impl Level {
    /// Every level, the default first.
    pub const ALL: [Level; 3] = [Level::User, Level::Local, Level::Project];

    /// The option that names it on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Level::User => "user",
            Level::Local => "local",
            Level::Project => "project",
        }
    }
}

/// What can be enforced on a host, and what its limits are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Can {
    /// The version the tests drive; `None` where the adapter was written from recorded messages or documents alone.
    pub proven: Option<&'static str>,
    /// A call can run with another input; where not, it is blocked and the agent is told what to run.
    pub rewrite: bool,
    /// The host asks its person when it is told to, in every mode; where not, the call is held or becomes a ticket.
    pub ask: bool,
    /// The agent can be told something together with a result.
    pub tell: bool,
    /// A result can be replaced before the model reads it.
    pub replace: bool,
    /// A stop can be refused.
    pub refuse_stop: bool,
    /// The calls of sub-agents pass the gate.
    pub subagents: bool,
    /// The calls of MCP servers pass the gate.
    pub mcp: bool,
    /// What still lets a call run when the hook fails, as it is installed; empty if nothing does.
    pub fails_open: &'static str,
    /// Seconds a call can be held before the host goes on without an answer.
    pub hold_seconds: u32,
}

/// One host program.
pub trait Host: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Its name as its makers write it.
    fn title(&self) -> &'static str;

    /// How it is started, and what guards a session of it.
    fn program(&self) -> &'static AgentProgram;

    /// What can be enforced there.
    fn can(&self) -> &Can;

    /// What decides whether its hooks run.
    fn surface(&self) -> &Surface;

    /// The file in which it keeps which hooks are trusted, where the installer can write that.
    fn trust_file(&self, _home: &Path) -> Option<PathBuf> {
        None
    }

    /// That file with the hooks of these settings trusted, and no other byte changed.
    ///
    /// # Errors
    /// If it cannot be added to.
    fn trusted(&self, trust: &[u8], _file: &Path, _settings: &[u8]) -> Result<Vec<u8>, SettingsFault> {
        Ok(trust.to_vec())
    }

    /// That file without the trust for the hooks of the settings in `file`; `None` if nothing else is in it.
    ///
    /// # Errors
    /// If it cannot be read.
    fn untrusted(&self, trust: &[u8], _file: &Path) -> Result<Option<Vec<u8>>, SettingsFault> {
        Ok(Some(trust.to_vec()))
    }

    /// Reads what it sent.
    ///
    /// # Errors
    /// If the bytes are not an event of this host.
    fn decode(&self, bytes: &[u8]) -> Result<Asked, Unreadable>;

    /// Says the gate's answer.
    fn encode(&self, asked: &Asked, delivered: &HostAnswer) -> Wire;

    /// Says that the gate is broken. For a call about to run this is a no;
    /// for what already happened it is a notice.
    fn broken(&self, asked: &Asked, text: &str) -> Wire;

    /// The closed answer when not even the event is known.
    fn closed(&self, text: &str) -> Wire;

    /// How its own log of a session is read.
    fn usage(&self) -> UsageReader;

    /// A call of this host's tool, for judging without the host.
    ///
    /// # Errors
    /// If the input does not fit the tool.
    fn call(&self, tool: &str, input: serde_json::Value, dir: &str) -> Result<Call, Unreadable>;

    /// A pre-execution event as this host would send it, for proving the path.
    fn probe(&self, command: &str, dir: &str) -> String;

    /// Whether an answer of the hook denies the call.
    fn is_denial(&self, stdout: &str, code: Option<i32>) -> bool;

    /// Folders it makes when it is started for the first time.
    fn traces(&self, home: &Path, project: &Path) -> Vec<PathBuf>;

    /// The levels it has settings for, the default first.
    fn levels(&self) -> &'static [Level] {
        &Level::ALL
    }

    /// The settings file of a level.
    fn settings_file(&self, level: Level, home: &Path, project: &Path) -> PathBuf;

    /// Every settings file the agent must not touch.
    fn own_files(&self, home: &Path, project: &Path) -> Vec<PathBuf>;

    /// The settings with the hook in them, and no other byte changed; a hook of an
    /// older version is brought up to date where it is.
    ///
    /// # Errors
    /// If the settings cannot be read.
    fn install(&self, settings: Option<&[u8]>, program: &str) -> Result<Vec<u8>, SettingsFault>;

    /// The settings without the hook; `None` if nothing else is in them.
    ///
    /// # Errors
    /// If the settings cannot be read.
    fn uninstall(&self, settings: &[u8]) -> Result<Option<Vec<u8>>, SettingsFault>;

    /// The events the hook is registered for in the settings.
    fn events(&self, settings: &[u8]) -> Vec<String>;

    /// The hook command the settings register for calls about to run.
    fn installed(&self, settings: &[u8]) -> Option<String>;

    /// Why settings must not come into force, if they must not.
    fn objection(&self, settings: Option<&[u8]>, is_ours: Ours) -> Option<String>;

    /// The variable that names the project the host works in.
    fn project_variable(&self) -> &'static str;

    /// The folder a session works in, where a call can name another one for itself.
    fn project(&self, _event: &[u8]) -> Option<PathBuf> {
        None
    }

    /// Files the hook needs next to a settings file, written and removed with it.
    fn companions(&self, _settings: &Path) -> Vec<Companion> {
        Vec::new()
    }

    /// Whether the adapter was written from documents alone: nothing of the host was seen.
    fn is_from_documents(&self) -> bool {
        false
    }

    /// Whether the host starts its settings file as a program.
    fn starts_settings(&self) -> bool {
        false
    }
}

/// Whether the gate's hook was installed in a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ours {
    /// It was, so it must stay.
    Yes,
    /// It was not.
    No,
}

/// Every host.
pub const HOSTS: &[&dyn Host] = &[
    &claude_code::ClaudeCode,
    &hosts::CODEX,
    &hosts::COPILOT_CLI,
    &hosts::GEMINI_CLI,
    &hosts::GROK,
    &hosts::QWEN_CODE,
    &hosts::DROID,
    &hosts::KIMI_CODE,
    &hosts::GOOSE,
    &hosts::MISTRAL_VIBE,
    &hosts::OPENHANDS,
    &hosts::OPENCODE,
    &hosts::KILO,
    &hosts::PI,
    &hosts::CLINE,
    &hosts::HERMES,
    &hosts::CURSOR,
    &hosts::ANTIGRAVITY,
    &hosts::WINDSURF,
    &hosts::KIRO,
    &hosts::CRUSH,
    &hosts::AUGGIE,
];

/// The programs of the hosts: how they are started, and what guards a session.
pub const AGENTS: &[&AgentProgram] = &[
    &claude_code::PROGRAM,
    &hosts::CODEX_PROGRAM,
    &hosts::COPILOT_CLI_PROGRAM,
    &hosts::GEMINI_CLI_PROGRAM,
    &hosts::GROK_PROGRAM,
    &hosts::QWEN_CODE_PROGRAM,
    &hosts::DROID_PROGRAM,
    &hosts::KIMI_CODE_PROGRAM,
    &hosts::GOOSE_PROGRAM,
    &hosts::MISTRAL_VIBE_PROGRAM,
    &hosts::OPENHANDS_PROGRAM,
    &hosts::OPENCODE_PROGRAM,
    &hosts::KILO_PROGRAM,
    &hosts::PI_PROGRAM,
    &hosts::CLINE_PROGRAM,
    &hosts::HERMES_PROGRAM,
    &hosts::CURSOR_PROGRAM,
    &hosts::ANTIGRAVITY_PROGRAM,
    &hosts::WINDSURF_PROGRAM,
    &hosts::KIRO_PROGRAM,
    &hosts::CRUSH_PROGRAM,
    &hosts::AUGGIE_PROGRAM,
    &hosts::OTHER_AGENTS,
];

/// The host in whose words calls are written where none is named: by `toolgate test`, in examples of
/// rules, in the playground.
#[must_use]
pub fn reference_host() -> &'static dyn Host {
    &claude_code::ClaudeCode
}

/// The tool of that host for a word that every host's tools go by; any other name is kept.
#[must_use]
pub fn tool_named(word: &str) -> &str {
    match word {
        "bash" | "shell" => "Bash",
        "read" => "Read",
        "write" => "Write",
        "edit" => "Edit",
        "search" => "Grep",
        "http" | "fetch" | "web" => "WebFetch",
        "agent" => "Agent",
        other => other,
    }
}

/// The host of that name.
#[must_use]
pub fn host(name: &str) -> Option<&'static dyn Host> {
    HOSTS.iter().copied().find(|host| host.name() == name)
}
