//! Fuzzes `expression::expression`.

#![no_main]
#![allow(dead_code, reason = "each target uses one function of the module")]

#[path = "../src/expression.rs"]
mod expression;

libfuzzer_sys::fuzz_target!(|text: &str| expression::expression(text));
