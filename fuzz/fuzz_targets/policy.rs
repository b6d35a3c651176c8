//! Fuzzes `policy::policy`.

#![no_main]
#![allow(dead_code, reason = "each target uses one function of the module")]

#[path = "../src/policy.rs"]
mod policy;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| policy::policy(bytes));
