//! What git does to the files of the working tree, and to work that is in no
//! commit.

use super::Effects;
use crate::effect_kind::EffectKind;
use crate::reading::{Command, Flag, RedirectKind, Usage, Word};
use crate::wrappers::git_settings;
use smol_str::SmolStr;

pub(super) fn discarded(command: &Command, effects: &mut Effects) {
    let usage = &command.usage;
    let second = usage.subcommand.get(1).map_or("", SmolStr::as_str);
    let has_dashes = command.words.iter().any(|word| word.text == "--");
    let forced = usage.has("--force");
    // Alone, what is left out leaves all the rest.
    let left_out = |word: &Word| [":!", ":^", ":(exclude)"].iter().any(|sign| word.text.starts_with(sign));
    let wholesale = usage.operands.iter().any(|word| is_tree(&word.text))
        || !usage.operands.is_empty() && usage.operands.iter().all(left_out);
    let discards = match usage.sub() {
        "reset" => usage.has("--hard"),
        "clean" => {
            let unforced = set_to(command, "clean.requireforce", &["false", "no", "off", "0"]);
            (forced || unforced || usage.has("--interactive"))
                && !usage.has("--dry-run")
                && (!usage.has("--interactive") || is_answered(command))
                // What git ignores can be made again, most of it.
                && !usage.has("-X")
                && (usage.operands.is_empty() || wholesale)
        }
        "config" => super::git::sets(command, |name, value| {
            name.eq_ignore_ascii_case("clean.requireforce") && matches!(value, "false" | "no" | "off" | "0")
        }),
        // A list no one has read may name everything.
        "checkout" => forced || !usage.has("-b") && (wholesale || usage.has("--pathspec-from-file")),
        "switch" => forced || usage.has("--discard-changes"),
        "restore" => {
            (!usage.has("--staged") || usage.has("--worktree"))
                && (wholesale || usage.has("--pathspec-from-file"))
        }
        "stash" => second == "clear",
        "reflog" => matches!(second, "expire" | "delete" | "drop") && !usage.has("--dry-run"),
        "gc" => {
            let at_once =
                |when: &str| matches!(when, "now" | "all" | "0" | "never") || when.starts_with("1970");
            usage.value("--prune").is_some_and(|when| at_once(&when.text))
                || set_to(command, "gc.pruneexpire", &["now", "all", "0"])
        }
        "prune" => !usage.has("--dry-run"),
        "checkout-index" => forced && usage.has("--all") && !usage.has("--prefix"),
        "read-tree" => usage.has("--reset") && usage.has("-u"),
        _ => false,
    };
    if discards {
        effects.add(EffectKind::DiscardsWork);
    } else if discards_some(command, has_dashes) {
        effects.add(EffectKind::DiscardsNamedWork);
    }
}

/// `git config -f FILE name value`: any file can be named, also one that is not git's.
fn config_file(command: &Command, effects: &mut Effects) {
    let usage = &command.usage;
    let Some(file) = usage.value("--file") else { return };
    let looks = ["--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list"];
    let changes = ["--unset", "--unset-all", "--remove-section", "--rename-section", "--edit", "--add"];
    let first = usage.operands.first().map_or("", |word| word.text.as_str());
    let is_change = match first {
        "get" | "list" => false,
        "set" | "unset" | "edit" | "remove-section" | "rename-section" => true,
        _ => usage.operands.len() > 1 || changes.iter().any(|name| usage.has(name)),
    };
    let writes = is_change && !looks.iter().any(|name| usage.has(name));
    effects.on(if writes { EffectKind::WritesFile } else { EffectKind::ReadsFile }, file);
}

/// Do its questions get their answers from another program?
fn is_answered(command: &Command) -> bool {
    let read = |one: &crate::reading::Redirect| {
        matches!(one.kind, RedirectKind::Read | RedirectKind::HereDoc | RedirectKind::HereString)
    };
    command.piped_from.is_some() || command.redirects.iter().any(read)
}

