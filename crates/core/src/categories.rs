//! The section `category_guardrails` of a policy: the twenty guardrails of S2
//! by category, with their parameters.
//!
//! Off unless a policy names them, one by one or a category at a time, or a
//! risk level brings them along. What any layer turns on is on, with the
//! parameters of that layer; where several layers do, each of them holds.

use crate::finding::Source;
use crate::guard::Category;
use crate::guardrail::OnFail;
use crate::guards::category::{
    ApiCalls, BranchPolicy, Capabilities, CostCeiling, DecisionAuthority, Destructive, Documentation,
    FileOwnership, FileScope, LintClean, ProtectedFiles, ReviewFirst, Sandbox, TaskBoundary, TestsPass,
    TimeBudget, TokenBudget,
};
use crate::policy::Layer;
use crate::risk::Risk;
use crate::rule::{Names, RuleFault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every id, in the order of the seed.
pub(crate) const IDS: &[&str] = &[
    "safety-001",
    "safety-002",
    "safety-003",
    "safety-004",
    "quality-001",
    "quality-002",
    "quality-003",
    "quality-004",
    "compliance-001",
    "compliance-002",
    "compliance-003",
    "compliance-004",
    "budget-001",
    "budget-002",
    "budget-003",
    "budget-004",
    "scope-001",
    "scope-002",
    "scope-003",
    "scope-004",
];

const CATEGORIES: &[&str] = &["safety", "quality", "compliance", "budget", "scope"];

/// The section.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Categories {
    /// Categories (`safety`) and ids (`quality-003`) that are on as they come.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub on: Names,
    /// Risk levels by the letter of S2: at `low` not even the safety of every level, at `critical` a person for
    /// reading, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub literal: bool,
    /// Destructive commands.
    #[serde(rename = "safety-001", skip_serializing_if = "Option::is_none")]
    pub safety_001: Option<Destructive>,
    /// Files that hold secrets.
    #[serde(rename = "safety-002", skip_serializing_if = "Option::is_none")]
    pub safety_002: Option<ProtectedFiles>,
    /// The sandbox.
    #[serde(rename = "safety-004", skip_serializing_if = "Option::is_none")]
    pub safety_004: Option<Sandbox>,
    /// Tests before a commit.
    #[serde(rename = "quality-003", skip_serializing_if = "Option::is_none")]
    pub quality_003: Option<TestsPass>,
    /// Lints before a commit.
    #[serde(rename = "quality-004", skip_serializing_if = "Option::is_none")]
    pub quality_004: Option<LintClean>,
    /// One writer a file.
    #[serde(rename = "compliance-001", skip_serializing_if = "Option::is_none")]
    pub compliance_001: Option<FileOwnership>,
    /// Review before a merge.
    #[serde(rename = "compliance-002", skip_serializing_if = "Option::is_none")]
    pub compliance_002: Option<ReviewFirst>,
    /// Commits on the right branch.
    #[serde(rename = "compliance-003", skip_serializing_if = "Option::is_none")]
    pub compliance_003: Option<BranchPolicy>,
    /// Documentation with a change of the interface.
    #[serde(rename = "compliance-004", skip_serializing_if = "Option::is_none")]
    pub compliance_004: Option<Documentation>,
    /// Tokens.
    #[serde(rename = "budget-001", skip_serializing_if = "Option::is_none")]
    pub budget_001: Option<TokenBudget>,
    /// Time.
    #[serde(rename = "budget-002", skip_serializing_if = "Option::is_none")]
    pub budget_002: Option<TimeBudget>,
    /// Calls to the outside.
    #[serde(rename = "budget-003", skip_serializing_if = "Option::is_none")]
    pub budget_003: Option<ApiCalls>,
    /// Cost.
    #[serde(rename = "budget-004", skip_serializing_if = "Option::is_none")]
    pub budget_004: Option<CostCeiling>,
    /// Staying with the task.
    #[serde(rename = "scope-001", skip_serializing_if = "Option::is_none")]
    pub scope_001: Option<TaskBoundary>,
    /// Files of the task.
    #[serde(rename = "scope-002", skip_serializing_if = "Option::is_none")]
    pub scope_002: Option<FileScope>,
    /// What an agent says it can do.
    #[serde(rename = "scope-003", skip_serializing_if = "Option::is_none")]
    pub scope_003: Option<Capabilities>,
    /// What an agent may decide alone.
    #[serde(rename = "scope-004", skip_serializing_if = "Option::is_none")]
    pub scope_004: Option<DecisionAuthority>,
}

/// What the parameters of every one of them have.
pub trait Parameters: Clone + Default {
    /// Whether it is on.
    fn is_on(&self) -> bool;
    /// What happens instead of what its page says.
    fn action(&self) -> Option<OnFail>;
    /// Every text in it that is not a pattern, with why.
    fn bad_patterns(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// What one layer says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CategoriesEntry {
    /// Where it is written.
    pub source: Source,
    /// Its layer.
    pub layer: Layer,
    /// The risk level this layer works at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// What is said.
    #[serde(default)]
    pub categories: Categories,
}

impl CategoriesEntry {
    /// Whether a guardrail no one gave parameters is on.
    pub(crate) fn turns_on(&self, id: &str) -> bool {
        let named = self.categories.on.iter().any(|name| name == id || is_of(id, name));
        named || self.risk.is_some_and(|risk| risk.brings(id, self.categories.literal))
    }

    /// Whether it speaks of what only the host's log tells.
    pub(crate) fn needs_log(&self) -> bool {
        let said = &self.categories;
        let tokens = said.budget_001.as_ref().is_some_and(|own| own.on && own.limit.is_some());
        tokens || said.budget_004.as_ref().is_some_and(|own| own.on && own.cents.is_some())
    }

    /// Everything that cannot be meant so.
    #[must_use]
    pub fn faults(&self) -> Vec<RuleFault> {
        let known = |name: &str| IDS.contains(&name) || CATEGORIES.contains(&name);
        let unknown = self.categories.on.iter().filter(|name| !known(name)).map(|name| RuleFault {
            rule: "category_guardrails.on".to_owned(),
            at: None,
            needle: name.to_owned(),
            message: format!("unknown category guardrail `{name}`"),
            cure: "use a category (safety, quality, compliance, budget, scope) or an id such as safety-001"
                .to_owned(),
        });
        let bad = crate::guards::category::bad_patterns(&self.categories);
        let bad = bad.into_iter().map(|(id, (needle, why))| RuleFault {
            rule: format!("category_guardrails.{id}"),
            message: format!("invalid value `{needle}`: {why}"),
            at: None,
            needle,
            cure: format!("`toolgate explain {id}` shows the keys and an example"),
        });
        unknown.chain(bad).collect()
    }
}

fn is_of(id: &str, category: &str) -> bool {
    id.strip_prefix(category).is_some_and(|rest| rest.starts_with('-'))
}

/// The category an id speaks of.
pub(crate) fn category_of(id: &str) -> Category {
    match id.split('-').next() {
        Some("quality") => Category::Quality,
        Some("compliance") => Category::Compliance,
        Some("budget") => Category::Budget,
        Some("scope") => Category::Scope,
        _ => Category::Safety,
    }
}
