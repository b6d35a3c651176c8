//! Calls that wait for a person: held while the agent waits, or refused with a ticket and tried again.

use crate::gate::gated;
use crate::hooks::Level;
use crate::host::{Stage, poll};
use crate::model::{Gate, Script, Turn, bash, say};
use serde_json::Value;
use std::time::Duration;

const PASSPHRASE: &str = "correct horse battery staple\n";
const REQUEST_WAIT_MAX: Duration = Duration::from_secs(30);

fn policy(review: &str) -> String {
    format!(
        "\
version: 1
review: {{ {review} }}
rules:
  - id: deploy-asks
    kind: ask
    match: {{ command: {{ program: deploy-tool }} }}
    reason: a person decides about deploys
"
    )
}

fn deploy(target: &str) -> Turn {
    bash(&format!("deploy-tool {target}"))
}

/// A stage with an approver and a program that counts its runs.
#[track_caller]
fn with_deploy(review: &str, script: Script) -> Option<Stage> {
    let stage = gated(Level::Project, &policy(review), script)?;
    stage.toolgate(&["approver", "set", "--passphrase-stdin"], PASSPHRASE);
    stage.program("deploy-tool", &format!("echo \"$*\" >> '{}/deploys.txt'", stage.work.display()));
    Some(stage)
}

/// The deploys that really ran, one line each.
fn deploys(stage: &Stage) -> String {
    stage.read("deploys.txt")
}

/// The id of the one request that waits for a person.
#[track_caller]
fn wait_for_request(stage: &Stage) -> String {
    poll(REQUEST_WAIT_MAX, || pending(stage).pop()).expect("a pending request in the inbox")
}

fn pending(stage: &Stage) -> Vec<String> {
    let list: Value = serde_json::from_str(&stage.toolgate(&["inbox", "list", "--json"], "")).expect("JSON");
    let requests = list.get("requests").unwrap_or(&list).as_array().cloned().unwrap_or_default();
    let is_pending = |request: &&Value| request["state"] == "pending";
    requests
        .iter()
        .filter(is_pending)
        .filter_map(|request| request["id"].as_str())
        .map(String::from)
        .collect()
}

#[track_caller]
fn approve(stage: &Stage, id: &str) {
    stage.toolgate(&["inbox", "approve", id, "--passphrase-stdin"], PASSPHRASE);
}

/// The agent waits, the person approves, the call runs once. The yes is spent: the same call and a call with
/// another argument are asked about anew, and refused when nobody answers.
#[test]
fn a_held_call_runs_once_after_the_yes() {
    let answered = Gate::default();
    let script = Script::of([deploy("a"), deploy("a").after(&answered), deploy("b"), say("bye")]);
    let Some(stage) = with_deploy("hold_seconds: 60", script) else { return };
    let running = stage.claude().wait_max(Duration::from_secs(150)).start();
    let id = wait_for_request(&stage);
    assert_eq!(deploys(&stage), "", "it ran before the yes");
    approve(&stage, &id);
    poll(REQUEST_WAIT_MAX, || (stage.model.main().len() == 2).then_some(())).expect("the held call went on");
    assert_eq!(deploys(&stage), "a\n");
    stage.write(".toolgate/policy.yaml", &policy("hold_seconds: 2"));
    answered.open();
    assert!(running.finish().status.success());
    assert_eq!(deploys(&stage), "a\n", "the yes was used twice");
    for n in [2, 3] {
        let (text, is_error) = stage.model.result(n);
        assert!(is_error && text.contains("deploy-asks"), "{text}");
    }
}

/// Nobody answers within the time: refused, with rule and reason.
#[test]
fn a_held_call_nobody_answers_is_refused() {
    let Some(stage) = with_deploy("hold_seconds: 2", Script::of([deploy("a"), say("bye")])) else { return };
    stage.play();
    assert_eq!(deploys(&stage), "");
    let (text, is_error) = stage.model.result(1);
    assert!(
        is_error && text.contains("deploy-asks") && text.contains("person decides about deploys"),
        "{text}"
    );
}

