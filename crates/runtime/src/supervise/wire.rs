//! The words of the services that run models: what is sent, and where in what
//! comes back the answer is.
//!
//! Nothing is forgiven: a cut answer, a second choice, a remark next to the tool
//! call mean that there is none.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolgate_core::{Brief, Endpoint, Supervisor, answer_schema};

/// The version of Anthropic's interface that is spoken.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// The tool a model of Anthropic answers with.
const TOOL: &str = "answer";

/// One message to a service.
#[derive(Debug, Clone)]
pub(crate) struct Post {
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

/// The message that asks; `None` where no service is asked.
pub(crate) fn post(supervisor: &Supervisor, brief: &Brief, key: Option<&str>) -> Option<Post> {
    let base = supervisor.url.as_deref()?.trim_end_matches('/');
    let at = |end: &str| if base.ends_with(end) { base.to_owned() } else { format!("{base}{end}") };
    let (url, body, auth) = match supervisor.endpoint {
        Endpoint::Openai => {
            let auth = key.map(|key| ("authorization", format!("Bearer {key}")));
            (at("/chat/completions"), openai(supervisor, brief), auth)
        }
        Endpoint::Anthropic => {
            let auth = key.map(|key| ("x-api-key", key.to_owned()));
            (at("/v1/messages"), anthropic(supervisor, brief), auth)
        }
        Endpoint::Command => return None,
    };
    let mut headers = vec![("content-type", "application/json".to_owned())];
    if supervisor.endpoint == Endpoint::Anthropic {
        headers.push(("anthropic-version", ANTHROPIC_VERSION.to_owned()));
    }
    headers.extend(auth);
    Some(Post { url, headers, body: body.to_string() })
}

fn openai(supervisor: &Supervisor, brief: &Brief) -> Value {
    json!({
        "model": supervisor.model,
        "temperature": 0,
        "max_tokens": supervisor.answer_tokens,
        "messages": [
            { "role": "system", "content": brief.instructions },
            { "role": "user", "content": brief.text },
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": { "name": TOOL, "strict": true, "schema": answer_schema(&brief.question) },
        },
    })
}

fn anthropic(supervisor: &Supervisor, brief: &Brief) -> Value {
    json!({
        "model": supervisor.model,
        "temperature": 0,
        "max_tokens": supervisor.answer_tokens,
        "system": brief.instructions,
        "messages": [{ "role": "user", "content": brief.text }],
        "tools": [{
            "name": TOOL,
            "description": "Your judgement of the call.",
            "input_schema": answer_schema(&brief.question),
        }],
        "tool_choice": { "type": "tool", "name": TOOL },
    })
}

/// What a program is given.
pub(crate) fn on_stdin(brief: &Brief) -> String {
    json!({
        "version": 1,
        "request": brief.question.request,
        "nonce": brief.question.nonce,
        "instructions": brief.instructions,
        "brief": brief.text,
        "schema": answer_schema(&brief.question),
    })
    .to_string()
}

#[derive(Deserialize)]
struct OpenaiReply {
    choices: Vec<OpenaiChoice>,
}

#[derive(Deserialize)]
struct OpenaiChoice {
    message: OpenaiMessage,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct OpenaiMessage {
    content: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<Value>>,
}

#[derive(Deserialize)]
struct AnthropicReply {
    content: Vec<AnthropicBlock>,
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct AnthropicBlock {
    #[serde(rename = "type")]
    sort: String,
    name: Option<String>,
    input: Option<Box<RawValue>>,
}

/// The text of the answer inside what a service sent, or why there is none.
pub(crate) fn answer_in(endpoint: Endpoint, bytes: &[u8]) -> Result<String, &'static str> {
    let shape = "unexpected response format";
    let text = std::str::from_utf8(bytes).map_err(|_| "the answer is not text")?;
    match endpoint {
        Endpoint::Command => Ok(text.to_owned()),
        Endpoint::Openai => {
            let reply: OpenaiReply = serde_json::from_str(text).map_err(|_| shape)?;
            let [choice] = reply.choices.as_slice() else { return Err(shape) };
            let message = &choice.message;
            let calls = message.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
            match (&message.content, choice.finish_reason.as_deref()) {
                (_, Some("length")) => Err("the answer was cut off"),
                (Some(content), Some("stop")) if message.refusal.is_none() && !calls => Ok(content.clone()),
                _ => Err(shape),
            }
        }
        Endpoint::Anthropic => {
            let reply: AnthropicReply = serde_json::from_str(text).map_err(|_| shape)?;
            let [block] = reply.content.as_slice() else { return Err(shape) };
            let is_answer = block.sort == "tool_use" && block.name.as_deref() == Some(TOOL);
            match (&block.input, reply.stop_reason.as_deref()) {
                (_, Some("max_tokens")) => Err("the answer was cut off"),
                (Some(input), Some("tool_use")) if is_answer => Ok(input.get().to_owned()),
                _ => Err(shape),
            }
        }
    }
}
