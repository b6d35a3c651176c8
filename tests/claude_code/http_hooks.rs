//! The rows of Claude Code's failure table about hooks over HTTP. Toolgate installs none yet; these facts
//! decide whether it may, and how it would have to answer.

use crate::host::Stage;
use crate::model::{Script, bash, say};
use serde_json::json;
use tiny_http::{Response, Server};

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
    let server = Server::http("127.0.0.1:0").expect("a port");
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
