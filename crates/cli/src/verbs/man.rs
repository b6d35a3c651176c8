//! `toolgate man`: man pages and the Markdown reference.

use crate::args::Cli;
use crate::reference;
use crate::screen::{out, talk};
use crate::verbs::Outcome;
use clap::CommandFactory;
use std::path::PathBuf;
use std::process::ExitCode;
use toolgate_runtime::Broken;

/// Writes man pages.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  toolgate man | man -l -\n  toolgate man --dir ~/.local/share/man/man1")]
pub struct Args {
    /// Write one page per command into this folder
    #[arg(long)]
    pub dir: Option<PathBuf>,
    /// Print the whole reference as Markdown
    #[arg(long)]
    pub reference: bool,
}

/// Prints or writes the pages.
pub fn run(args: &Args) -> Outcome {
    if args.reference {
        out(reference::page().trim_end());
        return Ok(ExitCode::SUCCESS);
    }
    match &args.dir {
        Some(dir) => {
            let written =
                std::fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(Cli::command(), dir));
            written.map_err(|error| Broken::io("write the man pages to", dir, &error))?;
            talk(&format!("wrote the man pages to {}", dir.display()));
        }
        None => {
            let mut bytes = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut bytes)?;
            out(String::from_utf8_lossy(&bytes).trim_end());
        }
    }
    Ok(ExitCode::SUCCESS)
}
