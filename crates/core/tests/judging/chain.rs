//! S2-29..33, C-02, C-07, C-11, S2-67.

use crate::stage::{check, decide, policy, shell};
use serde_json::json;
use toolgate_core::{Category, Finding, Guard, Outcome, Seen, Severity, Source, Verdict};

fn rule(id: &str, kind: &str, program: &str, priority: u32, category: &str) -> serde_json::Value {
    json!({ "id": id, "kind": kind, "match": { "command": { "program": program } }, "priority": priority, "category": category, "reason": id })
}

#[test]
fn guards_run_by_priority_then_category_then_id() {
    let policy = policy(&json!([
        rule("d", "warn", "make", 100, "quality"),
        rule("c", "warn", "make", 100, "safety"),
        rule("b", "warn", "make", 100, "compliance"),
        rule("a", "warn", "make", 200, "safety"),
        rule("e", "warn", "make", 100, "safety"),
    ]));
    check(&policy, &shell("make"), "warn c,e,b,d,a");
}

/// Other guards are not asked behind a block (see `guardrails.rs`); rules are, so that the answer
/// names every one that objects. None of them labels the session for a call that does not run.
#[test]
fn a_block_is_no_reason_to_hide_another_rule() {
    let policy = policy(&json!([
        rule("first", "warn", "make", 100, "safety"),
        rule("second", "ask", "make", 110, "safety"),
        rule("third", "block", "make", 120, "safety"),
        rule("fourth", "warn", "make", 130, "safety"),
        { "id": "fifth", "kind": "label", "label": "made", "priority": 140, "match": { "regex": "make" }, "reason": "r" },
    ]));
    check(&policy, &shell("make"), "block first,second,third,fourth");
}

/// The worst first, whatever the rules are called.
#[test]
fn of_equal_rank_the_most_severe_comes_first() {
    let with = |id: &str, severity: &str| {
        let mut rule = rule(id, "block", "make", 100, "safety");
        rule["severity"] = json!(severity);
        rule
    };
    let policy =
        policy(&json!([with("a", "low"), with("b", "critical"), with("c", "high"), with("d", "critical")]));
    check(&policy, &shell("make"), "block b,d,c,a");
}

#[test]
fn the_strictest_wins_whatever_the_order() {
    let kinds = ["warn", "ask", "approve"];
    for (at, kind) in kinds.iter().enumerate() {
        let mut rules: Vec<_> = kinds
            .iter()
            .enumerate()
            .map(|(n, kind)| rule(&format!("r{n}"), kind, "make", 100 + u32::try_from(n).unwrap(), "safety"))
            .collect();
        rules[at] = rule(&format!("r{at}"), kind, "make", 300, "safety");
        assert_eq!(decide(&policy(&json!(rules)), &shell("make")).verdict, Verdict::Ask);
    }
}

#[test]
fn the_lattice_has_its_order() {
    let order = [
        Verdict::Allow,
        Verdict::Warn,
        Verdict::Rewrite,
        Verdict::Delay,
        Verdict::Ask,
        Verdict::Check,
        Verdict::Block,
    ];
    assert!(order.is_sorted());
    let runs: Vec<bool> = order.iter().map(|verdict| verdict.runs()).collect();
    assert_eq!(runs, [true, true, true, false, false, false, false]);
}

#[test]
fn an_approval_speaks_only_when_nothing_objects() {
    let yes = policy(&json!([rule("yes", "approve", "make", 100, "safety")]));
    assert!(decide(&yes, &shell("make")).is_approved());
    assert!(!decide(&yes, &shell("ls")).is_approved(), "silence is not a yes");
    let both = policy(&json!([
        rule("yes", "approve", "make", 100, "safety"),
        rule("hm", "warn", "make", 100, "safety")
    ]));
    assert!(!decide(&both, &shell("make")).is_approved());
}

