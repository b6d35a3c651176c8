//! `scope-002`: the files of a task.

use super::super::scope::is_within;
use super::{Objection, Standard, no_path, parameters};
use crate::agent::Scope;
use crate::categories::Categories;
use crate::evidence::Evidence;
use crate::facts::Access;
use crate::guard::Seen;
use crate::guardrail::OnFail;
use crate::rule::Names;

parameters! {
    /// `scope-002`.
    FileScope {
        /// Path patterns that may be changed, seen from the project; all if not given.
        write: Option<Names> = None,
        /// Path patterns that may not, whatever `write` says.
        deny: Names = Names::default(),
    }
    patterns { deny: no_path }
}

impl Standard for FileScope {
    const ID: &'static str = "scope-002";
    const ACTION: OnFail = OnFail::Block;
    const PAGE: &'static str = "\
scope-002: only the files of the task.

Blocks changes to files that do not match `write` or that match `deny`, for every agent; builtin-003 sets the files of a single
agent. An empty list allows no file, and a file with an unknown path matches no list.

  category_guardrails:
    scope-002: { write: [src/**, docs/**], deny: [src/vendor/**] }
";

    fn section(all: &Categories) -> Option<&FileScope> {
        all.scope_002.as_ref()
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        let scope = Scope { write: self.write.clone(), read: None, deny: self.deny.clone() };
        let changed = seen.facts.files.iter().filter(|file| file.access != Access::Read);
        let file = changed.into_iter().find(|file| !is_within(&scope, file, seen.places))?;
        let open: Vec<&str> = self.write.iter().flat_map(|names| names.iter()).collect();
        let step = format!("change only the task's files ({})", open.join(", "));
        let message = format!("`{}` is not one of the task's files", file.written);
        Some(Objection::new(message, step).because(Evidence::of_file(&seen.event.call, seen.facts, file)))
    }
}
