//! The fuzz targets of exported ledgers and of expressions without a fuzzer. `fuzz/run` looks longer.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "the seeds are files")]

#[path = "../../../fuzz/src/export.rs"]
mod export;
#[path = "../../../fuzz/src/expression.rs"]
mod expression;
#[path = "../../../fuzz/src/mutated.rs"]
mod mutated;

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
