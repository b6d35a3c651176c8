//! `toolgate run`: starts an agent, but only where the gate is proven to be in its path.

use crate::project;
use crate::proof;
use crate::screen::talk;
use crate::verbs::install::example_host;
use crate::verbs::{Failure, Outcome, install};
use crate::wiring;
use std::os::unix::process::CommandExt;
use std::process::Command;
use toolgate_adapters::Host;
use toolgate_runtime::Setup;

/// Start an agent only if Toolgate is in its path.
///
/// Checks that the hook is installed, that nothing in this folder, the environment or the arguments keeps
/// it from running, and that it blocks a test call; then it becomes the agent. Otherwise it says why not.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Examples:
  toolgate run {0}
  toolgate run {0} -- -p \"fix the tests\"

Exit codes: those of the agent · 1 the gate is not in its path, and nothing was started", example_host()))]
pub struct Args {
    /// The host; `toolgate hosts` lists them
    pub host: String,
    /// Arguments for the agent
    #[arg(last = true)]
    pub args: Vec<String>,
}

/// `run`.
pub fn run(args: &Args) -> Outcome {
    let host = install::known_host(&args.host)?;
    let setup = project::here();
    let found = wiring::program(host);
    let Some(program) = found else {
        let names = host.program().programs.join("` or `");
        let what = format!("{} is not installed: there is no `{names}` in PATH", host.title());
        return Err(Failure::new(what, format!("install {}, or add its folder to PATH", host.title())));
    };
    prove(host, &setup, &args.args)?;
    // Only comes back if it could not be started.
    let error = Command::new(&program).args(&args.args).exec();
    Err(Failure::new(format!("`{}` cannot be started: {error}", program.display()), "check the program"))
}

/// Every reason not to start it.
fn prove(host: &'static dyn Host, setup: &Setup, args: &[String]) -> Result<(), Failure> {
    let refused = |why: &str, fix: String| {
        Failure::new(format!("{} was not started, because it would not be guarded: {why}", host.title()), fix)
    };
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    if let Some(word) = host.program().off_word(&words) {
        return Err(refused(&format!("`{word}` keeps the hook from running"), format!("leave out `{word}`")));
    }
    let set = host.program().off_variables.iter().find(|name| std::env::var_os(name).is_some());
    if let Some(name) = set {
        let why = format!("the variable `{name}` makes it read other settings");
        return Err(refused(&why, format!("unset it: `unset {name}`")));
    }
    let wiring = wiring::of(host, setup);
    if wiring.places.is_empty() {
        let why = "the hook is in none of the settings it reads";
        return Err(refused(why, format!("run `toolgate install {}`", host.name())));
    }
    if let Some(off) = &wiring.off {
        return Err(refused(&off.why, off.fix.clone()));
    }
    for (_, file) in &wiring.places {
        let command = std::fs::read(file).ok().and_then(|bytes| host.installed(&bytes));
        let Some(command) = command else { continue };
        if let Err(unproven) = proof::fire(host, &command, &setup.project) {
            return Err(refused(&unproven.why, unproven.fix));
        }
    }
    talk(&format!("toolgate guards this session of {}: a test call was blocked.", host.title()));
    Ok(())
}
