//! One verb, one file. A verb reads its arguments, does its work through the
//! runtime, and prints; it decides nothing about calls.

pub mod approver;
pub mod bypass;
pub mod completions;
pub mod doctor;
pub mod escalation;
pub mod explain;
pub mod grants;
pub mod hosts;
pub mod inbox;
pub mod init;
pub mod install;
pub mod learn;
pub mod ledger;
pub mod logs;
pub mod man;
pub mod mcp;
pub mod notify;
pub mod pins;
pub mod policy;
pub mod policy_check;
pub mod proposals;
pub mod restore;
mod rule_page;
pub mod rules;
pub mod run;
pub mod serve;
pub mod stats;
pub mod status;
pub mod supervision;
pub mod supervisors;
pub mod test;

use crate::args::{Cli, Verb};
use crate::failure;
use crate::hook;
use crate::screen::talk;
use clap::Parser;
use std::process::ExitCode;

pub use crate::failure::Failure;

/// What a verb ends with.
pub type Outcome = Result<ExitCode, Failure>;

/// Parses the command line and does what it says.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // 2 means "would not run" here, so wrong use is 1.
            let code = if error.use_stderr() { ExitCode::from(1) } else { ExitCode::SUCCESS };
            if error.use_stderr() && failure::asks_for_json() {
                Failure::of_usage(&error).show();
            } else if error.use_stderr() {
                // Ours say `help:`; clap's say `tip:`.
                talk(error.render().ansi().to_string().replace("tip:", "help:").trim_end());
            } else {
                let _ = error.print();
            }
            return code;
        }
    };
    let outcome = match cli.verb {
        Verb::Init(args) => init::run(&args),
        Verb::Install(args) => install::run(&args),
        Verb::Uninstall(args) => install::remove(&args),
        Verb::Status(args) => status::run(&args),
        Verb::Run(args) => run::run(&args),
        Verb::Doctor(args) => doctor::run(&args),
        Verb::Hosts(args) => hosts::run(&args),
        Verb::Hook(args) => return hook::run(&args.host),
        Verb::Mcp(args) => mcp::run(&args),
        Verb::Pins(args) => pins::run(&args),
        Verb::Test(args) => test::run(&args),
        Verb::Explain(args) => explain::run(&args),
        Verb::Rules(args) => rules::run(&args),
        Verb::Policy(args) => policy::run(&args),
        Verb::Logs(args) => logs::run(&args),
        Verb::Stats(args) => stats::run(&args),
        Verb::Ledger(args) => ledger::run(&args),
        Verb::Restore(args) => restore::run(&args),
        Verb::Inbox(args) => inbox::run(&args),
        Verb::Grants(args) => grants::run(&args),
        Verb::Escalation(args) => escalation::run(&args),
        Verb::Notify(args) => notify::run(&args),
        Verb::Learn(args) => learn::run(&args),
        Verb::Serve(args) => serve::run(&args),
        Verb::Bypass(args) => bypass::run(&args),
        Verb::Approver(args) => approver::run(&args),
        Verb::Supervisors(args) => supervisors::run(&args),
        Verb::Supervision(args) => supervision::run(&args),
        Verb::Completions(args) => completions::run(&args),
        Verb::Man(args) => man::run(&args),
    };
    outcome.unwrap_or_else(|failure| {
        failure.show();
        ExitCode::from(1)
    })
}
