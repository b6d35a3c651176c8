//! Hosts that run a command or a plugin for each event, one row of data each.

mod antigravity;
mod auggie;
mod cline;
mod codex;
mod copilot_cli;
mod crush;
mod cursor;
mod droid;
mod gemini_cli;
mod goose;
mod grok;
mod hermes;
mod kimi_code;
mod kiro;
mod mistral_vibe;
mod opencode;
mod openhands;
mod pi;
mod qwen_code;
mod windsurf;

pub(crate) use antigravity::ANTIGRAVITY;
pub(crate) use auggie::AUGGIE;
pub(crate) use cline::CLINE;
pub(crate) use codex::CODEX;
pub(crate) use copilot_cli::COPILOT_CLI;
pub(crate) use crush::CRUSH;
pub(crate) use cursor::CURSOR;
pub(crate) use droid::DROID;
pub(crate) use gemini_cli::GEMINI_CLI;
pub(crate) use goose::GOOSE;
pub(crate) use grok::GROK;
pub(crate) use hermes::HERMES;
pub(crate) use kimi_code::KIMI_CODE;
pub(crate) use kiro::KIRO;
pub(crate) use mistral_vibe::MISTRAL_VIBE;
pub(crate) use opencode::{KILO, OPENCODE};
pub(crate) use openhands::OPENHANDS;
pub(crate) use pi::PI;
pub(crate) use qwen_code::QWEN_CODE;
pub(crate) use windsurf::WINDSURF;

use crate::command_host::{holds_hook, unguarded};
use crate::surface::brought;
use serde_json::Value;
use toolgate_core::AgentProgram;

/// Hosts no one could run here: their rows say what their makers write.
pub(crate) const FROM_DOCUMENTS: &[&str] = &["cursor", "antigravity", "windsurf", "kiro", "crush", "auggie"];

/// Puts the first text found at these places into a field of the message.
fn first_of(message: &mut Value, field: &str, places: &[&str]) {
    let texts = places.iter().filter_map(|place| message.pointer(place)?.as_str());
    let found = texts.filter(|text| !text.is_empty()).map(str::to_owned).next();
    if let (Some(text), Some(fields)) = (found, message.as_object_mut()) {
        fields.insert(field.to_owned(), Value::String(text));
    }
}

/// The same inside the object at a place of the message, from these of its fields.
fn fold_in(message: &mut Value, place: &str, field: &str, names: &[&str]) {
    let Some(object) = message.pointer_mut(place) else { return };
    let places: Vec<String> = names.iter().map(|name| format!("/{name}")).collect();
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    first_of(object, field, &places);
}

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
    ANTIGRAVITY_PROGRAM = ANTIGRAVITY,
    AUGGIE_PROGRAM = AUGGIE,
    CLINE_PROGRAM = CLINE,
    CODEX_PROGRAM = CODEX,
    COPILOT_CLI_PROGRAM = COPILOT_CLI,
    CRUSH_PROGRAM = CRUSH,
    CURSOR_PROGRAM = CURSOR,
    DROID_PROGRAM = DROID,
    GEMINI_CLI_PROGRAM = GEMINI_CLI,
    GOOSE_PROGRAM = GOOSE,
    GROK_PROGRAM = GROK,
    HERMES_PROGRAM = HERMES,
    KILO_PROGRAM = KILO,
    KIMI_CODE_PROGRAM = KIMI_CODE,
    KIRO_PROGRAM = KIRO,
    MISTRAL_VIBE_PROGRAM = MISTRAL_VIBE,
    OPENCODE_PROGRAM = OPENCODE,
    OPENHANDS_PROGRAM = OPENHANDS,
    PI_PROGRAM = PI,
    QWEN_CODE_PROGRAM = QWEN_CODE,
    WINDSURF_PROGRAM = WINDSURF,
}

/// Agents without an adapter: known where one of them runs above a process.
pub(crate) const OTHER_AGENTS: AgentProgram = AgentProgram {
    title: "another agent",
    programs: &["amp"],
    scripts: &[],
    no_session: &[],
    own_settings: &[],
    marks: &[],
    off_words: &[],
    off_variables: &[],
    brought: |_, _| Vec::new(),
    settings: |_, _| Vec::new(),
    unguarded: |_| None,
};
