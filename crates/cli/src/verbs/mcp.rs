//! `toolgate mcp`: a guard in front of one MCP server, for any client.

use crate::mcp::{Options, run as run_proxy};
use crate::project;
use crate::verbs::{Failure, Outcome};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use toolgate_adapters::mcp::server_identity;
use toolgate_runtime::mcp::{ServerProcess, environment};
use toolgate_runtime::{Gate, HostLimits, Setup, now_ms};

/// Clients give up on a call after a minute or more; a wait for a person ends before.
const HOLD_SECONDS: u32 = 45;

/// Run an MCP server behind the gate.
///
/// Starts the server and passes messages on byte for byte. Every call of a tool is judged and recorded
/// before the server sees it, results are checked for secrets, and tools are pinned: one whose
/// definition changes is blocked until you approve it (`toolgate pins`).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate mcp -- npx -y @modelcontextprotocol/server-filesystem ~/work
  toolgate mcp --name github --env GITHUB_TOKEN -- github-mcp-server stdio

The server gets the usual variables (PATH, HOME, LANG …) and those named with --env, no others.
`toolgate install mcp FILE` puts this in front of every server of a client's configuration.")]
pub struct Args {
    /// What the server is called in rules and records; read from the command if not given
    #[arg(long)]
    pub name: Option<String>,
    /// A variable the server gets; `*` for all of them
    #[arg(long, value_name = "NAME")]
    pub env: Vec<String>,
    /// The project whose policy counts; the current folder if not given
    #[arg(long, value_name = "FOLDER")]
    pub project: Option<PathBuf>,
    /// Seconds without a sign from the server after which its calls have failed
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub silence: u64,
    /// The server's command
    #[arg(last = true, required = true, value_name = "SERVER")]
    pub command: Vec<OsString>,
}

/// Runs it.
pub fn run(args: &Args) -> Outcome {
    let dir = match &args.project {
        Some(folder) => std::path::absolute(folder).map_err(|error| {
            Failure::new(
                format!("cannot use the folder `{}`: {error}", folder.display()),
                "name a folder that exists",
            )
        })?,
        None => project::current_dir(),
    };
    let words: Vec<String> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let server = server_identity(&words, args.name.as_deref());
    let host = HostLimits { asks: false, hold_seconds: HOLD_SECONDS };
    let setup = Setup { host, ..project::setup(&dir) };
    let (gate, _) = Gate::open(setup.clone())?;
    let session = format!("mcp-{}-{}-{}", server.name, std::process::id(), now_ms());
    let options = Options {
        server,
        dir: dir.to_string_lossy().into_owned(),
        session,
        silence: Duration::from_secs(args.silence),
    };
    let process = ServerProcess::start(&args.command, environment(std::env::vars_os(), &args.env))?;
    Ok(ExitCode::from(run_proxy(options, gate, setup, process)?))
}
