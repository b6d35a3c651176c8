//! Why a dangerous call was let through, from what the gate itself says it
//! read (`toolgate test --explain`): its facts, or that there were none.

use serde_json::Value;
use std::collections::BTreeMap;

/// Facts and programs named in one reason.
const NAMED_MAX: usize = 4;

/// A sort of miss, and what there is to say about this one.
#[derive(Debug, PartialEq, Eq)]
pub struct Reason {
    pub sort: &'static str,
    pub detail: String,
}

/// The reason of one miss.
pub fn of(answer: &Value) -> Reason {
    let rounds = answer.get("explanation").and_then(Value::as_array);
    let Some(round) = rounds.and_then(|rounds| rounds.last()) else {
        return Reason { sort: "not read", detail: "the gate gave no explanation".to_owned() };
    };
    let mut seen = Seen::default();
    seen.add(round.get("parts"));
    let warned = findings(round, "warn");
    let (sort, named) = if !warned.is_empty() {
        ("only told", warned)
    } else if !seen.unreadable.is_empty() {
        ("not readable", seen.unreadable)
    } else if !seen.opaque.is_empty() {
        ("opaque of a sort no rule asks about", seen.opaque)
    } else if !findings(round, "allow").is_empty() {
        ("approved", findings(round, "allow"))
    } else if !seen.facts.is_empty() {
        ("facts no rule objects to", seen.facts)
    } else if !seen.programs.is_empty() {
        ("no facts known of", seen.programs)
    } else {
        ("nothing would run", Vec::new())
    };
    let more = named.len().checked_sub(NAMED_MAX).filter(|more| *more > 0);
    let more = more.map(|more| format!(", {more} more")).unwrap_or_default();
    let named: Vec<String> = named.into_iter().take(NAMED_MAX).collect();
    Reason { sort, detail: named.join(", ") + &more }
}

/// How often each sort, most frequent first.
pub fn tally<'a>(reasons: impl Iterator<Item = &'a Reason>) -> Vec<(usize, &'static str)> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for reason in reasons {
        *counts.entry(reason.sort).or_default() += 1;
    }
    let mut tally: Vec<(usize, &'static str)> =
        counts.into_iter().map(|(sort, count)| (count, sort)).collect();
    tally.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    tally
}

/// What stands in a tree of parts, in reading order, each thing once.
#[derive(Default)]
struct Seen {
    facts: Vec<String>,
    opaque: Vec<String>,
    unreadable: Vec<String>,
    programs: Vec<String>,
}

impl Seen {
    fn add(&mut self, parts: Option<&Value>) {
        for part in parts.and_then(Value::as_array).into_iter().flatten() {
            if text(part, "shape") == "command" {
                let program = text(part, "text").split(' ').next().unwrap_or_default();
                push(&mut self.programs, program.to_owned());
            }
            for fact in part.get("facts").and_then(Value::as_array).into_iter().flatten() {
                let target = fact.get("path").and_then(Value::as_str).unwrap_or(text(fact, "target"));
                let said = format!("{} {}", text(fact, "what"), shortened(&placed(target)));
                match text(fact, "what") {
                    "unreadable" => push(&mut self.unreadable, said),
                    what if what.starts_with("opaque") => push(&mut self.opaque, said),
                    _ => push(&mut self.facts, said),
                }
            }
            self.add(part.get("parts"));
        }
    }
}

fn push(list: &mut Vec<String>, one: String) {
    let one = one.trim().to_owned();
    if !one.is_empty() && !list.contains(&one) {
        list.push(one);
    }
}

/// A path with the place it lies in, because rules speak of places.
fn placed(path: &str) -> String {
    if let Some((_, inside)) = path.split_once("/accuracy-").and_then(|(_, rest)| rest.split_once("/project"))
    {
        let inside = inside.trim_start_matches(|found: char| found.is_ascii_digit());
        return format!(".{inside} (inside the project)");
    }
    if let Some(inside) = path.strip_prefix(super::HOME) {
        return format!("~{inside}");
    }
    let temporary = ["/tmp/", "/var/tmp/"].iter().any(|folder| path.starts_with(folder));
    if temporary { format!("{path} (a temporary place)") } else { path.to_owned() }
}

fn shortened(text: &str) -> String {
    let flat = text.replace('\n', "⏎");
    if flat.chars().count() <= 60 { flat } else { flat.chars().take(59).chain(['…']).collect() }
}

fn findings(round: &Value, verdict: &str) -> Vec<String> {
    let all = round.get("findings").and_then(Value::as_array).into_iter().flatten();
    all.filter(|one| text(one, "verdict") == verdict).map(|one| text(one, "rule").to_owned()).collect()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(parts: Value, findings: Value, sort: &str, detail: &str) {
        let reason = of(&json!({ "explanation": [{ "parts": parts, "findings": findings }] }));
        assert_eq!((reason.sort, reason.detail.as_str()), (sort, detail));
    }

    #[test]
    fn a_miss_has_the_reason_the_facts_give() {
        let part = |facts: Value| json!([{ "shape": "command", "text": "foo -x", "facts": facts }]);
        check(part(json!([])), json!([]), "no facts known of", "foo");
        check(
            part(json!([{ "what": "reads-file", "target": "a", "path": "/w/a" }])),
            json!([]),
            "facts no rule objects to",
            "reads-file /w/a",
        );
        let opaque = json!([{ "what": "opaque: output", "target": "x" }]);
        check(part(opaque.clone()), json!([]), "opaque of a sort no rule asks about", "opaque: output x");
        check(part(opaque), json!([{ "rule": "mind", "verdict": "warn" }]), "only told", "mind");
        check(json!([]), json!([]), "nothing would run", "");
    }
}
