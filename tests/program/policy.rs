//! A policy with mistakes in it: every one with file, line, caret and help, as people and programs see them.

use crate::house::House;
use crate::mistakes::{MISTAKES, REMARKS};
use crate::plain::plain;
use serde_json::Value;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

/// What `policy check` says about one policy after the other.
fn checked(policies: &[(&str, &str)], code: i32) -> String {
    let house = House::new();
    let mut all = String::new();
    for (name, text) in policies {
        house.write(".toolgate/policy.yaml", text);
        let said = house.run(&["policy", "check"]).ended(code);
        let holds = !said.text().contains("every call is blocked");
        assert!(
            said.text().contains("policy.yaml") && said.text().contains("help: "),
            "{name}: {}",
            said.text()
        );
        assert_eq!(house.ask("ls").is_broken(), !holds, "{name}");
        let shown: Vec<String> =
            plain(&house, &said.text()).lines().map(|line| line.trim_end().to_owned()).collect();
        let size = |line: &String| {
            line.split_once(" rules from ").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
        };
        let shown: Vec<String> = shown
            .into_iter()
            .map(|line| {
                if size(&line) {
                    line.split_once(" rules").map_or(line.clone(), |(_, rest)| format!("[N] rules{rest}"))
                } else {
                    line
                }
            })
            .collect();
        all.push_str(&format!("## {name}\n{}\n\n", shown.join("\n")));
    }
    all
}

#[test]
fn a_mistake_is_shown_with_its_place_and_its_help() {
    insta::assert_snapshot!(checked(MISTAKES, 1));
}

#[test]
fn what_does_nothing_is_told() {
    insta::assert_snapshot!(checked(REMARKS, 0));
}

/// Words people write for a kind are known by what they mean.
#[test]
fn a_kind_is_understood_by_its_meaning() {
    let house = House::new();
    for (words, kind) in [
        (&["forbid", "Reject", "disallow", "stop", "prohibitt"][..], "block"),
        (&["confirm", "prompt", "review"], "ask"),
        (&["log", "notify"], "warn"),
    ] {
        for word in words {
            house.write(
                ".toolgate/policy.yaml",
                format!(
                    "version: 1\nrules:\n  - {{ id: a, kind: {word}, match: {{ regex: x }}, reason: r }}\n"
                ),
            );
            let said = house.run(&["policy", "check"]).ended(1);
            assert!(
                said.text().contains(&format!("help: change `{word}` to `{kind}`")),
                "{word}: {}",
                said.text()
            );
        }
    }
    for understood in ["deny", "prohibit", "block"] {
        house.write(".toolgate/policy.yaml", format!("version: 1\nrules:\n  - {{ id: a, kind: {understood}, match: {{ regex: xyz }}, reason: r }}\n"));
        house.run(&["policy", "check"]).ended(0);
        house.run(&["test", "xyz"]).ended(2);
    }
    house.write(
        ".toolgate/policy.yaml",
        "version: 1\nrules:\n  - { id: a, kind: permit, match: { regex: x }, reason: r }\n",
    );
    assert!(house.run(&["policy", "check"]).ended(1).text().contains("help: remove the rule: "));
}

