//! Risk levels: which guardrails a task or an agent works under, a setting of people, never derived.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much could go wrong. Declared in rising order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// The built-in guards and safety-001 to -003; what says nothing warns.
    Low,
    /// Also safety and compliance; what says nothing asks.
    Medium,
    /// All of them; what says nothing blocks.
    High,
    /// All of them, thresholds tightened, and a person for every action.
    Critical,
}

impl Risk {
    /// The name used in policies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Risk::Low => "low",
            Risk::Medium => "medium",
            Risk::High => "high",
            Risk::Critical => "critical",
        }
    }

    /// Whether a category guardrail is on at this level.
    pub(crate) fn brings(self, id: &str, literal: bool) -> bool {
        match self {
            // By the letter nothing is left at this level; what loses most stays on.
            Risk::Low => !literal && matches!(id, "safety-001" | "safety-002" | "safety-003"),
            Risk::Medium => id.starts_with("safety-") || id.starts_with("compliance-"),
            Risk::High | Risk::Critical => true,
        }
    }
}
