//! Fuzzes `payload::payload`.

#![no_main]
#![allow(dead_code, reason = "each target uses one function of the module")]

#[path = "../src/payload.rs"]
mod payload;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| payload::payload(bytes));
