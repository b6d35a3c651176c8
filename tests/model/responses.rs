//! The OpenAI Responses API.

use super::dialect::{Call, Offer, SEARCHES, list, text_of};
use super::{Kind, News};
use serde_json::{Value, json};

/// Items the model itself wrote.
const OWN: &[&str] =
    &["function_call", "custom_tool_call", "local_shell_call", "tool_search_call", "reasoning"];

fn is_own(item: &Value) -> bool {
    item["role"] == "assistant" || item["type"].as_str().is_some_and(|kind| OWN.contains(&kind))
}

pub fn opening(body: &Value) -> String {
    let first = list(&body["input"]).iter().take_while(|item| !is_own(item));
    let texts: Vec<String> = first.map(|item| text_of(&item["content"])).collect();
    format!("{}\n{}", text_of(&body["instructions"]), texts.join("\n"))
}

pub fn news(body: &Value) -> Vec<News> {
    let items = list(&body["input"]);
    let last = items.iter().rposition(is_own);
    let news = |item: &Value| match item["type"].as_str() {
        Some(kind) if kind.ends_with("_output") => {
            News { kind: Kind::ToolResult { is_error: false }, text: text_of(&item["output"]) }
        }
        _ => {
            let kind = if item["role"] == "user" { Kind::User } else { Kind::System };
            News { kind, text: text_of(&item["content"]) }
        }
    };
    items[last.map_or(0, |last| last + 1)..].iter().map(news).collect()
}

pub fn offers(body: &Value) -> Vec<Offer> {
    // Some tools are inside the input: newer models get theirs there, and what was searched for.
    let holds_tools =
        |item: &&Value| item["type"] == "additional_tools" || item["type"] == "tool_search_output";
    let inside = list(&body["input"]).iter().filter(holds_tools);
    let tools = list(&body["tools"]).iter().chain(inside.flat_map(|item| list(&item["tools"])));
    tools.flat_map(offers_of).collect()
}

/// A tool, or those of a namespace.
fn offers_of(tool: &Value) -> Vec<Offer> {
    let offer = |tool: &Value, prefix: &str| {
        let name = tool["name"].as_str().or_else(|| tool["type"].as_str())?;
        Some(Offer { name: format!("{prefix}{name}"), schema: tool["parameters"].clone() })
    };
    match tool["type"] == "namespace" {
        true => {
            let prefix = format!("{}.", tool["name"].as_str().unwrap_or_default());
            list(&tool["tools"]).iter().filter_map(|tool| offer(tool, &prefix)).collect()
        }
        false => offer(tool, "").into_iter().collect(),
    }
}

pub fn answer(body: &Value, text: Option<&str>, calls: &[Call], n: usize) -> Value {
    let text = text.iter().map(|text| {
        json!({"type": "message", "id": format!("msg_{n}"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}]})
    });
    let calls = calls.iter().map(item_of);
    json!({
        "id": format!("resp_{n}"), "object": "response", "created_at": 1_767_225_600, "status": "completed",
        "model": body["model"], "output": text.chain(calls).collect::<Vec<_>>(), "parallel_tool_calls": true,
        "usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 10,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 20},
    })
}

fn item_of(call: &Call) -> Value {
    let mut item = json!({"id": format!("fc_{}", call.id), "call_id": call.id, "status": "completed"});
    if SEARCHES.contains(&call.name.as_str()) {
        item["type"] = json!("tool_search_call");
        item["execution"] = json!("client");
        item["arguments"] = call.input.clone();
        return item;
    }
    item["name"] = json!(call.name);
    if let Some(namespace) = &call.namespace {
        item["namespace"] = json!(namespace);
    }
    let (kind, field, input) = match &call.input {
        Value::String(text) => ("custom_tool_call", "input", text.clone()),
        input => ("function_call", "arguments", input.to_string()),
    };
    item["type"] = json!(kind);
    item[field] = json!(input);
    item
}

pub fn events(answer: &Value) -> String {
    let mut head = answer.clone();
    head["status"] = json!("in_progress");
    head["output"] = json!([]);
    let mut events = vec![json!({"type": "response.created", "response": head})];
    for (index, item) in list(&answer["output"]).iter().enumerate() {
        let mut started = item.clone();
        started["status"] = json!("in_progress");
        let (field, empty, whole) = match item["type"].as_str() {
            Some("message") => ("content", json!([]), &item["content"][0]["text"]),
            Some("function_call") => ("arguments", json!(""), &item["arguments"]),
            Some("tool_search_call") => ("arguments", json!({}), &Value::Null),
            _ => ("input", json!(""), &item["input"]),
        };
        started[field] = empty;
        events.push(json!({"type": "response.output_item.added", "output_index": index, "item": started}));
        let event = |kind: &str, name: &str, value: &Value| {
            let kind = format!("response.{kind}");
            json!({"type": kind, "item_id": item["id"], "output_index": index, "content_index": 0, name: value})
        };
        match field {
            "content" => {
                let part = json!({"type": "output_text", "text": "", "annotations": []});
                events.push(event("content_part.added", "part", &part));
                events.push(event("output_text.delta", "delta", whole));
                events.push(event("output_text.done", "text", whole));
                events.push(event("content_part.done", "part", &item["content"][0]));
            }
            "arguments" if whole.is_null() => {}
            "arguments" => {
                events.push(event("function_call_arguments.delta", "delta", whole));
                events.push(event("function_call_arguments.done", "arguments", whole));
            }
            _ => {
                events.push(event("custom_tool_call_input.delta", "delta", whole));
                events.push(event("custom_tool_call_input.done", "input", whole));
            }
        }
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    events.push(json!({"type": "response.completed", "response": answer}));
    let line = |(number, mut event): (usize, Value)| {
        event["sequence_number"] = json!(number);
        format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
    };
    events.into_iter().enumerate().map(line).collect()
}