fn transform(id: &str, remove: &str, add: &str) -> serde_json::Value {
    let change = json!({ "remove_flags": [remove], "add_flags": if add.is_empty() { json!([]) } else { json!([add]) } });
    json!({ "id": id, "kind": "rewrite", "match": { "command": { "program": "tool", "flags": [remove] } }, "change": change, "reason": id })
}

#[test]
fn a_rewritten_call_is_judged_again() {
    let policy = policy(&json!([
        transform("soften", "--force", "--careful"),
        { "id": "no-careful", "kind": "block", "match": { "command": { "program": "tool", "flags": ["--careful"] } }, "reason": "no" },
    ]));
    check(&policy, &shell("tool --force x"), "block soften,no-careful => tool x --careful");
}

#[test]
fn rewrites_end_in_a_block_after_three_passes() {
    let policy = policy(&json!([
        transform("a", "--one", "--two"),
        transform("b", "--two", "--three"),
        transform("c", "--three", "--four")
    ]));
    let decision = decide(&policy, &shell("tool --one"));
    assert_eq!(decision.verdict, Verdict::Block);
    assert!(decision.findings.iter().any(|finding| finding.guard == "gate-rewrites"));
}

#[test]
fn two_rules_on_one_field_take_turns() {
    let policy = policy(&json!([transform("a", "--one", ""), transform("b", "--two", "")]));
    check(&policy, &shell("tool --one --two x"), "rewrite a,b => tool x");
}

/// A yes to `ls` is not a yes to what else stands on the line.
#[test]
fn a_yes_is_for_the_whole_call() {
    let policy = policy(
        &json!([{ "id": "ok", "kind": "approve", "match": { "command": { "program": "ls" } }, "reason": "read-only" }]),
    );
    for command in ["ls", "ls -la src", "ls a; ls b"] {
        assert!(decide(&policy, &shell(command)).is_approved(), "{command}");
    }
    for command in [
        "ls; rm -rf build",
        "npm publish; ls",
        "ls $(npm publish)",
        "ls > src/main.rs",
        "ls && eval \"$X\"",
        "ls )",
    ] {
        assert!(!decide(&policy, &shell(command)).is_approved(), "{command}");
    }
}

#[test]
fn rules_that_undo_each_other_end_in_a_block() {
    let policy = policy(&json!([transform("there", "--a", "--b"), transform("back", "--b", "--a")]));
    assert_eq!(decide(&policy, &shell("tool --a")).verdict, Verdict::Block);
}

struct Crashing;

impl Guard for Crashing {
    fn id(&self) -> &str {
        "crashing"
    }
    fn priority(&self) -> u32 {
        50
    }
    fn category(&self) -> Category {
        Category::Safety
    }
    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        assert!(!seen.event.call.title().contains("boom"), "a guard with a fault");
        None
    }
}

#[test]
fn a_guard_that_crashes_blocks() {
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let policy = policy(&json!([])).with_guard(Box::new(Crashing));
    let decision = decide(&policy, &shell("boom"));
    std::panic::set_hook(quiet);
    assert_eq!(decision.verdict, Verdict::Block);
    assert!(decision.findings[0].message.contains("`crashing` crashed"));
    check(&policy, &shell("ls"), "allow");
}

struct Own;

impl Guard for Own {
    fn id(&self) -> &str {
        "own"
    }
    fn priority(&self) -> u32 {
        150
    }
    fn category(&self) -> Category {
        Category::Quality
    }
    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        seen.event.call.title().contains("friday").then(|| Finding {
            guard: "own".to_owned(),
            source: Source::default(),
            category: Category::Quality,
            severity: Severity::Low,
            outcome: Outcome::Warn,
            message: "not on a Friday".to_owned(),
            remediation: None,
            alternatives: Vec::new(),
            evidence: Vec::new(),
            confidence: 1.0,
            duration_us: 0,
        })
    }
}

#[test]
fn an_embedder_can_add_a_guard() {
    let policy = policy(&json!([])).with_guard(Box::new(Own));
    check(&policy, &shell("deploy --on friday"), "warn own");
    check(&policy, &shell("deploy --on monday"), "allow");
}
