//! Reads a shell command to *what it would do*.
//!
//! Text goes in; a [`Reading`] comes out: every simple command bash could
//! start, the wrappers around it opened, its words sorted by the model of its
//! program, and its effects. Reading is total (no input fails or panics),
//! linear in time, and bounded in depth and size.
//!
//! Deliberately absent: files, processes, environment, clock – and opinions.
//! Whether an effect is welcome is for the guards in `toolgate-core`.

mod deed;
mod reading;

pub use deed::Deed;
pub use reading::{
    Assignment, Command, Effect, Fault, Flag, Opaque, Reading, Redirect, RedirectKind, Setting, Span, Usage, Word,
};

/// Reads `source` as bash would, in `setting`.
#[must_use]
pub fn read(_source: &str, _setting: &Setting) -> Reading {
    Reading::default()
}
