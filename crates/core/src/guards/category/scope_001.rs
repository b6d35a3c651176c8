//! `scope-001`: an agent stays with its task.

use super::{Objection, Standard, any_path, no_path, parameters};
use crate::categories::Categories;
use crate::facts::Access;
use crate::guard::Seen;
use crate::guardrail::OnFail;
use crate::places::{Place, Places};
use crate::rule::Names;

parameters! {
    /// `scope-001`.
    TaskBoundary {
        /// Path patterns the task is about; not given, only `areas` counts.
        paths: Names = Names::default(),
        /// So many top-level folders of the workspace one piece of work changes.
        areas: u32 = 4,
    }
    patterns { paths: no_path }
}

impl Standard for TaskBoundary {
    const ID: &'static str = "scope-001";
    const ACTION: OnFail = OnFail::Warn;
    const PAGE: &'static str = "\
scope-001: agents stay with their task.

The agent is warned when it changes a file that does not match `paths` (if set), and when its changes since the last commit
touch more than `areas` top-level folders of the workspace. The third time, a person is asked.

Allowed instead: finishing and committing one change before the next; saying why the task needs the file.

  category_guardrails:
    scope-001: { paths: [src/billing/**, tests/billing/**], areas: 4 }
";

    fn section(all: &Categories) -> Option<&TaskBoundary> {
        all.scope_001.as_ref()
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        let places = seen.places;
        let changed = seen.facts.files.iter().filter(|file| file.access != Access::Read);
        let ours: Vec<&str> = changed
            .map(|file| file.path.as_str())
            .filter(|path| places.holds(Place::Workspace, path))
            .collect();
        let other = ours.iter().find(|path| !self.paths.is_empty() && !any_path(&self.paths, path, places));
        if let Some(path) = other {
            let named: Vec<&str> = self.paths.iter().collect();
            let step = format!("stay with the task ({}), or say why it needs this file", named.join(", "));
            return Some(Objection::new(format!("`{path}` is not part of the task"), step));
        }
        let before = areas(seen.session.wrote.iter().map(String::as_str), places);
        let now = areas(ours.into_iter(), places);
        let new = now.iter().find(|area| !before.contains(area))?;
        let most = usize::try_from(self.areas).unwrap_or(usize::MAX);
        let all = before.iter().chain(now.iter().filter(|area| !before.contains(area))).count();
        let message =
            format!("this changes `{new}` after {}; is that still part of the task?", before.join(", "));
        let step = "finish and commit one change before the next, or say why the task needs both";
        (all > most).then(|| Objection::new(message, step))
    }
}

/// The top-level folders of the workspace these files lie in, each once.
fn areas<'a>(paths: impl Iterator<Item = &'a str>, places: &Places) -> Vec<&'a str> {
    let mut found = Vec::new();
    for path in paths {
        let rest =
            places.workspace.iter().find_map(|root| path.strip_prefix(root.as_str())?.strip_prefix('/'));
        // Files at the top belong to every piece of work.
        let area = rest.and_then(|rest| rest.split_once('/')).map(|(area, _)| area);
        found.extend(area.filter(|area| !found.contains(area)));
    }
    found
}
