//! The installed gate between the real Claude Code and its tools: rules, rewrites, prerequisites,
//! sub-agents, broken hooks, and attempts to switch it off.

use crate::hooks::{Level, add_hook, replace_hook, tap, taps};
use crate::host::{Permissions, Stage, poll};
use crate::model::{Gate, Script, Turn, bash, call, say, sub_agent};
use serde_json::json;
use std::time::Duration;

/// Which switch of `toolgate install` goes with a level.
fn switch(level: Level) -> &'static str {
    match level {
        Level::User => "--user",
        Level::Project => "--project",
    }
}

/// A stage with this policy and the gate installed.
#[track_caller]
pub fn gated(level: Level, policy: &str, script: Script) -> Option<Stage> {
    let stage = Stage::set(script)?;
    stage.write(".toolgate/policy.yaml", policy);
    stage.toolgate(&["install", "claude-code", switch(level), "--yes"], "");
    Some(stage)
}

/// A change waiting to be committed, and a commit hook of the repository that leaves a mark.
fn ready_to_commit(stage: &Stage) {
    stage.write("README.md", "A project with a change.\n");
    stage.git(&["add", "README.md"]);
    stage.script(".git/hooks/pre-commit", "touch hook-ran.txt");
}

const DEFAULT: &str = "version: 1\n";

fn commit_around_hooks() -> Turn {
    bash("git commit --no-verify -m x")
}

/// The default pack refuses a commit that skips the hooks, and the model reads rule and reason.
#[test]
fn a_commit_around_the_hooks_is_refused() {
    let script = Script::of([commit_around_hooks(), say("bye")]);
    let Some(stage) = gated(Level::Project, DEFAULT, script) else { return };
    ready_to_commit(&stage);
    stage.play();
    assert_eq!(stage.commits(), 1, "the commit happened");
    let (text, is_error) = stage.model.result(1);
    assert!(is_error, "{text}");
    assert!(text.starts_with("PreToolUse:Bash hook error: Not run: "), "{text}");
    assert!(text.contains("git-skip-hooks") && text.contains("hook"), "{text}");
}

/// What no rule objects to runs, and the model hears nothing of the gate.
#[test]
fn ordinary_work_is_left_alone() {
    let write = call("Write", json!({"file_path": "note.txt", "content": "a\n"}));
    let script = Script::of([bash("echo hi"), write, bash("git commit -m x"), say("bye")]);
    let Some(stage) = gated(Level::Project, DEFAULT, script) else { return };
    ready_to_commit(&stage);
    stage.play();
    assert_eq!(stage.model.result(1), ("hi".to_string(), false));
    assert_eq!((stage.commits(), stage.read("note.txt").as_str()), (2, "a\n"));
    for asked in &stage.model.main()[1..] {
        assert_eq!(asked.news.len(), asked.results().len(), "{:?}", asked.news);
    }
}

/// The gate has no objection, and that is not a yes: the host's own question stands.
#[test]
fn no_objection_is_not_a_permission() {
    let script = Script::of([bash("touch ran.txt"), say("bye")]);
    let Some(stage) = gated(Level::Project, DEFAULT, script) else { return };
    stage.claude().permissions(Permissions::Default).start().finish();
    assert!(!stage.has("ran.txt"));
}

const DROP_NO_VERIFY: &str = "\
version: 1
disable: [git-skip-hooks]
rules:
  - id: drop-no-verify
    kind: rewrite
    match: { command: { program: git, subcommand: commit, flags: [--no-verify] } }
    change: { remove_flags: [--no-verify] }
    reason: commit hooks run
";

/// A transform rule takes the flag away; the commit happens and the repository's own hook runs.
#[test]
fn a_transform_rule_changes_what_runs() {
    let script = Script::of([commit_around_hooks(), say("bye")]);
    let Some(stage) = gated(Level::Project, DROP_NO_VERIFY, script) else { return };
    ready_to_commit(&stage);
    stage.play();
    assert_eq!(stage.commits(), 2, "the commit did not happen");
    assert!(stage.has("hook-ran.txt"), "the commit hook did not run");
}