/// A wrong passphrase is no yes.
#[test]
fn a_wrong_passphrase_is_no_yes() {
    let Some(stage) = with_deploy("hold_seconds: 20", Script::of([deploy("a"), say("bye")])) else { return };
    let running = stage.claude().start();
    let id = wait_for_request(&stage);
    let outcome = stage.try_toolgate(&["inbox", "approve", &id, "--passphrase-stdin"], "wrong\n");
    assert!(!outcome.status.success(), "{}", outcome.stdout);
    drop(running);
    assert_eq!(deploys(&stage), "");
}

/// With tickets the first try is refused and names its request; after the yes the identical call runs, once,
/// and no other call does.
#[test]
fn a_ticket_lets_the_identical_call_run_once() {
    let answered = Gate::default();
    let script =
        Script::of([deploy("a"), deploy("b").after(&answered), deploy("a"), deploy("a"), say("bye")]);
    let Some(stage) = with_deploy("delivery: ticket", script) else { return };
    let running = stage.claude().start();
    poll(REQUEST_WAIT_MAX, || (stage.model.main().len() == 2).then_some(()))
        .expect("the first try came back");
    let id = wait_for_request(&stage);
    let (text, is_error) = stage.model.result(1);
    assert!(is_error && text.contains(&id) && text.contains("deploy-asks"), "{id}: {text}");
    approve(&stage, &id);
    answered.open();
    assert!(running.finish().status.success());
    assert_eq!(deploys(&stage), "a\n");
    let refused: Vec<bool> = (1..=4).map(|n| stage.model.result(n).1).collect();
    assert_eq!(refused, [true, true, false, true]);
}

/// The agent cannot answer its own request, not even if it has learned the passphrase.
#[test]
fn the_agent_cannot_approve_itself() {
    let answered = Gate::default();
    let toolgate = env!("CARGO_BIN_EXE_toolgate");
    let word = PASSPHRASE.trim();
    let approve = bash(&format!("echo '{word}' | '{toolgate}' inbox approve {{word}} --passphrase-stdin"));
    let script = Script::of([deploy("a"), approve.after(&answered), deploy("a"), say("bye")]);
    let Some(stage) = with_deploy("delivery: ticket", script) else { return };
    let running = stage.claude().start();
    answered.open_with(&wait_for_request(&stage));
    assert!(running.finish().status.success());
    assert_eq!(deploys(&stage), "");
    assert!(stage.model.result(2).1, "the gate let the agent at its own inbox");
}

/// Deferred, the host ends without running the call, and the question waits in the inbox.
#[test]
fn a_deferred_call_ends_the_run_and_waits() {
    let Some(stage) = with_deploy("delivery: defer", Script::of([deploy("a"), say("bye")])) else { return };
    let ended = stage.claude().start().finish();
    assert!(ended.stdout.contains("tool_deferred"), "{}", ended.stdout);
    assert_eq!(deploys(&stage), "");
    assert_eq!(pending(&stage).len(), 1);
}

/// A no is said with the person's words, and asking again brings the same no, not a new question.
#[test]
fn a_no_reaches_the_agent_with_words() {
    let script = Script::of([deploy("a"), deploy("a"), say("bye")]);
    let Some(stage) = with_deploy("hold_seconds: 60", script) else { return };
    let running = stage.claude().wait_max(Duration::from_secs(150)).start();
    let id = wait_for_request(&stage);
    stage.toolgate(
        &["inbox", "deny", &id, "--words", "use the staging host", "--passphrase-stdin"],
        PASSPHRASE,
    );
    assert!(running.finish().status.success());
    assert_eq!(deploys(&stage), "");
    for n in [1, 2] {
        let (text, is_error) = stage.model.result(n);
        assert!(is_error && text.contains("use the staging host"), "{text}");
    }
}
