//! What differs between the APIs models are reached by: one `Dialect` each, and what they share.

use super::{News, anthropic, chat, gemini, responses};
use serde_json::{Map, Value, json};

/// One API: how requests are read and answers are written.
pub struct Dialect {
    /// The path of requests ends so, before any `:method`.
    path: fn(&str) -> bool,
    /// System prompt and everything before the first answer; tells sub-agents apart.
    pub opening: fn(&Value) -> String,
    /// What is new since the last answer.
    pub news: fn(&Value) -> Vec<News>,
    /// The tools that may be called.
    pub offers: fn(&Value) -> Vec<Offer>,
    /// The whole answer, from the request, the text, the calls and a number.
    pub answer: fn(&Value, Option<&str>, &[Call], usize) -> Value,
    /// The same answer as a stream.
    pub events: fn(&Value) -> String,
}

const DIALECTS: &[Dialect] = &[
    Dialect {
        path: |path| path.ends_with("/messages"),
        opening: anthropic::opening,
        news: anthropic::news,
        offers: anthropic::offers,
        answer: anthropic::answer,
        events: anthropic::events,
    },
    Dialect {
        path: |path| path.ends_with("/responses"),
        opening: responses::opening,
        news: responses::news,
        offers: responses::offers,
        answer: responses::answer,
        events: responses::events,
    },
    Dialect {
        path: |path| path.ends_with("/chat/completions"),
        opening: chat::opening,
        news: chat::news,
        offers: chat::offers,
        answer: chat::answer,
        events: chat::events,
    },
    Dialect {
        path: |path| path.contains("enerateContent"),
        opening: gemini::opening,
        news: gemini::news,
        offers: gemini::offers,
        answer: gemini::answer,
        events: gemini::events,
    },
];

impl Dialect {
    /// The API a path belongs to.
    pub fn of(path: &str) -> Option<&'static Dialect> {
        DIALECTS.iter().find(|dialect| (dialect.path)(path))
    }
}

/// The tools that find tools the agent has not offered yet.
pub const SEARCHES: &[&str] = &["tool_search", "ToolSearch"];

/// A tool the agent offers.
pub struct Offer {
    /// Its name, `NAMESPACE.NAME` where tools have namespaces.
    pub name: String,
    /// JSON schema of its arguments.
    pub schema: Value,
}

/// A call as it is written into an answer. An input that is a text is a free-form call.
#[derive(Debug)]
pub struct Call {
    pub id: String,
    pub namespace: Option<String>,
    pub name: String,
    pub input: Value,
}

impl Call {
    /// The input for APIs that know only objects.
    pub fn object(&self) -> Value {
        if self.input.is_object() { self.input.clone() } else { json!({"input": self.input}) }
    }
}

/// Requests the agent makes for itself: without tools, or with the one that takes a title.
pub fn is_side(offers: &[Offer]) -> bool {
    offers.iter().all(|offer| offer.name == "session_title")
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// All text in a message or a part of one.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        Value::Object(part) => {
            let inner = ["text", "content", "output", "parts"].iter().find_map(|name| part.get(*name));
            inner.map(text_of).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// The JSON schema the answer has to follow, if there is one.
pub fn wanted_schema(body: &Value) -> Option<&Value> {
    [
        "/output_config/format/schema",
        "/output_format/schema",
        "/text/format/schema",
        "/response_format/json_schema/schema",
        "/generationConfig/responseJsonSchema",
        "/generationConfig/responseSchema",
    ]
    .iter()
    .find_map(|pointer| body.pointer(pointer))
}

/// A smallest value that fits a schema.
pub fn smallest(schema: &Value) -> Value {
    if let Some(first) = schema.get("const").or_else(|| schema.pointer("/enum/0")) {
        return first.clone();
    }
    if let Some(first) =
        ["/anyOf/0", "/oneOf/0", "/allOf/0"].iter().find_map(|pointer| schema.pointer(pointer))
    {
        return smallest(first);
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or("string");
    match kind.to_ascii_lowercase().as_str() {
        "object" => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            fields.map(|(key, value)| (key.clone(), smallest(value))).collect::<Map<_, _>>().into()
        }
        "array" => json!([]),
        "number" | "integer" => json!(0),
        "boolean" => json!(false),
        "null" => Value::Null,
        _ => json!("ok"),
    }
}

/// Lines of a stream without event names.
pub fn data_lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}
