//! Rule 4 of the design: layers tighten.

use crate::stage::layer;
use serde_json::{Value, json};
use toolgate_core::{Layer, Merged, Mode, merge};

fn rule(id: &str, kind: &str, locked: bool) -> Value {
    json!({ "id": id, "kind": kind, "match": { "tool": "Bash" }, "reason": "r", "locked": locked })
}

fn join(managed: &Value, user: &Value, project: &Value) -> Merged {
    merge(&[
        layer(Layer::Managed, "managed", managed),
        layer(Layer::User, "user", user),
        layer(Layer::Project, "project", project),
    ])
}

fn shown(merged: &Merged) -> Vec<String> {
    merged
        .rules
        .iter()
        .map(|entry| format!("{} {} {}", entry.rule.id, entry.rule.kind.name(), entry.source))
        .collect()
}

fn conflicts(merged: &Merged) -> usize {
    merged.notices.iter().filter(|notice| notice.conflict).count()
}

#[test]
fn a_lower_layer_replaces_what_is_not_locked() {
    let merged = join(
        &json!({ "rules": [rule("a", "prohibit", false)] }),
        &json!({}),
        &json!({ "rules": [rule("a", "warn", false)] }),
    );
    assert_eq!(shown(&merged), ["a warn project:1"]);
    assert_eq!(conflicts(&merged), 0);
}

#[test]
fn a_locked_rule_is_neither_replaced_nor_turned_off() {
    let managed = json!({ "rules": [rule("a", "prohibit", true)] });
    let merged =
        join(&managed, &json!({ "disable": ["a"] }), &json!({ "rules": [rule("a", "approve", false)] }));
    assert_eq!(shown(&merged), ["a prohibit managed:1"]);
    assert_eq!(conflicts(&merged), 2);
}

#[test]
fn a_rule_that_is_not_locked_can_be_turned_off_and_is_still_listed() {
    let merged =
        join(&json!({ "rules": [rule("a", "prohibit", false)] }), &json!({}), &json!({ "disable": "a" }));
    assert!(merged.rules.is_empty());
    assert_eq!(merged.off.len(), 1);
}

#[test]
fn turning_off_what_is_not_there_is_told() {
    assert_eq!(conflicts(&join(&json!({}), &json!({}), &json!({ "disable": ["typo"] }))), 1);
}

#[test]
fn the_mode_only_tightens_downwards() {
    for (managed, project, expected, told) in [
        (json!({ "mode": "enforce" }), json!({ "mode": "observe" }), Mode::Enforce, 1),
        (json!({ "mode": "observe" }), json!({ "mode": "enforce" }), Mode::Enforce, 0),
        (json!({}), json!({ "mode": "observe" }), Mode::Observe, 0),
        (json!({}), json!({}), Mode::Enforce, 0),
    ] {
        let merged = join(&managed, &json!({}), &project);
        assert_eq!((merged.mode, conflicts(&merged)), (expected, told), "{managed} {project}");
    }
}

#[test]
fn a_yes_and_a_no_to_the_same_calls_are_a_conflict() {
    let merged = join(
        &json!({ "rules": [rule("no", "prohibit", false)] }),
        &json!({}),
        &json!({ "rules": [rule("yes", "approve", false)] }),
    );
    assert_eq!(conflicts(&merged), 1);
}
