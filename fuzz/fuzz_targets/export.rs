//! Fuzzes `export::export`.

#![no_main]
#![allow(dead_code, reason = "each target uses one function of the module")]

#[path = "../src/export.rs"]
mod export;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| export::export(bytes));