/// Is `name` set to one of `values` for this command?
fn set_to(command: &Command, name: &str, values: &[&str]) -> bool {
    git_settings(command)
        .iter()
        .any(|(given, value)| given.eq_ignore_ascii_case(name) && values.contains(&value.text.as_str()))
}

/// Work of named files, one branch, one stash or one worktree.
fn discards_some(command: &Command, has_dashes: bool) -> bool {
    let usage = &command.usage;
    let forced = usage.has("--force");
    let second = usage.subcommand.get(1).map_or("", SmolStr::as_str);
    match usage.sub() {
        "clean" => forced && !usage.has("--dry-run") && !usage.has("--interactive"),
        "checkout" => {
            let new_branch = usage.has("-b") || usage.has("-B") || usage.has("--orphan");
            usage.has("-B")
                || !new_branch && (has_dashes && !usage.operands.is_empty() || !paths_out(usage).is_empty())
        }
        "checkout-index" => forced && !usage.has("--prefix"),
        "switch" => usage.has("--force-create"),
        "reset" => usage.has("--keep") || usage.has("--merge"),
        "restore" => !usage.has("--staged") || usage.has("--worktree"),
        "stash" => second == "drop",
        "branch" => usage.has("-D") || forced || usage.has("-M"),
        "worktree" => second == "remove" && forced,
        "update-ref" => moves_branch(&usage.operands),
        // `git fetch -f . HEAD~3:main` sets a branch back.
        "fetch" => usage.operands.iter().skip(1).any(|spec| sets_branch(&spec.text, forced)),
        "submodule" => {
            let given = |names: &[&str]| command.words.iter().any(|word| names.contains(&word.text.as_str()));
            given(&["deinit"]) && given(&["-f", "--force"])
        }
        // `git diff | git apply -R` takes back what the other side shows.
        "apply" => {
            let looks = ["--check", "--stat", "--numstat", "--summary", "--cached"];
            usage.has("--reverse")
                && command.piped_from.is_some()
                && !looks.iter().any(|name| usage.has(name))
        }
        _ => false,
    }
}

/// Is a branch set to another commit than the one that is checked out?
fn moves_branch(operands: &[Word]) -> bool {
    let is_branch = |name: &Word| name.text.starts_with("refs/heads/") || name.text == "HEAD";
    matches!(operands, [name, to, ..] if is_branch(name) && to.text != "HEAD")
}

/// Does what is fetched take the place of a branch of this repository?
fn sets_branch(spec: &str, forced: bool) -> bool {
    let elsewhere = ["refs/remotes/", "refs/tags/", "refs/pull/"];
    let to = spec.split_once(':').map_or("", |(_, to)| to);
    (forced || spec.starts_with('+')) && !to.is_empty() && !elsewhere.iter().any(|head| to.starts_with(head))
}

/// Does this path stand for everything?
fn is_tree(text: &str) -> bool {
    let text = text.trim_end_matches('/');
    let from_top = text.strip_prefix(":(top)").or_else(|| text.strip_prefix(":/")).unwrap_or(text);
    text.ends_with("..")
        || matches!(from_top, "" | "." | "./." | ":" | "*" | "./*" | "**" | "./**" | "./**/*")
        || matches!(text, "$PWD" | "${PWD}" | "$(pwd)" | "$(git rev-parse --show-toplevel)")
}

