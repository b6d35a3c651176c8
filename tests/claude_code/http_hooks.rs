//! The rows of Claude Code's failure table about hooks over HTTP, and the gate asked that way. Toolgate installs none
//! by itself; these facts decide how it has to answer.

use crate::host::Stage;
use crate::model::{Script, bash, say};
use crate::server::Server;
use serde_json::json;
use tiny_http::{Response, Server as Plain};

/// Whether the one tool call ran with an HTTP hook at `url` that must not fail.
fn ran_with(url: &str) -> Option<bool> {
    let stage = Stage::set(Script::of([bash("touch ran.txt"), say("bye")]))?;
    let hook = json!({"type": "http", "url": url, "timeout": 2, "onFailure": "block"});
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}});
    stage.write(stage.work.join(".claude/settings.json"), &settings.to_string());
    stage.play();
    Some(stage.has("ran.txt"))
}

/// A server that gives every request the same answer, or none.
fn answering(status: u16, body: &'static str) -> String {
    let server = Plain::http("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/hook", server.server_addr().to_ip().expect("an address"));
    // It ends with the test process; a test never waits for it.
    std::thread::spawn(move || {
        for request in server.incoming_requests() {
            if status != 0 {
                let _ = request.respond(Response::from_string(body).with_status_code(status));
            } else {
                // Never answered: kept until the test is over.
                std::mem::forget(request);
            }
        }
    });
    url
}

#[track_caller]
fn check(url: &str, expected: bool) {
    let Some(ran) = ran_with(url) else { return };
    assert_eq!(ran, expected, "{url}");
}

#[test]
fn a_failing_http_hook_blocks() {
    check(&answering(500, "broken"), false);
    check(
        &answering(
            403,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#,
        ),
        false,
    );
    check(&answering(200, "not json"), false);
}

#[test]
fn a_http_hook_out_of_reach_blocks() {
    // A port that was free a moment ago and nobody listens on.
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    check(&format!("http://{free}/hook"), false);
    check(&answering(0, ""), false);
}

/// The one open door: an empty answer counts as no objection.
#[test]
fn an_empty_http_answer_lets_the_tool_run() {
    check(&answering(200, ""), true);
}

/// `toolgate serve` as the hook itself: what no rule minds runs, what a rule blocks does not, and the model reads why.
#[test]
fn the_gate_answers_over_http() {
    let script = Script::of([bash("touch ran.txt"), bash("git commit --no-verify -m x"), say("bye")]);
    let Some(stage) = Stage::set(script) else { return };
    stage.write(".toolgate/policy.yaml", "version: 1\n");
    let mut command = stage.scrubbed(env!("CARGO_BIN_EXE_toolgate").as_ref());
    command.args(Server::WORDS);
    let server = Server::run(command);
    let token = stage.read(stage.home.join(".local/state/toolgate/hook.token"));
    let hook = json!({
        "type": "http", "url": format!("http://{}/hook/claude-code", server.address), "timeout": 120,
        "headers": { "Authorization": format!("Bearer {}", token.trim()) }, "onFailure": "block",
    });
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}});
    stage.write(".claude/settings.json", &settings.to_string());
    stage.git(&["add", ".toolgate"]);
    stage.play();
    assert!(stage.has("ran.txt"), "{:?}", stage.model.told(1));
    let (text, is_error) = stage.model.result(2);
    assert!(is_error && text.contains("git-skip-hooks"), "{text}");
    assert_eq!(stage.commits(), 1, "the commit happened");
}
