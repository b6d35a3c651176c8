//! MCP as `toolgate mcp` speaks it: envelopes of messages, calls of tools, lists
//! of tools, and the answers the proxy gives itself.
//!
//! Bodies stay the bytes they are: what is forwarded is a slice of what came in,
//! with single values replaced where something must change. A message that two
//! readers could understand in two ways is refused here. Deliberately absent:
//! processes, pins, judging.

mod answer;
mod call;
mod config;
mod envelope;
mod identity;
mod splice;
mod strict;
mod tools;

pub use answer::{denied_result, error_answer, listing_request, with_note, without_secrets};
pub use call::{JudgedCall, call_event, judged_call, looks_like_call, read_event, with_arguments};
pub use config::{McpConfig, McpServer, config_of, unwrapped, wrapped};
pub use envelope::{Envelope, EnvelopeFault, Id, envelope, is_harmless_noise, is_plain_line};
pub use identity::{ServerIdentity, server_identity};
pub use strict::strict_value;
pub use tools::{ToolPage, begins_listing, instructions_of, list_page, with_stubs};

/// Methods whose results the model reads, besides those of tools.
pub const READ_METHODS: &[&str] = &["resources/read", "prompts/get", "tasks/result", "tasks/get"];
