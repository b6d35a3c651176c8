//! `toolgate init`: from nothing to guarded, with every change shown.

use crate::project;
use crate::screen::{GREEN, confirm, out, styled, talk};
use crate::verbs::{Failure, Outcome, doctor, install};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toolgate_adapters::{HOSTS, Host, Level};
use toolgate_runtime::Setup;

const TEMPLATE: &str = include_str!("../../../../policies/template.yaml");

/// Guards your sessions, and writes a policy for this project.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  toolgate init            shows each change and asks\n  toolgate init --yes      for scripts"
)]
pub struct Args {
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
    /// Which settings
    #[command(flatten)]
    pub level: install::LevelArgs,
    /// Only these hosts, even if they are not found here
    #[arg(long = "host")]
    pub hosts: Vec<String>,
    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// Writes policy and hooks, then proves them.
pub fn run(args: &Args) -> Outcome {
    install::refuse_agent()?;
    let setup = project::here();
    write_policy(&setup, args.yes)?;
    let hosts = chosen(args, &setup)?;
    if hosts.is_empty() {
        let known: Vec<&str> = HOSTS.iter().map(|host| host.name()).collect();
        talk(&format!(
            "no known host found here; `toolgate init --host HOST` guards one all the same: {}",
            known.join(", ")
        ));
    }
    for host in hosts {
        let file = install::settings_file(host, &setup, args.level.chosen().unwrap_or_default())?;
        install::install(host, &setup, &file, args.yes)?;
    }
    talk("");
    let code = doctor::run(&doctor::Args { json: args.json })?;
    if !args.json {
        out(&format!("\nTry it: {}", styled(GREEN, "toolgate test \"git commit --no-verify -m x\"")));
    }
    Ok(code)
}

fn chosen(args: &Args, setup: &Setup) -> Result<Vec<&'static dyn Host>, Failure> {
    if !args.hosts.is_empty() {
        return args.hosts.iter().map(|name| install::known_host(name)).collect();
    }
    Ok(HOSTS.iter().copied().filter(|host| is_here(*host, setup)).collect())
}

/// A host is here if its settings folder or its program is.
fn is_here(host: &dyn Host, setup: &Setup) -> bool {
    let home = setup.dirs.home.clone().unwrap_or_default();
    let folders = [Level::User, Level::Project].map(|level| host.settings_file(level, &home, &setup.project));
    let program = host.name().split('-').next().unwrap_or_default();
    folders.iter().filter_map(|file| file.parent()).any(Path::is_dir) || on_path(program).is_some()
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

fn write_policy(setup: &Setup, yes: bool) -> Result<ExitCode, Failure> {
    let file = setup.project.join(".toolgate/policy.yaml");
    if file.exists() {
        talk(&format!("{} is there already and stays as it is", file.display()));
        return Ok(ExitCode::SUCCESS);
    }
    talk(&format!("a policy with every setting explained goes to {}", file.display()));
    if !yes && !confirm("Write it?") {
        return Err(Failure::new("nothing was changed", "answer y, or give --yes"));
    }
    std::fs::create_dir_all(setup.project.join(".toolgate"))?;
    std::fs::write(&file, TEMPLATE)?;
    Ok(ExitCode::SUCCESS)
}
