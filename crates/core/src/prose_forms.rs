//! What plain sentences forbid without a command in backticks: force-pushing,
//! skipping hooks, committing to a branch, calling a host.
//!
//! Data and a few forms; what fits none stays advice.

use crate::rule::{CommandMatch, FileMatch, HostMatch, Match, Names};

/// Words that mean an effect.
const EFFECTS: &[(&[&str], &str)] = &[
    (&["force-push", "force push", "force-pushing"], "rewrites-remote"),
    (
        &[
            "skip hooks",
            "skip the hooks",
            "skip git hooks",
            "skip commit hooks",
            "`--no-verify`",
            "bypass hooks",
        ],
        "skips-commit-hooks",
    ),
    (&["`drop table`", "`drop database`", "`truncate`", "drop tables", "drop databases"], "drops-data"),
    (
        &[
            "new dependenc",
            "add dependenc",
            "install dependenc",
            "new package",
            "new npm package",
            "new librar",
        ],
        "installs-package",
    ),
];

/// Words that mean a command: program, subcommand, option.
const COMMANDS: &[(&[&str], &str, &str, &str)] = &[
    (
        &["amend commit", "amend a commit", "amend the last commit", "amend existing commit"],
        "git",
        "commit",
        "--amend",
    ),
    (&["merge pull request", "merge prs", "merge a pr", "merge your own pr"], "gh", "pr merge", ""),
    (&["publish to npm", "publish on npm"], "npm", "publish", ""),
];

fn one(text: &str) -> Names {
    Names(vec![text.to_owned()])
}

/// What a sentence in lower case is about, in words alone.
pub(crate) fn meant(words: &str) -> Option<Match> {
    let says = |signs: &[&str]| signs.iter().any(|sign| words.contains(sign));
    if let Some((_, effect)) = EFFECTS.iter().find(|(signs, _)| says(signs)) {
        let target = if *effect == "installs-package" { one("?*") } else { Names::default() };
        return Some(Match { effect: one(effect), target, ..Match::default() });
    }
    let (_, program, subcommand, flag) = COMMANDS.iter().find(|(signs, ..)| says(signs))?;
    let flags = if flag.is_empty() { Names::default() } else { one(flag) };
    let command =
        CommandMatch { program: one(program), subcommand: one(subcommand), flags, ..CommandMatch::default() };
    Some(Match { command: Some(command), ..Match::default() })
}

/// "Do not commit directly to `main`": the branch.
pub(crate) fn commit_branch(sentence: &str) -> Option<&str> {
    let at = sentence.to_lowercase().find("commit ")?;
    let (between, behind) = sentence.get(at..)?.split_once(" to ")?;
    // "commit secrets to main" is about the secrets.
    let is_plain = between
        .split_whitespace()
        .skip(1)
        .all(|word| matches!(word, "directly" | "straight" | "anything" | "changes"));
    let word = behind.trim_start_matches("the ").split([' ', ',', '.']).next()?.trim_matches('`');
    let is_name =
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/'));
    (is_plain && is_name).then_some(word)
}

/// "Don't call https://api.example.com": the host.
pub(crate) fn host(sentence: &str) -> Option<Match> {
    let (_, rest) = sentence.split_once("https://").or_else(|| sentence.split_once("http://"))?;
    let name = rest.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))).next()?;
    let name = name.trim_end_matches('.');
    let host = HostMatch { name: one(name), ..HostMatch::default() };
    name.contains('.').then(|| Match { host: Some(host), ..Match::default() })
}

/// "Only edit files under `src/`": everything else of the project.
pub(crate) fn only_below(words: &str, spans: &[&str]) -> Option<Match> {
    let verbs = ["only edit", "only change", "only modify", "only touch", "only write"];
    if !verbs.iter().any(|verb| words.contains(verb)) || spans.is_empty() {
        return None;
    }
    let is_path =
        |span: &&str| !span.contains(' ') && span.contains(['/', '.', '*']) && !span.contains("://");
    let globs = spans.iter().map(|span| match span.strip_suffix('/') {
        Some(folder) => format!("{folder}/**"),
        None => (*span).to_owned(),
    });
    let files = FileMatch {
        access: Names(vec!["write".to_owned(), "delete".to_owned()]),
        inside: one("workspace"),
        except: Names(globs.collect()),
        ..FileMatch::default()
    };
    spans.iter().all(is_path).then(|| Match { files: Some(files), ..Match::default() })
}

/// Does the sentence speak of some calls only: "in production", "on shared branches"?
pub(crate) fn is_qualified(words: &str) -> bool {
    let places = ["production", "prod", "staging", "shared", "public", "protected", "main", "live"];
    let mut all = words.split([' ', ',', '.', '`']).filter(|word| !word.is_empty());
    let mut before = "";
    all.any(|word| {
        let hit = matches!(before, "in" | "on" | "against" | "from") && places.contains(&word);
        before = word;
        hit
    })
}
