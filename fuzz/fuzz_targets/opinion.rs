//! Fuzzes `opinion::opinion`.

#![no_main]
#![allow(dead_code, reason = "each target uses one function of the module")]

#[path = "../src/opinion.rs"]
mod opinion;

libfuzzer_sys::fuzz_target!(|text: &str| opinion::opinion(text));
