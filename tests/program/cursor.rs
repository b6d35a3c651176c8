//! Cursor's rule files: blocks in their front matter are enforced, their prose is proposed.

use crate::house::House;
use serde_json::Value;

const FILE: &str = ".cursor/rules/git.mdc";

const BLOCK: &str = "\
---
description: How we use git
globs: *.ts,*.tsx
toolgate:
  - id: cursor-no-tags
    kind: block
    match: { command: { program: git, subcommand: tag } }
    reason: releases are tagged by the release job
alwaysApply: true
---
# Git

- Never run `git push --force`.
- Do not run `npm publish --access`.
- Always write kind commit messages.
";

/// What the hook says to a command.
fn is_stopped(house: &House, command: &str) -> bool {
    house.ask(command).is_no()
}

#[test]
fn a_block_in_the_front_matter_is_enforced() {
    let house = House::new();
    assert!(!is_stopped(&house, "git tag v1"));
    house.write(FILE, BLOCK);
    assert!(is_stopped(&house, "git tag v1"));
    let said = house.run(&["test", "git tag v1"]).ended(2).text();
    assert!(said.contains("cursor-no-tags") && said.contains(".cursor/rules/git.mdc:5"), "{said}");
    // A file without a block, or taken away, says nothing.
    house.write(FILE, "---\nglobs: *.ts\n---\nNever run `git tag v1`.\n");
    assert!(!is_stopped(&house, "git tag v1"));
}

#[test]
fn a_mistake_in_a_block_closes_the_gate_and_says_where() {
    let house = House::new();
    house.write(FILE, BLOCK.replace("kind: block", "kind: forbid"));
    assert!(is_stopped(&house, "ls"));
    let said = house.run(&["policy", "check"]).ended(1);
    let text = format!("{}{}", said.text(), said.err);
    assert!(text.contains("git.mdc:6"), "{text}");
}

#[test]
fn such_a_file_only_adds() {
    let house = House::new();
    house.write(FILE, "---\ntoolgate:\n  disable: [sudo]\n---\n");
    assert!(is_stopped(&house, "ls"), "a section that loosens closes the gate");
    let weaker =
        "---\ntoolgate:\n  - { id: git-skip-hooks, kind: warn, match: { regex: x }, reason: r }\n---\n";
    house.write(FILE, weaker);
    assert!(!is_stopped(&house, "ls"));
    assert!(is_stopped(&house, "git commit --no-verify -m x"), "a rule of that id stays as it was");
}

/// An agent may write prose for others; what the gate enforces it leaves alone.
#[test]
fn the_agent_does_not_write_such_a_file() {
    let house = House::new();
    house.write(FILE, BLOCK);
    house.write(".cursor/rules/style.mdc", "Be kind.\n");
    assert!(is_stopped(&house, "rm .cursor/rules/git.mdc"));
    assert!(is_stopped(&house, "sed -i /toolgate/d .cursor/rules/*.mdc"));
    assert!(!is_stopped(&house, "sed -i s/kind/nice/ .cursor/rules/style.mdc"));
}

#[test]
fn prose_is_proposed_with_what_the_policy_says_today() {
    let house = House::new();
    house.write(FILE, BLOCK);
    let said = house.run(&["rules", "propose"]).ended(0);
    insta::assert_snapshot!("proposals", format!("{}{}", said.text(), said.err));
    let data = house.run(&["rules", "propose", "--json"]).ended(0).text();
    let data: Value = serde_json::from_str(&data).unwrap();
    let sorts: Vec<&str> =
        data["proposals"].as_array().unwrap().iter().filter_map(|one| one["enforceable"].as_str()).collect();
    assert_eq!(sorts, ["yes", "yes", "advisory"]);
    assert!(!house.project().join(".toolgate/policy.yaml").exists(), "nothing is written");
}

/// What is proposed is a policy: pasted, it loads and does what the sentence says.
#[test]
fn what_is_proposed_can_be_pasted() {
    let house = House::new();
    house.write("AGENTS.md", "Never run `npm publish --access`. Don't edit `gen/`.\n");
    let proposed = house.run(&["rules", "propose", "AGENTS.md"]).ended(0).text();
    house.write(".toolgate/policy.yaml", format!("version: 1\n{proposed}"));
    house.run(&["rules", "check"]).ended(0);
    assert!(is_stopped(&house, "npm publish --access public"));
    assert!(is_stopped(&house, "touch gen/a.rs"));
    assert!(!is_stopped(&house, "npm run build"));
}

#[test]
fn without_files_there_is_a_cure() {
    let said = House::new().run(&["rules", "propose"]).ended(1);
    assert!(said.err.contains("toolgate rules propose AGENTS.md"), "{}", said.err);
    House::new().run(&["rules", "propose", "nowhere.md"]).ended(1);
}
