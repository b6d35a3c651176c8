//! Reads what the model used from Claude Code's own transcript.
//!
//! One JSON object a line; an answer of several parts is in several lines
//! with the same id and counts once, with the highest figures any of them says:
//! the first line may be written before the answer is complete. Lines of other
//! sorts, and lines that cannot be read, count nothing.

use serde_json::Value;
use toolgate_core::{Spent, Tokens, Usage};

/// What complete lines say, given what was counted before them.
pub(super) fn usage(lines: &[u8], spent: &Spent) -> Usage {
    let mut usage = Usage { last: spent.last.clone(), last_tokens: spent.last_tokens, ..Usage::default() };
    for line in lines.split(|byte| *byte == b'\n') {
        let Ok(value) = serde_json::from_slice::<Value>(line) else { continue };
        let message =
            value.get("message").filter(|_| value.get("type").is_some_and(|kind| kind == "assistant"));
        let Some(message) = message else { continue };
        let id = message.get("id").and_then(Value::as_str).map(str::to_owned);
        let is_again = id.is_some() && id == usage.last;
        if !is_again {
            usage.last = id;
            usage.api_calls = usage.api_calls.saturating_add(1);
            usage.last_tokens = Tokens::default();
        }
        let (used, counted) = tokens(message).beyond(usage.last_tokens);
        usage.last_tokens = counted;
        usage.tokens = usage.tokens.saturating_add(used.sum());
        let model = message.get("model").and_then(Value::as_str).unwrap_or("unknown");
        let known = usage.models.entry(model.to_owned()).or_default();
        *known = known.and(used);
    }
    usage
}

fn tokens(message: &Value) -> Tokens {
    let usage = message.get("usage");
    let count = |name: &str| usage.and_then(|usage| usage.get(name)).and_then(Value::as_u64).unwrap_or(0);
    Tokens {
        input: count("input_tokens"),
        output: count("output_tokens"),
        cache_write: count("cache_creation_input_tokens"),
        cache_read: count("cache_read_input_tokens"),
    }
}

#[cfg(test)]
mod tests {
    use super::usage;
    use toolgate_core::Spent;

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
        let first = usage(text.as_bytes(), &Spent::default());
        assert_eq!((first.tokens, first.api_calls, first.last.as_deref()), (17, 2, Some("b")));
        let spent = Spent::default().after(&first);
        let second = usage(line("b", 5).as_bytes(), &spent);
        assert_eq!((second.tokens, second.api_calls), (0, 0), "the rest of an answer counted before");
        let more = usage([line("b", 3), line("b", 900)].concat().as_bytes(), &spent);
        assert_eq!((more.tokens, more.api_calls), (895, 0), "what is more than was counted");
        assert_eq!(
            usage(
                b"{\"type\":\"assistant\",\"message\":{\"usage\":{\"input_tokens\":-1}}}",
                &Spent::default()
            )
            .tokens,
            0
        );
    }
}
