//! What is kept with a request so that its card can be shown without judging the call again.

use crate::call::Call;
use crate::chain::Decision;
use crate::evidence::{Evidence, Origin};
use crate::finding::Finding;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::Range;

/// Bytes of the agent's description that are kept.
const DESCRIPTION_MAX: usize = 500;

/// So many pieces of evidence and alternatives are kept; rules that ask give one or two.
const KEPT_MAX: usize = 16;

/// The agent's words about the call, what made the rules ask, and what they would allow instead.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Details {
    /// The agent's own description of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What made the rules ask, quoted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// What the rules say to do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<String>,
    /// What the rules would allow instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
}

impl Details {
    /// Of a call and what the guards said about it.
    #[must_use]
    pub fn of(call: &Call, decision: &Decision) -> Details {
        let found = Details::of_findings(decision.decisive());
        Details { description: description(call), ..found }
    }

    /// Of what guards said about a call.
    #[must_use]
    pub fn of_findings<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Details {
        let mut details = Details::default();
        for finding in findings {
            add_new(&mut details.fixes, finding.remediation.as_slice());
            add_new(&mut details.alternatives, &finding.alternatives);
            details.evidence.extend(finding.evidence.iter().filter(|one| one.is_quoted()).cloned());
        }
        details.fixes.truncate(KEPT_MAX);
        details.alternatives.truncate(KEPT_MAX);
        details.evidence.truncate(KEPT_MAX);
        details
    }

    /// Whether there is nothing to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Details::default()
    }

    /// The bytes to mark in `text`, the command of a call. A mark that does not hold what was
    /// quoted is left out: a rule may have spoken about another form of the call.
    #[must_use]
    pub fn marks_in(&self, text: &str) -> Vec<Range<usize>> {
        let is_here = |one: &&Evidence| {
            let in_field = matches!(one.origin, Some(Origin::Field { .. }));
            in_field && one.range().and_then(|range| text.get(range)) == Some(one.text.as_str())
        };
        let all = self.evidence.iter().filter(is_here).flat_map(Evidence::marked);
        let mut marks: Vec<Range<usize>> = all.filter(|mark| text.get(mark.clone()).is_some()).collect();
        marks.sort_by_key(|mark| (mark.start, mark.end));
        let mut joined: Vec<Range<usize>> = Vec::new();
        for mark in marks {
            match joined.last_mut() {
                Some(last) if mark.start <= last.end => last.end = last.end.max(mark.end),
                _ => joined.push(mark),
            }
        }
        joined
    }
}

fn add_new(all: &mut Vec<String>, steps: &[String]) {
    for step in steps {
        if !all.contains(step) {
            all.push(step.clone());
        }
    }
}

/// What the agent says a command is for: hosts have a field for that, which changes nothing.
fn description(call: &Call) -> Option<String> {
    call.command()?;
    let text = call.input.get("description").and_then(Value::as_str)?.trim();
    let end = text.floor_char_boundary(DESCRIPTION_MAX);
    let cut = text.get(..end).filter(|cut| !cut.is_empty())?;
    Some(if cut.len() < text.len() { format!("{cut}…") } else { cut.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::Details;
    use crate::evidence::{Evidence, Origin};

    fn quoted(text: &str, start: usize) -> Evidence {
        let origin = Origin::Field { field: "command".to_owned(), start, end: start + text.len(), line: 1 };
        Evidence { text: text.to_owned(), origin: Some(origin), marks: Vec::new() }
    }

    #[test]
    fn marks_are_joined_and_only_where_the_quotation_is() {
        let text = "rm -rf é && x";
        let check = |evidence: Vec<Evidence>, expected: &[(usize, usize)]| {
            let marks = Details { evidence, ..Details::default() }.marks_in(text);
            assert_eq!(marks.iter().map(|mark| (mark.start, mark.end)).collect::<Vec<_>>(), expected);
        };
        check(vec![quoted("-rf", 3), quoted("rm -", 0)], &[(0, 6)]);
        check(vec![quoted("x", 13), quoted("rm", 0)], &[(0, 2), (13, 14)]);
        check(vec![quoted("rm", 3), quoted("rm", 99), quoted("\u{fffd}", 8)], &[]);
        check(vec![Evidence { marks: vec![7..8, 3..6], ..quoted("rm -rf é", 0) }], &[(3, 6)]);
        check(vec![Evidence::remark("rm")], &[]);
    }
}
