//! `toolgate rules`: adding, listing, removing – with the file's own words left alone.

use crate::house::{House, Said};
use std::fs;

const FILE: &str = ".toolgate/policy.yaml";

const COMMENTED: &str = "\
# Our policy. Ask Ada before changing it.
version: 1
mode: enforce # always

# The rules.
rules:
  # About make.
  - id: no-make # keep
    kind: block
    match: { command: { program: make } }
    reason: use cargo

  # About curl.
  - id: mind-curl
    kind: warn
    match: { command: { program: curl } }
    reason: slow

# How questions reach us.
review:
  delivery: ticket # for now
";

fn add(house: &House, name: &str, pattern: &str, action: &str) -> Said {
    house.run(&["rules", "add", "--name", name, "--pattern", pattern, "--action", action])
}

/// The seed's own words (S1-40 to S1-43).
#[test]
fn the_examples_of_the_seed_work() {
    let house = House::new();
    add(&house, "ban-no-verify", "git commit.*--no-verify", "REJECT").ended(0);
    let listed = house.run(&["rules", "list", "--enabled"]).ended(0).text();
    assert!(
        listed.lines().any(|line| line.starts_with("ban-no-verify ") && line.contains("block")),
        "{listed}"
    );
    let said = house.run(&["test", "git commit --no-verify -m 'fix'"]).ended(2).text();
    assert!(said.starts_with("BLOCK") && said.contains("ban-no-verify"), "{said}");
    house.run(&["test", "git commit -m 'fix'"]).ended(0);
    house.ask("git commit --no-verify -m 'fix'");
    house.ask("ls");
    let logged = house.run(&["logs", "--last", "24h", "--decisions", "REJECT,ESCALATE"]).ended(0).text();
    assert!(
        logged.lines().count() == 1 && logged.contains("block") && logged.contains("ban-no-verify"),
        "{logged}"
    );
    house.run(&["rules", "remove", "ban-no-verify"]).ended(0);
    assert!(!house.run(&["rules", "list"]).ended(0).text().contains("ban-no-verify"));
    assert!(add(&house, "ask-deploy", "deploy", "ESCALATE").ended(0).err.contains("added"));
    house.run(&["test", "deploy"]).ended(3);
}

/// Every line that was there is there, in its order; only new ones stand between.
#[track_caller]
fn check_kept(before: &str, after: &str) {
    let mut rest = after.lines();
    for line in before.lines() {
        assert!(rest.any(|other| other == line), "lost: {line:?}\n{after}");
    }
}

#[test]
fn adding_keeps_every_line() {
    let texts = [
        COMMENTED,
        "version: 1\n",
        "version: 1",
        "version: 1\nrules:\n",
        "# only\nversion: 1\n\n# the end\n",
        "rules:\nversion: 1\n",
    ];
    for text in texts {
        let house = House::with_policy(text);
        add(&house, "first", "^one", "REJECT").ended(0);
        add(&house, "second", "a \"quoted\" \\\\ pattern: # [x]{1}", "WARN").ended(0);
        check_kept(text, &house.read(FILE));
        let listed = house.run(&["rules", "list"]).ended(0).text();
        assert!(listed.contains("first ") && listed.contains("second "), "{listed}");
        house.run(&["test", "one"]).ended(2);
    }
    let house = House::with_policy("version: 1\nrules: [] # none yet\n");
    add(&house, "first", "^one", "REJECT").ended(0);
    house.run(&["test", "one"]).ended(2);
}

#[test]
fn removing_takes_out_one_rule_and_nothing_else() {
    for (id, gone) in [
        ("no-make", &["id: no-make", "program: make", "use cargo"][..]),
        ("mind-curl", &["id: mind-curl", "program: curl", "slow"]),
    ] {
        let house = House::with_policy(COMMENTED);
        house.run(&["rules", "remove", id]).ended(0);
        let after = house.read(FILE);
        let lost: Vec<&str> =
            COMMENTED.lines().filter(|line| !after.lines().any(|other| other == *line)).collect();
        assert_eq!(lost.len(), 4, "{id}: {lost:#?}\n{after}");
        gone.iter().for_each(|text| assert!(!after.contains(text), "{after}"));
    }
    let house = House::with_policy(COMMENTED);
    for id in ["no-make", "mind-curl"] {
        house.run(&["rules", "remove", id]).ended(0);
    }
    for comment in ["# Our policy", "# always", "# The rules.", "# How questions", "# for now"] {
        assert!(house.read(FILE).contains(comment), "{comment}: {}", house.read(FILE));
    }
    add(&house, "again", "^one", "REJECT").ended(0);
    house.run(&["test", "one"]).ended(2);
}

