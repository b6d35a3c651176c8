//! Fuzzes `envelope::bytes`.

#![no_main]
#![allow(dead_code, reason = "each target uses one function of the module")]

#[path = "../src/envelope.rs"]
mod envelope;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| envelope::bytes(bytes));
