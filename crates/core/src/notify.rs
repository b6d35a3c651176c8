//! The section `notify`: how people hear that a call waits for them. What is
//! told names tool, rules and request, never the call itself: a chat is not the
//! place for a command line with a secret in it.

use crate::address::Address;
use crate::finding::Source;
use crate::inbox::Request;
use crate::policy::Layer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The section. Only the managed and the person's own policy have it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Notify {
    /// Ring the bell of the terminal the agent runs in, and show a line in tmux; without this key if a person can be there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bell: Option<bool>,
    /// Show a desktop notification; without this key if there is a desktop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub desktop: Option<bool>,
    /// A message to a service, as Slack takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Webhook>,
}

/// Where messages go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Webhook {
    /// The address.
    pub url: String,
    /// The environment variable that holds the secret each message is signed with (HMAC-SHA-256).
    pub secret_env: String,
}

impl Webhook {
    /// What is wrong with its address, if something is.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let known = ["https://", "http://"].iter().any(|scheme| self.url.starts_with(scheme));
        let reached = known && Address::parse(&self.url).is_some() && !self.url.contains(char::is_whitespace);
        (!reached).then(|| format!("`{}` is not an address of the form `https://host/path`", self.url))
    }
}

/// What one layer says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotifyEntry {
    /// Where it is written.
    pub source: Source,
    /// Which layer it is.
    pub layer: Layer,
    /// What is said.
    pub notify: Notify,
}

/// The ways in which people hear of a request, as all layers together say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channels<'a> {
    /// The terminal the agent runs in: yes, no, or if a person is there.
    pub bell: Option<bool>,
    /// The desktop: yes, no, or if there is one.
    pub desktop: Option<bool>,
    /// Services.
    pub webhooks: Vec<&'a Webhook>,
}

impl<'a> Channels<'a> {
    /// From what the layers say, the highest first. Bell and desktop are a matter of taste, so the
    /// last layer that speaks of them counts; every webhook is used.
    #[must_use]
    pub fn of(entries: &'a [NotifyEntry]) -> Channels<'a> {
        let last = |said: fn(&Notify) -> Option<bool>| entries.iter().rev().find_map(|one| said(&one.notify));
        Channels {
            bell: last(|notify| notify.bell),
            desktop: last(|notify| notify.desktop),
            webhooks: entries.iter().filter_map(|entry| entry.notify.webhook.as_ref()).collect(),
        }
    }
}

/// One line for the person at the terminal. It holds nothing but fixed words and the id: tmux and
/// desktops give some characters a meaning of their own.
#[must_use]
pub fn terminal_line(request: &Request) -> String {
    format!("Toolgate: {} waits for you - run: toolgate inbox", request.id)
}

/// One sentence about a request, without the call.
#[must_use]
pub fn news(request: &Request) -> String {
    let what = match (&request.bypass, request.progress.overridden_ms) {
        (_, Some(_)) => "bypassed a guardrail in an unanswered emergency",
        (Some(_), None) => "asks to bypass a guardrail",
        (None, None) => "waits for a person",
    };
    let rules = match request.asks.as_slice() {
        [] => String::new(),
        asks => format!(" ({})", asks.join(", ")),
    };
    format!("A {} call {what}{rules}: toolgate inbox show {}", request.tool, request.id)
}

/// The body of a webhook: a text as chats take it, and the same in parts.
#[must_use]
pub fn webhook_body(request: &Request) -> Value {
    json!({
        "text": news(request),
        "request": request.id,
        "tool": request.tool,
        "rules": request.asks,
        "made_ms": request.made_ms,
        "expires_ms": request.expires_ms,
    })
}
