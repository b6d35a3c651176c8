//! `quality-004`: changed code is free of lints.

use super::quality_003::{Evidence, no_command};
use super::{Objection, Standard, parameters};
use crate::call::Call;
use crate::categories::Categories;
use crate::facts::Facts;
use crate::guard::Seen;
use crate::guardrail::OnFail;
use crate::rule::Names;

const LINTS: &[&str] = &[
    "cargo clippy",
    "eslint",
    "npx eslint",
    "npm run lint",
    "pnpm lint",
    "pnpm run lint",
    "yarn lint",
    "yarn run lint",
    "biome check",
    "ruff check",
    "uv run ruff check",
    "flake8",
    "pylint",
    "golangci-lint run",
    "go vet",
    "make lint",
    "just lint",
    "rubocop",
    "bundle exec rubocop",
    "shellcheck",
    "swiftlint",
    "ktlint",
];

parameters! {
    /// `quality-004`.
    LintClean {
        /// Commands, as the beginning of their normal form, of which one must have succeeded since the last change.
        ran: Names = Names::of(LINTS),
        /// Commands that need it.
        before: Names = Names::of(&["git commit", "git push", "gh pr create"]),
        /// A command the gate runs itself where that has not happened; only in the person's own policy.
        command: Option<String> = None,
        /// Seconds it may take, at most 90.
        seconds: u32 = 60,
    }
    patterns { command: no_command }
}

impl LintClean {
    fn evidence(&self) -> Evidence<'_> {
        let LintClean { ran, before, command, seconds, .. } = self;
        Evidence { what: "the lints", ran, before, command: command.as_deref(), seconds: *seconds }
    }
}

impl Standard for LintClean {
    const ID: &'static str = "quality-004";
    const ACTION: OnFail = OnFail::Warn;
    const PAGE: &'static str = "\
quality-004: changed code passes its linter.

Before a commit, a push or a pull request, one of the commands in `ran` must have succeeded after the last change to a file of
the workspace. Otherwise the agent is warned; the third time, a person is asked.

Allowed instead: running the linter first.

  category_guardrails:
    quality-004: { ran: [cargo clippy], before: [git commit] }
";

    fn section(all: &Categories) -> Option<&LintClean> {
        all.quality_004.as_ref()
    }

    fn asks(&self, _: &Call, facts: &Facts) -> Vec<String> {
        self.evidence().asks(facts)
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        self.evidence().objection(seen)
    }
}
