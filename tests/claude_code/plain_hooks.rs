//! Proves the harness, and holds the facts about Claude Code that toolgate's adapter leans on. The hooks are
//! shell scripts written by the tests; toolgate plays no part. When one of these fails with a new version of
//! the host, the adapter has to be looked at first.

use crate::hooks::{Level, add_hook, tap, taps};
use crate::host::{Permissions, Stage, poll};
use crate::model::{Gate, Kind, Script, bash, call, say, sub_agent};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::Duration;

const DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no-by-json"}}"#;
const RAN: (&str, bool) = ("(Bash completed with no output)", false);

/// A shell script as the only hook of `event`, and a model that runs `touch ran.txt`.
#[track_caller]
fn with_hook(event: &str, body: &str) -> Option<Stage> {
    let stage = Stage::set(Script::of([bash("touch ran.txt"), say("bye")]))?;
    stage.program("the-hook", body);
    add_hook(&stage, Level::Project, event, "the-hook");
    stage.play();
    Some(stage)
}

/// The one tool call was refused, and the model read exactly `text`.
#[track_caller]
fn check_refused(body: &str, text: &str) {
    let Some(stage) = with_hook("PreToolUse", body) else { return };
    assert!(!stage.has("ran.txt"), "the tool ran");
    assert_eq!(stage.model.result(1), (text.to_string(), true));
}

/// The one tool call ran, and nothing but its result was added for the model.
#[track_caller]
fn check_silent(body: &str) {
    let Some(stage) = with_hook("PreToolUse", body) else { return };
    assert!(stage.has("ran.txt"), "the tool did not run");
    assert_eq!(stage.model.result(1), (RAN.0.to_string(), RAN.1));
    assert_eq!(stage.model.main()[1].news.len(), 1);
}

/// The reason of the JSON answer is the tool result; exit 2 and stderr add nothing to it.
#[test]
fn a_denial_shows_the_reason_of_the_json() {
    check_refused(&format!("echo '{DENY}'"), "PreToolUse:Bash hook error: no-by-json");
    let both = format!("echo '{DENY}'; echo no-by-stderr >&2; exit 2");
    check_refused(&both, "PreToolUse:Bash hook error: no-by-json");
}

