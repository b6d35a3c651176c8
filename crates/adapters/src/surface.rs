//! What around a host decides whether its hooks run: settings that switch them off,
//! words and variables that start it without them, and whom it asks first.
//!
//! Data only; each host has its own in its row or folder. Deliberately absent:
//! reading files and judging commands.

use crate::settings::value_of;
use serde_json::Value;
use std::path::{Path, PathBuf};
use toolgate_core::Unguarded;

/// What decides whether the hooks of a host run.
#[derive(Debug, Clone, Copy)]
pub struct Surface {
    /// Variables it sets for what its agents run.
    pub marks: &'static [&'static str],
    /// Words with which it starts without the hook: `--bare`, `-c features.hooks=false`.
    pub off_words: &'static [&'static str],
    /// Variables that make it read other settings, or none.
    pub off_variables: &'static [&'static str],
    /// Settings that take the hook out of the path.
    pub switches: &'static [Switch],
    /// The settings for the whole machine that none of the others switch off; empty if there are none.
    pub machine: &'static str,
    /// What a person must agree to before the hook runs, in one sentence; empty if nothing.
    pub trust: &'static str,
    /// How its messages are known where another host's hook is called with them.
    pub sign: Option<Sign>,
}

impl Surface {
    /// Nothing is known.
    pub const NONE: Surface = Surface {
        marks: &[],
        off_words: &[],
        off_variables: &[],
        switches: &[],
        machine: "",
        trust: "",
        sign: None,
    };

    /// Whether a file in a repository can switch hooks of the user off.
    #[must_use]
    pub fn trusts_repositories(&self) -> bool {
        self.switches.iter().any(Switch::is_of_repository)
    }
}

/// How a message of a host is known that came through another host's settings.
#[derive(Debug, Clone, Copy)]
pub struct Sign {
    /// A variable the host sets for its hooks.
    pub variable: &'static str,
    /// A text in the message that only this host sends, as JSON pointer.
    pub field: &'static str,
    /// Fields the message does not have; the host whose settings these are sends one of them.
    pub without: &'static [&'static str],
    /// Whether the message is in the host's own words; else it is in those of the host whose settings these are.
    pub in_own_words: bool,
}

impl Sign {
    /// Whether the message is from this host, for the variables of the hook.
    #[must_use]
    pub fn is_on(&self, message: &[u8], is_set: &dyn Fn(&str) -> bool) -> bool {
        // Agents start other agents, which inherit their variables: the message must say it, too.
        is_set(self.variable)
            && serde_json::from_slice::<Value>(message).is_ok_and(|value| {
                value.pointer(self.field).is_some_and(|field| !field.is_null())
                    && self.without.iter().all(|field| value.pointer(field).is_none_or(Value::is_null))
            })
    }
}

/// A file that can take the hook out of the path.
#[derive(Debug, Clone, Copy)]
pub struct Switch {
    /// The file: below home with `~/`, from the root with `/`, else below the project.
    pub file: &'static str,
    /// What in it does.
    pub by: By,
}

/// What in a file takes the hook out of the path.
#[derive(Debug, Clone, Copy)]
pub enum By {
    /// JSON: this value, where it is another one than this.
    Json(&'static str, bool),
    /// The same in TOML.
    Toml(&'static str, bool),
    /// JSON: a list that holds the name of the hook.
    Listed(&'static str),
    /// A line that names the hook.
    Line,
    /// The file, read instead of the one of the user, where it does not hold the hook.
    Instead,
    /// The file, by being there.
    Presence,
    /// TOML: a `[[hooks]]` table with the name of one of ours and another command.
    SameName,
    /// The file holds the hook and is not TOML.
    NotToml,
    /// TOML: an entry of `[[hooks]]` with an event or a field that is none of these drops every hook.
    Unknown {
        /// The field that holds the event.
        event: &'static str,
        /// Events the host knows.
        events: &'static [&'static str],
        /// Fields it knows.
        fields: &'static [&'static str],
    },
}

/// The name under which hooks of ours are registered, where they have one.
const OUR_NAME: &str = "toolgate";

impl Switch {
    /// Whether a repository can bring the file.
    #[must_use]
    pub fn is_of_repository(&self) -> bool {
        !self.file.starts_with(['/', '~'])
    }

