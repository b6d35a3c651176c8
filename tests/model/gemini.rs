//! The Gemini API (`generateContent`).

use super::dialect::{Call, Offer, data_lines, list, text_of};
use super::{Kind, News};
use serde_json::{Value, json};

pub fn opening(body: &Value) -> String {
    let first = list(&body["contents"]).iter().take_while(|message| message["role"] != "model");
    let texts: Vec<String> = first.map(|message| text_of(&message["parts"])).collect();
    format!("{}\n{}", text_of(&body["systemInstruction"]), texts.join("\n"))
}

pub fn news(body: &Value) -> Vec<News> {
    let messages = list(&body["contents"]);
    let last = messages.iter().rposition(|message| message["role"] == "model");
    let parts =
        messages[last.map_or(0, |last| last + 1)..].iter().flat_map(|message| list(&message["parts"]));
    let news = |part: &Value| match part.pointer("/functionResponse/response") {
        Some(response) => {
            let said = response.get("output").or_else(|| response.get("error")).unwrap_or(response);
            let text = if said.is_object() { said.to_string() } else { text_of(said) };
            let kind = Kind::ToolResult { is_error: response.get("error").is_some() };
            Some(News { kind, text })
        }
        None => Some(News { kind: Kind::User, text: part["text"].as_str()?.to_string() }),
    };
    parts.filter_map(news).collect()
}

pub fn offers(body: &Value) -> Vec<Offer> {
    let declared = list(&body["tools"]).iter().flat_map(|tool| list(&tool["functionDeclarations"]));
    let offer = |tool: &Value| {
        let schema = tool.get("parametersJsonSchema").unwrap_or(&tool["parameters"]);
        Some(Offer { name: tool["name"].as_str()?.to_string(), schema: schema.clone() })
    };
    declared.filter_map(offer).collect()
}

pub fn answer(_: &Value, text: Option<&str>, calls: &[Call], n: usize) -> Value {
    let text = text.iter().map(|text| json!({"text": text}));
    let calls = calls
        .iter()
        .map(|call| json!({"functionCall": {"id": call.id, "name": call.name, "args": call.object()}}));
    let parts: Vec<Value> = text.chain(calls).collect();
    json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
        "modelVersion": "scripted", "responseId": format!("resp_{n}"),
    })
}

pub fn events(answer: &Value) -> String {
    data_lines(std::slice::from_ref(answer))
}