const TESTS_FIRST: &str = "\
version: 1
rules:
  - id: tests-before-done
    kind: require
    match: { event: stop }
    require: { ran: \"make test\" }
    reason: the tests have not passed in this session
";

/// The agent may not stop before the tests passed; a failed run does not count.
#[test]
fn the_agent_stops_only_after_the_tests_passed() {
    let script =
        Script::of([say("done"), bash("make test"), say("done?"), bash("make test"), say("really done")]);
    let Some(stage) = gated(Level::Project, TESTS_FIRST, script) else { return };
    stage.program("make", "[ -e tried.txt ] && exit 0; touch tried.txt; exit 1");
    stage.play();
    assert_eq!(stage.model.main().len(), 5);
    for n in [1, 3] {
        let told = stage.model.told(n);
        assert!(told.starts_with("Stop hook feedback:\n"), "{told}");
        assert!(told.contains("tests-before-done") && told.contains("make test"), "{told}");
    }
}

/// A sub-agent gets the same rules.
#[test]
fn a_sub_agent_gets_the_same_rules() {
    let script = Script::of([sub_agent("SUB-MARK commit it"), say("bye")]);
    let script = script.stream("SUB-MARK", [commit_around_hooks(), say("done")]);
    let Some(stage) = gated(Level::Project, DEFAULT, script) else { return };
    ready_to_commit(&stage);
    stage.play();
    assert_eq!(stage.commits(), 1, "the commit happened");
    let results = stage.model.asked("SUB-MARK")[1].results();
    assert!(results[0].1 && results[0].0.contains("git-skip-hooks"), "{results:?}");
}

/// With the installed command replaced by `program`, not even a harmless tool runs.
#[track_caller]
fn check_closed(program: &str) {
    let script = Script::of([bash("touch ran.txt"), say("bye")]);
    let Some(stage) = gated(Level::Project, DEFAULT, script) else { return };
    stage.program("exits-1", "exit 1");
    stage.program("is-killed", "kill -KILL $$");
    replace_hook(&stage, Level::Project, "PreToolUse", program);
    stage.play();
    assert!(!stage.has("ran.txt"), "the tool ran");
    let (text, is_error) = stage.model.result(1);
    assert!(is_error && text.contains("blocking because onFailure is \"block\""), "{text}");
}

#[test]
fn a_gate_that_fails_stays_closed() {
    check_closed("exits-1");
}

#[test]
fn a_gate_that_is_missing_stays_closed() {
    check_closed("/nowhere/toolgate");
}

#[test]
fn a_gate_that_is_killed_stays_closed() {
    check_closed("is-killed");
}

const NO_HOOKS: &str = r#"{"disableAllHooks":true}"#;

/// The agent itself cannot switch the hooks off, neither through the shell nor through a file tool.
#[test]
fn the_agent_cannot_switch_the_hooks_off() {
    let by_shell = bash(&format!("mkdir -p .claude && echo '{NO_HOOKS}' > .claude/settings.json"));
    let by_tool = call("Write", json!({"file_path": ".claude/settings.local.json", "content": NO_HOOKS}));
    let script = Script::of([by_shell, by_tool, say("bye")]);
    let Some(stage) = gated(Level::User, DEFAULT, script) else { return };
    stage.play();
    assert!(!stage.has(".claude/settings.json") && !stage.has(".claude/settings.local.json"));
    assert!(stage.model.result(1).1 && stage.model.result(2).1);
}

/// A change the gate did not see coming (another program, a pull) is refused when the host reads it.
#[test]
fn switching_the_hooks_off_from_outside_is_refused() {
    let changed = Gate::default();
    let first = [bash("true"), bash("true").after(&changed)];
    // The host does not say when a change takes hold; a few calls give it time.
    let later = (0..6).map(|_| bash("sleep 0.1")).chain([commit_around_hooks(), say("bye")]);
    let Some(stage) = gated(Level::User, DEFAULT, Script::of(first.into_iter().chain(later))) else { return };
    ready_to_commit(&stage);
    tap(&stage, Level::User, "ConfigChange");
    let running = stage.claude().start();
    poll(Duration::from_secs(30), || (stage.model.main().len() == 2).then_some(()))
        .expect("a second request");
    stage.write(".claude/settings.json", NO_HOOKS);
    poll(Duration::from_secs(30), || taps(&stage, "ConfigChange").pop()).expect("a ConfigChange");
    changed.open();
    assert!(running.finish().status.success());
    assert_eq!(stage.commits(), 1, "the commit happened");
    assert!(stage.model.was_told("git-skip-hooks"));
}

/// The gate's hooks live beside the person's own: both are asked.
#[test]
fn hooks_of_others_still_run() {
    let Some(stage) = Stage::set(Script::of([bash("echo hi"), say("bye")])) else { return };
    stage.program("the-hook", "touch asked.txt");
    add_hook(&stage, Level::Project, "PreToolUse", "the-hook");
    stage.toolgate(&["install", "claude-code", "--project", "--yes"], "");
    stage.play();
    assert!(stage.has("asked.txt"));
    assert_eq!(stage.model.result(1), ("hi".to_string(), false));
}
