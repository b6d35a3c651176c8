//! What the commands of a call do to branches, for the guardrails about them.

use crate::guard::Seen;
use toolgate_shell::{Command, SmolStr};

/// Options with which a command only looks or gives up.
const IDLE: &[&str] = &["--dry-run", "--abort", "--quit", "--help"];

/// Subcommands of git that put commits on the branch they are on.
const COMMITTING: &[&str] = &["commit", "merge", "cherry-pick", "revert", "am"];

/// The branch a command works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Branch {
    Named(String),
    /// It cannot be told.
    Unknown,
}

/// Whether a command is one of these: `git commit`, `gh pr merge`. Options
/// before the subcommand do not matter.
pub(super) fn is_one_of(command: &Command, wanted: &crate::rule::Names) -> bool {
    let idle = command.usage.flags.iter().any(|flag| IDLE.contains(&flag.name.as_str()));
    let is = |line: &str| {
        let rest: Vec<&str> = line.split_whitespace().skip(1).collect();
        let program = line.split_whitespace().next().unwrap_or_default();
        let operands = command.usage.operands.iter().map(|word| word.text.as_str());
        let own = command.usage.subcommand.iter().map(SmolStr::as_str).chain(operands);
        program == command.program && own.take(rest.len()).eq(rest.iter().copied())
    };
    !idle && wanted.iter().any(is)
}

/// Each command that puts commits on a branch, with that branch: of `git
/// switch -c x && git commit` it is `x`.
pub(super) fn commits<'a>(seen: &Seen<'a>) -> Vec<(usize, &'a Command, Branch)> {
    let mut on: Option<Branch> = None;
    let mut found = Vec::new();
    for (at, command) in seen.facts.commands().filter(|(_, command)| command.program == "git") {
        let sub = command.usage.subcommand.first().map(SmolStr::as_str).unwrap_or_default();
        if matches!(sub, "switch" | "checkout") {
            on = switched(seen, command).or(on);
        }
        let idle = command.usage.flags.iter().any(|flag| IDLE.contains(&flag.name.as_str()));
        let branch = || on.clone().unwrap_or_else(|| present(seen, command));
        if COMMITTING.contains(&sub) && !idle {
            found.push((at, command, branch()));
        }
        if sub == "push" && !idle {
            found.extend(pushed(command, &branch).into_iter().map(|branch| (at, command, branch)));
        }
    }
    found
}

/// The branch as the host's folder has it.
pub(super) fn present(seen: &Seen<'_>, command: &Command) -> Branch {
    let dir = command.dir.as_ref();
    if dir.is_some_and(|dir| !dir.exact) {
        return Branch::Unknown;
    }
    let start = seen.event.call.dir.as_str();
    let mut dir = dir.map_or_else(|| start.to_owned(), |dir| crate::path::absolute(&dir.text, start));
    for flag in command.usage.flags.iter().filter(|flag| flag.name == "-C") {
        match &flag.value {
            Some(word) if word.exact => dir = crate::path::absolute(&word.text, &dir),
            _ => return Branch::Unknown,
        }
    }
    let branch = (seen.disk.branch)(&dir).filter(|name| !name.is_empty());
    branch.map_or(Branch::Unknown, Branch::Named)
}

/// The branch a switch leads to; `None` if it leads nowhere else.
fn switched(seen: &Seen<'_>, command: &Command) -> Option<Branch> {
    let made =
        |name: &str| matches!(name, "-c" | "-C" | "-b" | "-B" | "--create" | "--force-create" | "--orphan");
    let new = command.usage.flags.iter().find(|flag| made(&flag.name)).and_then(|flag| flag.value.as_ref());
    // `git checkout -- file` and `git checkout HEAD file` change files.
    let operands = &command.usage.operands;
    let word = new.or_else(|| operands.first().filter(|_| operands.len() == 1))?;
    if new.is_none() && (seen.disk.is_there)(&word.text) == Some(true) {
        return None;
    }
    let plain = word.exact && !word.text.starts_with('-');
    Some(if plain { Branch::Named(word.text.to_string()) } else { Branch::Unknown })
}

/// The branches of the remote a push is for.
fn pushed(command: &Command, present: &dyn Fn() -> Branch) -> Vec<Branch> {
    let all = |name: &str| matches!(name, "--all" | "--mirror" | "--branches");
    if command.usage.flags.iter().any(|flag| all(&flag.name)) {
        return vec![Branch::Unknown];
    }
    let specs: Vec<_> = command.usage.operands.iter().skip(1).collect();
    if specs.is_empty() {
        let tags = command.usage.flags.iter().any(|flag| flag.name == "--tags");
        return if tags { Vec::new() } else { vec![present()] };
    }
    let target = |word: &&toolgate_shell::Word| {
        let text = word.text.trim_start_matches('+');
        let name = text.rsplit(':').next().unwrap_or(text);
        let name = name.strip_prefix("refs/heads/").unwrap_or(name);
        match (word.exact, name) {
            (false, _) => Some(Branch::Unknown),
            (_, "HEAD" | "@") => Some(present()),
            (_, name) if name.starts_with("refs/") => None,
            (_, name) => Some(Branch::Named(name.to_owned())),
        }
    };
    specs.iter().filter_map(target).collect()
}
