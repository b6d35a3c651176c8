//! The Chat Completions API.

use super::dialect::{Call, Offer, data_lines, list, text_of};
use super::{Kind, News};
use serde_json::{Value, json};

pub fn opening(body: &Value) -> String {
    let first = list(&body["messages"]).iter().take_while(|message| message["role"] != "assistant");
    first.map(|message| text_of(&message["content"])).collect::<Vec<_>>().join("\n")
}

pub fn news(body: &Value) -> Vec<News> {
    let messages = list(&body["messages"]);
    let batch = messages.iter().rev().find(|message| message["role"] == "assistant").and_then(batch_of);
    // Some agents tell calls made at once as answers of their own, each with its result.
    let is_last =
        |message: &Value| message["role"] == "assistant" && (batch.is_none() || batch_of(message) == batch);
    let last = match batch {
        Some(_) => messages.iter().position(is_last),
        None => messages.iter().rposition(is_last),
    };
    let kind = |message: &Value| match message["role"].as_str() {
        Some("tool") => Kind::ToolResult { is_error: false },
        Some("system" | "developer") => Kind::System,
        _ => Kind::User,
    };
    let news = |message: &Value| News { kind: kind(message), text: text_of(&message["content"]) };
    let rest = messages[last.map_or(0, |last| last + 1)..].iter();
    rest.filter(|message| message["role"] != "assistant").map(news).collect()
}

/// What the ids of the calls of one answer have in common.
fn batch_of(message: &Value) -> Option<&str> {
    let id = message["tool_calls"][0]["id"].as_str()?;
    Some(id.rsplit_once('_').map_or(id, |(batch, _)| batch))
}

pub fn offers(body: &Value) -> Vec<Offer> {
    let offer = |tool: &Value| {
        let tool = tool.get("function").unwrap_or(tool);
        Some(Offer { name: tool["name"].as_str()?.to_string(), schema: tool["parameters"].clone() })
    };
    list(&body["tools"]).iter().filter_map(offer).collect()
}

pub fn answer(body: &Value, text: Option<&str>, calls: &[Call], n: usize) -> Value {
    let mut message = json!({"role": "assistant", "content": text});
    if !calls.is_empty() {
        let call = |call: &Call| {
            json!({"id": call.id, "type": "function",
                "function": {"name": call.name, "arguments": call.object().to_string()}})
        };
        message["tool_calls"] = calls.iter().map(call).collect();
    }
    let end = if calls.is_empty() { "stop" } else { "tool_calls" };
    json!({
        "id": format!("chatcmpl-{n}"), "object": "chat.completion", "created": 1_767_225_600,
        "model": body["model"], "choices": [{"index": 0, "message": message, "finish_reason": end}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20},
    })
}

pub fn events(answer: &Value) -> String {
    let message = &answer["choices"][0]["message"];
    let chunk = |choices: Value, usage: &Value| {
        json!({"id": answer["id"], "object": "chat.completion.chunk", "created": answer["created"],
            "model": answer["model"], "choices": choices, "usage": usage})
    };
    let delta = |delta: Value, end: &Value| {
        chunk(json!([{"index": 0, "delta": delta, "finish_reason": end}]), &Value::Null)
    };
    let text = message["content"].as_str().unwrap_or_default();
    let mut events = vec![delta(json!({"role": "assistant", "content": text}), &Value::Null)];
    for (index, call) in list(&message["tool_calls"]).iter().enumerate() {
        let mut call = call.clone();
        call["index"] = json!(index);
        events.push(delta(json!({"tool_calls": [call]}), &Value::Null));
    }
    events.push(delta(json!({}), &answer["choices"][0]["finish_reason"]));
    events.push(chunk(json!([]), &answer["usage"]));
    data_lines(&events) + "data: [DONE]\n\n"
}
