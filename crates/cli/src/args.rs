//! The command line as one value: help, completions, man pages and the
//! reference in `docs/cli.md` all come from here.

use crate::verbs::{
    approver, bypass, completions, doctor, escalation, explain, grants, inbox, init, install, learn, ledger,
    logs, man, notify, policy, restore, rules, serve, stats, supervisors, test,
};
use clap::{Parser, Subcommand};

/// Stands between AI agents and their tools.
///
/// Every shell command, file write, MCP call or hand-over an agent attempts
/// passes the gate first, and is allowed, warned about, rewritten, made to
/// wait for a person, or blocked – with a reason the agent can act on and a
/// log nobody can alter unseen.
#[derive(Debug, Parser)]
#[command(
    name = "toolgate",
    version,
    max_term_width = 100,
    after_help = "Examples:
  toolgate init                                    guard this project
  toolgate test \"git commit --no-verify -m 'fix'\"  what would happen?
  toolgate logs --last 24h --decisions REJECT,ESCALATE
  toolgate inbox approve r-1a2b3c4d5e              say yes, once

Exit codes: 0 fine · 1 wrong use or broken gate · `test` also: 2 would not run · 3 would wait"
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs, in the order a user meets them.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Guard this project: policy, hooks, proof
    Init(init::Args),
    /// Add the hook to a host's settings
    Install(install::Args),
    /// Take the hook out again, byte for byte
    Uninstall(install::RemoveArgs),
    /// Prove that the gate stands in the path
    Doctor(doctor::Args),
    /// What hosts call: event on stdin, answer on stdout
    Hook(HookArgs),
    /// Judge a command without running it
    Test(test::Args),
    /// The page of a rule, or the story of a decision
    Explain(explain::Args),
    /// Add, list, remove or check rules
    Rules(rules::Args),
    /// Show, check or describe the policy
    Policy(policy::Args),
    /// What was decided
    Logs(logs::Args),
    /// How often each guard spoke, and what each session used up
    Stats(stats::Args),
    /// Verify, export or sign the ledger
    Ledger(ledger::Args),
    /// Bring back what a call changed or deleted
    Restore(restore::Args),
    /// Requests that wait for a person
    Inbox(inbox::Args),
    /// Answers that stand, and their end
    Grants(grants::Args),
    /// When people are asked
    Escalation(escalation::Args),
    /// Whether people would hear that a call waits
    Notify(notify::Args),
    /// What people's answers come to
    Learn(learn::Args),
    /// The inbox in a browser of this machine
    Serve(serve::Args),
    /// Ask for one blocked call past one guardrail
    Bypass(bypass::Args),
    /// Who may answer requests
    Approver(approver::Args),
    /// Models that may answer before a person
    Supervisors(supervisors::Args),
    /// Completions for a shell
    Completions(completions::Args),
    /// Man pages
    Man(man::Args),
}

/// Called by hosts, not by people.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  toolgate hook claude-code < event.json")]
pub struct HookArgs {
    /// The host that calls: claude-code
    pub host: String,
}