/// Without JSON that parses, exit 2 shows stderr, behind the command line of the hook.
#[test]
fn exit_2_alone_shows_stderr() {
    let text = "PreToolUse:Bash hook error: [the-hook]: no-by-stderr\n";
    check_refused("echo no-by-stderr >&2; exit 2", text);
    check_refused(r#"echo '{"hookSpecificOutput":{"ho'; echo no-by-stderr >&2; exit 2"#, text);
}

#[test]
fn an_empty_answer_is_silent() {
    check_silent("echo '{}'");
    check_silent("true");
}

/// The gap in the host: half an answer with exit 0 is no answer. So an answer is written in one piece, and
/// a denial always exits 2 as well.
#[test]
fn a_truncated_answer_with_exit_0_lets_the_tool_run() {
    check_silent(r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDec'"#);
}

#[test]
fn a_failing_hook_blocks() {
    let lead = "PreToolUse:Bash hook error: [the-hook]: failed; blocking because onFailure is \"block\"\n";
    check_refused("echo broken >&2; exit 1", &format!("{lead}broken"));
    check_refused("kill -KILL $$", &format!("{lead}Killed"));
}

#[test]
fn a_slow_hook_blocks() {
    let text = "PreToolUse:Bash hook error: [the-hook]: timed out; blocking because onFailure is \"block\"";
    check_refused("sleep 60", text);
}

#[test]
fn a_missing_hook_blocks() {
    let Some(stage) = Stage::set(Script::of([bash("touch ran.txt"), say("bye")])) else { return };
    add_hook(&stage, Level::Project, "PreToolUse", "/nowhere/to/be/found");
    stage.play();
    assert!(!stage.has("ran.txt"));
    let (text, is_error) = stage.model.result(1);
    assert!(is_error);
    assert!(
        text.contains("[/nowhere/to/be/found]: failed; blocking because onFailure is \"block\""),
        "{text}"
    );
}

#[test]
fn an_answer_the_host_does_not_understand_blocks() {
    for (answer, why) in [
        (
            r#"{"hookEventName":"PreToolUse","permissionDecision":"nope"}"#,
            "permissionDecision: Invalid option",
        ),
        (r#"{"hookEventName":"Stop"}"#, "incorrect event name: expected 'PreToolUse' but got 'Stop'"),
    ] {
        let body = format!(r#"echo '{{"hookSpecificOutput":{answer}}}'"#);
        let Some(stage) = with_hook("PreToolUse", &body) else { return };
        assert!(!stage.has("ran.txt"));
        let (text, is_error) = stage.model.result(1);
        assert!(is_error && text.contains("blocking because onFailure") && text.contains(why), "{text}");
    }
}

/// Headless, `ask` is a denial, and the reason stands there alone.
#[test]
fn ask_without_a_person_is_a_denial() {
    check_refused(&format!("echo '{}'", DENY.replace("\"deny\"", "\"ask\"")), "no-by-json");
}

/// The rewritten input is what runs; the permission question stays with the host.
#[test]
fn updated_input_is_what_runs() {
    let answer = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "updatedInput": {"command": "touch changed.txt"},
    }});
    let Some(stage) = with_hook("PreToolUse", &format!("echo '{answer}'")) else { return };
    assert!(stage.has("changed.txt") && !stage.has("ran.txt"));
}

/// A silent hook does not speak for the person: in the default mode the host still refuses what it would ask.
#[test]
fn a_silent_hook_leaves_the_question_to_the_host() {
    let Some(stage) = Stage::set(Script::of([bash("touch ran.txt"), say("bye")])) else { return };
    stage.program("the-hook", "echo '{}'");
    add_hook(&stage, Level::Project, "PreToolUse", "the-hook");
    stage.claude().permissions(Permissions::Default).start().finish();
    assert!(!stage.has("ran.txt"));
    assert!(stage.model.result(1).1);
}

/// Exit 2 or 0, the reason is told twice: as the person's message and as the host's.
#[test]
fn a_blocked_stop_goes_on() {
    let body = "[ -e once ] && exit 0; touch once\necho '{\"decision\":\"block\",\"reason\":\"not-yet\"}'\n\
                echo no-by-stderr >&2; exit 2";
    let Some(stage) = with_hook("Stop", body) else { return };
    let main = stage.model.main();
    assert_eq!(main.len(), 3);
    let news: Vec<_> = main[2].news.iter().map(|news| (news.kind, news.text.as_str())).collect();
    assert_eq!(
        news,
        [
            (Kind::User, "Stop hook feedback:\nnot-yet"),
            (Kind::System, "Stop hook blocking error from command: \"the-hook\": not-yet"),
        ]
    );
}

/// `onFailure` is taken everywhere but has no teeth at Stop: a broken hook lets the agent end.
#[test]
fn a_failing_stop_hook_lets_the_agent_end() {
    let Some(stage) = with_hook("Stop", "exit 1") else { return };
    assert_eq!(stage.model.main().len(), 2);
}

/// After the fact nothing is undone: the output reaches the model, the reason is added.
#[test]
fn a_block_after_the_tool_only_adds_a_message() {
    let body = "echo '{\"decision\":\"block\",\"reason\":\"too-late\"}'; exit 2";
    let Some(stage) = with_hook("PostToolUse", body) else { return };
    let news: Vec<_> = stage.model.main()[1].news.iter().map(|news| news.text.clone()).collect();
    assert_eq!(news, [RAN.0, "PostToolUse:Bash hook blocking error from command: \"the-hook\": too-late"]);
}

/// A blocked or failed prompt hook ends the run before the model is asked; the host calls that success.
#[test]
fn a_blocked_prompt_never_reaches_the_model() {
    for (body, why) in [
        (
            "echo '{\"decision\":\"block\",\"reason\":\"not-this\"}'; exit 2",
            "not-this\\n\\nOriginal prompt: ship it",
        ),
        ("exit 1", "failed; blocking because onFailure is"),
    ] {
        let Some(stage) = Stage::set(Script::of([bash("touch ran.txt")])) else { return };
        stage.program("the-hook", body);
        add_hook(&stage, Level::Project, "UserPromptSubmit", "the-hook");
        let outcome = stage.claude().prompt("ship it").start().finish();
        assert!(outcome.status.success() && stage.model.main().is_empty());
        assert!(outcome.stdout.contains("UserPromptSubmit operation blocked by hook:"), "{}", outcome.stdout);
        assert!(outcome.stdout.contains(why), "{}", outcome.stdout);
    }
}

/// A session cannot be refused at its start, neither by a block nor by a failure, and nobody is told.
#[test]
fn a_blocked_session_start_changes_nothing() {
    for body in
        ["echo '{\"decision\":\"block\",\"reason\":\"not-here\"}'; echo not-here >&2; exit 2", "exit 1"]
    {
        let Some(stage) = with_hook("SessionStart", body) else { return };
        assert!(stage.has("ran.txt"));
        assert!(!stage.model.was_told("not-here"));
    }
}

/// Hooks in the user's settings, a project file that switches all hooks off mid-session, and `answer` as
/// what the ConfigChange hook says. How many of the calls after the change were hooked, of how many?
fn hooked_after_change(answer: &str) -> Option<(usize, usize)> {
    let changed = Gate::default();
    let later = 8;
    let first = [bash("true"), bash("true").after(&changed)];
    let stage = Stage::set(Script::of(first.into_iter().chain((1..later).map(|_| bash("sleep 0.1")))))?;
    tap(&stage, Level::User, "PreToolUse");
    tap(&stage, Level::User, "ConfigChange");
    stage.program("the-hook", answer);
    add_hook(&stage, Level::User, "ConfigChange", "the-hook");
    let running = stage.claude().start();
    poll(Duration::from_secs(30), || (stage.model.main().len() == 2).then_some(()))
        .expect("a second request");
    stage.write(".claude/settings.json", r#"{"disableAllHooks":true}"#);
    let seen = poll(Duration::from_secs(30), || taps(&stage, "ConfigChange").pop()).expect("a ConfigChange");
    assert_eq!(seen["source"], "project_settings");
    changed.open();
    assert!(running.finish().status.success());
    Some((taps(&stage, "PreToolUse").len() - 1, later))
}

#[test]
fn a_refused_config_change_keeps_the_hooks() {
    for answer in ["echo '{\"decision\":\"block\",\"reason\":\"no\"}'; exit 2", "exit 1"] {
        let Some((hooked, of)) = hooked_after_change(answer) else { return };
        assert_eq!(hooked, of, "{answer}");
    }
}

/// The control for the test above: without a block the same change ends all hooks.
#[test]
fn an_accepted_config_change_ends_the_hooks() {
    let Some((hooked, of)) = hooked_after_change("echo '{}'") else { return };
    assert!(hooked < of, "all {of} calls were hooked");
}

/// A sub-agent's call is hooked like any other and says whose it is.
#[test]
fn a_sub_agent_is_hooked_too() {
    let script = Script::of([sub_agent("SUB-MARK do it"), say("bye")]);
    let Some(stage) = Stage::set(script.stream("SUB-MARK", [bash("touch ran.txt"), say("done")])) else {
        return;
    };
    tap(&stage, Level::Project, "PreToolUse");
    stage.program("the-hook", &format!("grep -q ran.txt && echo '{DENY}' || true"));
    add_hook(&stage, Level::Project, "PreToolUse", "the-hook");
    stage.play();
    assert!(!stage.has("ran.txt"));
    let sub = stage.model.asked("SUB-MARK");
    assert_eq!(sub[1].results(), [("PreToolUse:Bash hook error: no-by-json".to_string(), true)]);
    let calls = taps(&stage, "PreToolUse");
    assert_eq!((&calls[0]["tool_name"], &calls[0]["agent_id"]), (&json!("Agent"), &Value::Null));
    assert_eq!(
        (&calls[1]["tool_name"], &calls[1]["agent_type"]),
        (&json!("Bash"), &json!("general-purpose"))
    );
    assert!(calls[1]["agent_id"].is_string());
}

/// The hook sees the full path although the model gave a relative one.
#[test]
fn a_written_path_is_made_absolute_for_the_hook() {
    let input = json!({"file_path": "note.txt", "content": "a\n"});
    let Some(stage) = Stage::set(Script::of([call("Write", input), say("bye")])) else { return };
    tap(&stage, Level::Project, "PreToolUse");
    stage.play();
    assert_eq!(taps(&stage, "PreToolUse")[0]["tool_input"]["file_path"], json!(stage.work.join("note.txt")));
}

/// The harness itself: a run that is given up leaves no process behind.
#[test]
fn a_run_given_up_takes_its_children_along() {
    let sleeper = bash("echo $$ > pid.txt; exec sleep 300");
    let Some(stage) = Stage::set(Script::of([sleeper])) else { return };
    let running = stage.claude().start();
    let pid = poll(Duration::from_secs(30), || Some(stage.read("pid.txt")).filter(|pid| pid.ends_with('\n')));
    let pid = pid.expect("a started command").trim().to_string();
    drop(running);
    let gone = || (!is_alive(&pid)).then_some(());
    poll(Duration::from_secs(10), gone).expect("the command ended with the run");
}

fn is_alive(pid: &str) -> bool {
    Command::new("kill").args(["-0", pid]).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}
