//! Claude Code: command hooks with JSON on stdin and stdout.
//!
//! Verified against 2.1.325 by the end-to-end tests in `tests/claude_code`.

mod decode;
mod encode;
mod install;
mod session;
mod tools;
mod types;
mod usage;

use crate::settings::SettingsFault;
use crate::surface::Surface;
use crate::{Asked, Can, Host, Level, Ours, Unreadable, Wire};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use toolgate_core::guards::PROBE_SESSION;
use toolgate_core::{AgentProgram, Call, HostAnswer, UsageReader};

/// The name on the command line and in records.
pub(crate) const NAME: &str = "claude-code";

pub(crate) use session::{PROGRAM, SURFACE};

/// The adapter.
#[derive(Debug)]
pub(crate) struct ClaudeCode;

impl Host for ClaudeCode {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn program(&self) -> &'static AgentProgram {
        &PROGRAM
    }

    fn surface(&self) -> &Surface {
        &SURFACE
    }

    fn traces(&self, home: &Path, project: &Path) -> Vec<PathBuf> {
        vec![home.join(".claude"), project.join(".claude")]
    }

    fn can(&self) -> &Can {
        &Can {
            proven: Some("2.1.325"),
            rewrite: true,
            ask: true,
            tell: true,
            replace: true,
            refuse_stop: true,
            subagents: true,
            mcp: true,
            fails_open: "a truncated answer with exit code 0",
            hold_seconds: 112,
        }
    }

    fn decode(&self, bytes: &[u8]) -> Result<Asked, Unreadable> {
        decode::decode(bytes)
    }

    fn usage(&self) -> UsageReader {
        usage::usage
    }

    fn encode(&self, asked: &Asked, delivered: &HostAnswer) -> Wire {
        encode::encode(asked, delivered)
    }

    fn broken(&self, asked: &Asked, text: &str) -> Wire {
        encode::broken(asked, text)
    }

    fn closed(&self, text: &str) -> Wire {
        encode::closed(text)
    }

    fn call(&self, tool: &str, input: Value, dir: &str) -> Result<Call, Unreadable> {
        let kind = tools::kind_of(tool, &input)?;
        Ok(Call {
            host: NAME.to_owned(),
            session: "test".to_owned(),
            agent: "main".to_owned(),
            role: None,
            task: None,
            id: None,
            tool: tool.to_owned(),
            kind,
            input,
            dir: dir.to_owned(),
            scripts: Vec::new(),
            salt: None,
            standing: None,
        })
    }

    fn probe(&self, command: &str, dir: &str) -> String {
        json!({
            "session_id": PROBE_SESSION, "transcript_path": "", "cwd": dir, "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": PROBE_SESSION
        })
        .to_string()
    }

    fn is_denial(&self, stdout: &str, code: Option<i32>) -> bool {
        let denied = serde_json::from_str::<Value>(stdout).is_ok_and(|answer| {
            answer.pointer("/hookSpecificOutput/permissionDecision").and_then(Value::as_str) == Some("deny")
        });
        denied && code == Some(2)
    }

    fn settings_file(&self, level: Level, home: &Path, project: &Path) -> PathBuf {
        match level {
            Level::Project => project.join(".claude/settings.json"),
            Level::Local => project.join(".claude/settings.local.json"),
            Level::User => home.join(".claude/settings.json"),
        }
    }

    fn own_files(&self, home: &Path, project: &Path) -> Vec<PathBuf> {
        vec![
            project.join(".claude/settings.json"),
            project.join(".claude/settings.local.json"),
            home.join(".claude/settings.json"),
            home.join(".claude/settings.local.json"),
            PathBuf::from("/etc/claude-code"),
        ]
    }

    fn install(&self, settings: Option<&[u8]>, program: &str) -> Result<Vec<u8>, SettingsFault> {
        install::install(settings, program)
    }

    fn uninstall(&self, settings: &[u8]) -> Result<Option<Vec<u8>>, SettingsFault> {
        install::uninstall(settings)
    }

    fn events(&self, settings: &[u8]) -> Vec<String> {
        install::events(settings)
    }

    fn installed(&self, settings: &[u8]) -> Option<String> {
        install::installed(settings)
    }

    fn objection(&self, settings: Option<&[u8]>, ours: Ours) -> Option<String> {
        install::objection(settings, ours)
    }

    fn project_variable(&self) -> &'static str {
        "CLAUDE_PROJECT_DIR"
    }
}
