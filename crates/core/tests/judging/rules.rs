//! What a rule can say, shown on both sides.

use crate::stage::{check, decide_in, file, policy, shell, summary};
use serde_json::json;
use toolgate_core::{Access, EventKind, Kind, Session};

#[test]
fn a_rule_finds_an_option_in_any_spelling() {
    let policy = policy(&json!([{ "id": "r", "kind": "block", "reason": "no",
        "match": { "command": { "program": "git", "subcommand": "commit", "flags": ["--no-verify"] } } }]));
    for command in [
        "git commit --no-verify -m x",
        "git commit -n -m x",
        "git commit -anm x",
        "git -C sub commit -n",
        "bash -c 'git commit -n'",
        "cd a && git commit --no-verif",
    ] {
        check(&policy, &shell(command), "block r");
    }
    for command in [
        "git log -n 5",
        "git commit -m '--no-verify'",
        "git commit -m x -- -n",
        "git push -n",
        "echo git commit -n",
        "git status && rm -n x",
    ] {
        check(&policy, &shell(command), "allow");
    }
}

#[test]
fn a_pattern_sees_the_normalised_command_without_its_free_text() {
    let policy = policy(
        &json!([{ "id": "r", "kind": "block", "match": { "regex": "git commit.*--no-verify" }, "reason": "no" }]),
    );
    check(&policy, &shell("git   commit -n  -m 'x'"), "block r");
    check(&policy, &shell("git commit -m 'docs: why --no-verify is banned'"), "allow");
}

#[test]
fn conditions_hold_for_one_and_the_same_command() {
    let policy = policy(&json!([{ "id": "r", "kind": "ask", "reason": "no",
        "match": { "command": { "program": "deploy" }, "files": { "access": "write", "path": "*.lock" } } }]));
    check(&policy, &shell("deploy > x.lock"), "ask r");
    check(&policy, &shell("deploy; echo > x.lock"), "allow");
}

#[test]
fn a_file_is_a_file_by_shell_or_by_tool() {
    let policy = policy(
        &json!([{ "id": "r", "kind": "block", "match": { "files": { "access": "write", "path": "secret.txt" } }, "reason": "no" }]),
    );
    check(&policy, &file(Access::Write, "/project/a/secret.txt"), "block r");
    check(&policy, &shell("echo x > a/secret.txt"), "block r");
    check(&policy, &shell("echo x | tee a/secret.txt"), "block r");
    check(&policy, &shell("cd a && cp b ../a/secret.txt"), "block r");
    check(&policy, &shell("cat a/secret.txt"), "allow");
    check(&policy, &file(Access::Write, "/project/secret.txt.bak"), "allow");
}

#[test]
fn places_are_decided_by_parts_and_after_cleaning() {
    let policy = policy(
        &json!([{ "id": "out", "kind": "ask", "match": { "files": { "access": "write", "outside": ["workspace", "temp"] } }, "reason": "out" }]),
    );
    for (path, expected) in [
        ("/project/a", "allow"),
        ("/project/../etc/x", "ask out"),
        ("/project2/a", "ask out"),
        ("/tmp/a", "allow"),
        ("~/x", "ask out"),
    ] {
        check(&policy, &file(Access::Write, path), expected);
    }
    check(&policy, &shell("echo x > \"$UNKNOWN/a\""), "allow");
}

#[test]
fn deleting_all_of_a_folder_is_deleting_the_folder() {
    let policy = policy(
        &json!([{ "id": "all", "kind": "block", "match": { "files": { "access": "delete-tree", "covers": ["workspace", "home", "root"] } }, "reason": "all" }]),
    );
    for command in [
        "rm -rf .",
        "rm -rf *",
        "rm -rf /project",
        "rm -rf ..",
        "rm -rf ~",
        "rm -rf /home",
        "cd /; rm -rf *",
        "rm -rf /*",
        "rm -rf $HOME",
    ] {
        check(&policy, &shell(command), "block all");
    }
    for command in ["rm -rf build", "rm -rf ./build/*", "rm -rf *.pyc", "rm -rf /tmp/x", "rm -rf ~/old"] {
        check(&policy, &shell(command), "allow");
    }
}

#[test]
fn a_requirement_is_about_what_is_missing() {
    let policy = policy(
        &json!([{ "id": "task", "kind": "require", "match": { "command": { "program": "git", "subcommand": "commit" } }, "require": { "message": "#[0-9]+" }, "reason": "name the task" }]),
    );
    check(&policy, &shell("git commit -m 'fix #12'"), "allow");
    check(&policy, &shell("git commit -am 'fix'"), "block task");
    check(&policy, &shell("git status"), "allow");
}

