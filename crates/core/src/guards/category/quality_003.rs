//! `quality-003`: changed code passes its tests.

use super::git::is_one_of;
use super::{Objection, Standard, begins, parameters};
use crate::call::Call;
use crate::categories::Categories;
use crate::facts::{Access, Facts};
use crate::guard::Seen;
use crate::guardrail::OnFail;
use crate::mark::{CHANGED_MARK, Mark, failed_mark, passed_mark};
use crate::outcome::Outcome;
use crate::places::Place;
use crate::prerequisite::{Method, Prerequisite};
use crate::rule::Names;
use toolgate_shell::Command;

const TESTS: &[&str] = &[
    "cargo test",
    "cargo nextest run",
    "npm test",
    "npm run test",
    "pnpm test",
    "pnpm run test",
    "yarn test",
    "yarn run test",
    "bun test",
    "pytest",
    "python -m pytest",
    "python3 -m pytest",
    "uv run pytest",
    "tox",
    "go test",
    "make test",
    "make check",
    "just test",
    "gradle test",
    "mvn test",
    "dotnet test",
    "rspec",
    "bundle exec rspec",
    "mix test",
    "ctest",
    "vitest",
    "jest",
    "npx vitest",
    "npx jest",
];

parameters! {
    /// `quality-003`.
    TestsPass {
        /// Commands, as the beginning of their normal form, of which one must have succeeded since the last change.
        ran: Names = Names::of(TESTS),
        /// Commands that need it.
        before: Names = Names::of(&["git commit", "git push", "gh pr create"]),
        /// A command the gate runs itself where that has not happened; only in the person's own policy.
        command: Option<String> = None,
        /// Seconds it may take, at most 90.
        seconds: u32 = 60,
    }
    patterns { command: no_command }
}

/// An empty command would always succeed.
pub(super) fn no_command(text: &str) -> Option<String> {
    text.trim().is_empty().then(|| "it is empty".to_owned())
}

impl Standard for TestsPass {
    const ID: &'static str = "quality-003";
    const ACTION: OnFail = OnFail::Ask;
    const PAGE: &'static str = "\
quality-003: changed code passes its tests.

Before a commit, a push or a pull request, one of the commands in `ran` must have succeeded after the last change to a file of
the workspace, as reported by the host. If the session changed nothing, this does not apply. With `command` (user policy only),
Toolgate runs that command itself if needed, for at most `seconds`.

Allowed instead: running the tests first; `cargo test && git commit …` in one call.

  category_guardrails:
    quality-003: { ran: [make test], before: [git commit], command: make test, seconds: 60 }
";

    fn section(all: &Categories) -> Option<&TestsPass> {
        all.quality_003.as_ref()
    }

    fn asks(&self, _: &Call, facts: &Facts) -> Vec<String> {
        Evidence::of_tests(self).asks(facts)
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        Evidence::of_tests(self).objection(seen)
    }
}

/// Something that must have been run before something else; tests and lints
/// differ only in words.
pub(super) struct Evidence<'a> {
    pub what: &'static str,
    pub ran: &'a Names,
    pub before: &'a Names,
    pub command: Option<&'a str>,
    pub seconds: u32,
}

impl<'a> Evidence<'a> {
    fn of_tests(own: &'a TestsPass) -> Evidence<'a> {
        let TestsPass { ran, before, command, seconds, .. } = own;
        Evidence { what: "the tests", ran, before, command: command.as_deref(), seconds: *seconds }
    }

    fn method(&self) -> Option<Method> {
        let command = self.command?.trim().to_owned();
        Some(Method::CommandSucceeds { command, seconds: self.seconds.clamp(1, 90) })
    }

    pub(super) fn asks(&self, facts: &Facts) -> Vec<String> {
        if !facts.commands().any(|(_, command)| is_one_of(command, self.before)) {
            return Vec::new();
        }
        let method = self.method();
        let own = method.iter().flat_map(|method| [passed_mark(method), failed_mark(method)]);
        own.chain([CHANGED_MARK.to_owned()]).collect()
    }

    pub(super) fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        let (at, _) = seen.facts.commands().find(|(_, command)| is_one_of(command, self.before))?;
        let changed = seen.session.mark(CHANGED_MARK);
        let changes = changes_before(seen, at);
        if changed.is_none() && !changes || self.runs_before(seen, at) {
            return None;
        }
        let fresh = !changes && seen.session.fresh.iter().any(|done| begins(self.ran, done));
        if fresh {
            return None;
        }
        let what = self.what;
        let objection = Objection::new(
            format!("{what} have not passed since the last change"),
            format!("run {what} first ({}), then repeat this call", shown(self.ran)),
        );
        let objection =
            objection.because(crate::evidence::Evidence::of_command(&seen.event.call, seen.facts, at, []));
        // What the gate ran itself says nothing about changes this very call makes.
        let Some(method) = self.method().filter(|_| !changes) else { return Some(objection) };
        let since = changed.map_or(0, |mark| mark.seq);
        let newest = |mark: Option<&Mark>| mark.map(|mark| mark.seq).filter(|seq| *seq > since);
        let passed = newest(seen.session.mark(&passed_mark(&method)));
        let failed = seen.session.mark(&failed_mark(&method)).filter(|mark| mark.call == seen.session.calls);
        match (passed, newest(failed)) {
            (Some(passed), failed) if failed.is_none_or(|failed| failed < passed) => None,
            (_, Some(_)) => Some(Objection {
                message: format!("{what} failed: `{}` did not succeed", self.command.unwrap_or_default()),
                step: "run it, fix what it reports, then repeat this call".to_owned(),
                ..objection
            }),
            _ => Some(Objection { outcome: Some(check(what, method)), ..objection }),
        }
    }

    /// Whether the call itself runs it first and goes on only if it succeeds.
    fn runs_before(&self, seen: &Seen<'_>, at: usize) -> bool {
        let Some(text) = seen.event.call.command() else { return false };
        let sure = toolgate_shell::surely_ran(text);
        let is_sure =
            |command: &Command| command.in_place && command.via.is_empty() && sure.contains(&command.span);
        let early = seen.facts.commands().take(at);
        let mut ran =
            early.filter(|(own, command)| is_sure(command) && begins(self.ran, seen.facts.normal(*own)));
        let target = seen.facts.reading.commands.get(at).is_some_and(|command| is_sure(command));
        ran.any(|(own, _)| target && !changes_between(seen, own, at))
    }
}

fn check(what: &str, method: Method) -> Outcome {
    Outcome::Check(vec![Prerequisite {
        description: format!("{what} succeed"),
        success_criteria: "the command ends with 0".to_owned(),
        method,
        priority: 5,
    }])
}

fn shown(names: &Names) -> String {
    let first: Vec<&str> = names.iter().take(3).collect();
    first.join(", ")
}

fn changes_before(seen: &Seen<'_>, at: usize) -> bool {
    changes(seen, |own| own < at)
}

fn changes_between(seen: &Seen<'_>, from: usize, to: usize) -> bool {
    changes(seen, |own| own > from && own < to)
}

/// Whether commands of the call change files of the workspace; git's own
/// bookkeeping aside.
fn changes(seen: &Seen<'_>, is_meant: impl Fn(usize) -> bool) -> bool {
    seen.facts.files.iter().any(|file| {
        let by = file.command.filter(|at| is_meant(*at));
        let program =
            by.and_then(|at| seen.facts.reading.commands.get(at)).map(|command| command.program.as_str());
        let ours = file.targets().any(|path| seen.places.holds(Place::Workspace, path));
        program.is_some_and(|program| program != "git") && file.access != Access::Read && ours
    })
}
