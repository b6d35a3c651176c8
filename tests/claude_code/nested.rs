//! Agents that start agents: every way to an agent without the hook is refused or asked about, and the one
//! that keeps the hook runs.

use crate::gate::gated;
use crate::hooks::Level;
use crate::host::Stage;
use crate::model::{Script, Turn, bash, call, say};
use serde_json::json;

/// Questions come back at once, as a ticket.
const TICKET: &str = "version: 1\nreview: { delivery: ticket }\n";
const NO_HOOKS: &str = r#"{"disableAllHooks":true}"#;
const START: &str = "claude -p 'go on' --allowedTools Bash";

/// Puts a `claude` on the agent's path that leaves a mark before it becomes the real one.
fn with_claude(stage: &Stage) {
    let real = stage.claude_path().display().to_string();
    stage.program("claude", &format!("touch \"$HOME/started\"\nexec {real} \"$@\""));
}

#[track_caller]
fn check_refused(level: Level, turns: &[Turn], prepare: impl Fn(&Stage)) {
    let script = Script::of(turns.iter().cloned().chain([say("bye")]));
    let Some(stage) = gated(level, TICKET, script) else { return };
    with_claude(&stage);
    prepare(&stage);
    stage.play();
    assert!(!stage.has(stage.home.join("started")), "another agent was started");
    for n in 1..=turns.len() {
        let (text, is_error) = stage.model.result(n);
        assert!(is_error && text.contains("Not run"), "call {n}: {text}");
    }
}

/// Everything in one call: settings that switch the hooks off, and the agent that reads them.
#[test]
fn in_one_call() {
    let all =
        format!("mkdir -p sub/.claude && echo '{NO_HOOKS}' > sub/.claude/settings.json && cd sub && {START}");
    check_refused(Level::User, &[bash(&all)], |_| {});
}

/// The settings in one call, the agent in the next.
#[test]
fn in_two_calls() {
    let settings = json!({"file_path": "sub/.claude/settings.json", "content": NO_HOOKS});
    let script = Script::of([call("Write", settings), bash(&format!("cd sub && {START}")), say("bye")]);
    let Some(stage) = gated(Level::User, TICKET, script) else { return };
    stage.write("sub/x.txt", "");
    stage.play();
    assert!(stage.model.result(1).1 && !stage.has("sub/.claude"), "the settings were written");
}

/// The same outside the project.
#[test]
fn in_a_folder_for_throw_away_files() {
    let folder = "/tmp/toolgate-nested";
    let settings = format!("mkdir -p {folder}/.claude; echo '{NO_HOOKS}' > {folder}/.claude/settings.json");
    check_refused(Level::User, &[bash(&format!("{settings}; cd {folder} && {START}"))], |_| {});
}

/// A folder that came with such settings.
#[test]
fn in_a_folder_that_switches_the_hooks_off() {
    check_refused(Level::User, &[bash(&format!("cd sub && {START}"))], |stage| {
        stage.write("sub/.claude/settings.local.json", NO_HOOKS);
    });
}

/// The hook is installed for one folder, and the agent starts in another.
#[test]
fn in_a_folder_the_hook_is_not_installed_for() {
    check_refused(Level::Project, &[bash(&format!("cd sub && {START}"))], |stage| {
        stage.write("sub/x.txt", "")
    });
}

/// Whatever else takes the hook away: variables, options, another environment.
#[test]
fn with_other_settings() {
    let ways = ["env -i PATH=\"$PATH\" HOME=\"$HOME\"", "HOME=/tmp/x", "CLAUDE_CONFIG_DIR=/tmp/x"];
    let ways = ways.map(|way| bash(&format!("{way} {START}")));
    let options = ["--bare", "--setting-sources project", "--settings '{}'"];
    let options = options.map(|option| bash(&format!("{START} {option}")));
    check_refused(Level::User, &[ways, options].concat(), |_| {});
}

/// With the hook in the user's settings an agent in a sub-folder may start, and is guarded.
#[test]
fn a_guarded_agent_may_start_another() {
    let inner = Script::of([bash("cd sub && claude -p 'inner task' --allowedTools Bash"), say("bye")])
        .stream("inner task", [bash("git commit --no-verify --allow-empty -m x"), say("done")]);
    let Some(stage) = gated(Level::User, TICKET, inner) else { return };
    with_claude(&stage);
    stage.write("sub/x.txt", "");
    stage.play();
    assert!(stage.has(stage.home.join("started")), "{:?}", stage.model.result(1));
    assert_eq!(stage.commits(), 1, "the inner agent was not guarded");
    let told: Vec<String> = stage.model.asked("inner task").iter().map(|asked| asked.told()).collect();
    assert!(told.iter().any(|text| text.contains("git-skip-hooks")), "{told:?}");
}

/// What `doctor` says about a folder is what happens to a session started there.
#[test]
fn the_doctor_is_right() {
    for (level, file, text, guarded) in [
        (Level::User, "sub/x.txt", "", true),
        (Level::Project, "sub/x.txt", "", false),
        (Level::User, "sub/.claude/settings.json", NO_HOOKS, false),
        (Level::User, "sub/.claude/settings.json", r#"{"model":5}"#, true),
    ] {
        let script = Script::of([bash("git commit --no-verify --allow-empty -m x"), say("bye")]);
        let Some(mut stage) = gated(level, TICKET, script) else { return };
        stage.write(file, text);
        stage.work.push("sub");
        check_doctor(&stage, guarded, file);
    }
}

/// One wrongly typed key, and the host ignores all of the settings, hook included.
#[test]
fn settings_the_host_ignores_are_no_guard() {
    for (key, value, guarded) in [
        ("model", json!(5), false),
        ("cleanupPeriodDays", json!("abc"), false),
        ("unknownKey", json!(5), true),
        ("permissions", json!({"defaultMode": "nonsense"}), false),
    ] {
        let script = Script::of([bash("git commit --no-verify --allow-empty -m x"), say("bye")]);
        let Some(stage) = gated(Level::User, TICKET, script) else { return };
        let path = stage.home.join(".claude/settings.json");
        let mut settings: serde_json::Value = serde_json::from_str(&stage.read(&path)).unwrap();
        settings[key] = value;
        stage.write(&path, &settings.to_string());
        check_doctor(&stage, guarded, key);
    }
}

#[track_caller]
fn check_doctor(stage: &Stage, guarded: bool, what: &str) {
    let said = stage.try_toolgate(&["doctor"], "");
    assert_eq!(said.status.success(), guarded, "{what}: {}", said.stdout);
    assert_eq!(said.stdout.contains("is not guarded"), !guarded, "{what}: {}", said.stdout);
    stage.claude().start().finish();
    let commits = if guarded { 1 } else { 2 };
    assert_eq!(stage.commits(), commits, "{what}");
}
