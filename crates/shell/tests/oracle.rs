//! Another parser as the judge: whatever tree-sitter-bash takes for the name of
//! a command must be in our list. Reading too much is allowed.
//!
//! `TOOLGATE_ORACLE_SEED` and `TOOLGATE_ORACLE_SCRIPTS` choose other scripts.
//! Of the two parsers worth asking it is the one that is quick to build and
//! always ends; brush-parser takes exponential time on `((((`.

#![allow(clippy::disallowed_methods, clippy::print_stderr, reason = "says what was compared")]

#[path = "differential/given.rs"]
mod given;
#[path = "differential/grammar.rs"]
mod grammar;
#[path = "differential/shapes.rs"]
mod shapes;

use std::collections::BTreeSet;

use grammar::{Dice, Maker};
use toolgate_shell::{ReadContext, read};
use tree_sitter::{Node, Parser};

/// The names of commands in the tree: those the grammar makes, for the other
/// parser takes `time`, `coproc` and what stands behind them or behind `! for`
/// for commands. It cuts a name at a joined line, and before `<(`, which is
/// part of it, and takes `$((p1 | p2))` for commands, which is arithmetic.
fn names<'s>(node: Node<'_>, source: &'s str, found: &mut BTreeSet<&'s str>) {
    let text = source.get(node.byte_range()).unwrap_or_default();
    if node.kind() == "command_substitution" && text.starts_with("$((") {
        return;
    }
    if node.kind() == "command_name"
        && let Some(number) = text.strip_prefix('p')
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && !source.get(node.end_byte()..).is_some_and(|rest| rest.starts_with("<(") || rest.starts_with(">("))
    {
        found.insert(text);
    }
    for at in 0..node.child_count() {
        if let Some(child) = node.child(at) {
            names(child, source, found);
        }
    }
}

fn setting_of(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn every_command_of_another_parser_is_listed() {
    let seed = setting_of("TOOLGATE_ORACLE_SEED").unwrap_or(1);
    let count = setting_of("TOOLGATE_ORACLE_SCRIPTS").unwrap_or(3_000);
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).unwrap();
    let (mut compared, mut checked, mut missed) = (0, 0, Vec::new());
    for number in 0..count {
        let mut dice = Dice::new(seed.wrapping_mul(1_000_003).wrapping_add(number));
        let source = Maker::new(&mut dice).script();
        let Some(tree) = parser.parse(&source, None) else { continue };
        let reading = read(&source, &ReadContext::default());
        // What either of them refuses is compared with bash itself.
        if tree.root_node().has_error() || reading.fault.is_some() {
            continue;
        }
        // A parser sees every arm of a `case`; which of them a value comes to, bash is asked.
        let chooses = |sign: &&str| source.contains(&format!("case {sign}"));
        if ["$1", "\"$1", "${1", "\"${1", "$2", "${2"].iter().any(chooses) {
            continue;
        }
        compared += 1;
        let mut found = BTreeSet::new();
        names(tree.root_node(), &source, &mut found);
        checked += found.len();
        let listed = |name: &&str| reading.commands.iter().any(|one| one.program == **name);
        let missing: Vec<&str> = found.into_iter().filter(|name| !listed(name)).collect();
        if !missing.is_empty() {
            missed.push(format!("script {number}: {missing:?} of\n{source}\n"));
        }
    }
    eprintln!(
        "seed {seed}: {compared} of {count} scripts compared, {checked} names, {} with one missed",
        missed.len()
    );
    assert!(missed.is_empty(), "seed {seed}\n{}", missed.join("\n"));
    assert!(compared * 2 > count, "seed {seed}: only {compared} of {count} scripts were compared");
}
