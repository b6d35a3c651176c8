//! Tells people that a call waits for them: bell, desktop, webhook. No one's
//! answer depends on it, so what fails here is kept to itself; the request
//! is in the inbox all the same.

use crate::gate::{Answered, Gate};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;
use toolgate_core::{Notify, Request, RequestState, Webhook, hex, news, webhook_body};
use toolgate_store::Store;

/// How long a service may take to hear a message.
const SEND_MAX: Duration = Duration::from_secs(2);

impl Gate {
    /// Tells people of a request that was made just now and still waits, and of
    /// an emergency no one answered.
    pub fn tell_people(&self, answered: &Answered) {
        if self.policy().settings().notify.is_empty() {
            return;
        }
        let is_waiting = |request: &&Request| answered.is_new && request.state == RequestState::Pending;
        if let Some(request) = answered.request.as_ref().filter(is_waiting) {
            self.tell_of(request);
        }
        let passed = answered.decision.bypasses.iter();
        let passed = passed.filter_map(|id| self.store.request(id).ok().flatten());
        passed.filter(|one| one.progress.overridden_ms.is_some()).for_each(|one| self.tell_of(&one));
    }

    /// Sends one test message to every webhook the policy names: its address, and
    /// what came back or why nothing did.
    #[must_use]
    pub fn test_messages(&self) -> Vec<(String, Result<String, String>)> {
        let body = json!({ "text": "This is a test message from Toolgate. No call is waiting." });
        let all = self.policy().settings().notify.iter().filter_map(|entry| entry.notify.webhook.as_ref());
        all.map(|webhook| (webhook.url.clone(), send(webhook, &body))).collect()
    }

    /// Tells people of a request.
    pub fn tell_of(&self, request: &Request) {
        for entry in &self.policy().settings().notify {
            tell(&entry.notify, request);
        }
    }
}

fn tell(notify: &Notify, request: &Request) {
    if notify.bell
        && let Ok(mut terminal) = std::fs::OpenOptions::new().write(true).open("/dev/tty")
    {
        let _ = terminal.write_all(b"\x07");
    }
    if notify.desktop {
        let mut command = desktop(&news(request));
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // No one waits for it: the desktop may be slow, and the call is held anyway.
        let _ = quiet.spawn();
    }
    if let Some(webhook) = &notify.webhook {
        let _ = send(webhook, &webhook_body(request));
    }
}

/// What shows a text on this desktop. The text is an argument, never a part of a script.
fn desktop(text: &str) -> Command {
    if cfg!(target_os = "macos") {
        let mut command = Command::new("osascript");
        command.args([
            "-e",
            "on run argv",
            "-e",
            "display notification (item 1 of argv) with title \"Toolgate\"",
        ]);
        command.args(["-e", "end run", text]);
        command
    } else {
        let mut command = Command::new("notify-send");
        command.args(["--app-name=toolgate", "Toolgate", text]);
        command
    }
}

/// A message no one can forge: without its secret none is sent. What came back,
/// or why nothing was sent or heard.
fn send(webhook: &Webhook, body: &Value) -> Result<String, String> {
    let secret = std::env::var(&webhook.secret_env).ok().filter(|secret| !secret.is_empty());
    let secret = secret
        .ok_or_else(|| format!("the environment variable `{}` is not set or empty", webhook.secret_env))?;
    if let Some(fault) = webhook.fault() {
        return Err(fault);
    }
    let body = body.to_string();
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).map_err(|error| error.to_string())?;
    mac.update(body.as_bytes());
    let signature = format!("sha256={}", hex(&mac.finalize().into_bytes()));
    let agent = ureq::Agent::config_builder()
        .timeout_global(Some(SEND_MAX))
        .max_redirects(0)
        .proxy(None)
        .user_agent("toolgate")
        .build()
        .new_agent();
    let post = agent.post(&webhook.url).header("content-type", "application/json");
    let came = post.header("x-toolgate-signature", signature).send(&body);
    came.map(|answer| format!("it answered {}", answer.status())).map_err(|error| error.to_string())
}
