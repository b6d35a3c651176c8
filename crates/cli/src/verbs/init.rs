//! `toolgate init`: from nothing to guarded, with every change shown.

use crate::installer::{Change, LevelArgs, Manner, Place, chosen, put, short_name};
use crate::project;
use crate::screen::{BOLD, DIM, GREEN, json, out, styled, talk};
use crate::verbs::{Failure, Outcome, doctor, install, policy};
use crate::wiring;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use toolgate_adapters::{HOSTS, Host};
use toolgate_runtime::Setup;

/// What `init` offers as the project's policy.
pub const TEMPLATE: &str = include_str!("../../../../policies/template.yaml");

/// The policy of a project, and next to it what editors check it with.
const POLICY: &str = ".toolgate/policy.yaml";
const SCHEMA: &str = ".toolgate/policy.schema.json";

/// Guard your agents: hook, policy, proof.
///
/// Puts the hook into the settings of the hosts found here, offers a policy file to start from, and
/// proves with a test call that the hook blocks. Shows each change and asks before it writes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate init                   shows each change and asks
  toolgate init --yes             for scripts: your own settings, and the policy file
  toolgate init --project         the settings of this project, shared with your team")]
pub struct Args {
    /// Only these hosts, even if they were not detected
    #[arg(long = "host")]
    pub hosts: Vec<String>,
    /// Whose settings
    #[command(flatten)]
    pub level: LevelArgs,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub yes: bool,
    /// Show every line of each change
    #[arg(long)]
    pub diff: bool,
    /// Print JSON; never asks
    #[arg(long)]
    pub json: bool,
}

/// Writes hooks and policy, then proves them.
pub fn run(args: &Args) -> Outcome {
    install::refuse_agent()?;
    let setup = project::here();
    let manner = Manner { yes: args.yes, quiet: args.json, whole_diff: args.diff };
    let mut written = Vec::new();
    let mut declined = false;
    for host in hosts(args, &setup, manner)? {
        match guard(host, args, &setup, manner)? {
            (Change::Made, Some(file)) => written.push(file),
            (Change::Declined, _) => declined = true,
            _ => {}
        }
        manner.tell("");
    }
    written.extend(write_policy(&setup, manner)?);
    if declined {
        tell_end(&setup, &written);
        return Ok(ExitCode::SUCCESS);
    }
    let (checks, code) = doctor::checked(&setup);
    if args.json {
        json(&json!({ "written": written, "checks": checks }));
        return Ok(code);
    }
    manner.tell("");
    doctor::print(&checks);
    if code == ExitCode::SUCCESS {
        out(&format!("\nTry it: {}", styled(GREEN, "toolgate test \"git commit --no-verify -m x\"")));
    }
    Ok(code)
}

/// The hook in the settings of one host, and which file that is.
fn guard(
    host: &dyn Host,
    args: &Args,
    setup: &Setup,
    manner: Manner,
) -> Result<(Change, Option<PathBuf>), Failure> {
    let Some(level) = chosen(host, setup, args.level.given(), manner)? else {
        return Ok((Change::Declined, None));
    };
    let place = Place::new(host, setup, level)?;
    let change = put(&place, setup, manner)?;
    Ok((change, Some(place.file)))
}

/// After a no: exactly what was done, and what was not.
fn tell_end(setup: &Setup, written: &[PathBuf]) {
    if written.is_empty() {
        return talk(&format!("{} Your agents are not guarded.", install::NOTHING));
    }
    let names: Vec<String> = written.iter().map(|file| short_name(setup, file)).collect();
    talk(&format!("Written: {}. The hook was not installed: your agents are not guarded.", names.join(", ")));
    talk(&format!("`toolgate install {}` installs it later.", install::example_host()));
}

/// The hosts to guard: as named, those found here, or every one there is.
fn hosts(args: &Args, setup: &Setup, manner: Manner) -> Result<Vec<&'static dyn Host>, Failure> {
    if !args.hosts.is_empty() {
        return args.hosts.iter().map(|name| install::known_host(name)).collect();
    }
    let found: Vec<_> = HOSTS.iter().copied().filter(|host| wiring::is_here(*host, setup)).collect();
    if found.is_empty() {
        let first = HOSTS.first().copied();
        let title = first.map_or("", |host| host.title());
        manner.tell(&format!(
            "{title} was not found on this machine; the hook will guard it as soon as it is installed. `toolgate hosts` lists the others."
        ));
        return Ok(first.into_iter().collect());
    }
    Ok(found)
}

/// The optional policy file and its schema; what was written.
fn write_policy(setup: &Setup, manner: Manner) -> Result<Vec<PathBuf>, Failure> {
    let (policy, schema) = (setup.project.join(POLICY), setup.project.join(SCHEMA));
    let text = policy::schema();
    if policy.exists() {
        manner.tell(&format!("{POLICY} exists and stays as it is."));
        // The schema is the program's own: it follows the program.
        let is_old = std::fs::read_to_string(&schema).is_ok_and(|old| old != text);
        if is_old {
            std::fs::write(&schema, text)?;
            manner.tell(&format!("Updated {SCHEMA} to this version of Toolgate."));
            return Ok(vec![schema]);
        }
        return Ok(Vec::new());
    }
    manner.tell(&styled(BOLD, "A policy file for this project (optional)"));
    manner.tell(&format!(
        "{POLICY} explains every setting with an example. All of it is commented out, so it changes\n\
         nothing until you edit it. {SCHEMA} next to it lets editors check it as you type."
    ));
    let head = TEMPLATE.lines().take(8).map(|line| format!("  {line}"));
    manner.tell(&styled(DIM, &head.collect::<Vec<_>>().join("\n")));
    let more = TEMPLATE.lines().count().saturating_sub(8);
    manner.tell(&styled(DIM, &format!("  … {more} more lines; `toolgate policy template` prints all")));
    if !manner.agree(&format!("Write {POLICY}?"))? {
        return Ok(Vec::new());
    }
    std::fs::create_dir_all(setup.project.join(".toolgate"))?;
    std::fs::write(&policy, TEMPLATE)?;
    std::fs::write(&schema, text)?;
    manner.tell(&format!("Wrote {POLICY}."));
    Ok(vec![policy, schema])
}
