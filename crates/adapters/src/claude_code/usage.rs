//! Reads what the model used from Claude Code's own transcript.
//!
//! One JSON object a line; an answer of several parts stands in several lines
//! with the same id and the same usage, and counts once. Lines of other sorts,
//! and lines that cannot be read, count nothing.

use serde_json::Value;
use toolgate_core::Usage;

/// What complete lines say. `last` is the answer counted last before them.
pub(super) fn usage(lines: &[u8], last: Option<&str>) -> Usage {
    let mut usage = Usage { last: last.map(str::to_owned), ..Usage::default() };
    for line in lines.split(|byte| *byte == b'\n') {
        let Ok(value) = serde_json::from_slice::<Value>(line) else { continue };
        let message =
            value.get("message").filter(|_| value.get("type").is_some_and(|kind| kind == "assistant"));
        let Some(message) = message else { continue };
        let id = message.get("id").and_then(Value::as_str).map(str::to_owned);
        if id.is_some() && id == usage.last {
            continue;
        }
        usage.last = id;
        usage.api_calls = usage.api_calls.saturating_add(1);
        usage.tokens = usage.tokens.saturating_add(tokens(message));
    }
    usage
}

fn tokens(message: &Value) -> u64 {
    let fields = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    let count = |name: &&str| message.get("usage").and_then(|usage| usage.get(*name)).and_then(Value::as_u64);
    fields.iter().filter_map(count).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::usage;

    #[test]
    fn an_answer_counts_once() {
        let line = |id: &str, tokens: u64| {
            format!(
                "{{\"type\":\"assistant\",\"message\":{{\"id\":\"{id}\",\"usage\":{{\"input_tokens\":{tokens},\"output_tokens\":1}}}}}}\n"
            )
        };
        let text = [
            line("a", 10),
            line("a", 10),
            "{\"type\":\"user\",\"message\":{\"usage\":{\"input_tokens\":99}}}\n".to_owned(),
            "not json\n".to_owned(),
            line("b", 5),
        ]
        .concat();
        let first = usage(text.as_bytes(), None);
        assert_eq!((first.tokens, first.api_calls, first.last.as_deref()), (17, 2, Some("b")));
        let second = usage(line("b", 5).as_bytes(), first.last.as_deref());
        assert_eq!((second.tokens, second.api_calls), (0, 0), "the rest of an answer counted before");
        assert_eq!(
            usage(b"{\"type\":\"assistant\",\"message\":{\"usage\":{\"input_tokens\":-1}}}", None).tokens,
            0
        );
    }
}
