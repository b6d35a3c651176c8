//! What an MCP client or server sends: any bytes go in. Used by the fuzz target and
//! by the smoke test of `toolgate-adapters`.

use serde_json::{Value, json};
use toolgate_adapters::mcp::{
    Id, denied_result, envelope, is_harmless_noise, judged_call, list_page, strict_value, with_arguments,
    with_note, with_stubs, without_secrets,
};

/// What is read of a message is what any other reader finds in it, and what is
/// changed is still a message.
pub fn message(text: &str) {
    let value: Option<Value> = serde_json::from_str(text).ok();
    let Ok(found) = envelope(text) else {
        // What is no message and may pass all the same holds no call.
        assert!(
            !(is_harmless_noise(text.as_bytes()) && text.to_lowercase().contains("tools/call")),
            "{text:?}"
        );
        return;
    };
    // Too deep, or a number no one can hold: it is passed on unread, and no call.
    let Some(value) = value else { return };
    let method = value.get("method").and_then(Value::as_str);
    assert_eq!(found.method.as_deref(), method, "{text:?}");
    for (name, part) in [("params", found.params), ("result", found.result), ("error", found.error)] {
        let part: Option<Value> = part.map(|part| serde_json::from_str(part).expect("a part is JSON"));
        assert_eq!(part.as_ref(), value.get(name), "{text:?}");
    }
    if let Some(id) = found.id_text {
        assert_eq!(found.id, Id::of(id));
        let denied = denied_result(id, "x\u{1b}\"\n", true);
        assert!(envelope(&denied).is_ok(), "{denied:?}");
    }
    if let Ok(call) = judged_call(found.params) {
        let params = value.get("params").cloned().unwrap_or_default();
        assert_eq!(params.get("name").and_then(Value::as_str), Some(call.tool.as_str()), "{text:?}");
        let given = params.get("arguments").filter(|one| !one.is_null()).cloned();
        assert_eq!(given.unwrap_or_else(|| json!({})), call.arguments, "{text:?}");
        if let Some(new) = found.params.and_then(|params| with_arguments(text, params, &json!({ "new": 1 })))
        {
            let mut wanted = value.clone();
            wanted["params"]["arguments"] = json!({ "new": 1 });
            assert_eq!(serde_json::from_str::<Value>(&new).ok(), Some(wanted), "{text:?}");
        }
    }
    assert!(envelope(&with_note(text, "x")).is_ok(), "{text:?}");
    if let Some(result) = found.result.and_then(strict_value) {
        assert_eq!(
            without_secrets(text, &result),
            None,
            "nothing changes where nothing is to change: {text:?}"
        );
    }
    if let Some(page) = list_page(text) {
        let stubs: Vec<Option<(String, String)>> =
            page.tools.iter().map(|_| Some((String::new(), "x".to_owned()))).collect();
        let new = with_stubs(text, &stubs).expect("a page with stubs");
        assert_eq!(list_page(&new).map(|page| page.tools.len()), Some(stubs.len()), "{text:?}");
    }
}

/// The same for any bytes.
pub fn bytes(bytes: &[u8]) {
    message(&String::from_utf8_lossy(bytes));
}
