//! Interfaces for code of your own: validators, policies that learn from
//! results, checkers that say when the work is done.
//!
//! Each becomes a guard. It can only make verdicts stricter; a check that panics
//! or takes too long blocks the call.

use serde_json::Value;
use toolgate_core::{
    Call, Category, Event, EventKind, Evidence, Finding, Guard, Outcome, Prerequisite, Seen, Session,
    Severity, Source,
};

/// The first priority behind the gate's own guards.
const PRIORITY: u32 = 100;

/// What a policy says about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyDecision {
    /// It may run.
    Allow,
    /// It may not, and why.
    Deny(String),
}

/// A policy that sees calls and how they ended. Its state is its own; `&self`, because the gate may
/// ask from another thread.
pub trait ToolPolicy: Send {
    /// Stable and unique.
    fn name(&self) -> &str;
    /// Before a call.
    fn check(&self, call: &Call, session: &Session) -> PolicyDecision;
    /// After it: whether it succeeded, and what it gave back where that is known.
    fn on_result(&self, _call: &Call, _succeeded: bool, _output: Option<&Value>) {}
}

/// What a validator says about a call.
#[derive(Debug, Clone, PartialEq)]
pub enum ValidationResult {
    /// It runs.
    Approve,
    /// It runs, and the agent is warned.
    Caution {
        /// Of what.
        warning: String,
    },
    /// A person is asked.
    RequireConfirmation {
        /// Why.
        reason: String,
        /// What could go wrong.
        risks: Vec<String>,
    },
    /// It does not run.
    Block {
        /// Why.
        reason: String,
    },
    /// It runs once these checks have passed.
    RequirePrerequisites {
        /// The checks.
        checks: Vec<Prerequisite>,
    },
}

/// A validator of tool calls.
pub trait ToolValidator: Send {
    /// Stable and unique.
    fn id(&self) -> &str;
    /// Whether it has anything to say about this call.
    fn applies_to(&self, _call: &Call) -> bool {
        true
    }
    /// What it says; the session holds what failed a moment ago.
    fn validate(&self, call: &Call, session: &Session) -> ValidationResult;
    /// What would be allowed instead.
    fn suggest_alternatives(&self, _call: &Call) -> Vec<String> {
        Vec::new()
    }
}

/// Whether the work is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Completed {
    /// It is.
    Ok,
    /// It is not, and what is missing.
    Incomplete(String),
}

/// Says whether an agent may stop.
pub trait CompletionChecker: Send {
    /// Stable and unique.
    fn name(&self) -> &str;
    /// Whether the work is done.
    fn check(&self, session: &Session, stop: &Call) -> Completed;
}

/// The finding of something of your own.
fn finding(id: &str, outcome: Outcome, message: String, step: Option<String>) -> Finding {
    Finding {
        guard: id.to_owned(),
        source: Source { file: "your code".to_owned(), line: 0 },
        category: Category::Quality,
        severity: Severity::Medium,
        outcome,
        message,
        remediation: step,
        alternatives: Vec::new(),
        evidence: Vec::new(),
        confidence: 1.0,
        duration_us: 0,
    }
}

pub(crate) struct PolicyGuard<P>(pub P);

impl<P: ToolPolicy> Guard for PolicyGuard<P> {
    fn id(&self) -> &str {
        self.0.name()
    }

    fn priority(&self) -> u32 {
        PRIORITY
    }

    fn category(&self) -> Category {
        Category::Compliance
    }

    fn looks_after(&self) -> bool {
        true
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        let Event { kind, call, output, .. } = seen.event;
        match kind {
            EventKind::PreExecution => match self.0.check(call, seen.session) {
                PolicyDecision::Allow => None,
                PolicyDecision::Deny(why) => {
                    let step = "change the call so that the policy allows it".to_owned();
                    Some(finding(self.id(), Outcome::Block, why, Some(step)))
                }
            },
            EventKind::PostExecution | EventKind::OnError => {
                self.0.on_result(call, *kind == EventKind::PostExecution, output.as_ref());
                None
            }
            _ => None,
        }
    }
}

pub(crate) struct ValidatorGuard<V>(pub V);

impl<V: ToolValidator> Guard for ValidatorGuard<V> {
    fn id(&self) -> &str {
        self.0.id()
    }

    fn priority(&self) -> u32 {
        PRIORITY
    }

    fn category(&self) -> Category {
        Category::Quality
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        let call = &seen.event.call;
        if seen.event.kind != EventKind::PreExecution || !self.0.applies_to(call) {
            return None;
        }
        let (outcome, message, risks) = match self.0.validate(call, seen.session) {
            ValidationResult::Approve => return None,
            ValidationResult::Caution { warning } => (Outcome::Warn, warning, Vec::new()),
            ValidationResult::RequireConfirmation { reason, risks } => (Outcome::Ask, reason, risks),
            ValidationResult::Block { reason } => (Outcome::Block, reason, Vec::new()),
            ValidationResult::RequirePrerequisites { checks } => {
                (Outcome::Check(checks), format!("`{}` asks for checks first", self.id()), Vec::new())
            }
        };
        Some(Finding {
            alternatives: self.0.suggest_alternatives(call),
            evidence: risks.into_iter().map(Evidence::remark).collect(),
            ..finding(self.id(), outcome, message, None)
        })
    }
}

pub(crate) struct CheckerGuard<C>(pub C);

impl<C: CompletionChecker> Guard for CheckerGuard<C> {
    fn id(&self) -> &str {
        self.0.name()
    }

    fn priority(&self) -> u32 {
        PRIORITY
    }

    fn category(&self) -> Category {
        Category::Quality
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        if seen.event.kind != EventKind::Stop {
            return None;
        }
        match self.0.check(seen.session, &seen.event.call) {
            Completed::Ok => None,
            Completed::Incomplete(missing) => {
                let step = Some("finish that, then stop".to_owned());
                Some(finding(self.id(), Outcome::Block, missing, step))
            }
        }
    }
}
