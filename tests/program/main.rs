//! The whole program as hosts and people meet it: one process, its input, its answer, its exit code.
//!
//! Every test has a throw-away home and an empty environment; none needs the network, the time of day
//! or another test.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    missing_docs
)]

mod answer;
mod house;
mod judge;
mod plain;
mod server;
mod terminal;

mod agents;
mod broken;
mod bypass;
mod cache;
mod categories;
mod cli;
mod clock;
mod coming_from;
mod crash;
mod cursor;
mod desk;
mod emergency;
mod errors;
mod escalation;
mod exhausting;
mod explained;
mod forged;
mod grants;
mod guardrails;
mod handing;
mod host_tamper;
mod hostile;
mod hosts_undone;
mod inbox;
mod install;
mod learn;
mod ledger;
mod lost;
mod lying;
mod mcp;
mod metrics;
mod mistakes;
mod mutated;
mod notify;
mod output;
mod outsiders;
mod passphrase;
mod people;
mod pipes;
mod policy;
mod promises;
mod recorded;
mod restore;
mod review;
mod rules;
mod screen;
mod scripts;
mod sequence;
mod serve;
mod served;
mod shown;
mod supervisors;
mod tampered;
mod tls;
mod traps;
mod unsaved;
mod warm;
mod who;
mod wired;
mod words;
mod worth;
