//! `quality-002`: output of the shape a policy asks for (S2-14).

use super::block;
use super::output_empty::on_fail;
use crate::event::EventKind;
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen, Severity};
use crate::output::output_data;
use crate::rule::Pattern;
use crate::schema::Schema;
use serde_json::Value;

pub(crate) const ID: &str = "quality-002";

pub(crate) const PAGE: &str = "\
quality-002: output of the right shape.

What a tool gives back is held against a JSON Schema: its text read as JSON, or its value. With `block` the output
is withheld where the host lets the gate replace it, and files are put back where a backup was made.

  output:
    schemas:
      - tools: mcp__orders__list
        schema: { type: array, items: { type: object, required: [id] } }

Allowed instead: repeat the call so that it gives what the schema asks for, or tell the person that the tool changed.
";

/// Longest explanation kept.
const WHY_MAX: usize = 200;

/// Holds output against schemas.
pub(super) struct OutputSchema;

impl Guard for OutputSchema {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        50
    }

    fn category(&self) -> Category {
        Category::Quality
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        if seen.event.kind != EventKind::PostExecution || seen.event.output.is_none() {
            return None;
        }
        let tool = &seen.event.call.tool;
        let fits = |name: &str| Pattern::word(name).is_ok_and(|pattern| pattern.is_match(tool));
        let all = seen
            .settings
            .output
            .iter()
            .flat_map(|entry| entry.checks.schemas.iter().map(move |one| (entry, one)));
        let findings = all.filter(|(_, check)| check.tools.iter().any(fits)).filter_map(|(entry, check)| {
            let why = objection(&check.schema, output_data(seen.event).as_ref())?;
            let message = format!("what `{tool}` gave back does not fit its schema: {why}");
            let step = "repeat the call so that it fits, or tell the person that the tool changed";
            let finding = block(ID, message, step, Vec::new());
            let (source, outcome) = (entry.source.clone(), on_fail(check.action_on_fail));
            Some(Finding {
                source,
                category: Category::Quality,
                severity: Severity::Medium,
                outcome,
                ..finding
            })
        });
        findings.max_by_key(|finding| finding.outcome.verdict())
    }
}

/// Why a value does not fit, without quoting it: it may hold anything.
fn objection(schema: &Value, data: Option<&Value>) -> Option<String> {
    let Some(data) = data else { return Some("it is no JSON".to_owned()) };
    let schema = match Schema::read(schema) {
        Ok(schema) => schema,
        Err(why) => return Some(format!("the schema cannot be read: {why}")),
    };
    let mismatch = schema.check(data).err()?;
    let place =
        if mismatch.at.is_empty() { "at the top".to_owned() } else { format!("at `{}`", mismatch.at) };
    let end = mismatch.why.floor_char_boundary(WHY_MAX);
    Some(format!("{place}, {}", mismatch.why.get(..end).unwrap_or_default()))
}
