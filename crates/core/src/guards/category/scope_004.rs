//! `scope-004`: what an agent may decide alone.

use super::{Objection, Standard, begins, parameters};
use crate::call::Kind;
use crate::categories::Categories;
use crate::evidence::Part;
use crate::facts::Access;
use crate::finding::Source;
use crate::guard::Seen;
use crate::guardrail::OnFail;
use crate::places::Place;
use crate::rule::Names;
use crate::settings::Settings;
use toolgate_shell::EffectKind;

/// Decisions that cannot be taken back by the agent itself.
const FINAL: &[&str] = &[
    "git push",
    "git merge",
    "git tag",
    "gh pr merge",
    "gh release",
    "npm publish",
    "cargo publish",
    "twine upload",
    "gem push",
    "docker push",
    "terraform apply",
    "kubectl apply",
    "kubectl delete",
    "helm upgrade",
];

parameters! {
    /// `scope-004`.
    DecisionAuthority {
        /// Commands, as the beginning of their normal form, only level 3 decides.
        decisions: Names = Names::of(FINAL),
    }
    patterns {}
}

impl Standard for DecisionAuthority {
    const ID: &'static str = "scope-004";
    const ACTION: OnFail = OnFail::Ask;
    const PAGE: &'static str = "\
scope-004: what an agent may decide alone.

`agents.*.autonomy` is a level from 0 to 3; a person is asked about everything above it. 0 only reads. 1 also changes files of
the workspace and runs commands. 2 also installs packages, talks to hosts and MCP servers, commits and hands work over. 3 also
pushes, merges and releases (`decisions`), deletes folders, changes permissions or users and touches files outside the
workspace. This applies to every agent with a level, whatever `category_guardrails` says.

  agents:
    implementer: { autonomy: 1 }
";

    fn section(all: &Categories) -> Option<&DecisionAuthority> {
        all.scope_004.as_ref()
    }

    fn is_due(settings: &Settings, call: &crate::call::Call) -> Option<Source> {
        settings
            .agents_of(call)
            .find(|entry| entry.agent.autonomy.is_some())
            .map(|entry| entry.source.clone())
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        let (needed, what) = self.needed(seen);
        seen.settings.agents_of(&seen.event.call).find_map(|entry| {
            let level = entry.agent.autonomy?;
            let message =
                format!("`{}` may decide alone up to level {level}; this is level {needed}", entry.name);
            let step = "prepare it and let a person decide, or hand it to an agent with that level";
            (needed > level)
                .then(|| Objection::new(message, step).because(what.quoted(&seen.event.call, seen.facts)))
        })
    }
}

impl DecisionAuthority {
    /// The level a call needs, and what in it needs that.
    fn needed<'a>(&self, seen: &Seen<'a>) -> (u8, Part<'a>) {
        let call = &seen.event.call;
        let whole = match &call.kind {
            Kind::Fetch { .. } | Kind::Mcp { .. } | Kind::Handoff => 2,
            Kind::Shell { .. } => 1,
            Kind::File { .. } | Kind::Files { .. } | Kind::Stop | Kind::Other => 0,
        };
        let files = seen.facts.files.iter().map(|file| {
            let ours = file.exact
                && file.targets().all(|path| {
                    seen.places.holds(Place::Workspace, path)
                        || seen.places.holds(Place::Temp, path)
                        || path.starts_with("/dev/")
                });
            let level = match file.access {
                Access::Read => 0,
                Access::DeleteTree => 3,
                _ if ours => 1,
                _ => 3,
            };
            (level, Part::File(file))
        });
        let commands = seen.facts.commands().map(|(at, command)| {
            let normal = seen.facts.normal(at);
            let effects = command.effects.iter().map(|one| level_of(one.kind)).max().unwrap_or(0);
            let commits = command.program == "git"
                && command.usage.subcommand.first().is_some_and(|sub| sub == "commit");
            let decides = if begins(&self.decisions, normal) { 3 } else { u8::from(commits) * 2 };
            (effects.max(decides), Part::Command(at, None))
        });
        let all = std::iter::once((whole, Part::Whole)).chain(files).chain(commands);
        all.reduce(|most, next| if next.0 > most.0 { next } else { most }).unwrap_or((0, Part::Whole))
    }
}

fn level_of(kind: EffectKind) -> u8 {
    match kind {
        EffectKind::ReadsFile | EffectKind::SeeksFile => 0,
        EffectKind::WritesFile
        | EffectKind::CreatesFile
        | EffectKind::DeletesFile
        | EffectKind::EndsProcess
        | EffectKind::DiscardsNamedWork => 1,
        EffectKind::ReachesHost
        | EffectKind::SendsData
        | EffectKind::SendsFile
        | EffectKind::QuotesFile
        | EffectKind::InstallsPackage => 2,
        _ => 3,
    }
}
