//! `compliance-001`: one writer a file.

use super::{Objection, Standard, parameters};
use crate::categories::Categories;
use crate::evidence::Evidence;
use crate::guard::Seen;
use crate::guardrail::OnFail;
use crate::lock::Lock;

parameters! {
    /// `compliance-001`.
    FileOwnership {
        /// Minutes after its last write a lock is given back by itself.
        minutes: u32 = 30,
    }
    patterns {}
}

impl Standard for FileOwnership {
    const ID: &'static str = "compliance-001";
    const ACTION: OnFail = OnFail::Block;
    const PAGE: &'static str = "\
compliance-001: one writer per file.

A write locks the file for its agent. Another agent or session that would change or delete the file, or a folder that contains
it, is blocked and told who holds the lock. A lock is released when the session or sub-agent ends, when its agent hands work to
a sub-agent, and `minutes` after the last write.

Allowed instead: working on other files; waiting; handing the step to the agent that holds the lock.

  category_guardrails:
    compliance-001: { minutes: 30 }
";

    fn section(all: &Categories) -> Option<&FileOwnership> {
        all.compliance_001.as_ref()
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        let call = &seen.event.call;
        let lock = seen.session.locks.iter().find(|lock| lock.is_against(call, self.minutes, seen.now_ms))?;
        let message = format!("`{}` is being written by {}", lock.path, holder(lock, &call.session));
        let files = &seen.facts.files;
        let file = files.iter().find(|file| file.targets().any(|path| path == lock.path));
        let written = file.and_then(|file| Evidence::of_file(call, seen.facts, file));
        let step = "work on other files, wait until it is done, or hand the step over";
        Some(Objection::new(message, step).because(written))
    }
}

/// Who holds a lock, in words.
pub(crate) fn holder(lock: &Lock, session: &str) -> String {
    if lock.session == session {
        format!("the agent `{}` of this session", lock.agent)
    } else {
        format!("the agent `{}` of session `{}`", lock.agent, lock.session)
    }
}