#[test]
fn a_stop_can_wait_for_what_must_have_run() {
    let policy = policy(
        &json!([{ "id": "tests", "kind": "require", "match": { "event": "stop" }, "require": { "ran": "^cargo test" }, "reason": "run the tests" }]),
    );
    let mut stop = crate::stage::call("Stop", Kind::Stop, json!({}));
    stop.kind = EventKind::Stop;
    let mut session = Session::new("s");
    assert_eq!(summary(&stop, &decide_in(&policy, &stop, &session)), "block tests");
    session.ran.push("cargo test --workspace".to_owned());
    assert_eq!(summary(&stop, &decide_in(&policy, &stop, &session)), "allow");
}

#[test]
fn a_transform_touches_only_the_words_concerned() {
    let policy = policy(&json!([
        { "id": "drop", "kind": "rewrite", "match": { "command": { "program": "git", "subcommand": "commit", "flags": ["--no-verify"] } }, "change": { "remove_flags": ["--no-verify"] }, "reason": "hooks run" },
        { "id": "exact", "kind": "rewrite", "match": { "command": { "program": "npm", "subcommand": "install" } }, "change": { "add_flags": ["--save-exact"] }, "reason": "pinned" },
    ]));
    check(&policy, &shell("git commit --no-verify -m \"a  b\""), "rewrite drop => git commit -m \"a  b\"");
    check(&policy, &shell("git commit -anm 'x' # why"), "rewrite drop => git commit -am 'x' # why");
    check(
        &policy,
        &shell("cd a  &&  npm install left-pad  # pin"),
        "rewrite exact => cd a  &&  npm install left-pad --save-exact  # pin",
    );
    check(&policy, &shell("npm install x --save-exact"), "allow");
    check(&policy, &shell("bash -c 'git commit -n -m x'"), "block drop");
}

#[test]
fn a_field_of_the_input_can_be_asked_for() {
    let policy = policy(
        &json!([{ "id": "prod", "kind": "ask", "match": { "tool": "mcp__db__*", "params": { "target.name": "^prod" } }, "reason": "production" }]),
    );
    let kind = || Kind::Mcp { server: "db".to_owned(), tool: "drop".to_owned() };
    let of_files = Kind::Mcp { server: "files".to_owned(), tool: "drop".to_owned() };
    check(
        &policy,
        &crate::stage::call("mcp__db__drop", kind(), json!({ "target": { "name": "prod-1" } })),
        "ask prod",
    );
    check(
        &policy,
        &crate::stage::call("mcp__db__drop", kind(), json!({ "target": { "name": "test" } })),
        "allow",
    );
    check(
        &policy,
        &crate::stage::call("mcp__files__drop", of_files, json!({ "target": { "name": "prod" } })),
        "allow",
    );
}

#[test]
fn the_gate_guards_itself_without_any_rule() {
    let policy = policy(&json!([]));
    for command in [
        "echo x > .claude/settings.json",
        "sed -i s/a/b/ .claude/settings.json",
        "rm -rf ~/.config/toolgate",
        "rm -rf ~/.config",
        "mkdir -p sub/.toolgate",
        "toolgate inbox approve r-1",
        "toolgate uninstall claude-code",
        "env X=1 toolgate rules add --name a",
        "cp evil.json .claude/settings.json",
    ] {
        check(&policy, &shell(command), "block gate-self-protection");
    }
    for command in [
        "cat .claude/settings.json",
        "toolgate test ls",
        "toolgate inbox list",
        "toolgate logs",
        "echo toolgate inbox approve",
        "rm -rf .claude/cache",
    ] {
        check(&policy, &shell(command), "allow");
    }
    check(&policy, &shell("toolgate-canary"), "block gate-canary");
}

#[test]
fn what_must_have_run_is_looked_for_from_the_program_on() {
    let policy = policy(
        &json!([{ "id": "tests", "kind": "require", "match": { "event": "stop" }, "require": { "ran": "cargo test" }, "reason": "run the tests" }]),
    );
    let mut stop = crate::stage::call("Stop", Kind::Stop, json!({}));
    stop.kind = EventKind::Stop;
    let mut session = Session::new("s");
    session.ran.push("echo cargo test".to_owned());
    assert_eq!(summary(&stop, &decide_in(&policy, &stop, &session)), "block tests");
}

#[test]
fn a_rule_about_everything_or_called_like_a_guard_is_refused() {
    use toolgate_core::rule::CompiledRule;
    for (id, matches) in
        [("all", json!({})), ("gate-canary", json!({ "tool": "Bash" })), ("Caps", json!({ "tool": "Bash" }))]
    {
        let rule = json!({ "id": id, "kind": "block", "match": matches, "reason": "r" });
        let fault =
            CompiledRule::new(serde_json::from_value(rule).unwrap(), toolgate_core::Source::default());
        assert!(fault.is_err(), "{id}");
    }
}
