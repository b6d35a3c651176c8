//! What of a repository can be told by looking at its files, without starting git: what it
//! tracks, what it ignores, and which files differ from what it has.

mod ignored;
mod index;
mod repository;

pub(crate) use repository::{Repository, State, is_only_copy, stamp};
