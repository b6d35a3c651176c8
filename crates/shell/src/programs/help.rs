//! Commands that only print how they are used: `git reset --hard --help`.
//!
//! Only for programs that are known to stop at the word wherever it is.
//! Most do not: to the `rm` of BSD it is one more file behind the first.

use crate::options::{self, Spec};
use crate::reading::{Command, Word};

/// Programs with subcommands that print help and nothing else, with the words
/// that ask for it.
const ANYWHERE: &[(&str, &[&str])] = &[
    ("git", &["--help"]),
    ("gh", &["--help"]),
    ("glab", &["--help"]),
    ("docker", &["--help"]),
    ("podman", &["--help"]),
    ("kubectl", &["--help"]),
    ("helm", &["--help"]),
    ("terraform", &["--help", "-help"]),
    ("tofu", &["--help", "-help"]),
    ("npm", &["--help"]),
    ("pnpm", &["--help"]),
    ("cargo", &["--help"]),
];

/// Programs that heed it as their first word; behind others it may be text.
const FIRST: [&str; 4] = ["shutdown", "reboot", "halt", "poweroff"];

/// Subcommands that are scripts, or give on what they get: git itself sees the
/// word only right behind their name.
const GIVE_ON: [&str; 8] =
    ["filter-branch", "http-push", "submodule", "bisect", "lfs", "subtree", "request-pull", "for-each-repo"];

/// Is help asked for at all? Hardly any command does.
pub(super) fn is_named(command: &Command) -> bool {
    command.usage.flags.iter().any(|flag| matches!(flag.name.as_str(), "--help" | "-help"))
}

/// Does the command do nothing but say how it is used? `spec` is how its words
/// behind the subcommand are read.
pub(super) fn only(command: &Command, spec: &Spec) -> bool {
    let words = command.words.get(1..).unwrap_or_default();
    let program = command.program.as_str();
    if FIRST.contains(&program) {
        return words.first().is_some_and(|word| word.text == "--help" && word.exact);
    }
    let Some((_, asking)) = ANYWHERE.iter().find(|(name, _)| *name == program) else { return false };
    let given_on = program == "git" && GIVE_ON.contains(&command.usage.sub());
    let right_behind = || {
        let pair = |pair: &[Word]| matches!(pair, [sub, word] if sub.text == command.usage.sub() && word.text == "--help");
        words.windows(2).any(pair)
    };
    asks(command, spec, asking) && (!given_on || right_behind())
}

/// Is one of `asking` an option of this command, and no value of another?
pub(super) fn asks(command: &Command, spec: &Spec, asking: &[&str]) -> bool {
    let words = command.words.get(1..).unwrap_or_default();
    let Some(at) = words.iter().position(|word| asking.contains(&word.text.as_str())) else { return false };
    let before = words.get(..at).unwrap_or_default();
    // What is not known may be a `--`, or an option that takes the word.
    let plain = before.iter().all(|word| word.exact && !word.glob && word.text != "--");
    let own = words.get(at).is_some_and(|word| {
        word.exact && command.usage.flags.iter().any(|flag| flag.span == word.span && flag.value.is_none())
    });
    let last = before.last().map_or("", |word| word.text.as_str());
    let free = !last.starts_with('-') || options::is_switch(spec, last);
    plain && own && free
}
