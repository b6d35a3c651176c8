//! How calls are judged: order, short-circuit, strictest wins, rewrites,
//! crashes, layers, and the index. One `stage`, many small cases.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod agents;
mod beside;
mod categories;
mod chain;
mod closed;
mod context;
mod guardrails;
mod handing;
mod index;
mod layers;
mod levels;
mod prose;
mod rules;
mod stage;
mod traps;
mod unsaved;
mod verified;
