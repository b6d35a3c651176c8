//! `safety-004`: what an agent changes lies in its sandbox.

use super::{Objection, Standard, any_path, no_path, parameters};
use crate::categories::Categories;
use crate::evidence::Evidence;
use crate::expression::Truth;
use crate::facts::{Access, FileFact};
use crate::guard::Seen;
use crate::guardrail::OnFail;
use crate::places::Place;
use crate::rule::Names;

/// Places that keep nothing.
const SINKS: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/*"];

parameters! {
    /// `safety-004`.
    Sandbox {
        /// Path patterns that belong to the sandbox besides the workspace: `~/scratch/**`.
        also: Names = Names::default(),
        /// Whether temporary folders belong to it.
        temp: bool = true,
        /// Whether reading must stay in it, too.
        reads: bool = false,
    }
    patterns { also: no_path }
}

impl Standard for Sandbox {
    const ID: &'static str = "safety-004";
    const ACTION: OnFail = OnFail::Block;
    const PAGE: &'static str = "\
safety-004: no changes outside the sandbox.

Files may be written, changed and deleted only in the workspace (the project and `workspace.also`), in temporary folders and in
the folders of `also`. Links and `..` are resolved first. With `reads: true`, the same applies to reading. If a path is unknown,
a person is asked.

Allowed instead: working in the project or a temporary folder.

  category_guardrails:
    safety-004: { also: [~/scratch/**], temp: true, reads: false }
";

    fn section(all: &Categories) -> Option<&Sandbox> {
        all.safety_004.as_ref()
    }

    fn objection(&self, seen: &Seen<'_>) -> Option<Objection> {
        let outside = seen.facts.files.iter().filter_map(|file| Some((self.leaves(file, seen)?, file)));
        let (sure, file) = outside.reduce(|worst, next| if next.0 > worst.0 { next } else { worst })?;
        let message = format!("`{}` is outside the sandbox", file.written);
        let objection = Objection::new(message, "work within the project or a temporary folder");
        Some(Objection { sure, ..objection.because(Evidence::of_file(&seen.event.call, seen.facts, file)) })
    }
}

impl Sandbox {
    fn leaves(&self, file: &FileFact, seen: &Seen<'_>) -> Option<Truth> {
        if file.access == Access::Read && !self.reads {
            return None;
        }
        let places = seen.places;
        let inside = |path: &str| {
            places.holds(Place::Workspace, path)
                || self.temp && places.holds(Place::Temp, path)
                || any_path(&self.also, path, places)
                || any_path(&Names::of(SINKS), path, places)
        };
        match (file.exact, file.targets().all(inside)) {
            (true, true) => None,
            (true, false) => Some(Truth::Yes),
            (false, _) => Some(Truth::Unclear),
        }
    }
}
