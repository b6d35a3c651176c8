//! The agents: where they come from, how they are started without a person, and what has to be in their home so
//! that they talk to the scripted model. Nothing here is about hooks.
//!
//! In files, arguments and variables `{url}` is the model's address, `{home}`, `{work}` and `{mcp}` are paths,
//! `{key}` is a key, `{version}` the version of the agent and `{prompt}` what the person asks for. Every agent knows
//! the MCP server `fx`. Updates, telemetry and the agent's own questions are off.

mod by_command;
mod by_plugin;

/// Every agent.
pub fn agents() -> impl Iterator<Item = &'static Agent> {
    by_command::AGENTS.iter().chain(by_plugin::AGENTS)
}

/// One agent.
pub struct Agent {
    /// Its name for Toolgate.
    pub host: &'static str,
    pub source: Source,
    /// The version all facts about it were read from.
    pub version: &'static str,
    /// Its program: below `node_modules`, or below the Python environment.
    pub program: &'static str,
    pub args: &'static [&'static str],
    pub env: &'static [(&'static str, &'static str)],
    /// Files below home.
    pub files: &'static [(&'static str, &'static str)],
    /// Runs of the program before the first.
    pub prepare: &'static [&'static [&'static str]],
    /// The kind of sub-agent that may do everything.
    pub agent_kind: &'static str,
    /// It knows MCP servers without an extension.
    pub has_mcp: bool,
    /// It goes on after a refused stop, started as it is here.
    pub goes_on: bool,
    /// It has a tool that starts sub-agents.
    pub has_agents: bool,
    /// The model hears why a tool of an MCP server was denied, and not only that it was.
    pub says_why_of_mcp: bool,
    /// After this long a run is given up.
    pub wait_seconds: u64,
}

/// Where an agent comes from.
#[derive(Clone, Copy)]
pub enum Source {
    Npm(&'static str),
    PyPi(&'static str),
}

const AGENT: Agent = Agent {
    host: "",
    source: Source::Npm(""),
    version: "",
    program: "",
    args: &[],
    env: &[],
    files: &[],
    prepare: &[],
    agent_kind: "general-purpose",
    has_mcp: true,
    goes_on: true,
    has_agents: true,
    says_why_of_mcp: true,
    wait_seconds: 180,
};
