//! The places a verdict can depend on: home, workspace, temporary folders and
//! the gate's own files. They come in as values; nothing is looked up here.

use crate::path::is_within;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A named place a rule can speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// The project the agent works in, and folders the policy adds to it.
    Workspace,
    /// The user's home folder.
    Home,
    /// Folders for throw-away files.
    Temp,
    /// `/` itself.
    Root,
    /// Folders the system lives in: `/etc`, `/usr`, …
    System,
    /// The gate's own files: policy, ledger, binary, hook settings.
    Gate,
}

/// The places of one judgement, all absolute and normalised.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// The user's home.
    pub home: Option<String>,
    /// The workspace: the project root first, then what the policy adds.
    pub workspace: Vec<String>,
    /// Temporary folders.
    pub temp: Vec<String>,
    /// Files and folders of the gate.
    pub gate: Vec<String>,
    /// Host settings that are the gate's in every folder: the ends of their paths, as in
    /// `.host/settings.json`.
    pub settings: Vec<String>,
}

const SYSTEM: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib64",
    "/opt",
    "/proc",
    "/root",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/var",
    "/home",
    "/Users",
    "/System",
    "/Library",
    "/Applications",
];

impl Places {
    /// Whether `path` lies in `place`.
    #[must_use]
    pub fn holds(&self, place: Place, path: &str) -> bool {
        match place {
            Place::Workspace => self.workspace.iter().any(|folder| is_within(path, folder)),
            // Where the home is `/`, the rest of the system is not at home for that.
            Place::Home => self.home.as_ref().is_some_and(|home| home != "/" && is_within(path, home)),
            // A project in a temporary folder is still work.
            Place::Temp => {
                self.temp.iter().any(|folder| is_within(path, folder)) && !self.holds(Place::Workspace, path)
            }
            Place::Root => true,
            Place::System => SYSTEM.iter().any(|folder| is_within(path, folder)),
            Place::Gate => self.gate.iter().any(|own| is_within(path, own)) || self.is_settings(path),
        }
    }

    /// Whether `path` is host settings, in whatever folder.
    fn is_settings(&self, path: &str) -> bool {
        let ends = |tail: &String| path.strip_suffix(tail.as_str()).is_some_and(|above| above.ends_with('/'));
        self.settings.iter().any(ends)
    }

    /// The path as seen from the workspace it lies in, with a `/` in front.
    #[must_use]
    pub fn below_workspace<'a>(&self, path: &'a str) -> Option<&'a str> {
        let below = |root: &String| path.strip_prefix(root.as_str()).filter(|rest| rest.starts_with('/'));
        self.workspace.iter().find_map(below)
    }

    /// Whether `path` is `place` itself or a folder above it, so that losing
    /// `path` loses the place.
    #[must_use]
    pub fn covers(&self, path: &str, place: Place) -> bool {
        match place {
            Place::Workspace => self.workspace.iter().any(|folder| is_within(folder, path)),
            Place::Home => self.home.as_ref().is_some_and(|home| is_within(home, path)),
            Place::Temp => self.temp.iter().any(|folder| is_within(folder, path)),
            Place::Root => path == "/",
            Place::System => path == "/" || SYSTEM.contains(&path),
            Place::Gate => self.gate.iter().any(|own| is_within(own, path)),
        }
    }
}
