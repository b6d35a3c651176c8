//! Single values of a JSON text replaced, with every other byte as it was.

use super::envelope::Members;
use serde_json::Value;
use serde_json::value::RawValue;
use std::ops::Range;

/// Where a part of a text lies in it. The part must be a slice of the text.
pub(super) fn span_in(text: &str, part: &str) -> Option<Range<usize>> {
    let start = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let range = start..start.checked_add(part.len())?;
    text.get(range.clone()).filter(|found| *found == part).map(|_| range)
}

/// The text with these stretches replaced.
pub(super) fn spliced(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in edits {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(&new);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// The edits that turn the texts in `part` of `whole` into those of `new`, which has the same
/// shape; what has another shape is left as it is.
pub(super) fn text_edits(whole: &str, part: &str, new: &Value, edits: &mut Vec<(Range<usize>, String)>) {
    match new {
        Value::Object(fields) => {
            let Ok(members) = serde_json::from_str::<Members<'_>>(part) else { return };
            for (name, value) in members.0 {
                if let Some(new) = fields.get(name.as_ref()) {
                    text_edits(whole, value, new, edits);
                }
            }
        }
        Value::Array(list) => {
            let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(part) else { return };
            items.iter().zip(list).for_each(|(item, new)| text_edits(whole, item.get(), new, edits));
        }
        Value::String(text) => {
            let differs = serde_json::from_str::<String>(part).is_ok_and(|old| old != *text);
            if let Some(range) = span_in(whole, part).filter(|_| differs) {
                edits.push((range, new.to_string()));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_changed_texts_change() {
        let text = r#"{ "a" : [ "x\u0041", 1.0, {"b":"y"} ],"c":"z" }"#;
        let mut edits = Vec::new();
        text_edits(text, text, &json!({ "a": ["xA", 1, { "b": "new" }], "c": "z" }), &mut edits);
        assert_eq!(spliced(text, edits), r#"{ "a" : [ "x\u0041", 1.0, {"b":"new"} ],"c":"z" }"#);
    }
}
