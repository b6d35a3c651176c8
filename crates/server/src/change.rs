//! What a call would change in a file, line by line: `-` what goes, `+` what
//! comes, every line of both.
//!
//! Only for inputs that say exactly this and nothing else; whatever has a field
//! more is shown as it is, so that nothing hides behind a change.

use crate::shown::Shown;
use serde_json::{Map, Value};

/// Lines of both sides compared one by one; more are shown as gone and come.
const COMPARED_MAX: usize = 1_000_000;

/// One piece of a file, before and after.
pub(crate) struct Change {
    /// What it is: the file, and how often.
    pub head: Shown,
    pub lines: Vec<Line>,
}

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// `+`, `-` or a blank.
    pub sign: char,
    /// Its class on the page.
    pub sort: &'static str,
    /// Hidden characters spelled out.
    pub text: Shown,
}

impl Line {
    fn new(sign: char, text: &str) -> Line {
        let sort = match sign {
            '+' => "comes",
            '-' => "goes",
            _ => "stays",
        };
        Line { sign, sort, text: Shown::all(text.strip_suffix('\n').unwrap_or(text)) }
    }
}

/// The changes a call makes; none if it is no change of a file, or says more
/// than that.
pub(crate) fn changes(tool: &str, input: &str) -> Option<Vec<Change>> {
    let value: Value = serde_json::from_str(input).ok()?;
    let fields = value.as_object()?;
    let file = text(fields, "file_path")?;
    match tool {
        "Write" if only(fields, &["file_path", "content"]) => {
            let lines = compared("", text(fields, "content")?);
            Some(vec![Change { head: Shown::all(&format!("{file} – new content")), lines }])
        }
        "Edit" => edit(file, fields, &["file_path", "old_string", "new_string", "replace_all"])
            .map(|change| vec![change]),
        "MultiEdit" if only(fields, &["file_path", "edits"]) => {
            let edits = fields.get("edits")?.as_array().filter(|edits| !edits.is_empty())?;
            let one =
                |value: &Value| edit(file, value.as_object()?, &["old_string", "new_string", "replace_all"]);
            edits.iter().map(one).collect()
        }
        _ => None,
    }
}

fn edit(file: &str, fields: &Map<String, Value>, known: &[&str]) -> Option<Change> {
    let everywhere = match fields.get("replace_all") {
        None => false,
        Some(value) => value.as_bool()?,
    };
    let (old, new) = (text(fields, "old_string")?, text(fields, "new_string")?);
    let often = if everywhere { "all occurrences" } else { "one occurrence" };
    let head = Shown::all(&format!("{file} – {often}"));
    only(fields, known).then(|| Change { head, lines: compared(old, new) })
}

fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    fields.get(name)?.as_str()
}

fn only(fields: &Map<String, Value>, known: &[&str]) -> bool {
    fields.keys().all(|key| known.contains(&key.as_str()))
}

/// Every line of both texts: what is the same at both ends and between stays.
fn compared(old: &str, new: &str) -> Vec<Line> {
    let (old, new) = (lines(old), lines(new));
    let begin = old.iter().zip(&new).take_while(|(one, two)| one == two).count();
    let rest = old.len().min(new.len()).saturating_sub(begin);
    let end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(one, two)| one == two).count();
    let part = |all: &[&str]| -> Vec<String> {
        let count = all.len().saturating_sub(begin).saturating_sub(end);
        all.iter().skip(begin).take(count).map(|line| (*line).to_owned()).collect()
    };
    let mut all: Vec<Line> = old.iter().take(begin).map(|line| Line::new(' ', line)).collect();
    all.extend(between(&part(&old), &part(&new)));
    all.extend(old.iter().skip(old.len().saturating_sub(end)).map(|line| Line::new(' ', line)));
    all
}

/// The lines with their ends, so that a last one without is another line.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn between(old: &[String], new: &[String]) -> Vec<Line> {
    let all_of = |sign: char, lines: &[String]| -> Vec<Line> {
        lines.iter().map(|line| Line::new(sign, line)).collect()
    };
    if old.len().saturating_mul(new.len()) > COMPARED_MAX {
        return all_of('-', old).into_iter().chain(all_of('+', new)).collect();
    }
    // How many lines the rests behind each pair have in common.
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    let at = |common: &[u32], i: usize, j: usize| common.get(i * width + j).copied().unwrap_or(0);
    for (i, one) in old.iter().enumerate().rev() {
        for (j, two) in new.iter().enumerate().rev() {
            let longest = if one == two {
                at(&common, i + 1, j + 1) + 1
            } else {
                at(&common, i + 1, j).max(at(&common, i, j + 1))
            };
            if let Some(place) = common.get_mut(i * width + j) {
                *place = longest;
            }
        }
    }
    let (mut i, mut j, mut all) = (0, 0, Vec::new());
    loop {
        match (old.get(i), new.get(j)) {
            (Some(one), Some(two)) if one == two => {
                all.push(Line::new(' ', one));
                (i, j) = (i + 1, j + 1);
            }
            (Some(one), other) if other.is_none() || at(&common, i + 1, j) >= at(&common, i, j + 1) => {
                all.push(Line::new('-', one));
                i += 1;
            }
            (_, Some(two)) => {
                all.push(Line::new('+', two));
                j += 1;
            }
            _ => return all,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(tool: &str, input: &Value) -> Option<String> {
        let found = changes(tool, &input.to_string())?;
        let change = |one: &Change| {
            let lines = one.lines.iter().map(|line| format!("{}{}\n", line.sign, line.text));
            format!("{}\n{}", one.head, lines.collect::<String>())
        };
        Some(found.iter().map(change).collect())
    }

    #[test]
    fn every_line_of_both_sides_is_there() {
        let edit = json!({ "file_path": "a", "old_string": "one\ntwo\nthree\nfour\n", "new_string": "one\n2\nthree\nfour\nfive\n" });
        assert_eq!(
            shown("Edit", &edit).unwrap(),
            "a – one occurrence\n one\n-two\n+2\n three\n four\n+five\n"
        );
        let write = json!({ "file_path": "a\u{202e}", "content": "x\u{1b}\r\ny\n" });
        assert_eq!(
            shown("Write", &write).unwrap(),
            "a<mark>\\u{202e}</mark> – new content\n+x<mark>\\u{1b}\\u{d}</mark>\n+y\n"
        );
        let several = json!({ "file_path": "a", "edits": [
            { "old_string": "x", "new_string": "y", "replace_all": true }, { "old_string": "p", "new_string": "" }] });
        assert_eq!(
            shown("MultiEdit", &several).unwrap(),
            "a – all occurrences\n-x\n+y\na – one occurrence\n-p\n"
        );
    }

    #[test]
    fn what_says_more_is_shown_as_it_is() {
        for (tool, input) in [
            ("Write", json!({ "file_path": "a", "content": "x", "mode": "777" })),
            ("Write", json!({ "file_path": "a", "content": 1 })),
            ("Edit", json!({ "file_path": "a", "old_string": "x" })),
            ("Edit", json!({ "file_path": "a", "old_string": "x", "new_string": "y", "replace_all": "no" })),
            (
                "MultiEdit",
                json!({ "file_path": "a", "edits": [{ "old_string": "x", "new_string": "y", "also": 1 }] }),
            ),
            ("MultiEdit", json!({ "file_path": "a", "edits": [] })),
            ("mcp__files__Write", json!({ "file_path": "a", "content": "x" })),
        ] {
            assert!(changes(tool, &input.to_string()).is_none(), "{tool} {input}");
        }
    }
}
