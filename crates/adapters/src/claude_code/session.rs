//! How Claude Code is started, and whether the settings a session reads run the
//! gate's hook. Every fact here was seen with the real program, see
//! `tests/claude_code/nested.rs`.

use super::{NAME, install, types};
use crate::settings::value_of;
use crate::surface::{By, Surface, Switch, brought};
use serde_json::Value;
use std::path::{Path, PathBuf};
use toolgate_core::{AgentProgram, SettingsFile, Unguarded};

/// What the gate knows about the program.
pub(crate) const PROGRAM: AgentProgram = AgentProgram {
    title: "Claude Code",
    programs: &["claude", "claude-code"],
    scripts: &["claude-code/cli.js", "claude-code/cli.mjs", "claude-code/cli-wrapper.cjs"],
    no_session: &[
        "--version",
        "-v",
        "--help",
        "-h",
        "auth",
        "config",
        "doctor",
        "install",
        "mcp",
        "plugin",
        "plugins",
        "setup-token",
        "update",
        "upgrade",
    ],
    own_settings: &[".claude/settings.json", ".claude/settings.local.json"],
    marks: SURFACE.marks,
    off_words: SURFACE.off_words,
    off_variables: SURFACE.off_variables,
    brought: |folder, read| brought(&SURFACE, folder, read, |_| false),
    settings: files,
    unguarded,
};

/// What takes the hook out of the path. The switches are read by `unguarded`, which knows more of these
/// files; here they say what a repository can bring.
pub(crate) const SURFACE: Surface = Surface {
    marks: &["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"],
    off_words: &["--bare", "--safe-mode", "--setting-sources *", "--settings *disableAllHooks*"],
    off_variables: &["CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SIMPLE"],
    switches: &[
        Switch { file: ".claude/settings.json", by: By::Json("/disableAllHooks", false) },
        Switch { file: ".claude/settings.local.json", by: By::Json("/disableAllHooks", false) },
    ],
    machine: MANAGED,
    trust: "",
    sign: None,
};

/// Managed settings, which survive whatever the others say.
const MANAGED: &str = "/etc/claude-code/managed-settings.json";

/// The files a session started in a folder reads, the managed one first.
fn files(home: &Path, folder: &Path) -> Vec<PathBuf> {
    vec![
        PathBuf::from(MANAGED),
        home.join(".claude/settings.json"),
        folder.join(".claude/settings.json"),
        folder.join(".claude/settings.local.json"),
    ]
}

/// Why no hook of ours runs in a session with these settings.
fn unguarded(files: &[SettingsFile]) -> Option<Unguarded> {
    let all: Vec<Read> =
        files.iter().filter_map(|file| Some(Read::of(&file.path, file.bytes.as_deref()?))).collect();
    let managed = all.iter().find(|file| file.path == Path::new(MANAGED));
    if managed.is_some_and(|file| file.fault.is_none() && file.holds_hook && !file.switches_off) {
        return None;
    }
    if managed.is_some_and(|file| file.is_true("allowManagedHooksOnly")) {
        return Some(Unguarded {
            why: format!("`{MANAGED}` allows no hooks but its own (`allowManagedHooksOnly`)"),
            fix: "ask your administrator to add the hook there".to_owned(),
        });
    }
    if let Some(file) = all.iter().find(|file| file.switches_off) {
        return Some(Unguarded {
            why: format!("`{}` switches all hooks off (`disableAllHooks`)", file.path.display()),
            fix: "remove `disableAllHooks` from that file".to_owned(),
        });
    }
    let holding = || all.iter().filter(|file| file.holds_hook);
    if holding().any(|file| file.fault.is_none()) {
        return None;
    }
    Some(match holding().find_map(|file| Some((file.path, file.fault.as_ref()?))) {
        Some((path, fault)) => Unguarded {
            why: format!("Claude Code ignores `{}`: {fault}", path.display()),
            fix: "correct that file".to_owned(),
        },
        None => {
            let names = files.iter().skip(1).map(|file| format!("`{}`", file.path.display()));
            let names: Vec<String> = names.collect();
            Unguarded {
                why: format!("the hook is in none of the files it reads: {}", names.join(", ")),
                fix: format!("run `toolgate install {NAME} --user`, which guards every folder"),
            }
        }
    })
}

/// One settings file as the program takes it.
struct Read<'a> {
    path: &'a Path,
    value: Value,
    holds_hook: bool,
    switches_off: bool,
    /// Why the program ignores all of it.
    fault: Option<String>,
}

impl Read<'_> {
    fn of<'a>(path: &'a Path, bytes: &[u8]) -> Read<'a> {
        let (value, fault) = match value_of(bytes) {
            Ok(value) => (value, None),
            // What cannot be parsed may still be meant to hold the hook.
            Err(fault) => (Value::Null, Some(fault.to_string())),
        };
        let is_unread = fault.is_some() && String::from_utf8_lossy(bytes).contains("toolgate");
        Read {
            path,
            holds_hook: install::is_whole(&value) || is_unread,
            switches_off: install::switches_off(&value),
            fault: fault.or_else(|| types::fault(&value)),
            value,
        }
    }

    fn is_true(&self, key: &str) -> bool {
        self.value.get(key) == Some(&Value::Bool(true))
    }
}
