//! What the real Claude Code gives its model after the gate has read what a tool gave back, and files that come back.

use crate::gate::gated;
use crate::hooks::Level;
use crate::model::{Script, bash, call, say};
use serde_json::json;

/// Put together, so that no scanner takes this file for a leak.
fn token() -> String {
    format!("ghp_{}", "q7Zr2Kp9Wv4Xn8Tb3Jm6Hd1Fs5Lg0YcQ1w2E")
}

/// S2-05, S2-11: the model reads the output without the secret, from a command and from a file.
#[test]
fn the_model_never_reads_a_secret() {
    let read = call("Read", json!({ "file_path": "notes.txt" }));
    let script = Script::of([bash("cat notes.txt"), read, say("bye")]);
    let Some(stage) = gated(Level::Project, "version: 1\n", script) else { return };
    stage.write("notes.txt", &format!("first line\ntoken {}\nlast line\n", token()));
    stage.play();
    for n in [1, 2] {
        let (text, is_error) = stage.model.result(n);
        assert!(!is_error && text.contains("first line") && text.contains("last line"), "{text}");
        assert!(text.contains("[redacted: github-token]"), "{text}");
    }
    assert!(!stage.model.was_told(&token()), "the model has read the secret");
    assert!(stage.model.was_told("safety-003"), "the model does not know why");
}

/// S1-10: a file copied before the call comes back.
#[test]
fn what_the_agent_changed_comes_back() {
    const KEEP: &str = "version: 1\ndisable: [unsaved-work]\nrules:\n  - id: keep\n    kind: require\n    match: { files: { access: [write, delete], path: ['*.txt'] } }\n    require: { backup: true }\n    reason: texts can be had back\n";
    let write = call("Write", json!({ "file_path": "note.txt", "content": "new\n" }));
    let script = Script::of([
        call("Read", json!({ "file_path": "note.txt" })),
        write,
        bash("rm other.txt"),
        say("bye"),
    ]);
    let Some(stage) = gated(Level::Project, KEEP, script) else { return };
    stage.write("note.txt", "old\n");
    stage.write("other.txt", "other\n");
    stage.play();
    assert_eq!(stage.read("note.txt"), "new\n");
    assert!(!stage.has("other.txt"));
    let list = stage.toolgate(&["restore", "list", "--json"], "");
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    for backup in list.as_array().unwrap() {
        stage.toolgate(&["restore", "call", &backup["record"].to_string()], "");
    }
    assert_eq!((stage.read("note.txt"), stage.read("other.txt")), ("old\n".to_owned(), "other\n".to_owned()));
}