const THREE: &str = "version: 1
rules:
  - id: no-push
    kind: forbid
    match: { regex: \"git (push\" }
    reason: pushes are made by people
  - id: no-keys
    kind: block
    match: { files: { path: *.pem } }
    reson: keys stay
  - id: no-install
    kind: ask
    match: { command: { program: npm, subcommand: nistall } }
    reason: installing: ask
";

/// Mistakes of shape, of values and of YAML itself, in several files, in one run.
#[test]
fn all_mistakes_of_all_files_are_told_in_one_run() {
    let house = House::with_policy(THREE);
    house.write_user("version: 1\nmode: observed\npacks: [default, stricter]\n");
    house.write(
        ".toolgate/guardrails/own.yaml",
        "guardrails:\n  - id: custom-scope-001\n    type: pre_exec\n",
    );
    house.write(".toolgate/agents/reviewer.yaml", "rol: reviewer\n");
    let said = house.run(&["policy", "check"]).ended(1);
    insta::assert_snapshot!(plain(&house, &said.text()).replace(" \n", "\n"));
    let Ok(value) = serde_json::from_str::<Value>(&house.run(&["policy", "check", "--json"]).ended(1).text())
    else {
        panic!("no JSON")
    };
    let problems = value["problems"].as_array().unwrap();
    let errors = problems.iter().filter(|problem| problem["severity"] == "error").count();
    assert_eq!(value["errors"], errors);
    for problem in problems {
        for key in ["file", "line", "column", "severity", "message", "help"] {
            assert!(
                problem[key].as_str().is_none_or(|text| !text.is_empty()) && !problem[key].is_null(),
                "{problem}"
            );
        }
    }
    let places: Vec<(&str, u64, u64)> = problems
        .iter()
        .map(|one| {
            (one["file"].as_str().unwrap(), one["line"].as_u64().unwrap(), one["column"].as_u64().unwrap())
        })
        .collect();
    let mut of_file = places.clone();
    of_file.dedup_by_key(|place| place.0);
    let files: Vec<&str> = of_file.iter().map(|place| place.0).collect();
    assert!(files.iter().enumerate().all(|(at, file)| !files[..at].contains(file)), "by file: {files:?}");
    assert!(places.windows(2).all(|two| two[0].0 != two[1].0 || two[0] <= two[1]), "by place: {places:?}");
    let crate::answer::Answer::No(text) = house.ask("ls") else { panic!("the gate is open") };
    assert!(text.contains(&format!("and {} more problems", errors - 1)), "{text}");
}

/// Keys that begin with `x-` are free, and what they hold can be used again.
#[test]
fn notes_and_anchors_have_a_place() {
    let house = House::with_policy(
        "version: 1\nx-owner: platform team\nx-shared: &shared\n  kind: block\n  reason: people publish\nrules:\n  - <<: *shared\n    id: no-publish\n    match: { command: { program: npm, subcommand: publish } }\n",
    );
    let said = house.run(&["policy", "check"]).ended(0);
    assert!(said.text().contains(": no problems"), "{}", said.text());
    house.run(&["test", "npm publish"]).ended(2);
    house.write(
        ".toolgate/policy.yaml",
        "version: 1\nrules:\n  - { x-note: no, id: a, kind: warn, match: { regex: x }, reason: r }\n",
    );
    house.run(&["policy", "check"]).ended(0);
    house.write(
        ".toolgate/policy.yaml",
        "version: 1\nrules:\n  - { id: a, kind: warn, match: { x-note: no, regex: x }, reason: r }\n",
    );
    house.run(&["policy", "check"]).ended(1);
}

/// A file of gigabytes of nothing, and one of gigabytes in place of the cache.
#[test]
fn what_is_too_large_is_not_read() {
    let house = House::bare("version: 1\n");
    assert!(!house.ask("ls").is_no());
    let file = house.project().join(".toolgate/policy.yaml");
    let grow = |path: &std::path::Path| {
        let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
        file.write_all_at(b"version: 1\n", 0).unwrap();
        file.set_len(2 << 30).unwrap();
    };
    grow(&file);
    let began = Instant::now();
    assert!(house.ask("ls").is_broken());
    assert!(house.run(&["policy", "check"]).ended(1).text().contains("the file is larger than 4 MiB"));
    std::fs::write(&file, "version: 1\n").unwrap();
    let caches = std::fs::read_dir(house.cache()).unwrap().flatten().map(|entry| entry.path());
    caches.filter(|path| path.extension().is_some_and(|ending| ending == "bin")).for_each(|path| grow(&path));
    assert!(!house.ask("ls").is_no());
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
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
    insta::assert_snapshot!(plain(&house, &said.text()).replace(" \n", "\n"));
    assert!(house.ask("x").is_no(), "the locked rule holds, and so does enforce");
}
