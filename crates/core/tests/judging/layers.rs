//! Rule 4 of the design: layers tighten.

use crate::stage::layer;
use serde_json::{Value, json};
use toolgate_core::{Layer, Layered, Merged, Mode, NoticeKind, merge};

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
    merged.notices.iter().filter(|notice| notice.kind == NoticeKind::Conflict).count()
}

#[test]
fn a_lower_layer_replaces_what_is_not_locked() {
    let merged = join(
        &json!({ "rules": [rule("a", "block", false)] }),
        &json!({}),
        &json!({ "rules": [rule("a", "warn", false)] }),
    );
    assert_eq!(shown(&merged), ["a warn project:1"]);
    assert_eq!(conflicts(&merged), 0);
}

#[test]
fn a_locked_rule_is_neither_replaced_nor_turned_off() {
    let managed = json!({ "rules": [rule("a", "block", true)] });
    let merged =
        join(&managed, &json!({ "disable": ["a"] }), &json!({ "rules": [rule("a", "approve", false)] }));
    assert_eq!(shown(&merged), ["a block managed:1"]);
    assert_eq!(conflicts(&merged), 2);
}

#[test]
fn a_rule_that_is_not_locked_can_be_turned_off_and_is_still_listed() {
    let merged =
        join(&json!({ "rules": [rule("a", "block", false)] }), &json!({}), &json!({ "disable": "a" }));
    assert!(merged.rules.is_empty());
    assert_eq!(merged.off.len(), 1);
}

#[test]
fn turning_off_what_is_not_there_is_told() {
    let merged = join(&json!({}), &json!({}), &json!({ "disable": ["typo"] }));
    let kinds: Vec<NoticeKind> = merged.notices.iter().map(|notice| notice.kind).collect();
    assert_eq!(kinds, [NoticeKind::Warning]);
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
        &json!({ "rules": [rule("no", "block", false)] }),
        &json!({ "rules": [rule("yes", "approve", false)] }),
        &json!({}),
    );
    assert_eq!(conflicts(&merged), 1);
}

#[test]
fn the_locks_of_a_pack_bind_the_project_not_the_user() {
    let pack = layer(Layer::Pack, "pack", &json!({ "rules": [rule("a", "block", true)] }));
    let off = json!({ "disable": ["a"] });
    let by_project = merge(&[pack.clone(), layer(Layer::Project, "project", &off)]);
    assert_eq!((shown(&by_project).len(), conflicts(&by_project)), (1, 1));
    let by_user = merge(&[pack, layer(Layer::User, "user", &off)]);
    assert_eq!((shown(&by_user).len(), conflicts(&by_user)), (0, 0));
}

#[test]
fn a_pack_acts_for_whoever_names_it() {
    let named = |by: Layer, file: &str, text: &Value| Layered { by, ..layer(Layer::Pack, file, text) };
    let rules = json!({ "rules": [rule("open", "block", false), rule("shut", "block", true)] });
    let off = json!({ "disable": ["open", "shut"] });
    for (rules_by, off_by, left, told) in [
        (Layer::Pack, Layer::Project, 1, 1),
        (Layer::User, Layer::Project, 2, 2),
        (Layer::Managed, Layer::Project, 2, 2),
        (Layer::User, Layer::User, 0, 0),
    ] {
        let merged = merge(&[named(rules_by, "rules", &rules), named(off_by, "loose", &off)]);
        assert_eq!((shown(&merged).len(), conflicts(&merged)), (left, told), "{rules_by:?} {off_by:?}");
        let merged = merge(&[named(rules_by, "rules", &rules), layer(off_by, "file", &off)]);
        assert_eq!(
            (shown(&merged).len(), conflicts(&merged)),
            (left, told),
            "{rules_by:?} {off_by:?}, itself"
        );
    }
}

#[test]
fn a_project_cannot_call_the_whole_machine_its_workspace() {
    for (folder, taken) in [
        ("/", false),
        ("~", false),
        ("~/", false),
        ("/home", false),
        ("/home/dev", false),
        ("../..", false),
        ("~/../x", false),
        (".", false),
        ("../design", true),
        ("~/assets", true),
        ("/srv/data/app", true),
        ("vendor/x", true),
    ] {
        let merged = join(&json!({}), &json!({}), &json!({ "workspace": { "also": [folder] } }));
        assert_eq!(
            (merged.workspace.also.0.len(), conflicts(&merged)),
            (usize::from(taken), usize::from(!taken)),
            "{folder}"
        );
    }
    let by_user = join(&json!({}), &json!({ "workspace": { "also": ["/"] } }), &json!({}));
    assert_eq!(by_user.workspace.also.0, ["/"]);
}

#[test]
fn a_project_never_says_yes_in_the_persons_name() {
    let yes = json!({ "rules": [rule("yes", "approve", false)] });
    let merged = join(&json!({}), &json!({}), &yes);
    assert_eq!((shown(&merged).len(), conflicts(&merged)), (0, 1));
    assert_eq!(shown(&join(&json!({}), &yes, &json!({}))), ["yes approve user:1"]);
}
