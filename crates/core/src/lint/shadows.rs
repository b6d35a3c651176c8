//! Rules that never decide, because another rule decides the same calls.

use super::warn;
use crate::policy::{Notice, RuleEntry};
use crate::rule::{Rule, RuleKind};
use serde_json::{Value, json};

pub(super) fn look(entry: &RuleEntry, all: &[RuleEntry], notices: &mut Vec<Notice>) {
    let own = &entry.rule;
    // A label is for later rules, an approval has a notice of its own.
    if matches!(own.kind, RuleKind::Label | RuleKind::Approve) {
        return;
    }
    let mine = json!(own.matches);
    let at = all.iter().position(|other| other == entry);
    for (other_at, other) in all.iter().enumerate().filter(|(other_at, _)| Some(*other_at) != at) {
        let is_earlier = Some(other_at) < at;
        if let Some((text, help)) = shadow(own, &mine, &other.rule, is_earlier) {
            let text = format!("{text} `{}` at {}", other.rule.id, other.source);
            notices.push(warn(entry, &own.id, text, help));
            return;
        }
    }
}

/// How another rule decides all the calls of this one, if it does.
fn shadow(own: &Rule, mine: &Value, other: &Rule, is_earlier: bool) -> Option<(&'static str, &'static str)> {
    let is_same = own.matches == other.matches;
    let around = (&own.when, &own.unless, &own.after) == (&other.when, &other.unless, &other.after);
    let always = other.when.is_none() && other.unless.is_none() && other.after.is_empty();
    if !(always || is_same && around) {
        return None;
    }
    let is_stricter = other.kind == RuleKind::Block && own.kind != RuleKind::Block
        || other.kind == RuleKind::Ask && own.kind == RuleKind::Warn;
    let help = "remove one of the two, or narrow the other one";
    if is_same && is_stricter {
        return Some(("it never decides, because the same calls are stopped by", help));
    }
    if is_same && own.kind == other.kind && is_plain(own) && is_earlier {
        return Some(("it has the same effect as", help));
    }
    let is_wider = !is_same && covers(&json!(other.matches), mine);
    if is_wider && other.kind == RuleKind::Block && own.kind != RuleKind::Block {
        return Some(("it never decides, since all its calls are blocked by", help));
    }
    None
}

fn is_plain(rule: &Rule) -> bool {
    matches!(rule.kind, RuleKind::Block | RuleKind::Ask | RuleKind::Warn)
}

/// Keys whose list means any of its items.
const ANY_OF: [&str; 8] = ["program", "subcommand", "flags", "args", "tool", "effect", "target", "path"];

/// Whether whatever fulfils the narrow conditions fulfils the wide ones.
fn covers(wide: &Value, narrow: &Value) -> bool {
    let (Value::Object(wide), Value::Object(narrow)) = (wide, narrow) else { return wide == narrow };
    wide.iter().all(|(key, wanted)| match narrow.get(key) {
        None => false,
        Some(given) if wanted == given => true,
        Some(Value::Array(given)) if ANY_OF.contains(&key.as_str()) => {
            wanted.as_array().is_some_and(|wanted| given.iter().all(|one| wanted.contains(one)))
        }
        Some(given @ Value::Object(_)) if key == "command" || key == "files" => {
            wanted.get("except").is_none() && covers(wanted, given)
        }
        Some(_) => false,
    })
}
