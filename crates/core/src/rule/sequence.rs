//! What the session did before a call: labels it earned, and calls of a kind
//!
//! A label is earned by a call that runs, and kept in the session with the
//! number of the call. What one and the same call does counts for the next
//! one, not for itself: rules about one call say that better. A kind of call
//! named under `after` becomes a rule of its own that earns a label.

use crate::guard::Seen;
use crate::rule::compiled::{Check, RuleFault};
use crate::rule::data::{Match, Rule, RuleKind};
use crate::rule::names::Names;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that must have happened before.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct After {
    /// One of these labels was earned: `untrusted`, `secret`, or one of your own `label` rules.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub label: Names,
    /// A call like this ran.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matches: Option<Match>,
    /// At most so many calls ago; ever, if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u64>,
}

/// The same, ready to be asked.
#[derive(Debug)]
pub(crate) struct CompiledAfter {
    labels: Vec<String>,
    within: Option<u64>,
}

/// The label, and the id, of the number `at` of what a rule waits for.
fn own_label(rule: &str, at: usize) -> String {
    format!("{rule}.after-{at}")
}

/// The rules that earn the labels a rule waits for.
pub(crate) fn earlier_rules(rule: &Rule) -> Vec<Rule> {
    let named = rule.after.iter().enumerate().filter_map(|(at, after)| Some((at, after.matches.clone()?)));
    named
        .map(|(at, matches)| Rule {
            id: own_label(&rule.id, at),
            name: None,
            kind: RuleKind::Label,
            matches,
            label: Some(own_label(&rule.id, at)),
            reason: format!("noted for `{}`", rule.id),
            remediation: None,
            require: None,
            change: None,
            delay: None,
            after: Vec::new(),
            when: None,
            unless: None,
            ..rule.clone()
        })
        .collect()
}

/// Whether a rule is one of these.
pub(crate) fn is_earlier(rule: &Rule) -> bool {
    rule.kind == RuleKind::Label && rule.label.as_ref() == Some(&rule.id)
}

impl CompiledAfter {
    pub(crate) fn all(rule: &Rule, check: &Check<'_>) -> Result<Vec<CompiledAfter>, RuleFault> {
        let mut all = Vec::new();
        for (at, after) in rule.after.iter().enumerate() {
            if after.label.is_empty() && after.matches.is_none() {
                let message = "`after` has no condition".to_owned();
                return Err(check.fault("after", message, "add `label:` or `match:`"));
            }
            if after.within == Some(0) {
                return Err(check.fault("within", "`within` must be at least 1".to_owned(), "use 1 or more"));
            }
            let own = after.matches.iter().map(|_| own_label(&rule.id, at));
            let labels = after.label.iter().map(str::to_owned).chain(own).collect();
            all.push(CompiledAfter { labels, within: after.within });
        }
        Ok(all)
    }

    /// Whether it happened, and near enough.
    pub(crate) fn happened(&self, seen: &Seen<'_>) -> bool {
        self.labels.iter().any(|label| {
            seen.session.labels.get(label).is_some_and(|call| {
                // The call before this one is one call ago.
                let ago = seen.session.calls.saturating_sub(*call).saturating_add(1);
                self.within.is_none_or(|within| ago <= within)
            })
        })
    }
}
