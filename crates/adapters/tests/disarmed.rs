//! Settings that keep the hook's name but take its teeth do not come into force.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

use serde_json::{Value, json};
use toolgate_adapters::{Ours, host};

fn installed() -> Value {
    let bytes = host("claude-code").unwrap().install(None, "\"/opt/toolgate\"").unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

#[track_caller]
fn check(what: &str, change: impl Fn(&mut Value), refused: bool) {
    let mut settings = installed();
    change(&mut settings);
    let objection = host("claude-code").unwrap().objection(Some(settings.to_string().as_bytes()), Ours::Yes);
    assert_eq!(objection.is_some(), refused, "{what}: {objection:?}");
}

fn hook(settings: &mut Value) -> &mut Value {
    &mut settings["hooks"]["PreToolUse"][0]["hooks"][0]
}

#[test]
fn a_hook_without_teeth_is_noticed() {
    check("as installed", |_| {}, false);
    check("more settings", |s| s["model"] = json!("x"), false);
    check(
        "another hook beside it",
        |s| s["hooks"]["PreToolUse"].as_array_mut().unwrap().push(json!({"hooks": []})),
        false,
    );
    check("for another tool", |s| s["hooks"]["PreToolUse"][0]["matcher"] = json!("NoSuchTool"), true);
    check("open on failure", |s| drop(hook(s).as_object_mut().unwrap().remove("onFailure")), true);
    check("no time to answer", |s| hook(s)["timeout"] = json!(1), true);
    check("not waited for", |s| hook(s)["async"] = json!(true), true);
    check("only sometimes", |s| hook(s)["if"] = json!("Bash(git *)"), true);
    check("one event gone", |s| drop(s["hooks"].as_object_mut().unwrap().remove("ConfigChange")), true);
    check("disable all hooks", |s| s["disableAllHooks"] = json!(true), true);
}
