//! `toolgate completions`: for the shells people use.

use crate::args::Cli;
use crate::verbs::Outcome;
use clap::CommandFactory;
use clap_complete::Shell;
use std::process::ExitCode;

/// Prints completions.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  toolgate completions bash > ~/.local/share/bash-completion/completions/toolgate"
)]
pub struct Args {
    /// The shell
    pub shell: Shell,
}

/// Prints the script.
pub fn run(args: &Args) -> Outcome {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "toolgate", &mut bytes);
    crate::screen::out(String::from_utf8_lossy(&bytes).trim_end());
    Ok(ExitCode::SUCCESS)
}
