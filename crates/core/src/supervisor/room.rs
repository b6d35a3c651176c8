//! The room supervisors have: which questions they may answer at all, and which
//! of them is fit for a question.
//!
//! Asked twice: before someone is asked, and again when a yes is used, with
//! the policy in force and the decision of that moment.

use crate::call::{Call, Kind};
use crate::chain::Decision;
use crate::event::EventKind;
use crate::guard::Category;
use crate::outcome::Verdict;
use crate::rule::{Names, Pattern};
use crate::supervisor::data::{CallSort, Supervision, Supervisor};

impl CallSort {
    /// The sort of a call.
    #[must_use]
    pub fn of(call: &Call) -> CallSort {
        match call.kind {
            Kind::Shell { .. } => CallSort::Shell,
            Kind::File { .. } | Kind::Files { .. } => CallSort::File,
            Kind::Fetch { .. } => CallSort::Fetch,
            Kind::Mcp { .. } => CallSort::Mcp,
            Kind::Handoff => CallSort::Handoff,
            Kind::Stop | Kind::Other => CallSort::Other,
        }
    }

    /// The name used everywhere.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            CallSort::Shell => "shell",
            CallSort::File => "file",
            CallSort::Fetch => "fetch",
            CallSort::Mcp => "mcp",
            CallSort::Handoff => "handoff",
            CallSort::Other => "other",
        }
    }
}

/// The name of a call's sort.
pub(super) fn sort_name(call: &Call) -> &'static str {
    CallSort::of(call).name()
}

impl Supervision {
    /// Whether any supervisor may decide about this: a question, not a block;
    /// about a call, not past a guardrail; of severities the policy leaves to
    /// them; and of no rule that is for people. More budget is a person's to give.
    #[must_use]
    pub fn has_room_for(&self, decision: &Decision) -> bool {
        let asks = decision.verdict == Verdict::Ask
            && decision.event.kind == EventKind::PreExecution
            && decision.bypasses.is_empty();
        let mut deciding = decision.decisive().peekable();
        asks && deciding.peek().is_some()
            && deciding.all(|finding| {
                self.supervised.contains(&finding.severity)
                    && finding.category != Category::Budget
                    && !self.is_for_people(&finding.guard)
            })
    }

    fn is_for_people(&self, rule: &str) -> bool {
        // A pattern that cannot be read keeps everything from supervisors.
        self.people.iter().any(|name| Pattern::word(name).map_or(true, |one| one.is_match(rule)))
    }

    /// The supervisors fit for a question, by name.
    #[must_use]
    pub fn fit_for(&self, decision: &Decision) -> Vec<(&str, &Supervisor)> {
        if !self.has_room_for(decision) {
            return Vec::new();
        }
        let all = self.supervisors.iter().filter(|entry| entry.supervisor.is_fit_for(decision));
        all.map(|entry| (entry.name.as_str(), &entry.supervisor)).collect()
    }
}

impl Supervisor {
    fn is_fit_for(&self, decision: &Decision) -> bool {
        let call = &decision.event.call;
        let fits = |names: &Names, text: &str| {
            names.is_empty()
                || names.iter().any(|name| Pattern::word(name).is_ok_and(|one| one.is_match(text)))
        };
        let severe = |severity| self.severities.is_empty() || self.severities.contains(&severity);
        fits(&self.tools, &call.tool)
            && (self.kinds.is_empty() || self.kinds.contains(&CallSort::of(call)))
            && decision.decisive().all(|finding| severe(finding.severity))
    }
}
