//! `compliance-004`: an interface changes with its documentation.

use super::git::is_one_of;
use super::{Objection, Standard, any_path, no_path, parameters};
use crate::categories::Categories;
use crate::evidence::Evidence;
use crate::facts::Access;
use crate::guard::Seen;
use crate::guardrail::OnFail;
use crate::places::Place;
use crate::rule::Names;

const INTERFACES: &[&str] = &[
    "src/lib.rs",
    "**/api/**",
    "**/{openapi,swagger}*.{yaml,yml,json}",
    "**/*.proto",
    "**/*.graphql",
    "include/**/*.{h,hpp}",
    "**/index.d.ts",
];

const PAGES: &[&str] = &["docs/**", "doc/**", "**/*.{md,mdx,rst,adoc}", "CHANGELOG*"];

parameters! {
    /// `compliance-004`.
    Documentation {
        /// Path patterns of what others build on.
        api: Names = Names::of(INTERFACES),
        /// Path patterns of what describes it.
        docs: Names = Names::of(PAGES),
        /// Commands that need it.
        before: Names = Names::of(&["git commit", "git push", "gh pr create"]),
    }
    patterns { api: no_path, docs: no_path }
}

impl Standard for Documentation {
    const ID: &'static str = "compliance-004";
    const ACTION: OnFail = OnFail::Warn;
    const PAGE: &'static str = "\
compliance-004: interfaces change together with their documentation.

Before a commit, this looks at the files the session changed since its last commit and those the call changes. If one matches
`api` and none matches `docs`, the agent is warned; the third time, a person is asked.

Allowed instead: changing the documentation in the same commit.

  category_guardrails:
    compliance-004: { api: [src/api/**], docs: [docs/**] }
";

    fn section(all: &Categories) -> Option<&Documentation> {
        all.compliance_004.as_ref()
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        let (at, _) = seen.facts.commands().find(|(_, command)| is_one_of(command, &self.before))?;
        let now =
            seen.facts.files.iter().filter(|file| file.access != Access::Read).map(|file| file.path.as_str());
        let changed = seen.session.wrote.iter().map(String::as_str).chain(now);
        let ours: Vec<&str> = changed.filter(|path| seen.places.holds(Place::Workspace, path)).collect();
        let is = |names: &Names, path: &str| any_path(names, path, seen.places);
        let api = ours.iter().find(|path| is(&self.api, path) && !is(&self.docs, path))?;
        if ours.iter().any(|path| is(&self.docs, path)) {
            return None;
        }
        let message = format!("`{api}` is a public interface, and no documentation changed with it");
        let step = "update the documentation and commit both together";
        Some(Objection::new(message, step).because(Evidence::of_command(
            &seen.event.call,
            seen.facts,
            at,
            [],
        )))
    }
}
