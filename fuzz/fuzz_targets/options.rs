//! Fuzzes `targets::options`.

#![no_main]
#![allow(dead_code, reason = "each target uses one function of the module")]

#[path = "../src/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|source: &str| targets::options(source));
