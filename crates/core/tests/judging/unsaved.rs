//! Which files a call may lose work of, and what a rule about such work says.

use crate::stage::{call, decide, decide_with, file, places, policy, shell};
use serde_json::json;
use toolgate_core::{Access, Event, Facts, Kind, Outcome, Unsaved, losses};

fn lost(event: &Event) -> Vec<(String, bool, bool)> {
    let facts = Facts::of(&event.call, &places());
    losses(&facts)
        .iter()
        .map(|one| (one.file.path.to_string(), one.loss.tracked, one.loss.untracked))
        .collect()
}

#[test]
fn what_may_be_lost_is_read_from_the_command() {
    let all = |path: &str| vec![(path.to_owned(), true, true)];
    for (command, expected) in [
        ("rm -rf src", all("/project/src")),
        ("rm a.js", all("/project/a.js")),
        ("sudo rm -rf src", all("/project/src")),
        ("cd src && rm -rf lib", all("/project/src/lib")),
        ("git rm -rf src", vec![("/project/src".to_owned(), true, false)]),
        ("git rm src/a.js", vec![]),
        ("git rm --cached a", vec![]),
        ("echo x > a.js", all("/project/a.js")),
        ("echo x >> a.js", vec![]),
        ("sed -i s/a/b/ a.js", vec![]),
        ("tee a.js", all("/project/a.js")),
        ("tee -a a.js", vec![]),
        ("find src -delete", all("/project/src")),
        ("python3 -c \"import shutil; shutil.rmtree('src')\"", all("/project/src")),
        ("touch a.js", vec![]),
        ("ls src", vec![]),
    ] {
        assert_eq!(lost(&shell(command)), expected, "{command}");
    }
    let moved = lost(&shell("mv a.js b.js"));
    assert!(moved.iter().all(|(path, ..)| path.starts_with("/project/b.js")), "{moved:?}");
    let restored = lost(&shell("git checkout -- a.js"));
    assert!(!restored.is_empty() && restored.iter().all(|(_, tracked, untracked)| *tracked && !untracked));
    let cleaned = lost(&shell("git clean -f build"));
    assert_eq!(cleaned, vec![("/project/build".to_owned(), false, true)]);
}

#[test]
fn tools_lose_what_they_delete_and_not_what_they_edit() {
    let mcp = |tool: &str, input: serde_json::Value| {
        call(tool, Kind::Mcp { server: "files".to_owned(), tool: tool.to_owned() }, input)
    };
    assert_eq!(
        lost(&mcp("delete_file", json!({ "path": "a.js" }))),
        vec![("/project/a.js".to_owned(), true, true)]
    );
    // What is moved stays; what is in its place goes.
    assert_eq!(
        lost(&mcp("move_file", json!({ "source": "a.js", "destination": "b.js" }))),
        vec![("/project/b.js".to_owned(), true, true)]
    );
    assert_eq!(lost(&mcp("write_file", json!({ "path": "a.js", "content": "x" }))), vec![]);
    assert_eq!(lost(&file(Access::Write, "a.js")), vec![]);
}

#[test]
fn what_was_saved_before_is_told_with_the_command() {
    let saved = |command: &str| {
        let facts = Facts::of(&shell(command).call, &places());
        let found = losses(&facts).first().and_then(|one| one.saved.cloned()).unwrap_or_default();
        (found.tracked, found.untracked, found.below)
    };
    for (command, expected) in [
        ("rm -rf src", (false, false, false)),
        ("git stash && rm -rf src", (true, false, false)),
        ("git stash -u && rm -rf src", (true, true, false)),
        ("git add -A && git commit -qm wip && rm -rf src", (true, true, false)),
        ("git add . && git commit -qm wip && rm -rf src", (true, true, true)),
        ("git commit -qam wip && rm -rf src", (true, false, false)),
        ("git commit -qm wip && rm -rf src", (false, false, false)),
        ("git stash && git stash pop && rm -rf src", (false, false, false)),
        ("git stash; rm -rf src", (false, false, false)),
        ("git stash || rm -rf src", (false, false, false)),
        ("git add -A && git commit -qm wip; rm -rf src", (false, false, false)),
    ] {
        assert_eq!(saved(command), expected, "{command}");
    }
}

#[test]
fn a_rule_about_unsaved_work_names_the_files() {
    let policy = policy(
        &json!([{ "id": "work", "kind": "ask", "match": { "files": { "unsaved": true } }, "reason": "work" }]),
    );
    let event = shell("ls && rm -rf src");
    assert!(decide(&policy, &event).findings.is_empty(), "nothing is known to be lost");
    let decision = decide_with(&policy, &event, |facts| {
        for file in &mut facts.files {
            let mut unsaved = Unsaved::default();
            unsaved.add_changed(|| "src/a.js".to_owned());
            unsaved.add_changed(|| "src/b.js".to_owned());
            file.unsaved = Some(Box::new(unsaved));
        }
    });
    let finding = decision.findings.first().unwrap();
    assert_eq!(finding.outcome, Outcome::Ask);
    assert_eq!(finding.message, "`rm -rf src` deletes 2 files with uncommitted changes: src/a.js, src/b.js");
}
