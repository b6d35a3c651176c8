//! The fuzz targets of host bytes without a fuzzer. `fuzz/run` looks longer.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::panic
)]

#[path = "../../../fuzz/src/envelope.rs"]
mod envelope;
#[path = "../../../fuzz/src/mutated.rs"]
mod mutated;
#[path = "../../../fuzz/src/payload.rs"]
mod payload;

#[test]
fn whatever_a_host_sends_is_answered() {
    mutated::smoke("payload", 2_000, payload::payload);
}

#[test]
fn whatever_an_mcp_message_holds_is_read_in_one_way() {
    mutated::smoke("envelope", 20_000, envelope::bytes);
}

#[test]
fn whatever_settings_hold_the_hook_goes_in_and_out() {
    mutated::smoke("settings", 2_000, payload::settings);
}
