//! Hosts that run a command for each event, one row of data each.

mod codex;
mod copilot_cli;
mod droid;
mod gemini_cli;
mod goose;
mod grok;
mod kimi_code;
mod mistral_vibe;
mod openhands;
mod qwen_code;

pub(crate) use codex::CODEX;
pub(crate) use copilot_cli::COPILOT_CLI;
pub(crate) use droid::DROID;
pub(crate) use gemini_cli::GEMINI_CLI;
pub(crate) use goose::GOOSE;
pub(crate) use grok::GROK;
pub(crate) use kimi_code::KIMI_CODE;
pub(crate) use mistral_vibe::MISTRAL_VIBE;
pub(crate) use openhands::OPENHANDS;
pub(crate) use qwen_code::QWEN_CODE;
