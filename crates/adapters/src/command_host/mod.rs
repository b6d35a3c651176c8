//! Hosts that run a command for each event: what they send, what they understand
//! and where they are told about the hook, as one row of data per host.
//!
//! Nothing here knows a host by name; the rows are in `hosts/`. Deliberately
//! absent: anything only one host does – that is code of its own folder.

mod decode;
mod encode;
mod install;
mod patch;
mod tools;
mod trust;

pub use install::Companion;
pub(crate) use install::{Flat, Form, Registration, Whole, Yaml};
pub(crate) use tools::{McpNames, Tool};

use crate::settings::SettingsFault;
use crate::surface::{Surface, placed};
use crate::{AGENTS, Asked, Can, Host, Level, Ours, Unreadable, Wire};
use serde_json::Value;
use std::path::{Path, PathBuf};
use toolgate_core::{AgentProgram, Call, HostAnswer, SettingsFile, Unguarded, UsageReader};

/// A host in data.
#[derive(Debug)]
pub(crate) struct CommandHost {
    /// The name on the command line and in records.
    pub name: &'static str,
    /// The name its makers write.
    pub title: &'static str,
    /// Names it is started by.
    pub programs: &'static [&'static str],
    /// First words with which it starts no session.
    pub no_session: &'static [&'static str],
    /// Folders it makes when it is started for the first time, written like `own_files`.
    pub traces: &'static [&'static str],
    /// Where a message holds what.
    pub fields: Fields,
    /// The events it sends, as it names them.
    pub events: &'static [(&'static str, Moment)],
    /// Its tools and what they do. Others are judged by their fields alone.
    pub tools: &'static [(&'static str, Tool)],
    /// How it names the tools of MCP servers.
    pub mcp: McpNames,
    /// The field of an MCP call's input that holds what the server is given, where it is wrapped.
    pub mcp_input: &'static str,
    /// What it understands.
    pub answers: Answers,
    /// What can be enforced there.
    pub can: Can,
    /// How the hook gets into its settings.
    pub registration: Registration,
    /// Settings by which the hook could be removed: below home with `~/`, from the root with `/`, else below the project.
    pub own_files: &'static [&'static str],
    /// The ends of the paths of settings that could remove the hook, in whatever folder.
    pub own_settings: &'static [&'static str],
    /// What decides whether its hooks run.
    pub surface: Surface,
    /// Where the host keeps which hooks it trusts, if it runs no others.
    pub trust: Option<Trust>,
    /// The variable that names the project the host works in; empty if there is none.
    pub project_variable: &'static str,
}

/// Where a host keeps which hooks it trusts.
#[derive(Debug)]
pub(crate) struct Trust {
    /// A TOML file with the hash of each hook.
    pub file: &'static str,
    /// Events whose hooks get no more than so many seconds; the hash is over what they get.
    pub at_most: &'static [(&'static str, u64)],
}

/// Where in a message a field is: JSON pointers, the first that is there counts.
#[derive(Debug)]
pub(crate) struct Fields {
    /// The name of the event; empty where the shape of the message says it.
    pub event: &'static str,
    /// Says the event by its shape, where it is not named.
    pub shape: Option<fn(&Value) -> Option<&'static str>>,
    /// Puts what is elsewhere at each event, or in other words, where these fields look.
    pub normal: Option<fn(&mut Value)>,
    pub session: &'static str,
    pub dir: &'static str,
    pub tool: &'static str,
    pub input: &'static str,
    /// The id of the call; empty if there is none.
    pub call: &'static str,
    /// The sub-agent; the main one has none.
    pub agent: &'static str,
    /// What sort of agent it is.
    pub role: &'static str,
    /// What a tool gave back.
    pub output: &'static str,
    /// What a failed tool said.
    pub error: &'static str,
    /// The host's own log of the session.
    pub log: &'static str,
    /// Something that is only there when a call is cut short in the message.
    pub truncated: &'static str,
}

