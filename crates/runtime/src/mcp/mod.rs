//! What `toolgate mcp` needs of the machine: the server as a child process, lines
//! of bounded length, and pins in the ledger.
//!
//! Deliberately absent: what the lines mean (`toolgate-adapters`).

mod lines;
mod pins;
mod process;

pub use lines::{Lines, Piece};
pub use pins::{approved, revoked};
pub use process::{ServerProcess, environment, read_some, write_some};
