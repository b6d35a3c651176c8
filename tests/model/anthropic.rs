//! The Anthropic Messages API.

use super::dialect::{Call, Offer, list, text_of};
use super::{Kind, News};
use serde_json::{Value, json};

pub fn opening(body: &Value) -> String {
    let first = list(&body["messages"]).iter().take_while(|message| message["role"] != "assistant");
    let texts: Vec<String> = first.map(|message| text_of(&message["content"])).collect();
    format!("{}\n{}", text_of(&body["system"]), texts.join("\n"))
}

pub fn news(body: &Value) -> Vec<News> {
    let messages = list(&body["messages"]);
    let last = messages.iter().rposition(|message| message["role"] == "assistant");
    messages[last.map_or(0, |last| last + 1)..].iter().flat_map(news_of_message).collect()
}

fn news_of_message(message: &Value) -> Vec<News> {
    let speaker = if message["role"] == "system" { Kind::System } else { Kind::User };
    let Some(blocks) = message["content"].as_array() else {
        return vec![News { kind: speaker, text: text_of(&message["content"]) }];
    };
    let news = |block: &Value| match block["type"].as_str() {
        Some("tool_result") => {
            let kind = Kind::ToolResult { is_error: block["is_error"] == true };
            Some(News { kind, text: text_of(&block["content"]) })
        }
        Some("text") => Some(News { kind: speaker, text: text_of(&block["text"]) }),
        _ => None,
    };
    blocks.iter().filter_map(news).collect()
}

pub fn offers(body: &Value) -> Vec<Offer> {
    let offer = |tool: &Value| {
        Some(Offer { name: tool["name"].as_str()?.to_string(), schema: tool["input_schema"].clone() })
    };
    list(&body["tools"]).iter().filter_map(offer).collect()
}

pub fn answer(body: &Value, text: Option<&str>, calls: &[Call], n: usize) -> Value {
    let text = text.iter().map(|text| json!({"type": "text", "text": text}));
    let uses = calls.iter().map(|call| {
        json!({"type": "tool_use", "id": format!("toolu_{}", call.id), "name": call.name, "input": call.object()})
    });
    json!({
        "id": format!("msg_{n}"), "type": "message", "role": "assistant", "model": body["model"],
        "content": text.chain(uses).collect::<Vec<_>>(),
        "stop_reason": if calls.is_empty() { "end_turn" } else { "tool_use" }, "stop_sequence": null,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    })
}

pub fn events(message: &Value) -> String {
    let mut head = message.clone();
    head["content"] = json!([]);
    head["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": head})];
    for (index, block) in list(&message["content"]).iter().enumerate() {
        let (start, delta) = start_and_delta(block);
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let end = json!({"stop_reason": message["stop_reason"], "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": 10}}));
    events.push(json!({"type": "message_stop"}));
    let line =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    events.iter().map(line).collect()
}

fn start_and_delta(block: &Value) -> (Value, Value) {
    let mut start = block.clone();
    if block["type"] == "text" {
        start["text"] = json!("");
        return (start, json!({"type": "text_delta", "text": block["text"]}));
    }
    start["input"] = json!({});
    (start, json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}))
}
