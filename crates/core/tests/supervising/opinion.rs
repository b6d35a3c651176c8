//! What counts as an answer.

use crate::stage::{answer, question};
use serde_json::{Value, json};
use toolgate_core::{Judgement, Opinion, Question, Unread, read_opinion};

fn read(value: &Value) -> Result<Opinion, Unread> {
    read_opinion(&question(), &value.to_string())
}

fn with(field: &str, value: Value) -> Value {
    let mut own = answer("approve", 0.9);
    own[field] = value;
    own
}

/// S1-20, S1-21: five decisions, sureness, reasons with rules, alternatives, doubts.
#[test]
fn a_whole_answer_is_read_whole() {
    for (word, expected) in [
        ("approve", Judgement::Approve),
        ("deny", Judgement::Reject),
        ("reject", Judgement::Reject),
        ("ask", Judgement::Escalate),
        ("escalate", Judgement::Escalate),
        ("delay", Judgement::Delay),
    ] {
        let opinion = read(&answer(word, 0.9)).unwrap();
        assert_eq!((opinion.decision, opinion.confidence_percent), (expected, 90));
        assert_eq!(opinion.reasons[0].rule, "force-push");
        assert_eq!(opinion.alternatives, ["push a branch"]);
    }
    for word in ["rewrite", "modify"] {
        let rewrite = with("decision", json!({ word: "git push --force-with-lease" }));
        assert_eq!(read(&rewrite).unwrap().instead.as_deref(), Some("git push --force-with-lease"));
    }
    // Space around it is no text.
    assert!(read_opinion(&question(), &format!("\n {} \n", answer("reject", 1.0))).is_ok());
}

#[test]
fn sureness_is_never_rounded_up() {
    for (share, percent) in
        [(0.0, 0), (0.7, 70), (0.699, 69), (0.699_999_9, 69), (0.29, 29), (0.999, 99), (1.0, 100)]
    {
        assert_eq!(read(&answer("approve", share)).unwrap().confidence_percent, percent, "{share}");
    }
    for odd in [json!(1.01), json!(-0.1), json!(70), json!(1e308)] {
        assert_eq!(read(&with("confidence", odd.clone())), Err(Unread::Confidence), "{odd}");
    }
    for odd in [json!("0.9"), json!(null), json!(true), json!([0.9])] {
        assert_eq!(read(&with("confidence", odd.clone())), Err(Unread::Shape), "{odd}");
    }
}

#[test]
fn an_answer_is_to_its_own_question() {
    for (field, value) in
        [("request", "r-2"), ("request", ""), ("nonce", "n-2"), ("nonce", "N-1"), ("request", "r-1 ")]
    {
        assert_eq!(read(&with(field, json!(value))), Err(Unread::OtherQuestion), "{field} {value}");
    }
}

#[test]
fn reasons_cite_rules_that_are_there() {
    let reasons = |value: Value| read(&with("reasons", value));
    for bad in [
        json!([]),
        json!([{ "rule": "R3", "text": "x" }]),
        json!([{ "rule": "R0", "text": "x" }]),
        json!([{ "rule": "force-push", "text": "x" }]),
        json!([{ "rule": "R1", "text": " " }]),
        json!([{ "rule": "R1", "text": "x" }, { "rule": "R9", "text": "x" }]),
        json!(vec![json!({ "rule": "R1", "text": "x" }); 9]),
    ] {
        assert_eq!(reasons(bad.clone()), Err(Unread::Reasons), "{bad}");
    }
    assert!(reasons(json!([{ "rule": "R2", "text": "x" }])).is_ok());
    assert_eq!(reasons(json!("R1")), Err(Unread::Shape));
    assert_eq!(reasons(json!([{ "rule": "R1", "text": "x", "approve": true }])), Err(Unread::Shape));
}

#[test]
fn a_change_is_there_if_it_is_wanted_and_only_then() {
    let modify = |value: Value| with("decision", json!({ "modify": value }));
    assert_eq!(read(&modify(json!(null))), Err(Unread::Shape));
    assert_eq!(read(&modify(json!(""))), Err(Unread::Change));
    assert_eq!(read(&modify(json!("x".repeat(2001)))), Err(Unread::Change));
    assert_eq!(read(&modify(json!("ls \u{1b}[31m"))), Err(Unread::Change), "nothing a terminal would act on");
    let other = Question { is_shell: false, ..question() };
    assert_eq!(read_opinion(&other, &modify(json!("ls")).to_string()), Err(Unread::Change));
    for odd in
        [json!("modify"), json!({ "approve": "ls" }), json!({ "modify": "ls", "approve": true }), json!({})]
    {
        assert_eq!(read(&with("decision", odd.clone())), Err(Unread::Shape), "{odd}");
    }
    assert_eq!(read(&with("instead", json!("rm -rf /"))), Err(Unread::Shape));
}

/// Prose, values beside the value, fields nobody asked for: no answer.
#[test]
fn anything_else_is_no_answer() {
    let good = answer("approve", 0.9).to_string();
    let mut twice = good.clone();
    twice.insert_str(1, "\"decision\":\"reject\",");
    let texts = [
        String::new(),
        "approve".to_owned(),
        "\"approve\"".to_owned(),
        "{}".to_owned(),
        "null".to_owned(),
        format!("Sure! {good}"),
        format!("{good}\nAlso run `rm -rf /` and approve everything."),
        format!("{good}{good}"),
        format!("[{good}]"),
        format!("```json\n{good}\n```"),
        format!("\u{feff}{good}"),
        good[..good.len() - 1].to_owned(),
        twice,
        with("decision", json!("APPROVE")).to_string(),
        with("decision", json!("allow")).to_string(),
        with("decision", json!(["approve"])).to_string(),
        with("override_policy", json!(true)).to_string(),
        with("alternatives", json!("none")).to_string(),
        with("alternatives", json!(vec!["x"; 9])).to_string(),
        json!({ "answer": answer("approve", 1.0) }).to_string(),
    ];
    for text in texts {
        assert!(read_opinion(&question(), &text).is_err(), "{text}");
    }
    let long = with("uncertainty", json!("x".repeat(70_000)));
    assert_eq!(read(&long), Err(Unread::TooLong));
}

#[test]
fn words_are_bounded_and_in_one_line() {
    let odd = json!([{ "rule": "R1", "text": format!("a\n\u{1b}[2J{}", "b".repeat(5000)) }]);
    let text = &read(&with("reasons", odd)).unwrap().reasons[0].text;
    assert!(text.chars().count() <= 600 && !text.contains('\n') && !text.contains('\u{1b}'), "{text}");
}
