//! A policy with a mistake in it: file, line, caret and cure, as people see them.

use crate::house::House;
use crate::plain::plain;

/// Names and policies, each with one mistake.
const MISTAKES: &[(&str, &str)] = &[
    ("a key almost right", "version: 1\nruels: []\n"),
    ("a key that does not exist", "version: 1\nfrobnicate: yes\n"),
    (
        "a key of a rule almost right",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { programm: make }\n    reason: r\n",
    ),
    (
        "a kind that is none",
        "version: 1\nrules:\n  - id: a\n    kind: forbid\n    match: { regex: x }\n    reason: r\n",
    ),
    (
        "a kind almost right",
        "version: 1\nrules:\n  - id: a\n    kind: prohibitt\n    match: { regex: x }\n    reason: r\n",
    ),
    (
        "a pattern that is none",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: \"git (commit\" }\n    reason: r\n",
    ),
    (
        "the wrong type",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: x }\n    reason: r\n    priority: high\n",
    ),
    ("a list where a map belongs", "version: 1\nreview: [ticket]\n"),
    (
        "the same id twice",
        "version: 1\nrules:\n  - { id: a, kind: warn, match: { regex: x }, reason: r }\n  - { id: a, kind: warn, match: { regex: y }, reason: r }\n",
    ),
    (
        "a kind that does not exist",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { effect: skips-hooks }\n    reason: r\n",
    ),
    (
        "a priority of the built-ins",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: x }\n    reason: r\n    priority: 7\n",
    ),
    ("no reason", "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: x }\n"),
    (
        "an id that is none",
        "version: 1\nrules:\n  - id: No Spaces\n    kind: block\n    match: { regex: x }\n    reason: r\n",
    ),
    ("tabs", "version: 1\nrules:\n\t- id: a\n"),
    ("another version", "version: 2\n"),
    ("no version", "rules: []\n"),
    ("a hold too long", "version: 1\nreview:\n  hold_seconds: 5000\n"),
    ("a request without an end", "version: 1\nreview:\n  expires_minutes: 0\n"),
    ("a list that is not closed", "version: 1\nrules: [\n"),
    ("a key twice", "version: 1\nmode: enforce\nmode: observe\n"),
    ("a pack that does not exist", "version: 1\npacks: [defualt]\n"),
    (
        "an access that does not exist",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { files: { access: touch, path: x } }\n    reason: r\n",
    ),
    (
        "a glob that is none",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { files: { path: \"[a\" } }\n    reason: r\n",
    ),
    (
        "require without a requirement",
        "version: 1\nrules:\n  - id: a\n    kind: require\n    match: { regex: x }\n    reason: r\n",
    ),
    (
        "a field that does not exist",
        "version: 1\nguardrails:\n  - id: custom-scope-001\n    type: pre_execution\n    condition:\n      expression: \"agent.rol == 'implementer'\"\n    validation: { check: \"true\" }\n",
    ),
    (
        "a check that is no expression",
        "version: 1\nguardrails:\n  - id: custom-safety-001\n    type: pre_execution\n    validation:\n      check: >\n        action.program != 'rm' AND\n        action.target is not protected\n",
    ),
    (
        "a guardrail before the built-ins",
        "version: 1\nguardrails:\n  - { id: custom-safety-001, type: pre_execution, priority: 10, validation: { check: \"true\" } }\n",
    ),
    (
        "a moment that does not exist",
        "version: 1\nguardrails:\n  - { id: custom-safety-001, type: pre_exec, validation: { check: \"true\" } }\n",
    ),
    ("nothing at all", ""),
];

#[test]
fn a_mistake_is_shown_with_its_place_and_its_fix() {
    let house = House::new();
    let mut all = String::new();
    for (name, text) in MISTAKES {
        house.write(".toolgate/policy.yaml", text);
        let said = house.run(&["policy", "check"]).ended(1);
        assert!(said.err.contains("policy.yaml"), "{name}: {}", said.err);
        assert!(said.err.contains("help: ") || said.err.contains("= help"), "{name}: no cure: {}", said.err);
        assert!(house.ask("ls").is_broken(), "{name}: the gate is open");
        let shown: Vec<String> =
            plain(&house, &said.err).lines().map(|line| line.trim_end().to_owned()).collect();
        all.push_str(&format!("## {name}\n{}\n\n", shown.join("\n")));
    }
    insta::assert_snapshot!(all);
}

/// A project may name a pack that turns rules off; what its person chose stays.
#[test]
fn a_project_does_not_loosen_what_its_person_chose() {
    let house = House::with_policy("version: 1\npacks: [relaxed]\n");
    house.run(&["test", "sudo ls"]).ended(0);
    house.write_user("version: 1\npacks: [default]\n");
    house.run(&["test", "sudo ls"]).ended(3);
    house.run(&["policy", "check"]).ended(1);
    house.write_user("version: 1\npacks: [default, relaxed]\n");
    house.run(&["test", "sudo ls"]).ended(0);
}

/// What the files of this project and of the whole user say, joined.
#[test]
fn layers_are_told_apart() {
    let rule = "{ id: a, kind: warn, match: { regex: x }, reason: project }";
    let house = House::with_policy(&format!("version: 1\nmode: observe\nrules:\n  - {rule}\n"));
    let rule = "{ id: a, kind: block, locked: true, match: { regex: x }, reason: user }";
    house.write_user(&format!("version: 1\npacks: []\nmode: enforce\nrules:\n  - {rule}\n"));
    let said = house.run(&["policy", "check"]).ended(1);
    insta::assert_snapshot!(plain(&house, &said.text()));
    assert!(house.ask("x").is_no(), "the locked rule holds, and so does enforce");
}
