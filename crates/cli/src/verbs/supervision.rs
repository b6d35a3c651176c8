//! `toolgate supervision`: five verbs under the name another system gave them.
//! They do what they do without it; nothing is decided here.

use crate::verbs::{Outcome, escalation, logs, rules, test};
use clap::Subcommand;

/// Rules, test, logs and escalation under one name.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate supervision rules add --name ban-no-verify --pattern \"git commit.*--no-verify\" --action REJECT
  toolgate supervision test \"git commit --no-verify -m 'fix'\"
  toolgate supervision logs --last 24h --decisions REJECT,ESCALATE")]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// As `toolgate rules`
    Rules(rules::Args),
    /// As `toolgate test`
    Test(test::Args),
    /// As `toolgate logs`
    Logs(logs::Args),
    /// As `toolgate escalation`
    Escalation(escalation::Args),
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    match &args.verb {
        Verb::Rules(args) => rules::run(args),
        Verb::Test(args) => test::run(args),
        Verb::Logs(args) => logs::run(args),
        Verb::Escalation(args) => escalation::run(args),
    }
}
