//! The fuzz targets of exported ledgers, expressions and supervisors' answers without a fuzzer. `fuzz/run` looks longer.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "the seeds are files")]

#[path = "../../../fuzz/src/export.rs"]
mod export;
#[path = "../../../fuzz/src/expression.rs"]
mod expression;
#[path = "../../../fuzz/src/mutated.rs"]
mod mutated;
#[path = "../../../fuzz/src/opinion.rs"]
mod opinion;

#[test]
fn whatever_an_export_holds_is_checked() {
    mutated::smoke("export", 1_000, export::export);
    let seeds = mutated::seeds("export");
    let whole = |seed: &Vec<u8>| {
        matches!(toolgate_core::verify_export(seed, None), toolgate_core::Verification::Intact { .. })
    };
    assert!(seeds.iter().any(whole), "a seed that holds is missing");
}

#[test]
fn whatever_an_expression_is_it_is_read_or_refused() {
    let read = |bytes: &[u8]| expression::expression(&String::from_utf8_lossy(bytes));
    mutated::smoke("expression", 20_000, read);
    let seeds = mutated::seeds("expression");
    let holds =
        |seed: &Vec<u8>| toolgate_core::Expression::new(&String::from_utf8_lossy(seed), Some(0.5)).is_ok();
    assert!(seeds.iter().all(holds), "every seed is an expression");
}

#[test]
fn whatever_a_supervisor_says_is_one_answer_or_none() {
    mutated::smoke("opinion", 20_000, |bytes| opinion::opinion(&String::from_utf8_lossy(bytes)));
    let question = toolgate_core::Question {
        request: "r-1".to_owned(),
        nonce: "n-1".to_owned(),
        rules: vec!["a".to_owned()],
        is_shell: true,
    };
    let holds =
        |seed: &Vec<u8>| toolgate_core::read_opinion(&question, &String::from_utf8_lossy(seed)).is_ok();
    assert!(mutated::seeds("opinion").iter().all(holds), "every seed is an answer");
}