    /// Whether and how this text takes the hook of a host out of the path; `holds_hook` says
    /// whether it holds the hook itself.
    #[must_use]
    pub fn found(&self, path: &Path, bytes: &[u8], holds_hook: bool) -> Option<Unguarded> {
        let file = path.display();
        let (why, fix) = match self.by {
            By::Json(pointer, harmless) => off_in(&value_of(bytes).ok()?, pointer, harmless)?,
            By::Toml(pointer, harmless) => off_in(&toml_of(bytes)?, pointer, harmless)?,
            By::Listed(pointer) => {
                let value = value_of(bytes).ok()?;
                let list = value.pointer(pointer)?.as_array()?;
                list.iter().any(|name| name.as_str() == Some(OUR_NAME)).then_some(())?;
                let key = key_of(pointer);
                (
                    format!("switches the hook off by its name (`{key}`)"),
                    format!("remove `{OUR_NAME}` from `{key}` in that file"),
                )
            }
            By::Line => {
                let line = String::from_utf8_lossy(bytes)
                    .lines()
                    .find(|line| line.contains(OUR_NAME))
                    .map(str::trim)
                    .map(str::to_owned)?;
                (format!("switches the hook off (`{line}`)"), "remove that line from the file".to_owned())
            }
            By::Instead => {
                (!holds_hook).then_some(())?;
                (
                    "is read instead of your own settings and does not hold the hook".to_owned(),
                    "remove that file, or install the hook there with `--project`".to_owned(),
                )
            }
            By::Presence => (
                "takes the place of the hook of the same name in your own settings".to_owned(),
                "remove that file".to_owned(),
            ),
            By::SameName => {
                let name = same_name(&toml_of(bytes)?)?;
                (
                    format!("replaces your hook with another one of the same name (`{name}`)"),
                    format!("remove the hook `{name}` from that file"),
                )
            }
            By::NotToml => {
                let text = String::from_utf8_lossy(bytes);
                let fault = toml::from_str::<Value>(&text).err().filter(|_| text.contains(OUR_NAME))?;
                let line = fault.span().map_or(1, |span| line_of(&text, span.start));
                (
                    format!("is not valid TOML (line {line}), so all hooks in it are dropped"),
                    "correct that line".to_owned(),
                )
            }
            By::Unknown { event, events, fields } => {
                let what = unknown_in(&toml_of(bytes)?, event, events, fields)?;
                (
                    format!("has a hook with {what}, which drops all hooks"),
                    "correct or remove that hook".to_owned(),
                )
            }
        };
        Some(Unguarded { why: format!("`{file}` {why}"), fix })
    }
}

/// Files in a folder that switch hooks of the user off.
pub(crate) fn brought(
    surface: &Surface,
    folder: &Path,
    read: &dyn Fn(&Path) -> Option<Vec<u8>>,
    holds_hook: impl Fn(&[u8]) -> bool,
) -> Vec<(PathBuf, Unguarded)> {
    let look = |switch: &Switch| {
        let path = folder.join(switch.file);
        let bytes = read(&path)?;
        let found = switch.found(&path, &bytes, holds_hook(&bytes))?;
        Some((path, found))
    };
    surface.switches.iter().filter(|switch| switch.is_of_repository()).filter_map(look).collect()
}

/// A path of a row as a path of this machine.
pub(crate) fn placed(written: &str, home: &Path, project: &Path) -> PathBuf {
    match written.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => project.join(written),
    }
}

fn key_of(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".")
}

fn off_in(value: &Value, pointer: &str, harmless: bool) -> Option<(String, String)> {
    let is_off = value.pointer(pointer).is_some_and(|switch| *switch != Value::Bool(harmless));
    let key = key_of(pointer);
    is_off.then(|| (format!("switches all hooks off (`{key}`)"), format!("remove `{key}` from that file")))
}

/// What TOML text says; `None` if it is not TOML.
pub(crate) fn toml_of(bytes: &[u8]) -> Option<Value> {
    toml::from_str(std::str::from_utf8(bytes).ok()?).ok()
}

fn tables(value: &Value) -> impl Iterator<Item = &serde_json::Map<String, Value>> {
    value.get("hooks").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

fn same_name(value: &Value) -> Option<String> {
    let text = |table: &serde_json::Map<String, Value>, key: &str| {
        table.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    tables(value)
        .map(|table| (text(table, "name"), text(table, "command")))
        .find(|(name, command)| name.starts_with(OUR_NAME) && !command.contains(OUR_NAME))
        .map(|(name, _)| name)
}

/// The entry the host does not know.
fn unknown_in(value: &Value, event: &str, events: &[&str], fields: &[&str]) -> Option<String> {
    // Without a hook of ours there is none to lose.
    tables(value)
        .any(|table| {
            table.get("command").and_then(Value::as_str).is_some_and(|command| command.contains(OUR_NAME))
        })
        .then_some(())?;
    tables(value).find_map(|table| {
        let named = table.get(event).and_then(Value::as_str);
        match table.keys().find(|key| !fields.contains(&key.as_str())) {
            Some(key) => Some(format!("the unknown field `{key}`")),
            None if named.is_none_or(|name| !events.contains(&name)) => {
                Some(format!("the unknown event `{}`", named.unwrap_or_default()))
            }
            None => None,
        }
    })
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count().saturating_add(1)
}
