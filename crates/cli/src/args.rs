//! The command line as one value: help, completions, man pages and the
//! reference in `docs/cli.md` all come from here.

use crate::verbs::install::example_host;
use crate::verbs::{
    approver, bypass, completions, doctor, escalation, explain, grants, hosts, inbox, init, install, learn,
    ledger, logs, man, mcp, notify, pins, policy, restore, rules, run, serve, stats, status, supervision,
    supervisors, test,
};
use clap::{Parser, Subcommand};

/// A gate between AI agents and their tools.
///
/// Every shell command, file write, MCP call or handoff of an agent goes
/// through the gate first. It is allowed, warned about, rewritten, held for a
/// person or blocked, with a reason the agent can act on, and recorded in a
/// tamper-evident log.
#[derive(Debug, Parser)]
#[command(
    name = "toolgate",
    version,
    max_term_width = 100,
    after_help = "Examples:
  toolgate init                                    guard your agents
  toolgate test \"git commit --no-verify -m 'fix'\"  what would happen?
  toolgate logs --last 24h --decisions block,ask
  toolgate inbox approve r-1a2b3c4d5e              approve a request, once

Exit codes: 0 success · 1 usage error or broken setup · `test` also: 2 blocked · 3 waits for an answer"
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs, in the order a user meets them.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Guard your agents: install the hook, write a policy, check both
    Init(init::Args),
    /// Add the hook to a host's settings
    Install(install::Args),
    /// Remove the hook and restore the settings file
    Uninstall(install::RemoveArgs),
    /// Show which hosts are guarded in this folder
    Status(status::Args),
    /// Start an agent only if Toolgate is in its path
    Run(run::Args),
    /// Check that the hook is active and everything works
    Doctor(doctor::Args),
    /// List the hosts that can be guarded
    Hosts(hosts::Args),
    /// Called by hosts: reads an event on stdin, answers on stdout
    Hook(HookArgs),
    /// Run an MCP server behind the gate
    Mcp(mcp::Args),
    /// Show, approve and revoke the tools of MCP servers
    Pins(pins::Args),
    /// Judge a command without running it
    Test(test::Args),
    /// Explain a rule, a decision or a request
    Explain(explain::Args),
    /// Add, list, remove or check rules
    Rules(rules::Args),
    /// Show or check the policy, or print its schema
    Policy(policy::Args),
    /// Show decisions
    Logs(logs::Args),
    /// Show how often each rule matched and what each session used
    Stats(stats::Args),
    /// Verify, export or sign the ledger
    Ledger(ledger::Args),
    /// Restore files that a call changed or deleted
    Restore(restore::Args),
    /// List and answer requests
    Inbox(inbox::Args),
    /// List and revoke active grants
    Grants(grants::Args),
    /// Show or change when people are asked
    Escalation(escalation::Args),
    /// Test notifications
    Notify(notify::Args),
    /// Suggest rules from past answers
    Learn(learn::Args),
    /// Open the inbox in a browser on this machine
    Serve(serve::Args),
    /// Request a one-time bypass of a guardrail
    Bypass(bypass::Args),
    /// Set up how approvals are verified
    Approver(approver::Args),
    /// List and test AI supervisors
    Supervisors(supervisors::Args),
    /// Rules, test, logs and escalation under one name
    Supervision(supervision::Args),
    /// Print shell completions
    Completions(completions::Args),
    /// Print man pages
    Man(man::Args),
}

/// Called by hosts, not by people.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Example:\n  toolgate hook {} < event.json", example_host()))]
pub struct HookArgs {
    /// The calling host; `toolgate hosts` lists them
    pub host: String,
}
