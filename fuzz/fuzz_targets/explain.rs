//! Fuzzes `explain::explained`.

#![no_main]

#[path = "../src/explain.rs"]
mod explain;

libfuzzer_sys::fuzz_target!(|source: &str| explain::explained(source));
