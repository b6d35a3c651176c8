//! What the program quotes as evidence is what was written: the bytes at the
//! named place of the input, or of the named file.

use serde_json::Value;
use std::fs;

/// How many quotations an answer has, and what is wrong with each that is not at its place.
pub fn check(input: &Value, line: &Value) -> (usize, Vec<String>) {
    let findings = line.get("findings").and_then(Value::as_array).cloned().unwrap_or_default();
    // After a rewrite guards judge the new input, and quote that.
    let rewritten = line.get("modified_input").unwrap_or(input);
    let (mut quoted, mut wrong) = (0, Vec::new());
    for finding in &findings {
        for one in finding.get("evidence").and_then(Value::as_array).into_iter().flatten() {
            let is_quoted = one.get("field").is_some() || one.get("file").is_some();
            quoted += usize::from(is_quoted);
            if is_quoted && !is_at_its_place(one, input) && !is_at_its_place(one, rewritten) {
                let guard = finding.get("guard").and_then(Value::as_str).unwrap_or_default();
                wrong.push(format!("{guard} quotes {one}"));
            }
        }
    }
    (quoted, wrong)
}

fn is_at_its_place(one: &Value, input: &Value) -> bool {
    let source = match (one.get("field").and_then(Value::as_str), one.get("file").and_then(Value::as_str)) {
        (Some(field), _) => field_of(input, field),
        (None, Some(file)) => fs::read_to_string(file).ok(),
        (None, None) => None,
    };
    let number = |name: &str| usize::try_from(one.get(name)?.as_u64()?).ok();
    let (Some(source), Some(start), Some(end), Some(line)) =
        (source, number("start"), number("end"), number("line"))
    else {
        return false;
    };
    let marks = one.get("marks").and_then(Value::as_array).cloned().unwrap_or_default();
    let inside = |mark: &Value| {
        let at = |name: &str| mark.get(name).and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
        matches!((at("start"), at("end")), (Some(a), Some(b)) if start <= a && a < b && b <= end
            && source.get(a..b).is_some())
    };
    source.get(start..end) == one.get("text").and_then(Value::as_str)
        && source.get(..start).is_some_and(|before| before.matches('\n').count() + 1 == line)
        && marks.iter().all(inside)
}

/// `a.b.1` in the input.
fn field_of(input: &Value, field: &str) -> Option<String> {
    let step = |value: &Value, key: &str| match value {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?).cloned(),
        _ => value.get(key).cloned(),
    };
    let found = field.split('.').try_fold(input.clone(), |value, key| step(&value, key))?;
    found.as_str().map(str::to_owned)
}

#[test]
fn a_quotation_that_was_not_written_is_found() {
    let input = serde_json::json!({ "command": "ls\nrm x" });
    let line = |text: &str, start: usize, end: usize, line: usize| {
        serde_json::json!({ "findings": [{ "guard": "g", "evidence": [
            { "text": text, "field": "command", "start": start, "end": end, "line": line },
            { "text": "a remark" },
        ] }] })
    };
    assert_eq!(check(&input, &line("rm x", 3, 7, 2)), (1, Vec::new()));
    for wrong in
        [line("rm -f x", 3, 7, 2), line("rm x", 2, 6, 2), line("rm x", 3, 7, 1), line("rm x", 3, 9, 2)]
    {
        assert_eq!(check(&input, &wrong).1.len(), 1, "{wrong}");
    }
}
