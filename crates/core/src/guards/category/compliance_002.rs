//! `compliance-002`: what is merged was reviewed.

use super::git::{Branch, is_one_of, present};
use super::{Objection, Standard, any_word, no_word, parameters};
use crate::call::Call;
use crate::categories::Categories;
use crate::evidence::Evidence;
use crate::expression::Truth;
use crate::facts::Facts;
use crate::guard::Seen;
use crate::guardrail::OnFail;
use crate::mark::{CHANGED_MARK, handed_mark};
use crate::rule::Names;

parameters! {
    /// `compliance-002`.
    ReviewFirst {
        /// Agents, as the host names their sort, whose finished work counts as a review.
        reviewers: Names = Names::of(&["reviewer", "code-reviewer"]),
        /// Commands that merge.
        before: Names = Names::of(&["git merge", "gh pr merge", "glab mr merge"]),
        /// Branches that are merged into only after a review; others are free.
        into: Names = Names::of(&["main", "master", "release/*"]),
    }
    patterns { into: no_word }
}

impl Standard for ReviewFirst {
    const ID: &'static str = "compliance-002";
    const ACTION: OnFail = OnFail::Block;
    const PAGE: &'static str = "\
compliance-002: merges need a review.

A merge into a branch in `into`, locally or through `gh` and `glab`, needs a review after the last change to a file of the
workspace. A review is a sub-agent of a type listed in `reviewers` that got work in this session and finished it, as reported by
the host.

Allowed instead: handing the changes to a reviewer first; merging into your own branch; letting the user merge.

  category_guardrails:
    compliance-002: { reviewers: [reviewer], into: [main] }
";

    fn section(all: &Categories) -> Option<&ReviewFirst> {
        all.compliance_002.as_ref()
    }

    fn asks(&self, _: &Call, facts: &Facts) -> Vec<String> {
        if !facts.commands().any(|(_, command)| is_one_of(command, &self.before)) {
            return Vec::new();
        }
        self.reviewers.iter().map(handed_mark).chain([CHANGED_MARK.to_owned()]).collect()
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        let merges = seen.facts.commands().filter(|(_, command)| is_one_of(command, &self.before));
        let merge = merges.filter_map(|(at, command)| {
            // What `gh` merges into is decided elsewhere.
            let branch = if command.program == "git" { Some(present(seen, command)) } else { None };
            let sure = match branch {
                None => Truth::Yes,
                Some(Branch::Unknown) => Truth::Unclear,
                Some(Branch::Named(name)) if any_word(&self.into, &name) => Truth::Yes,
                Some(Branch::Named(_)) => return None,
            };
            Some((sure, at))
        });
        let (sure, at) = merge.reduce(|worst, next| if next.0 > worst.0 { next } else { worst })?;
        let changed = seen.session.mark(CHANGED_MARK).map_or(0, |mark| mark.seq);
        let is_reviewed =
            |name: &str| seen.session.mark(&handed_mark(name)).is_some_and(|mark| mark.seq > changed);
        if self.reviewers.iter().any(is_reviewed) {
            return None;
        }
        let who: Vec<&str> = self.reviewers.iter().collect();
        let step = format!("hand the changes to a reviewer ({}) first, then merge", who.join(", "));
        let objection = Objection::new("these changes have not been reviewed since the last edit", step);
        Some(Objection {
            sure,
            ..objection.because(Evidence::of_command(&seen.event.call, seen.facts, at, []))
        })
    }
}
