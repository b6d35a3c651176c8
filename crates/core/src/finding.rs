//! One guard's answer with everything needed to explain it.

use crate::guard::{Category, Severity};
use crate::outcome::Outcome;
use serde::{Deserialize, Serialize};

/// Where a guard is written down.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Source {
    /// The file, or `built-in`.
    pub file: String,
    /// The line, 0 where there is none.
    pub line: u32,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line == 0 { write!(f, "{}", self.file) } else { write!(f, "{}:{}", self.file, self.line) }
    }
}

/// One guard's answer to one event (S2-33).
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
    /// What in the call made the guard speak.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// 1.0 for deterministic guards.
    pub confidence: f64,
    /// How long the guard took.
    pub duration_us: u64,
}
