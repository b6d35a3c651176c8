//! What other people's code the tree uses: how much, from where, under which licences. `cargo deny` checks more, where
//! it is installed; this needs only cargo.

use super::{nothing_wrong, text_files};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Packages of all platforms and tests.
const LOCK_MAX: usize = 270;
/// Packages `core` and `shell` bring together, themselves counted.
const PURE_MAX: usize = 55;

fn file(path: &str) -> String {
    text_files().into_iter().find(|file| file.path == path).unwrap_or_else(|| panic!("no {path}")).text
}

/// The packages cargo uses on this machine, once each, in this form. Nothing is downloaded.
fn used(args: &[&str], form: &str) -> BTreeSet<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--locked", "--prefix=none", "--format", form]).args(args);
    let output = cargo.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo tree: {said}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

#[test]
fn there_are_few_dependencies() {
    let locked = file("Cargo.lock").lines().filter(|line| *line == "[[package]]").count();
    assert!(locked <= LOCK_MAX, "Cargo.lock has {locked} packages, more than {LOCK_MAX}");
    let pure = used(&["-p", "toolgate-core", "--edges=normal"], "{p}");
    assert!(pure.len() <= PURE_MAX, "core and shell bring {} packages: {pure:?}", pure.len());
    assert!(
        pure.iter().any(|line| line.starts_with("toolgate-shell ")),
        "the test reads too little: {pure:?}"
    );
}

#[test]
fn dependencies_come_from_one_registry() {
    let mut seen = 0;
    let wrong: Vec<String> = file("Cargo.lock")
        .lines()
        .filter_map(|line| line.strip_prefix("source = "))
        .inspect(|_| seen += 1)
        .filter(|source| !source.starts_with("\"registry+https://github.com/rust-lang/"))
        .map(str::to_owned)
        .collect();
    nothing_wrong("packages from elsewhere", &wrong);
    assert!(seen > 100, "only {seen} sources were read");
}

#[test]
fn licences_are_those_of_deny_toml() {
    let text = file("deny.toml");
    let list = text
        .split("\nallow = [")
        .nth(1)
        .and_then(|rest| rest.split(']').next())
        .expect("the list of licences");
    let allowed: Vec<&str> = list.split(',').map(|name| name.trim().trim_matches('"')).collect();
    let all = used(&["--workspace", "--edges=normal,build,dev"], "{p}|{l}");
    let wrong = all.iter().filter(|line| {
        let licence = line.rsplit_once('|').map_or("", |(_, licence)| licence);
        !is_allowed(licence, &allowed)
    });
    nothing_wrong("licences deny.toml does not allow", &wrong.cloned().collect::<Vec<_>>());
    assert!(all.len() > 100, "only {} packages were read", all.len());
}

/// Whether the licences are enough for an SPDX expression. `A/B` is the old spelling of `A OR B`.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    !words.is_empty() && either(&words, &mut at, allowed) && at == words.len()
}

fn either(words: &[&str], at: &mut usize, allowed: &[&str]) -> bool {
    let mut holds = both(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        holds |= both(words, at, allowed);
    }
    holds
}

fn both(words: &[&str], at: &mut usize, allowed: &[&str]) -> bool {
    let mut holds = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        holds &= one(words, at, allowed);
    }
    holds
}

fn one(words: &[&str], at: &mut usize, allowed: &[&str]) -> bool {
    let word = words.get(*at).copied().unwrap_or_default();
    *at += 1;
    if word == "(" {
        let holds = either(words, at, allowed);
        *at += 1;
        return holds;
    }
    if words.get(*at) != Some(&"WITH") {
        return allowed.contains(&word);
    }
    let exception = words.get(*at + 1).copied().unwrap_or_default();
    *at += 2;
    allowed.contains(&format!("{word} WITH {exception}").as_str())
}

#[test]
fn licence_expressions_are_read() {
    let allowed = ["MIT", "Apache-2.0", "ISC"];
    for (expression, fine) in [
        ("MIT", true),
        ("GPL-3.0-only", false),
        ("MIT/GPL-3.0-only", true),
        ("GPL-3.0-only OR MIT", true),
        ("MIT AND GPL-3.0-only", false),
        ("Apache-2.0 AND ISC", true),
        ("(MIT OR GPL-3.0-only) AND ISC", true),
        ("(GPL-2.0-only OR GPL-3.0-only) AND ISC", false),
        ("Apache-2.0 WITH LLVM-exception", false),
        ("GPL-2.0-only WITH Classpath-exception-2.0 OR MIT", true),
        ("", false),
        ("MIT)", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), fine, "{expression}");
    }
}
