//! One guard's answer with everything needed to explain it.

use crate::evidence::Evidence;
use crate::guard::{Category, Severity};
use crate::outcome::Outcome;
use serde::{Deserialize, Serialize};

/// Where a guard is written down.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Source {
    /// The file, the name of a pack (`default pack`), or `built-in`.
    pub file: String,
    /// The line, 0 where there is none.
    pub line: u32,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A pack is on no disk the reader has; `toolgate explain` shows its rules.
        if self.file == BUILT_IN {
            return f.write_str(BUILT_IN);
        }
        if let Some(pack) = self.pack() {
            return write!(f, "{pack} pack");
        }
        // The project's own files, as they are called in the project.
        let file = match self.file.find("/.toolgate/") {
            Some(at) => self.file.get(at.saturating_add(1)..).unwrap_or(&self.file),
            None => &self.file,
        };
        if self.line == 0 { f.write_str(file) } else { write!(f, "{file}:{}", self.line) }
    }
}

impl Source {
    /// Nothing but the program itself says so.
    #[must_use]
    pub fn built_in() -> Source {
        Source { file: BUILT_IN.to_owned(), line: 0 }
    }

    /// The name of the pack it is part of.
    #[must_use]
    pub fn pack(&self) -> Option<&str> {
        // The first version recorded packs by their path in the source tree.
        let old = || self.file.strip_prefix("policies/")?.strip_suffix(".yaml");
        self.file.strip_suffix(PACK).filter(|name| !name.contains('/')).or_else(old)
    }

    /// What represents the file of a pack.
    #[must_use]
    pub fn pack_file(pack: &str) -> String {
        format!("{pack}{PACK}")
    }
}

/// The file of what is in no file.
const BUILT_IN: &str = "built-in";

/// Ends what represents the file of a pack.
const PACK: &str = " pack";

/// One guard's answer to one event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The guard.
    pub guard: String,
    /// Where it is written.
    pub source: Source,
    /// Its category.
    pub category: Category,
    /// How bad it would be.
    pub severity: Severity,
    /// The answer.
    pub outcome: Outcome,
    /// One sentence for the person.
    pub message: String,
    /// One sentence for the agent: the next allowed step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remediation: Option<String>,
    /// What would be allowed instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
    /// What in the call made the guard speak, quoted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// 1.0 for deterministic guards.
    pub confidence: f64,
    /// How long the guard took.
    pub duration_us: u64,
}

impl Finding {
    /// The guard and where it is written: `no-make (.toolgate/policy.yaml:4)`.
    /// What is in no file of the reader is shown by a command.
    #[must_use]
    pub fn citation(&self) -> String {
        let (guard, source, cited) = (&self.guard, &self.source, self.cited());
        if source.file == BUILT_IN || source.pack().is_some() {
            format!("{cited}, see `toolgate explain {guard}`")
        } else {
            cited
        }
    }

    /// The guard and where it is written.
    #[must_use]
    pub fn cited(&self) -> String {
        format!("{} ({})", self.guard, self.source)
    }

    /// The label it gives the session, if that is all it does.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Label(label) => Some(label),
            _ => None,
        }
    }

    /// Whether it says anything about this call; a label or a backup only prepares for later.
    #[must_use]
    pub fn is_objection(&self) -> bool {
        !matches!(self.outcome, Outcome::Label(_) | Outcome::Backup { .. })
    }
}
