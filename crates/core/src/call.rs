//! A tool call in our own form, whatever host it came from.
//!
//! Adapters make calls; everything behind them reads only this. A call holds
//! what the host said, never what a guard thinks of it.

use crate::digest::{Digest, canonical, digest_of};
use crate::facts::Access;
use crate::pin::Standing;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What sort of thing the call would do, with the parts guards need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Kind {
    /// A shell command.
    Shell {
        /// The command text.
        command: String,
        /// The input field it came from, so that a rewrite can put it back.
        field: String,
    },
    /// Reading or changing files named in the input.
    File {
        /// What is done to them.
        access: Access,
        /// The paths as the caller wrote them.
        paths: Vec<String>,
    },
    /// Several files at once, each touched in its own way: a patch.
    Files {
        /// What is done to which, in the order of the input.
        files: Vec<(Access, String)>,
    },
    /// A request to an address.
    Fetch {
        /// The address as the caller wrote it.
        url: String,
    },
    /// A tool of an MCP server.
    Mcp {
        /// The server.
        server: String,
        /// Its tool.
        tool: String,
    },
    /// Work for another agent.
    Handoff,
    /// The wish to stop.
    Stop,
    /// Anything else.
    Other,
}

/// One tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The program that runs the agent, by its name on the command line.
    pub host: String,
    /// The session it belongs to.
    pub session: String,
    /// The agent inside the session: `main`, or a sub-agent's id.
    pub agent: String,
    /// What sort of agent it is, where the host says so: `reviewer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The task, where the host knows one.
    pub task: Option<String>,
    /// The host's own id of this call.
    pub id: Option<String>,
    /// The tool as the host names it.
    pub tool: String,
    /// What sort of call it is.
    pub kind: Kind,
    /// The whole input as the host gave it.
    pub input: Value,
    /// The folder it would run in.
    pub dir: String,
    /// Files it would run that this session wrote. No host says them: they are
    /// filled in by the code that judges, and are part of what a grant is bound to.
    #[serde(skip)]
    pub scripts: Vec<Script>,
    /// What the hash of the call is made with, where the call is to be recorded: a reader of
    /// the record cannot try out secrets until the hash fits.
    #[serde(skip)]
    pub salt: Option<[u8; 32]>,
    /// What is known of the tool from its server's own list. Only `toolgate mcp` sees
    /// one: no host says it.
    #[serde(skip)]
    pub standing: Option<Box<Standing>>,
}

/// A file a call would run, with what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// Its whole path, as the call names it.
    pub path: String,
    /// What it holds; `None` if that is more than is read.
    pub text: Option<String>,
}

/// What the names of tools of MCP servers begin with, whatever a tool does.
const SERVER_TOOL: &str = "mcp__";

impl Call {
    /// The MCP server whose tool it is; none for tools of the host itself. A tool that takes
    /// a command is read as a shell, and still is the server's.
    #[must_use]
    pub fn server(&self) -> Option<&str> {
        match &self.kind {
            Kind::Mcp { server, .. } => Some(server),
            _ => self.tool.strip_prefix(SERVER_TOOL).map(|rest| rest.split("__").next().unwrap_or(rest)),
        }
    }

    /// The hash a grant is bound to: tool, folder and every argument that can
    /// change what happens, also what is in the scripts it runs. The free
    /// `description` a model writes next to a shell command is left out, because
    /// a retry rarely repeats it word for word.
    #[must_use]
    pub fn arguments_digest(&self) -> Digest {
        let mut input = self.input.clone();
        if let (Kind::Shell { .. }, Some(fields)) = (&self.kind, input.as_object_mut()) {
            fields.shift_remove("description");
        }
        let mut whole = json!({ "tool": self.tool, "dir": self.dir, "input": input });
        if let Some(fields) = whole.as_object_mut().filter(|_| !self.scripts.is_empty()) {
            let script =
                |one: &Script| json!([one.path, one.text.as_ref().map(|text| digest_of(text.as_bytes()))]);
            fields.insert("scripts".to_owned(), self.scripts.iter().map(script).collect());
        }
        let plain = digest_of(canonical(&whole).as_bytes());
        match &self.salt {
            Some(salt) => digest_of(&[&salt[..], plain.as_bytes()].concat()),
            None => plain,
        }
    }

    /// A path as it is seen from the folder the call would run in.
    #[must_use]
    pub fn shown<'a>(&self, path: &'a str) -> &'a str {
        path.strip_prefix(self.dir.as_str()).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
    }

    /// How many lines an edit tool writes.
    #[must_use]
    pub fn lines(&self) -> u64 {
        if !matches!(self.kind, Kind::File { .. }) {
            return 0;
        }
        let text = |name: &str| self.input.get(name).and_then(Value::as_str);
        let written = ["content", "new_string", "new_source"].into_iter().find_map(text);
        written.map_or(0, |text| u64::try_from(text.lines().count()).unwrap_or(u64::MAX))
    }

    /// The sort of agent work is handed to, as hosts name it.
    #[must_use]
    pub fn receiver(&self) -> Option<&str> {
        let named = |field| self.input.get(field).and_then(Value::as_str).filter(|name| !name.is_empty());
        let fields = ["subagent_type", "agent_type", "agent"].into_iter().find_map(named);
        fields.filter(|_| matches!(self.kind, Kind::Handoff))
    }

    /// The command text, for shell calls.
    #[must_use]
    pub fn command(&self) -> Option<&str> {
        match &self.kind {
            Kind::Shell { command, .. } => Some(command),
            _ => None,
        }
    }

    /// The same call with its command text replaced, for shell calls.
    #[must_use]
    pub fn with_command(&self, text: &str) -> Call {
        let mut call = self.clone();
        if let Kind::Shell { command, field } = &mut call.kind {
            *command = text.to_owned();
            if let Some(fields) = call.input.as_object_mut() {
                fields.insert(field.clone(), Value::String(text.to_owned()));
            }
        }
        call
    }

    /// What a person would call this call, in one line.
    #[must_use]
    pub fn title(&self) -> String {
        match &self.kind {
            Kind::Shell { command, .. } => command.clone(),
            Kind::File { paths, .. } => format!("{} {}", self.tool, paths.join(" ")),
            Kind::Files { files } => {
                let paths: Vec<&str> = files.iter().map(|(_, path)| path.as_str()).collect();
                format!("{} {}", self.tool, paths.join(" "))
            }
            Kind::Fetch { url } => format!("{} {url}", self.tool),
            Kind::Stop => "stop".to_owned(),
            Kind::Mcp { .. } | Kind::Handoff | Kind::Other => format!("{} {}", self.tool, self.input),
        }
    }
}
