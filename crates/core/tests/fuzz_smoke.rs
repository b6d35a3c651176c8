//! The fuzz target of exported ledgers without a fuzzer. `fuzz/run` looks longer.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "the seeds are files")]

#[path = "../../../fuzz/src/export.rs"]
mod export;
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
