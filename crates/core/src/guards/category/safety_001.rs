//! `safety-001`: nothing is destroyed.

use super::{Objection, Standard, any_path, no_path, parameters};
use crate::categories::Categories;
use crate::evidence::{Part, shortened};
use crate::expression::Truth;
use crate::facts::{Access, FileFact};
use crate::guard::Seen;
use crate::guardrail::OnFail;
use crate::places::Place;
use crate::rule::Names;
use regex::Regex;
use toolgate_shell::EffectKind;

/// Names of folders the next build makes again.
pub const BUILD_OUTPUT: &[&str] = &[
    "node_modules",
    "target",
    "dist",
    "build",
    "out",
    ".next",
    ".cache",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".turbo",
    "coverage",
    ".venv",
    "venv",
    "*.egg-info",
];

const EFFECTS: &[&str] = &[
    "deletes-tree",
    "deletes-unknown",
    "drops-data",
    "wipes-device",
    "rewrites-remote",
    "destroys-infrastructure",
];

parameters! {
    /// `safety-001`.
    Destructive {
        /// Effects that destroy.
        #[serde(alias = "deeds")]
        effects: Names = Names::of(EFFECTS),
        /// Folders that may go whole; what lies in a temporary folder may as well.
        except: Names = Names::of(BUILD_OUTPUT),
        /// Further commands, as regular expressions over their normal form.
        patterns: Names = Names::default(),
    }
    patterns { effects: no_effect, except: no_path, patterns: no_regex }
}

fn no_effect(text: &str) -> Option<String> {
    EffectKind::from_name(text).is_none().then(|| "unknown kind".to_owned())
}

fn no_regex(text: &str) -> Option<String> {
    Regex::new(text).err().map(|error| error.to_string())
}

/// What an effect does, as the end of a sentence.
fn does(kind: EffectKind) -> &'static str {
    match kind {
        EffectKind::DeletesUnknown => "deletes files that are not known until the command runs",
        EffectKind::DropsData => "deletes database data",
        EffectKind::WipesDevice => "overwrites a device",
        EffectKind::RewritesRemote => "rewrites commits others may have fetched",
        EffectKind::DestroysInfrastructure => "destroys running infrastructure",
        _ => "destroys data",
    }
}

impl Standard for Destructive {
    const ID: &'static str = "safety-001";
    const ACTION: OnFail = OnFail::Block;
    const PAGE: &'static str = "\
safety-001: no destructive commands.

Blocks commands that delete a folder and its contents, drop tables or databases, wipe a device, rewrite published commits or
destroy cloud resources, however the command is written. Build output (`node_modules`, `target`, …) and temporary folders may
be deleted. `patterns` adds your own commands.

Allowed instead: deleting single files; `git push --force-with-lease`; renaming a folder.

  category_guardrails:
    safety-001: { except: [generated], patterns: ['^make wipe'] }
";

    fn section(all: &Categories) -> Option<&Destructive> {
        all.safety_001.as_ref()
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        let listed = |kind: EffectKind| self.effects.iter().any(|name| name == kind.name());
        let trees = seen.facts.files.iter().filter(|_| listed(EffectKind::DeletesTree));
        let tree =
            trees.filter(|file| file.access == Access::DeleteTree && !self.may_go(file, seen)).map(|file| {
                let sure = if file.exact { Truth::Yes } else { Truth::Unclear };
                (sure, "deletes a folder and everything in it", Part::File(file))
            });
        let effects = seen.facts.commands().flat_map(|(at, command)| {
            let others =
                command.effects.iter().filter(|one| one.kind != EffectKind::DeletesTree && listed(one.kind));
            others.map(move |one| (Truth::Yes, does(one.kind), Part::Command(at, one.target.as_ref())))
        });
        let patterns = seen.facts.commands().filter_map(|(at, _)| {
            let normal = seen.facts.normal(at);
            let hit = self.patterns.iter().any(|text| Regex::new(text).is_ok_and(|own| own.is_match(normal)));
            hit.then_some((
                Truth::Yes,
                "is on the policy's list of destructive commands",
                Part::Command(at, None),
            ))
        });
        let found = tree.chain(effects).chain(patterns);
        let (sure, does, part) = found.reduce(|worst, next| if next.0 > worst.0 { next } else { worst })?;
        let step = "delete single files by name, or ask the user to do this";
        let evidence = part.quoted(&seen.event.call, seen.facts);
        let what = match (part, &evidence) {
            (Part::File(file), _) => format!("deleting `{}`", file.written),
            (_, Some(evidence)) => format!("`{}`", shortened(&evidence.text)),
            (_, None) => "this call".to_owned(),
        };
        let objection = Objection::new(format!("{what} {does}, and that cannot be undone"), step);
        Some(Objection { sure, ..objection.because(evidence) })
    }
}

impl Destructive {
    fn may_go(&self, file: &FileFact, seen: &Seen<'_>) -> bool {
        let spared = |path: &str| {
            let scratch = seen.places.holds(Place::Temp, path) && !seen.places.covers(path, Place::Temp);
            // A project in a temporary folder is still work.
            let temp = scratch && !seen.places.holds(Place::Workspace, path);
            let below = path.strip_suffix("/**").or_else(|| path.strip_suffix("/*")).unwrap_or(path);
            temp || any_path(&self.except, below, seen.places)
        };
        file.exact && file.targets().all(spared)
    }
}
