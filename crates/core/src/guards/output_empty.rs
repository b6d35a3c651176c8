//! `quality-001`: output that is not empty and no error in disguise.

use super::block;
use crate::call::Kind;
use crate::event::EventKind;
use crate::facts::Access;
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen, Severity};
use crate::guardrail::OnFail;
use crate::outcome::Outcome;
use crate::output::{looks_like_error, output_texts};
use crate::rule::Pattern;

pub(crate) const ID: &str = "quality-001";

pub(crate) const PAGE: &str = "\
quality-001: no empty output.

Warns when a reading tool returns nothing, or reports success although its output starts like an error. It is off
by default.

  output:
    empty: { tools: [WebFetch, \"mcp__*\"], action_on_fail: warn }

Allowed instead: searching more broadly, or reporting that there is nothing.
";

/// Looks for empty output.
pub(super) struct OutputEmpty;

impl Guard for OutputEmpty {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        60
    }

    fn category(&self) -> Category {
        Category::Quality
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        if seen.event.kind != EventKind::PostExecution || seen.event.output.is_none() {
            return None;
        }
        let wrong = wrong(seen)?;
        let findings = seen.settings.empty_checks().into_iter().filter_map(|(source, check)| {
            let fits =
                |name: &str| Pattern::word(name).is_ok_and(|pattern| pattern.is_match(&seen.event.call.tool));
            let meant = if check.tools.is_empty() {
                reads(&seen.event.call.kind)
            } else {
                check.tools.iter().any(fits)
            };
            let finding =
                block(ID, wrong.clone(), "check again, or report that there is nothing", Vec::new());
            let outcome = on_fail(check.action_on_fail);
            let own =
                Finding { source, category: Category::Quality, severity: Severity::Low, outcome, ..finding };
            meant.then_some(own)
        });
        findings.max_by_key(|finding| finding.outcome.verdict())
    }
}

fn wrong(seen: &Seen<'_>) -> Option<String> {
    let texts = output_texts(seen.event);
    if texts.iter().all(|text| text.trim().is_empty()) {
        return Some("the tool returned nothing".to_owned());
    }
    let error = texts.iter().any(|text| looks_like_error(text));
    error.then(|| "the tool reported success, but its output starts like an error".to_owned())
}

/// Of shell commands most are silent when all is well.
fn reads(kind: &Kind) -> bool {
    matches!(kind, Kind::Fetch { .. } | Kind::Mcp { .. } | Kind::File { access: Access::Read, .. })
}

pub(super) fn on_fail(action: OnFail) -> Outcome {
    match action {
        OnFail::Block => Outcome::Block,
        OnFail::Warn => Outcome::Warn,
        OnFail::Ask => Outcome::Ask,
        OnFail::Log => Outcome::Log,
    }
}