pub(super) fn files(command: &Command, input: Option<&str>, effects: &mut Effects) {
    let usage = &command.usage;
    match usage.sub() {
        "rm" if !usage.has("--cached") && !usage.has("--dry-run") => {
            let kind = if usage.has("-r") { EffectKind::DeletesTree } else { EffectKind::DeletesFile };
            // For git, `*` in a name is everything below as well.
            let whole = |word: &Word| match is_tree(&word.text) {
                true => Word { text: ".".into(), ..word.clone() },
                false => word.clone(),
            };
            let gone: Vec<Word> = usage.operands.iter().map(whole).collect();
            effects.on_each(kind, &gone);
            super::files::without_hooks(effects, &gone);
        }
        "mv" if !usage.has("--dry-run") => {
            let (to, from) =
                usage.operands.split_last().map_or((None, &[][..]), |(to, from)| (Some(to), from));
            effects.on_each(EffectKind::DeletesFile, from);
            effects.on_each(EffectKind::WritesFile, to);
        }
        "restore" if !usage.has("--staged") || usage.has("--worktree") => {
            usage.operands.iter().for_each(|path| writes_below(effects, path));
        }
        "checkout" if command.words.iter().any(|word| word.text == "--") => {
            let paths = command.words.iter().skip_while(|word| word.text != "--").skip(1);
            paths.for_each(|path| writes_below(effects, path));
        }
        "checkout" => paths_out(usage).iter().for_each(|path| writes_below(effects, path)),
        "config" => config_file(command, effects),
        "stash" => stash(command, effects),
        "clone" | "worktree" => checked_out(usage, effects),
        "clean" if usage.has("--force") && !usage.has("--dry-run") => {
            effects
                .on_each(EffectKind::DeletesTree, usage.operands.iter().filter(|word| !is_tree(&word.text)));
        }
        "checkout-index" if usage.has("--force") && !usage.has("--prefix") => {
            effects.on_each(EffectKind::WritesFile, &usage.operands);
        }
        "apply" | "am" => {
            effects.on_each(EffectKind::ReadsFile, &usage.operands);
            usage.values("--directory").for_each(|folder| writes_below(effects, folder));
            let only_looks = ["--check", "--stat", "--numstat", "--summary", "--cached"];
            if let Some(text) = input.filter(|_| !only_looks.iter().any(|name| usage.has(name))) {
                effects.on_each(EffectKind::WritesFile, &super::files::named_by_patch(command, text, 1));
            }
        }
        "commit" | "tag" | "merge" | "notes" => {
            effects.on_each(
                EffectKind::ReadsFile,
                usage.values("--file").filter(|word| !super::is_stream(&word.text)),
            );
        }
        "format-patch" => {
            effects.on_each(
                EffectKind::WritesFile,
                usage.value("--output").into_iter().chain(usage.value("--output-directory")),
            );
        }
        _ => shown(command, effects),
    }
}

/// A new working tree. Git refuses a folder that holds something.
fn checked_out(usage: &Usage, effects: &mut Effects) {
    let adds = usage.subcommand.get(1).is_some_and(|sub| sub == "add");
    let to = match usage.sub() {
        "clone" => usage.operands.get(1),
        _ => usage.operands.first().filter(|_| adds),
    };
    if let Some(to) = to {
        super::outputs::fills(effects, EffectKind::CreatesFile, to);
    }
}

/// Files whose content it prints.
fn shown(command: &Command, effects: &mut Effects) {
    let usage = &command.usage;
    match usage.sub() {
        // `git show REV:path` prints the file as it was.
        "show" | "cat-file" | "archive" => {
            let inside = |word: &Word| {
                let (_, path) = word.text.split_once(':').filter(|(_, path)| !path.is_empty())?;
                Some(Word { text: path.into(), ..word.clone() })
            };
            let paths: Vec<Word> = usage.operands.iter().filter_map(inside).collect();
            effects.on_each(EffectKind::ReadsFile, &paths);
            // `git show HEAD -- path` and `git archive HEAD path`
            let named = usage.operands.iter().skip(1).filter(|word| is_file_name(&word.text));
            effects.on_each(EffectKind::ReadsFile, named.filter(|_| shows_content(usage)));
            effects.on_each(EffectKind::WritesFile, usage.value("--output"));
        }
        "grep" if usage.has("--no-index") => {
            let given = usage.has("-e") || usage.has("-f");
            let paths = usage.operands.iter().skip(usize::from(!given));
            effects.on_each(EffectKind::ReadsFile, paths);
        }
        // Behind `--` are paths; without one a word may be a commit.
        "grep" => {
            let named = command.words.iter().skip_while(|word| word.text != "--").skip(1);
            effects.on_each(EffectKind::ReadsFile, named);
            let given = usize::from(!usage.has("-e") && !usage.has("-f"));
            let paths = usage.operands.iter().skip(given).filter(|word| is_file_name(&word.text));
            effects.on_each(EffectKind::ReadsFile, paths);
        }
        "diff" if usage.has("--no-index") => effects.on_each(EffectKind::ReadsFile, &usage.operands),
        "log" | "diff" | "blame" | "annotate" | "whatchanged" if shows_content(usage) => {
            effects.on_each(
                EffectKind::ReadsFile,
                usage.operands.iter().filter(|word| is_file_name(&word.text)),
            );
        }
        _ => {}
    }
}

