//! End-to-end tests: the real Claude Code, offline, against a scripted model.
//!
//! Needs cargo, node and npm. `cargo test --test claude_code` installs the pinned version once; see `host`
//! for what happens where that is not possible. A test is: a script for the model, a stage, what the person
//! does, one run, and questions about files and about what the model was told.
//!
//! `plain_hooks` and `http_hooks` prove the harness and the facts about the host with hooks of their own; `samples`
//! keeps the payloads in `samples/*.json` honest; `gate`, `review` and `traps` drive the toolgate binary; `whole` adds a
//! real model as the supervisor and a real browser for the person.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "helpers of tests fail by panicking, and talk to the person at the terminal"
)]

#[path = "../program/answer.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod answer;
#[path = "../browser/chromium.rs"]
mod chromium;
#[path = "../program/house.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod house;
#[path = "../program/server.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod server;
#[path = "../local_model/service.rs"]
mod service;
#[path = "../browser/tab.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod tab;

mod gate;
mod hooks;
mod host;
mod http_hooks;
#[path = "../model/mod.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod model;
mod nested;
mod npm;
mod output;
mod plain_hooks;
mod process;
mod review;
mod samples;
mod stories;
mod traps;
mod waiting;
mod whole;
