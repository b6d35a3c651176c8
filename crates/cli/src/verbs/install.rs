//! `toolgate install` and `uninstall`: the hook in a host's settings.

use crate::installer::mcp_config;
use crate::installer::{Change, LevelArgs, Manner, Place, chosen, guarded_levels, put, short_name, take};
use crate::project;
use crate::screen::{json, talk};
use crate::verbs::{Failure, Outcome};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toolgate_adapters::{AGENTS, HOSTS, Host, Level, host};
use toolgate_runtime::{Setup, agent_above, askers};

/// Add the hook to a host's settings.
///
/// Shows the change first and asks. Nothing else in the file changes, not even its formatting, and
/// `toolgate uninstall` restores it byte for byte.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Examples:
  toolgate install {0}              for everything you run
  toolgate install {0} --local      for this project, only you
  toolgate install {0} --project    for this project and everyone who works on it
  toolgate install mcp ~/.cursor/mcp.json   put a gate in front of every MCP server in this file

Without a level it asks; with --yes, or where there is no terminal, the level is --user.
An existing hook is updated in place.", example_host()))]
pub struct Args {
    /// The host (`toolgate hosts` lists them), or `mcp` for the servers of a client
    pub host: String,
    /// With `mcp`: configuration files of clients
    pub files: Vec<PathBuf>,
    /// Whose settings
    #[command(flatten)]
    pub level: LevelArgs,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub yes: bool,
    /// Show every line of the change
    #[arg(long)]
    pub diff: bool,
    /// Print JSON; never asks
    #[arg(long)]
    pub json: bool,
}

/// Remove the hook from a host's settings.
///
/// A file no one changed since gets back the very bytes it had; in any other, only the hook goes.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Examples:
  toolgate uninstall {0}
  toolgate uninstall {0} --project --yes

Without a level it is removed wherever it guards this folder.", example_host()))]
pub struct RemoveArgs {
    /// The host (`toolgate hosts` lists them), or `mcp` for the servers of a client
    pub host: String,
    /// With `mcp`: configuration files of clients
    pub files: Vec<PathBuf>,
    /// Whose settings
    #[command(flatten)]
    pub level: LevelArgs,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub yes: bool,
    /// Show every line of the change
    #[arg(long)]
    pub diff: bool,
    /// Print JSON; never asks
    #[arg(long)]
    pub json: bool,
}

/// The host that examples are written with: the first there is.
pub fn example_host() -> &'static str {
    HOSTS.first().map_or("HOST", |host| host.name())
}

/// The host of that name, or what there is.
pub fn known_host(name: &str) -> Result<&'static dyn Host, Failure> {
    let known: Vec<&str> = HOSTS.iter().map(|host| host.name()).collect();
    host(name).ok_or_else(|| {
        Failure::new(format!("unknown host `{name}`"), format!("known hosts: {}", known.join(", ")))
    })
}

/// Changing the gate's own place is for the person.
pub fn refuse_agent() -> Result<(), Failure> {
    match agent_above(AGENTS, &|name| std::env::var(name).ok(), &askers(&project::dirs())) {
        Some(mark) => Err(Failure::new(
            format!("this runs inside an agent ({mark}), and only a person may do it"),
            "run it in your own terminal",
        )),
        None => Ok(()),
    }
}

/// `install`.
pub fn run(args: &Args) -> Outcome {
    let setup = project::here();
    let manner = Manner { yes: args.yes, quiet: args.json, whole_diff: args.diff };
    if args.host == MCP {
        return servers(&args.files, &setup, manner, mcp_config::wrap);
    }
    no_files(&args.files)?;
    let host = known_host(&args.host)?;
    let Some(level) = chosen(host, &setup, args.level.given(), manner)? else {
        talk(NOTHING);
        return Ok(ExitCode::SUCCESS);
    };
    let place = Place::new(host, &setup, level)?;
    let change = put(&place, &setup, manner)?;
    if change == Change::Declined {
        talk(NOTHING);
    }
    if args.json {
        let changed = change == Change::Made;
        json(&json!({ "host": host.name(), "level": level.name(), "file": place.file, "changed": changed }));
    }
    Ok(ExitCode::SUCCESS)
}

/// What `toolgate install` calls the servers of a client instead of a host.
const MCP: &str = "mcp";

/// The same for every file.
fn servers(
    files: &[PathBuf],
    setup: &Setup,
    manner: Manner,
    each: impl Fn(&Path, &Setup, Manner) -> Result<Change, Failure>,
) -> Outcome {
    refuse_agent()?;
    if files.is_empty() {
        return Err(Failure::new(
            "no file is named",
            "name a client's configuration, such as `~/.cursor/mcp.json`",
        ));
    }
    let mut changed = Vec::new();
    for file in files {
        let file = std::path::absolute(file)?;
        match each(&file, setup, manner)? {
            Change::Made => changed.push(file),
            Change::Declined => manner.tell(NOTHING),
            Change::None => {}
        }
    }
    if manner.quiet {
        json(&json!({ "host": MCP, "changed": !changed.is_empty(), "files": changed }));
    }
    Ok(ExitCode::SUCCESS)
}

fn no_files(files: &[PathBuf]) -> Result<(), Failure> {
    match files.first() {
        None => Ok(()),
        Some(file) => {
            let what = format!("unexpected argument `{}`", file.display());
            Err(Failure::new(what, "files are only named with `toolgate install mcp FILE`"))
        }
    }
}

/// After a no.
pub const NOTHING: &str = "Nothing was changed.";

/// `uninstall`.
pub fn remove(args: &RemoveArgs) -> Outcome {
    refuse_agent()?;
    let setup = project::here();
    let manner = Manner { yes: args.yes, quiet: args.json, whole_diff: args.diff };
    if args.host == MCP {
        return servers(&args.files, &setup, manner, mcp_config::unwrap);
    }
    no_files(&args.files)?;
    let host = known_host(&args.host)?;
    let levels = match args.level.given() {
        Some(level) => vec![level],
        None => guarded_levels(host, &setup),
    };
    let mut removed = Vec::new();
    let mut declined = false;
    for level in levels.iter().copied() {
        let place = Place::new(host, &setup, level)?;
        match take(&place, &setup, manner)? {
            Change::Made => removed.push(place.file),
            Change::Declined => declined = true,
            Change::None => {}
        }
    }
    if args.json {
        json(&json!({ "host": host.name(), "changed": !removed.is_empty(), "files": removed }));
    } else if removed.is_empty() {
        let nothing = || not_there(host, &setup, args.level.given());
        talk(&if declined { NOTHING.to_owned() } else { nothing()? });
    }
    Ok(ExitCode::SUCCESS)
}

fn not_there(host: &dyn Host, setup: &Setup, given: Option<Level>) -> Result<String, Failure> {
    let levels = given.map_or(host.levels().to_vec(), |level| vec![level]);
    let mut names = Vec::new();
    for level in levels {
        names.push(short_name(setup, &Place::new(host, setup, level)?.file));
    }
    Ok(format!("Toolgate's hook is not in {}.", names.join(", ")))
}
