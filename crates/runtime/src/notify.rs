//! Tells people that a call waits for them: terminal, desktop, webhook. No answer
//! depends on it, so what fails here is ignored; the request is in the inbox all the same.

use crate::gate::{Answered, Gate};
use crate::processes::terminal_above;
use hmac::{Hmac, KeyInit, Mac};
use rustix::fs::OFlags;
use serde_json::{Value, json};
use sha2::Sha256;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;
use toolgate_core::{Channels, Request, RequestState, Webhook, hex, news, terminal_line, webhook_body};
use toolgate_store::Store;

/// How long tmux shows that a call waits, unless a key is pressed.
const TMUX_SHOWS_MS: &str = "15000";

/// How long a service may take to hear a message.
const SEND_MAX: Duration = Duration::from_secs(2);

impl Gate {
    /// Tells people of a request that was made just now and still waits, and of
    /// an emergency no one answered.
    pub fn tell_people(&self, answered: &Answered) {
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
        let channels = Channels::of(&self.policy().settings().notify);
        if channels.bell.unwrap_or_else(is_attended) {
            ring(self.setup.asked_by.unwrap_or_else(std::process::id));
            show_in_tmux(request);
        }
        if channels.desktop.unwrap_or_else(|| is_attended() && has_desktop()) {
            start(desktop(&news(request)));
        }
        for webhook in channels.webhooks {
            let _ = send(webhook, &webhook_body(request));
        }
    }
}

/// A variable that is set to something.
fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// Whether a person can be at this machine: a build server sets `CI`.
fn is_attended() -> bool {
    !is_set("CI")
}

/// Hosts start hooks without a terminal of their own, so the bell rings at the one the nearest
/// program above has. One byte, which no screen shows.
fn ring(pid: u32) {
    let flags = OFlags::NOCTTY | OFlags::NONBLOCK;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).custom_flags(flags.bits().cast_signed());
    let own = options.open("/dev/tty").ok();
    let terminal = own.or_else(|| options.open(terminal_above(pid)?).ok());
    if let Some(mut terminal) = terminal {
        let _ = terminal.write_all(b"\x07");
    }
}

/// tmux has a line of its own that no program draws on; the next key takes the message away.
fn show_in_tmux(request: &Request) {
    if is_set("TMUX") {
        let mut command = Command::new("tmux");
        command.args(["display-message", "-d", TMUX_SHOWS_MS, &terminal_line(request)]);
        start(command);
    }
}

fn has_desktop() -> bool {
    if cfg!(target_os = "macos") {
        !is_set("SSH_CONNECTION")
    } else {
        is_set("WAYLAND_DISPLAY") || is_set("DISPLAY")
    }
}

/// Starts a program whose end is not waited for: it may be slow, and the call is held anyway.
fn start(mut command: Command) {
    let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
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
