//! `compliance-003`: commits go to the right branch.

use super::git::{Branch, commits};
use super::{Objection, Standard, any_word, no_word, parameters};
use crate::categories::Categories;
use crate::evidence::Evidence;
use crate::expression::Truth;
use crate::guard::Seen;
use crate::guardrail::OnFail;
use crate::rule::Names;

parameters! {
    /// `compliance-003`.
    BranchPolicy {
        /// Branches that agents may not commit or push to.
        protected: Names = Names::of(&["main", "master", "release/*"]),
        /// Branches commits go to; every other one if empty.
        allowed: Names = Names::default(),
    }
    patterns { protected: no_word, allowed: no_word }
}

impl Standard for BranchPolicy {
    const ID: &'static str = "compliance-003";
    const ACTION: OnFail = OnFail::Block;
    const PAGE: &'static str = "\
compliance-003: no commits to protected branches.

Commits, merges, cherry-picks, reverts and pushes are blocked on and to branches that match `protected` and, if `allowed` is
set, on every branch that does not match it. A branch switch earlier in the same call counts. If the branch is unknown, a person
is asked.

Allowed instead: your own branch and a pull request.

  category_guardrails:
    compliance-003: { protected: [main], allowed: ['feature/*', 'fix/*'] }
";

    fn section(all: &Categories) -> Option<&BranchPolicy> {
        all.compliance_003.as_ref()
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        let wrong =
            commits(seen).into_iter().filter_map(|(at, _, branch)| Some((self.wrong(&branch)?, at, branch)));
        let (sure, at, branch) = wrong.reduce(|worst, next| if next.0 > worst.0 { next } else { worst })?;
        let message = match &branch {
            Branch::Named(name) => format!("commits and pushes to `{name}` are not allowed"),
            Branch::Unknown => "Toolgate cannot tell which branch this commits or pushes to".to_owned(),
        };
        let own: Vec<&str> = self.allowed.iter().collect();
        let like = if own.is_empty() { String::new() } else { format!(" ({})", own.join(", ")) };
        let step = format!("create your own branch{like} and commit there");
        Some(Objection {
            sure,
            ..Objection::new(message, step).because(Evidence::of_command(
                &seen.event.call,
                seen.facts,
                at,
                [],
            ))
        })
    }
}

impl BranchPolicy {
    fn wrong(&self, branch: &Branch) -> Option<Truth> {
        let Branch::Named(name) = branch else { return Some(Truth::Unclear) };
        let allowed = self.allowed.is_empty() || any_word(&self.allowed, name);
        (!allowed || any_word(&self.protected, name)).then_some(Truth::Yes)
    }
}
