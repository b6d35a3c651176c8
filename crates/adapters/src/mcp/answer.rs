//! What the proxy says itself: denials, errors, its own request for the list of
//! tools, and what it adds to or takes out of a result.

use super::envelope::{Members, envelope};
use super::splice::{span_in, spliced, text_edits};
use serde_json::{Value, json};

/// A call that does not run, as a result the model can read. An unknown tool is an error of the
/// protocol; this is not.
#[must_use]
pub fn denied_result(id: &str, text: &str, is_modern: bool) -> String {
    let mut result = json!({
        "content": [{ "type": "text", "text": text }],
        "isError": true,
        "_meta": { "toolgate/blocked": true },
    });
    if let Some(fields) = result.as_object_mut().filter(|_| is_modern) {
        fields.insert("resultType".to_owned(), json!("complete"));
    }
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// An error of the protocol; no id where the message had none that can be told.
#[must_use]
pub fn error_answer(id: Option<&str>, code: i64, text: &str) -> String {
    let error = json!({ "code": code, "message": text });
    format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, id.unwrap_or("null"))
}

/// The proxy's own request for the list of tools; `meta` is what requests of the newer protocol
/// carry, as the client wrote it.
#[must_use]
pub fn listing_request(id: &str, cursor: Option<&str>, meta: Option<&str>) -> String {
    let cursor = cursor.map(|cursor| format!(r#""cursor":{}"#, Value::String(cursor.to_owned())));
    let meta = meta.map(|meta| format!(r#""_meta":{meta}"#));
    let params: Vec<String> = cursor.into_iter().chain(meta).collect();
    format!(
        r#"{{"jsonrpc":"2.0","id":{},"method":"tools/list","params":{{{}}}}}"#,
        Value::String(id.to_owned()),
        params.join(",")
    )
}

/// A line whose result has other texts, and no other byte changed.
#[must_use]
pub fn without_secrets(line: &str, new: &Value) -> Option<String> {
    let found = envelope(line).ok()?;
    let result = found.result.or(found.error)?;
    let mut edits = Vec::new();
    text_edits(line, result, new, &mut edits);
    (!edits.is_empty()).then(|| spliced(line, edits))
}

/// A line whose result has one more text for the model; as it is where the result has no content.
#[must_use]
pub fn with_note(line: &str, text: &str) -> String {
    let added = || {
        let result = envelope(line).ok()?.result?;
        let members: Members<'_> = serde_json::from_str(result).ok()?;
        let content = members.0.iter().find(|(name, _)| name == "content").map(|(_, value)| *value)?;
        let range = span_in(line, content.trim_end())?;
        let end = range.end.checked_sub(1).filter(|_| content.starts_with('['))?;
        let is_empty = content.get(1..content.len().saturating_sub(1))?.trim().is_empty();
        let item = json!({ "type": "text", "text": format!("[Toolgate] {text}") });
        let comma = if is_empty { "" } else { "," };
        Some(spliced(line, vec![(end..end, format!("{comma}{item}"))]))
    };
    added().unwrap_or_else(|| line.to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_messages() {
        for line in [
            denied_result("1.0", "no \"x\"\n", false),
            denied_result("\"a\"", "no", true),
            error_answer(None, -32700, "bad"),
            listing_request("own-1", Some("c\""), Some(r#"{"a":1}"#)),
        ] {
            let value: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(value.get("jsonrpc"), Some(&json!("2.0")), "{line}");
            assert!(!line.contains('\n'));
            assert!(envelope(&line).is_ok(), "{line}");
        }
    }

    #[test]
    fn results_change_only_where_they_must() {
        let line = r#"{"id":1, "result": {"content": [ {"type":"text","text":"key abc"} ], "n":1.0}}"#;
        let new = json!({ "content": [{ "type": "text", "text": "key [redacted]" }], "n": 1 });
        assert_eq!(without_secrets(line, &new).unwrap(), line.replace("key abc", "key [redacted]"));
        let noted = with_note(line, "untrusted");
        assert_eq!(noted, line.replace("\"} ]", r#""} ,{"type":"text","text":"[Toolgate] untrusted"}]"#));
        let empty = r#"{"id":1,"result":{"content":[]}}"#;
        assert!(serde_json::from_str::<Value>(&with_note(empty, "x")).is_ok());
        let other = r#"{"id":1,"result":{"tools":[]}}"#;
        assert_eq!(with_note(other, "x"), other);
    }
}
