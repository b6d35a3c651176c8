//! Files copied before a call changes them, through the hook, and brought back by a person.

use crate::answer::Answer;
use crate::house::House;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

const KEEP: &str = "version: 1\nrules:\n  - id: keep\n    kind: require\n    match: { files: { access: [write, delete, delete-tree] } }\n    require: { backup: true }\n    reason: what changes can be had back\n";

fn after(house: &House, before: &Value) -> Value {
    let mut event = before.clone();
    event["hook_event_name"] = json!("PostToolUse");
    event["tool_response"] = json!({ "stdout": "done", "stderr": "" });
    let said = house.hook(event.to_string().as_bytes()).ended(0);
    serde_json::from_str(&said.text()).unwrap()
}

/// Judged, done by `act`, and told.
fn done(house: &House, command: &str, act: impl FnOnce()) -> Value {
    let event = house.call(command);
    assert!(!house.ask_event(&event).is_no(), "{command}");
    act();
    after(house, &event)
}

fn backups(house: &House) -> Vec<Value> {
    let said = house.run(&["restore", "list", "--json"]).ended(0).text();
    serde_json::from_str(&said).unwrap()
}

#[test]
fn what_a_call_changed_comes_back() {
    let house = House::bare(KEEP);
    house.write("notes.md", "old\n");
    std::fs::set_permissions(house.project().join("notes.md"), std::fs::Permissions::from_mode(0o640))
        .unwrap();
    done(&house, "echo new > notes.md", || house.write("notes.md", "new\n"));
    let found = backups(&house);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["files"][0]["now"], "as the call left it");
    let record = found[0]["record"].to_string();
    assert_eq!(house.run(&["restore", "show", &record, "notes.md"]).ended(0).text(), "old\n");
    house.run(&["restore", "file", &record, "notes.md"]).ended(0);
    assert_eq!(house.read("notes.md"), "old\n");
    let mode = std::fs::metadata(house.project().join("notes.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    // Copies are for the user only.
    let folder = house.state().join("backups");
    assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    for copy in std::fs::read_dir(&folder).unwrap() {
        assert_eq!(copy.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let logged = house.run(&["logs", "--all"]).ended(0).text();
    assert!(logged.contains("backup") && logged.contains("restored"), "{logged}");
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn newer_changes_stay_unless_forced() {
    let house = House::bare(KEEP);
    house.write("a.txt", "one");
    done(&house, "echo two > a.txt", || house.write("a.txt", "two"));
    house.write("a.txt", "three, by hand");
    let record = backups(&house)[0]["record"].to_string();
    let said = house.run(&["restore", "call", &record]).ended(1);
    assert!(said.err.contains("changed since") && said.err.contains("--force"), "{}", said.err);
    assert_eq!(house.read("a.txt"), "three, by hand");
    house.run(&["restore", "call", &record, "--force"]).ended(0);
    assert_eq!(house.read("a.txt"), "one");
    // A call nobody heard the end of may have left anything.
    house.write("b.txt", "one");
    assert!(!house.ask("echo two > b.txt").is_no());
    house.write("b.txt", "two");
    let record = backups(&house)[0]["record"].to_string();
    house.run(&["restore", "call", &record]).ended(1);
    house.run(&["restore", "call", "2"]).ended(1);
}

#[test]
fn whole_folders_and_new_files_come_back() {
    let house = House::bare(KEEP);
    house.write("src/a.rs", "a");
    house.write("src/deep/b.rs", "b");
    std::os::unix::fs::symlink("a.rs", house.project().join("src/link")).unwrap();
    done(&house, "rm -rf src && touch new.txt", || {
        std::fs::remove_dir_all(house.project().join("src")).unwrap();
        house.write("new.txt", "");
    });
    let record = backups(&house)[0]["record"].to_string();
    house.run(&["restore", "call", &record]).ended(0);
    assert_eq!(
        (house.read("src/a.rs"), house.read("src/deep/b.rs"), house.read("src/link")),
        ("a".into(), "b".into(), "a".into())
    );
    assert!(!house.project().join("new.txt").exists(), "what was not there is gone again");
}

/// Which files an archive or a copy replaces is not known before: all below are kept.
#[test]
fn what_fills_a_folder_keeps_nested_files() {
    let fills = [
        "tar xf a.tar -C data",
        "unzip -o a.zip -d data",
        "cp -r x/. data/",
        "rm -rf d*",
        "rm -rf data",
        "rm -rf data/*",
        "rsync -a x/ data/",
        "mv data old",
    ];
    for command in fills {
        let house = House::bare(
            "version: 1\nrules:\n  - id: keep\n    kind: require\n    match: { files: { path: [\"data/**\"] } }\n    require: { backup: true }\n    reason: what changes can be had back\n",
        );
        house.write("data/top.txt", "top\n");
        house.write("data/deep/er/low.txt", "low\n");
        done(&house, command, || {
            house.write("data/top.txt", "other\n");
            house.write("data/deep/er/low.txt", "other\n");
        });
        let found = backups(&house);
        assert_eq!(found.len(), 1, "{command}");
        let record = found[0]["record"].to_string();
        for (name, text) in [("data/top.txt", "top\n"), ("data/deep/er/low.txt", "low\n")] {
            assert_eq!(house.run(&["restore", "show", &record, name]).ended(0).text(), text, "{command}");
        }
    }
}

#[test]
fn patterns_are_looked_up_before_the_call_runs() {
    let house = House::bare(KEEP);
    for name in ["a.log", "b.log", "keep.txt"] {
        house.write(name, name);
    }
    done(&house, "rm *.log", || {
        for name in ["a.log", "b.log"] {
            std::fs::remove_file(house.project().join(name)).unwrap();
        }
    });
    let found = backups(&house);
    assert_eq!(found[0]["files"].as_array().unwrap().len(), 2, "{found:?}");
    house.run(&["restore", "call", &found[0]["record"].to_string()]).ended(0);
    assert_eq!(house.read("b.log"), "b.log");
}

/// Where it cannot be told what would change, or it is too much, the rule says what happens.
#[test]
fn without_a_backup_it_does_not_run() {
    let house = House::bare(KEEP);
    house.write("big.bin", vec![0; 65 << 20]);
    for command in ["rm \"$(pick)\"", "rm -rf big.bin", "eval \"$X\"; rm big.bin"] {
        match house.ask(command) {
            Answer::No(text) => assert!(text.contains("no backup is possible"), "{command}: {text}"),
            answer => panic!("{command}: {answer:?}"),
        }
    }
    assert!(!house.ask("ls").is_no());
    assert!(!house.ask("ls > /dev/null 2>&1").is_no(), "nothing is kept there");
    let ask = KEEP.replace("backup: true", "backup: true, otherwise: ask");
    house.write(".toolgate/policy.yaml", format!("{ask}review: {{ delivery: ticket }}\n"));
    assert!(house.ask("rm -rf big.bin").request().starts_with("r-"));
}

/// S2-05: a block after the call takes back what it changed.
#[test]
fn a_block_after_the_call_puts_files_back() {
    let rail = "guardrails:\n  - { id: custom-quality-001, description: No drafts., type: post_execution, validation: { check: \"action.target does not match '**/*.draft'\" } }\n";
    let house = House::bare(&format!("{KEEP}{rail}"));
    house.write("a.draft", "old");
    house.write("a.txt", "old");
    let answer = done(&house, "echo new > a.draft", || house.write("a.draft", "new"));
    let told = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(told.contains("No drafts.") && told.contains("1 file restored"), "{told}");
    assert_eq!(house.read("a.draft"), "old");
    assert!(
        answer["hookSpecificOutput"]["updatedToolOutput"]["stdout"].as_str().unwrap().contains("withheld")
    );
    assert_eq!(done(&house, "echo new > a.txt", || house.write("a.txt", "new")), json!({}));
    assert_eq!(house.read("a.txt"), "new");
    let logged = house.run(&["logs", "--all"]).ended(0).text();
    assert!(logged.contains("rolled-back"), "{logged}");
    house.run(&["ledger", "verify"]).ended(0);
}

/// An agent can look at the list and nothing else; another's copy is not taken for one's own.
#[test]
fn bringing_back_is_for_the_person() {
    let house = House::bare(KEEP);
    assert!(!house.ask("toolgate restore list").is_no());
    for command in ["toolgate restore call 3", "toolgate restore file 3 a", "toolgate restore show 3 .env"] {
        assert!(house.ask(command).is_no(), "{command}");
    }
    house.write("a.txt", "one");
    done(&house, "echo two > a.txt", || house.write("a.txt", "two"));
    let record = backups(&house)[0]["record"].to_string();
    let copy = std::fs::read_dir(house.state().join("backups")).unwrap().next().unwrap().unwrap().path();
    std::fs::write(copy, "forged").unwrap();
    let said = house.run(&["restore", "call", &record]).ended(1);
    assert!(said.err.contains("was altered"), "{}", said.err);
    assert_eq!(house.read("a.txt"), "two");
}
