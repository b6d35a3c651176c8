//! One verb, one file. A verb reads its arguments, does its work through the
//! runtime, and prints; it decides nothing about calls.

pub mod approver;
pub mod completions;
pub mod doctor;
pub mod explain;
pub mod inbox;
pub mod init;
pub mod install;
pub mod ledger;
pub mod logs;
pub mod man;
pub mod policy;
pub mod rules;
pub mod test;

use crate::args::{Cli, Verb};
use crate::hook;
use crate::screen::{RED, styled, talk, visible};
use clap::Parser;
use std::fmt::Display;
use std::process::ExitCode;

/// Something a verb could not do: one sentence, and what to do about it.
pub struct Failure {
    pub what: String,
    hint: Option<String>,
}

impl Failure {
    /// A failure with a hint.
    pub fn new(what: impl Display, hint: impl Display) -> Failure {
        Failure { what: what.to_string(), hint: Some(hint.to_string()) }
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure { what: error.to_string(), hint: None }
    }
}

/// What a verb ends with.
pub type Outcome = Result<ExitCode, Failure>;

/// Parses the command line and does what it says.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // 2 means "would not run" here, so wrong use is 1.
            let code = if error.use_stderr() { ExitCode::from(1) } else { ExitCode::SUCCESS };
            let _ = error.print();
            return code;
        }
    };
    let outcome = match cli.verb {
        Verb::Init(args) => init::run(&args),
        Verb::Install(args) => install::run(&args),
        Verb::Uninstall(args) => install::remove(&args),
        Verb::Doctor(args) => doctor::run(&args),
        Verb::Hook(args) => return hook::run(&args.host),
        Verb::Test(args) => test::run(&args),
        Verb::Explain(args) => explain::run(&args),
        Verb::Rules(args) => rules::run(&args),
        Verb::Policy(args) => policy::run(&args),
        Verb::Logs(args) => logs::run(&args),
        Verb::Ledger(args) => ledger::run(&args),
        Verb::Inbox(args) => inbox::run(&args),
        Verb::Approver(args) => approver::run(&args),
        Verb::Completions(args) => completions::run(&args),
        Verb::Man(args) => man::run(&args),
    };
    outcome.unwrap_or_else(|failure| {
        talk(&format!("{} {}", styled(RED, "error:"), visible(&failure.what)));
        if let Some(hint) = failure.hint {
            talk(&format!("  hint: {hint}"));
        }
        ExitCode::from(1)
    })
}