/// What cannot be edited with care is left alone.
#[track_caller]
fn check_refused(before: &[u8], call: impl Fn(&House) -> Said) {
    let house = House::new();
    house.write(FILE, before);
    let said = call(&house).ended(1);
    assert!(said.err.starts_with("error: "), "{}", said.err);
    assert_eq!(fs::read(house.project().join(FILE)).unwrap(), before, "{}", said.err);
}

#[test]
fn what_would_break_the_policy_is_refused() {
    let bytes = COMMENTED.as_bytes();
    check_refused(bytes, |house| add(house, "no-make", "x", "REJECT"));
    check_refused(bytes, |house| add(house, "bad-pattern", "(", "REJECT"));
    check_refused(bytes, |house| add(house, "Not An Id", "x", "REJECT"));
    check_refused(bytes, |house| add(house, "a\n    enabled: false", "x", "REJECT"));
    check_refused(bytes, |house| house.run(&["rules", "remove", "never-was"]));
    check_refused(b"version: 1\nrules: [\n", |house| add(house, "a", "x", "REJECT"));
    check_refused(b"version: 1\n# \xff\xfe latin\nrules:\n", |house| add(house, "a", "x", "REJECT"));
    check_refused(b"", |house| add(house, "a", "x", "REJECT"));
}

/// Rules written in another manner are kept, even if the new one cannot be put among them.
#[test]
fn rules_written_in_another_manner_are_never_lost() {
    let flow = "version: 1\nrules: [{ id: no-make, kind: block, match: { regex: make }, reason: r }]\n";
    let flat = "version: 1\nrules:\n- id: no-make\n  kind: block\n  match: { regex: make }\n  reason: r\n";
    let two = "version: 1\nrules: [{ id: no-make, kind: block, match: { regex: make }, reason: r },\n  { id: b, kind: warn, match: { regex: b }, reason: r }]\n";
    for text in [flow, flat, two] {
        let house = House::with_policy(text);
        add(&house, "another", "another", "REJECT");
        house.run(&["test", "make"]).ended(2);
        let house = House::with_policy(text);
        house.run(&["rules", "remove", "b"]);
        house.run(&["test", "make"]).ended(2);
        house.run(&["policy", "check"]).ended(0);
    }
}

/// A yes stands in the person's own policy, and comes out of it the same way.
#[test]
fn a_yes_can_be_taken_back() {
    let house = House::new();
    house.write_user("# Mine.\nversion: 1\n");
    let file = house.home().join(".config/toolgate/policy.yaml");
    let before = fs::read_to_string(&file).unwrap();
    add(&house, "yes-ls", "^ls( |$)", "APPROVE").ended(0);
    assert!(fs::read_to_string(&file).unwrap().contains("yes-ls"));
    let said = house.run(&["rules", "remove", "yes-ls"]).ended(0);
    assert!(said.err.contains(file.to_str().unwrap()), "{}", said.err);
    let after = fs::read_to_string(&file).unwrap();
    assert!(after.starts_with(before.trim_end()) && !after.contains("yes-ls"), "{after}");
    house.run(&["rules", "remove", "yes-ls"]).ended(1);
}

/// The project's own rule goes first where both files have one of that name.
#[test]
fn the_projects_rule_is_removed_first() {
    let house = House::with_policy(COMMENTED);
    house.write_user("version: 1\nrules:\n  - id: no-make\n    kind: warn\n    match: { command: { program: make } }\n    reason: mine\n");
    house.run(&["rules", "remove", "no-make"]).ended(0);
    assert!(!house.read(FILE).contains("no-make"));
    let file = house.home().join(".config/toolgate/policy.yaml");
    assert!(fs::read_to_string(file).unwrap().contains("no-make"));
}