/// Does it print what files say, and not only their names?
fn shows_content(usage: &Usage) -> bool {
    let names = ["--stat", "--name-only", "--name-status", "--no-patch", "--quiet", "--exit-code"];
    let asked = usage.sub() != "log" || ["--patch", "-L", "-c", "--cc"].iter().any(|name| usage.has(name));
    asked && !names.iter().any(|name| usage.has(name))
}

/// A file, or whatever git has of a folder of that name.
fn writes_below(effects: &mut Effects, path: &Word) {
    effects.on(EffectKind::WritesFile, path);
    let text = format!("{}/*", path.text.trim_end_matches('/'));
    effects.on(EffectKind::WritesFile, &Word { text: text.into(), glob: true, ..path.clone() });
}

/// The operands of `checkout` that must be paths: all behind a commit, and a
/// first one that ends like a file. Branches hardly ever do.
fn paths_out(usage: &Usage) -> Vec<Word> {
    if ["-b", "-B", "--orphan"].iter().any(|name| usage.has(name)) {
        return Vec::new();
    }
    let operands = usage.operands.iter().enumerate();
    operands.filter(|(at, word)| *at > 0 || is_file_name(&word.text)).map(|(_, word)| word.clone()).collect()
}

fn is_file_name(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or(text);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let like_ending = (1..=10).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && ending.bytes().any(|byte| byte.is_ascii_alphabetic());
    let hidden = text.starts_with('.') && !text.starts_with("..") && name.len() > 1;
    text.ends_with('/') || like_ending && !text.contains("..") && !is_version(name) || hidden
}

/// `v1.2.x`, `1.0-rc1`: tags and release branches.
fn is_version(name: &str) -> bool {
    name.trim_start_matches(['v', 'V']).starts_with(|first: char| first.is_ascii_digit())
}

/// `stash -u` and `stash -a` take along what git does not track.
fn stash(command: &Command, effects: &mut Effects) {
    let usage = &command.usage;
    let second = usage.subcommand.get(1).map_or("", SmolStr::as_str);
    let other =
        ["pop", "apply", "drop", "list", "show", "branch", "clear", "create", "store", "export", "import"];
    // Without `push` its options are not known as such, nor in full.
    let untracked = |flag: &Flag| {
        matches!(flag.name.as_str(), "-u" | "-a")
            || flag.name.starts_with("--inc")
            || flag.name.starts_with("--al")
    };
    let untracked = usage.flags.iter().any(untracked);
    let narrowed = command.words.iter().any(|word| word.text == "--");
    if narrowed && !other.contains(&second) {
        let named = command.words.iter().skip_while(|word| word.text != "--").skip(1);
        effects.on_each(EffectKind::WritesFile, named);
    } else if second == "push" {
        effects
            .on_each(EffectKind::WritesFile, usage.operands.iter().filter(|word| is_file_name(&word.text)));
    }
    if untracked && !narrowed && !other.contains(&second) {
        effects.add(EffectKind::TakesUntracked);
    }
}
