//! Supervisors, as far as they are pure: who may be asked, what they are shown, what counts as an answer, and
//! what answers come to.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

mod brief;
mod hostile;
mod opinion;
mod panel;
mod room;
mod stage;