impl Fields {
    /// The names most hosts share.
    pub(crate) const COMMON: Fields = Fields {
        event: "/hook_event_name",
        shape: None,
        normal: None,
        session: "/session_id",
        dir: "/cwd",
        tool: "/tool_name",
        input: "/tool_input",
        call: "/tool_use_id",
        agent: "/agent_id",
        role: "/agent_type",
        output: "/tool_response",
        error: "/error",
        log: "/transcript_path",
        truncated: "",
    };
}

/// What an event means to the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// A call is about to run.
    Before,
    /// A call succeeded, or ended and the message says how.
    After,
    /// The host would ask its person, or a reviewer of its own, about a call.
    Permission,
    /// A call failed.
    Failed,
    /// The agent wants to stop.
    Stop,
    /// A sub-agent began.
    SubagentStart,
    /// Only recorded, under this name.
    Note(&'static str),
    /// Neither judged nor recorded: the same is said by another event.
    Silent,
}

/// What a host understands, at each moment.
#[derive(Debug)]
pub(crate) struct Answers {
    /// How a call is denied.
    pub deny: Deny,
    /// How its input is replaced.
    pub rewrite: Rewrite,
    /// Whether `ask` makes the host ask its person, in every mode it has.
    pub asks: bool,
    /// Whether it can be told yes in the person's name.
    pub approves: bool,
    /// How the agent is told something before a call runs.
    pub context_before: Note,
    /// How the agent is told something after a call.
    pub context_after: Note,
    /// How output is replaced.
    pub replace: Replace,
    /// How a stop is refused.
    pub refuse_stop: Deny,
    /// How everything is denied when not even the event is known.
    pub closed: Deny,
    /// The field and word of an answer that objects to nothing, where a host takes an empty one for a failure.
    pub no_objection: Option<(&'static str, &'static str)>,
}

/// A denial in the words of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deny {
    /// `hookSpecificOutput.permissionDecision: deny`.
    Permission,
    /// `permissionDecision: deny` at the top.
    FlatPermission,
    /// `decision: WORD` with `reason`.
    Decision(&'static str),
    /// An empty `overrideInput`, which makes these tools fail, with the reason as `context`;
    /// for any other tool `cancel`, which ends the run.
    EmptyInput(&'static [&'static str]),
    /// `permission: deny` with a message for the person and one for the agent.
    Flagged,
    /// `followup_message`, with which the agent goes on.
    FollowUp,
    /// Exit code 2; the reason is read from standard error.
    Exit,
    /// The host cannot.
    Never,
}

