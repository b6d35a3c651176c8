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

use crate::command_host::{holds_hook, unguarded};
use crate::surface::brought;
use toolgate_core::AgentProgram;

/// How the program of a row is started, and what guards a session of it.
macro_rules! programs {
    ($($name:ident = $row:ident,)+) => {
        $(
            pub(crate) const $name: AgentProgram = AgentProgram {
                title: $row.title,
                programs: $row.programs,
                scripts: &[],
                no_session: $row.no_session,
                own_settings: $row.own_settings,
                marks: $row.surface.marks,
                off_words: $row.surface.off_words,
                off_variables: $row.surface.off_variables,
                brought: |folder, read| brought(&$row.surface, folder, read, |bytes| holds_hook(&$row, bytes)),
                settings: |home, folder| $row.settings_files(home, folder),
                unguarded: |files| unguarded(&$row, files),
            };
        )+
    };
}

programs! {
    CODEX_PROGRAM = CODEX,
    COPILOT_CLI_PROGRAM = COPILOT_CLI,
    DROID_PROGRAM = DROID,
    GEMINI_CLI_PROGRAM = GEMINI_CLI,
    GOOSE_PROGRAM = GOOSE,
    GROK_PROGRAM = GROK,
    KIMI_CODE_PROGRAM = KIMI_CODE,
    MISTRAL_VIBE_PROGRAM = MISTRAL_VIBE,
    OPENHANDS_PROGRAM = OPENHANDS,
    QWEN_CODE_PROGRAM = QWEN_CODE,
}

/// Agents without an adapter: known where one of them runs above a process.
pub(crate) const OTHER_AGENTS: AgentProgram = AgentProgram {
    title: "another agent",
    programs: &["amp", "cline", "cursor-agent", "opencode"],
    scripts: &[],
    no_session: &[],
    own_settings: &[],
    marks: &["CLINE_ACTIVE", "CURSOR_AGENT", "CURSOR_TRACE_ID", "OPENCODE"],
    off_words: &[],
    off_variables: &[],
    brought: |_, _| Vec::new(),
    settings: |_, _| Vec::new(),
    unguarded: |_| None,
};
