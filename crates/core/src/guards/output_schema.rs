//! `quality-002`: output of the shape a policy asks for.

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
quality-002: output matches its schema.

Validates the output of a tool, parsed as JSON, against a JSON Schema. With `block`, the output is withheld if the
host lets Toolgate replace it, and files are restored if a backup was made.

  output:
    schemas:
      - tools: mcp__orders__list
        schema: { type: array, items: { type: object, required: [id] } }

Allowed instead: repeating the call so that its output matches, or telling the user that the tool changed.
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
            let message = format!("the output of `{tool}` does not match its schema: {why}");
            let step = "repeat the call so that it matches, or tell the user that the tool changed";
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
    let Some(data) = data else { return Some("it is not JSON".to_owned()) };
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