/// A rewritten input in the words of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rewrite {
    /// `hookSpecificOutput.updatedInput`, which counts only together with an `allow`.
    UpdatedInputWithAllow,
    /// `hookSpecificOutput.updatedInput`.
    UpdatedInput,
    /// `FIELD.tool_input`.
    ToolInput(&'static str),
    /// `modifiedArgs`.
    ModifiedArgs,
    /// The field that holds the whole new input.
    Field(&'static str),
    /// The same together with this field and word, which it needs.
    FieldWith(&'static str, &'static str, &'static str),
    /// The host cannot: the call is blocked and the agent is told what to run.
    Never,
}

/// A remark for the agent in the words of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Note {
    /// `hookSpecificOutput.additionalContext`.
    Specific,
    /// `hook_specific_output.additional_context`.
    Snake,
    /// `additionalContext` at the top.
    Flat,
    /// The field that holds it.
    Field(&'static str),
    /// The host cannot be told.
    Never,
}

/// Output that is replaced, in the words of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replace {
    /// `decision: WORD`, whose reason takes the place of the output.
    Decision(&'static str),
    /// `modifiedResult` with a text for the model.
    ModifiedResult,
    /// The host cannot.
    Never,
}

impl CommandHost {
    /// The host's name of the event at a moment.
    fn event_at(&self, moment: Moment) -> &'static str {
        self.events.iter().find(|(_, at)| *at == moment).map_or("", |(name, _)| name)
    }

    /// The files a session in a folder reads its hooks from.
    pub(crate) fn settings_files(&self, home: &Path, folder: &Path) -> Vec<PathBuf> {
        let (user, project) = (self.registration.user, self.registration.project);
        std::iter::once(user)
            .chain(project)
            .chain(self.surface.switches.iter().map(|switch| switch.file))
            .chain(self.trust.as_ref().map(|trust| trust.file))
            .map(|written| placed(written, home, folder))
            // Consents count as much as what they are about.
            .chain(self.beside(home, folder))
            .collect()
    }

    /// How many of these files come first because the hook is registered in them.
    fn registered(&self) -> usize {
        1_usize.saturating_add(usize::from(self.registration.project.is_some()))
    }

    /// The files next to those, which the hook needs.
    fn beside(&self, home: &Path, folder: &Path) -> Vec<PathBuf> {
        let registered = std::iter::once(self.registration.user).chain(self.registration.project);
        let files = registered.map(|written| placed(written, home, folder));
        files.flat_map(|file| install::companions(self, &file)).map(|one| one.file).collect()
    }

    /// Whether a call says itself in which folder it runs.
    fn has_folders(&self) -> bool {
        self.tools.iter().any(|(_, tool)| matches!(tool, Tool::ShellIn(..)))
    }
}

/// Whether settings hold the hook as it is installed.
pub(crate) fn holds_hook(host: &CommandHost, settings: &[u8]) -> bool {
    install::events(host, settings).len() >= host.registration.events.len()
}

/// Why no hook of ours runs in a session with these settings, which are those of `settings_files`.
pub(crate) fn unguarded(host: &CommandHost, files: &[SettingsFile]) -> Option<Unguarded> {
    let (registered, others) = files.split_at_checked(host.registered()).unwrap_or((files, &[]));
    let there = || registered.iter().filter_map(|file| Some((file, file.bytes.as_deref()?)));
    let off = there().find_map(|(file, bytes)| Some((file, install::switched_off(host, bytes)?)));
    if let Some((file, switch)) = off {
        return Some(Unguarded {
            why: format!("`{}` switches all hooks off (`{switch}`)", file.path.display()),
            fix: format!("remove `{switch}` from that file"),
        });
    }
    let holds = |bytes: &[u8]| holds_hook(host, bytes);
    let switched = host.surface.switches.iter().zip(others).find_map(|(switch, file)| {
        let bytes = file.bytes.as_deref()?;
        switch.found(&file.path, bytes, holds(bytes))
    });
    if switched.is_some() {
        return switched;
    }
    let holding: Vec<_> = there().filter(|(_, bytes)| holds(bytes)).collect();
    if holding.is_empty() {
        let names: Vec<String> = registered.iter().map(|file| format!("`{}`", file.path.display())).collect();
        return Some(Unguarded {
            why: format!("the hook is in none of the files it reads: {}", names.join(", ")),
            fix: format!("run `toolgate install {} --user`, which guards every folder", host.name),
        });
    }
    let agreed = |(own, bytes): &(&SettingsFile, &[u8])| {
        let beside = install::companions(host, &own.path);
        let consents = files.iter().find(|file| beside.iter().any(|one| one.file == file.path));
        install::is_agreed_to(host, bytes, consents.and_then(|file| file.bytes.as_deref()))
    };
    if !holding.iter().any(agreed) {
        let (own, _) = holding.first()?;
        return Some(Unguarded {
            why: format!("the consent to the hook in `{}` is missing", own.path.display()),
            fix: format!("run `toolgate install {}` again", host.name),
        });
    }
    host.trust.as_ref()?;
    let trust = files.last()?;
    let bytes = trust.bytes.as_deref().unwrap_or_default();
    let trusts = |file: &Path, settings: &[u8]| trust::missing(host, bytes, file, settings).is_none();
    if holding.iter().any(|(file, settings)| trusts(&file.path, settings)) {
        return None;
    }
    let (file, settings) = holding.first()?;
    let event = trust::missing(host, bytes, &file.path, settings)?;
    Some(Unguarded {
        why: format!(
            "`{}` does not trust the hook for {event} in `{}`, so {} skips it",
            trust.path.display(),
            file.path.display(),
            host.title
        ),
        fix: format!(
            "run `toolgate install {}` again, or trust the hooks when {} asks",
            host.name, host.title
        ),
    })
}

impl Host for CommandHost {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn program(&self) -> &'static AgentProgram {
        // Every row has its program; the first one is never asked for.
        let own = AGENTS.iter().copied().find(|program| program.title == self.title);
        own.unwrap_or(&crate::claude_code::PROGRAM)
    }

    fn traces(&self, home: &Path, project: &Path) -> Vec<PathBuf> {
        self.traces.iter().map(|written| placed(written, home, project)).collect()
    }

    fn can(&self) -> &Can {
        &self.can
    }

    fn surface(&self) -> &Surface {
        &self.surface
    }

    fn trust_file(&self, home: &Path) -> Option<PathBuf> {
        self.trust.as_ref().map(|trust| placed(trust.file, home, home))
    }

    fn trusted(&self, trust: &[u8], file: &Path, settings: &[u8]) -> Result<Vec<u8>, SettingsFault> {
        trust::add(self, trust, file, settings)
    }

    fn untrusted(&self, trust: &[u8], file: &Path) -> Result<Option<Vec<u8>>, SettingsFault> {
        trust::remove(trust, file)
    }

    fn decode(&self, bytes: &[u8]) -> Result<Asked, Unreadable> {
        decode::decode(self, bytes)
    }

    fn encode(&self, asked: &Asked, delivered: &HostAnswer) -> Wire {
        encode::encode(self, asked, delivered)
    }

    fn broken(&self, asked: &Asked, text: &str) -> Wire {
        encode::broken(self, asked, text)
    }

    fn closed(&self, text: &str) -> Wire {
        encode::closed(self, text)
    }

    fn usage(&self) -> UsageReader {
        |_, _| toolgate_core::Usage::default()
    }

    fn call(&self, tool: &str, input: Value, dir: &str) -> Result<Call, Unreadable> {
        decode::call(self, tool, input, dir)
    }

    fn probe(&self, command: &str, dir: &str) -> String {
        decode::probe(self, command, dir)
    }

    fn is_denial(&self, stdout: &str, code: Option<i32>) -> bool {
        encode::is_denial(self, stdout, code)
    }

    fn settings_file(&self, level: Level, home: &Path, project: &Path) -> PathBuf {
        placed(self.registration.file(level), home, project)
    }

    fn levels(&self) -> &'static [Level] {
        self.registration.levels()
    }

    fn own_files(&self, home: &Path, project: &Path) -> Vec<PathBuf> {
        // The files that hold the hook come first: of some only the folder is named in the row.
        let registered = std::iter::once(self.registration.user).chain(self.registration.project);
        let mut all: Vec<&str> = Vec::new();
        for written in registered.chain(self.own_files.iter().copied()) {
            if !all.contains(&written) {
                all.push(written);
            }
        }
        let files = all.into_iter().map(|written| placed(written, home, project));
        files.chain(self.beside(home, project)).collect()
    }

    fn install(&self, settings: Option<&[u8]>, program: &str) -> Result<Vec<u8>, SettingsFault> {
        install::install(self, settings, program)
    }

    fn uninstall(&self, settings: &[u8]) -> Result<Option<Vec<u8>>, SettingsFault> {
        install::uninstall(self, settings)
    }

    fn events(&self, settings: &[u8]) -> Vec<String> {
        install::events(self, settings)
    }

    fn installed(&self, settings: &[u8]) -> Option<String> {
        install::installed(self, settings)
    }

    fn objection(&self, settings: Option<&[u8]>, ours: Ours) -> Option<String> {
        install::objection(self, settings, ours)
    }

    fn project_variable(&self) -> &'static str {
        self.project_variable
    }

    fn project(&self, event: &[u8]) -> Option<PathBuf> {
        if self.has_folders() { decode::project(self, event) } else { None }
    }

    fn companions(&self, settings: &Path) -> Vec<Companion> {
        install::companions(self, settings)
    }

    fn is_from_documents(&self) -> bool {
        crate::hosts::FROM_DOCUMENTS.contains(&self.name)
    }

    fn starts_settings(&self) -> bool {
        matches!(self.registration.form, Form::Whole(form) if form.are_programs)
    }
}
