//! Whether a tool is known to be what it says: statuses, modes, and the matrix
//! that joins them.
//!
//! Pure data and one table. Who verifies a tool, and how, is not decided here.

use crate::pin::PinRules;
use crate::rule::{Names, Pattern, most_specific};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How strictly verification is asked for. Declared in rising strictness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerificationMode {
    /// Every tool runs.
    Disabled,
    /// For tools that change often.
    Development,
    /// What is not verified runs with a warning.
    Permissive,
    /// Only verified tools run.
    #[default]
    Strict,
}

/// What is known of a tool. Declared in rising doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is what it says.
    Verified,
    /// Someone chose not to check it.
    Skipped,
    /// No one has checked it yet.
    Pending,
    /// It is not what it says.
    Failed,
}

impl Status {
    /// The name used in policies and texts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Status::Verified => "verified",
            Status::Skipped => "skipped",
            Status::Pending => "pending",
            Status::Failed => "failed",
        }
    }
}

/// Where the gate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Environment {
    /// People depend on it: loose modes block instead.
    Production,
    /// Like production, but no one depends on it.
    Staging,
    /// Someone's own machine.
    Development,
    /// Automated tests.
    Test,
}

/// What becomes of a tool that `toolgate mcp` sees for the first time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FirstUse {
    /// Its definition is pinned and trusted, and the user is told.
    #[default]
    Trust,
    /// It waits until a person approves it.
    Approve,
}

/// Which changes of a pinned tool are accepted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Drift {
    /// Edits of the description that add no instruction, destination, secrecy or other tool.
    #[default]
    Permissive,
    /// None: a person approves every change.
    Strict,
}

/// What is said of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolStatus {
    /// What is known of it.
    pub status: Status,
    /// Why, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// From this moment (milliseconds since 1970) on it counts as pending again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<i64>,
    /// Another mode for this tool alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<VerificationMode>,
}

/// The section `verification` of a policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ToolVerification {
    /// How strictly it is asked for.
    pub mode: VerificationMode,
    /// In permissive and development mode: a tool that failed is blocked.
    pub block_failed: bool,
    /// In permissive mode: a pending tool is warned about, not let through in silence.
    pub block_pending: bool,
    /// In development mode: a skipped tool runs with a warning.
    pub allow_skipped: bool,
    /// Every so many warnings about one tool, one is raised.
    #[schemars(range(min = 1))]
    pub warnings_before_escalation: u64,
    /// Where the gate is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// In production: a loose mode is meant, after all.
    pub loose_in_production: bool,
    /// Tools seen for the first time through `toolgate mcp`: `trust`, or `approve`, which is
    /// what `mode: strict` means if nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_use: Option<FirstUse>,
    /// Which changes of a pinned tool are accepted: `permissive`, or `strict`, which is what
    /// `mode: strict` means if nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
    /// What is known of tools, `*` allowed in names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, ToolStatus>,
}

impl Default for ToolVerification {
    fn default() -> ToolVerification {
        ToolVerification {
            mode: VerificationMode::Strict,
            block_failed: true,
            block_pending: true,
            allow_skipped: false,
            warnings_before_escalation: 10,
            environment: None,
            loose_in_production: false,
            first_use: None,
            drift: None,
            tools: BTreeMap::new(),
        }
    }
}

/// What the matrix says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enforced {
    /// It runs.
    Allow,
    /// It runs, with a warning.
    Warn,
    /// It does not run.
    Block,
}

impl ToolVerification {
    /// How pins are kept as far as this layer says.
    pub(crate) fn pin_rules(&self) -> PinRules {
        let is_strict = self.mode == VerificationMode::Strict;
        let first_use = if is_strict { FirstUse::Approve } else { FirstUse::Trust };
        let drift = if is_strict { Drift::Strict } else { Drift::Permissive };
        PinRules { first_use: self.first_use.unwrap_or(first_use), drift: self.drift.unwrap_or(drift) }
    }

    /// What is said of a tool: by its name, or by the most specific pattern. Tools of the
    /// host itself are verified by the host; the others are not checked yet.
    #[must_use]
    pub fn of_tool(&self, tool: &str, is_own: bool) -> ToolStatus {
        let status = if is_own { Status::Verified } else { Status::Pending };
        self.of_pinned_tool(tool, status, None)
    }

    /// The same where something is known of a tool the policy does not list.
    pub(crate) fn of_pinned_tool(&self, tool: &str, status: Status, reason: Option<String>) -> ToolStatus {
        let said = most_specific(&self.tools, tool, |said| (said.status, said.mode));
        said.cloned().unwrap_or(ToolStatus { status, reason, until_ms: None, mode: None })
    }

    /// Mode × status. Strict knows no flags.
    #[must_use]
    pub fn enforce(&self, mode: VerificationMode, status: Status) -> Enforced {
        use Enforced::{Allow, Block, Warn};
        use VerificationMode::{Development, Disabled, Permissive, Strict};
        match (mode, status) {
            (_, Status::Verified) | (Disabled, _) => Allow,
            (Strict, _) => Block,
            (Permissive | Development, Status::Failed) => {
                if self.block_failed {
                    Block
                } else {
                    Warn
                }
            }
            (Permissive, Status::Pending) => {
                if self.block_pending {
                    Warn
                } else {
                    Allow
                }
            }
            (Development, Status::Pending) | (Permissive, Status::Skipped) => Warn,
            (Development, Status::Skipped) => {
                if self.allow_skipped {
                    Warn
                } else {
                    Block
                }
            }
        }
    }

    /// Whether a loose mode is where it must not.
    #[must_use]
    pub fn is_loose_in_production(&self, mode: VerificationMode) -> bool {
        self.environment == Some(Environment::Production)
            && mode <= VerificationMode::Development
            && !self.loose_in_production
    }

    /// The names that are no patterns.
    pub(crate) fn bad_names(&self) -> Names {
        Names(self.tools.keys().filter(|name| Pattern::word(name).is_err()).cloned().collect())
    }
}
