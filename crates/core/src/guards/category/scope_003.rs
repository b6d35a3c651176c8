//! `scope-003`: an agent does what it says it can.

use super::{Objection, Standard, parameters};
use crate::agent::AgentEntry;
use crate::call::{Call, Kind};
use crate::categories::Categories;
use crate::evidence::Part;
use crate::facts::{Access, Facts};
use crate::finding::Source;
use crate::guard::Seen;
use crate::guardrail::OnFail;
use crate::settings::Settings;
use toolgate_shell::{EffectKind, SmolStr};

/// What an agent can be able to do.
pub(crate) const CAPABILITIES: &[&str] =
    &["read", "write", "delete", "run", "network", "install", "commit", "push", "mcp", "handoff"];

parameters! {
    /// `scope-003`.
    Capabilities {}
    patterns {}
}

impl Standard for Capabilities {
    const ID: &'static str = "scope-003";
    const ACTION: OnFail = OnFail::Block;
    const PAGE: &'static str = "\
scope-003: agents stay within their capabilities.

If `agents.*.capabilities` is set, everything else is blocked. Capabilities are `read`, `write` and `delete` for files, `run`
for other commands, `network`, `install` for packages, `commit`, `push` (also merge and publish), `mcp` for tools of MCP servers
and `handoff` to another agent. This applies to every agent with the key, whatever `category_guardrails` says.

Allowed instead: handing the step to an agent with the capability.

  agents:
    reviewer: { capabilities: [read, run] }
";

    fn section(all: &Categories) -> Option<&Capabilities> {
        all.scope_003.as_ref()
    }

    fn is_due(settings: &Settings, call: &Call) -> Option<Source> {
        let declares = |entry: &&AgentEntry| entry.agent.capabilities.is_some();
        settings.agents_of(call).find(declares).map(|entry| entry.source.clone())
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        let needed = needed(&seen.event.call, seen.facts);
        seen.settings.agents_of(&seen.event.call).find_map(|entry| {
            let (capability, what) = needed.iter().find(|(name, _)| lacking(entry, name))?;
            let own: Vec<&str> = entry.agent.capabilities.iter().flat_map(|names| names.iter()).collect();
            let own = if own.is_empty() { "none".to_owned() } else { own.join(", ") };
            let message = format!("`{}` does not have the capability `{capability}`", entry.name);
            let step = format!("use what it may do ({own}), or hand this step over");
            Some(Objection::new(message, step).because(what.quoted(&seen.event.call, seen.facts)))
        })
    }
}

/// Whether an agent declares what it can and this is not among it.
pub(crate) fn lacking(entry: &AgentEntry, capability: &str) -> bool {
    let own = entry.agent.capabilities.as_ref();
    own.is_some_and(|names| !names.iter().any(|name| name == capability))
}

/// What a call needs, each with what in it needs that.
fn needed<'a>(call: &Call, facts: &'a Facts) -> Vec<(&'static str, Part<'a>)> {
    let mut found: Vec<(&'static str, Part<'a>)> = facts
        .files
        .iter()
        .map(|file| {
            let name = match file.access {
                Access::Read => "read",
                Access::Create | Access::Write | Access::Change => "write",
                Access::Delete | Access::DeleteTree => "delete",
            };
            (name, Part::File(file))
        })
        .collect();
    for (at, command) in facts.commands() {
        let of_effect = |kind: EffectKind| match kind {
            EffectKind::ReachesHost
            | EffectKind::SendsData
            | EffectKind::SendsFile
            | EffectKind::RunsDownload => Some("network"),
            EffectKind::InstallsPackage => Some("install"),
            EffectKind::RewritesRemote
            | EffectKind::RewritesOwnRemote
            | EffectKind::DestroysInfrastructure => Some("push"),
            EffectKind::DeletesUnknown
            | EffectKind::DiscardsWork
            | EffectKind::DiscardsNamedWork
            | EffectKind::DropsData => Some("delete"),
            _ => None,
        };
        let sub = command.usage.subcommand.first().map_or("", SmolStr::as_str);
        let named = match (command.program.as_str(), sub) {
            ("git", "commit" | "cherry-pick" | "revert" | "am" | "rebase" | "tag") => Some("commit"),
            ("git", "push" | "merge") | ("gh" | "glab", "pr" | "mr" | "release") => Some("push"),
            ("npm" | "cargo" | "twine" | "gem", "publish" | "upload" | "push") => Some("push"),
            _ => None,
        };
        let reads = |name: &str| {
            matches!(name, "cat" | "ls" | "head" | "tail" | "grep" | "rg" | "wc" | "pwd" | "cd" | "echo")
        };
        let run = (!reads(&command.program)).then_some("run");
        let effects =
            command.effects.iter().filter_map(|one| Some((of_effect(one.kind)?, one.target.as_ref())));
        let whole = named.into_iter().chain(run).map(|name| (name, None));
        found.extend(effects.chain(whole).map(|(name, word)| (name, Part::Command(at, word))));
    }
    match &call.kind {
        Kind::Fetch { .. } => found.push(("network", Part::Whole)),
        Kind::Mcp { .. } => found.push(("mcp", Part::Whole)),
        Kind::Handoff => found.push(("handoff", Part::Whole)),
        Kind::Shell { .. } | Kind::File { .. } | Kind::Files { .. } | Kind::Stop | Kind::Other => {}
    }
    found
}
