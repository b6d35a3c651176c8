//! What a tool gave back: the section `output` of a policy, and how a host's
//! value is read, cleaned and withheld.
//!
//! Looking for secrets is on unless the person turns it off; the rest is off
//! unless a policy names it. Hosts give back values of many shapes; here only
//! texts in them change, so that the shape stays what the host expects.

use crate::call::{Call, Kind};
use crate::event::{Event, EventKind};
use crate::facts::Access;
use crate::finding::Source;
use crate::guardrail::OnFail;
use crate::leak::{Personal, leaks, redacted};
use crate::policy::Layer;
use crate::rule::{Names, Pattern, RuleFault};
use crate::schema::Schema;
use crate::settings::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The section.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputChecks {
    /// Secrets and personal data (`safety-003`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secrets: Option<SecretCheck>,
    /// Nothing, or an error that looks like success (`quality-001`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty: Option<EmptyCheck>,
    /// The shape of what tools give back (`quality-002`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub schemas: Vec<SchemaCheck>,
}

/// `safety-003`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SecretCheck {
    /// Whether it is on. A project cannot turn it off.
    pub on: bool,
    /// Personal data looked for besides secrets.
    pub personal: Vec<Personal>,
    /// `block` takes them out where the host lets it, and tells; `warn` only tells; `log` only records.
    pub action_on_fail: OnFail,
    /// Tools whose output is left alone; `*` allowed. Not for projects.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub except: Names,
}

impl Default for SecretCheck {
    fn default() -> SecretCheck {
        let personal = vec![Personal::Card, Personal::Iban, Personal::Ssn];
        SecretCheck { on: true, personal, action_on_fail: OnFail::Block, except: Names::default() }
    }
}

/// `quality-001`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EmptyCheck {
    /// Whether it is on.
    pub on: bool,
    /// Tools it is about; `*` allowed. All that are for reading, if not said.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub tools: Names,
    /// What happens.
    pub action_on_fail: OnFail,
}

impl Default for EmptyCheck {
    fn default() -> EmptyCheck {
        EmptyCheck { on: true, tools: Names::default(), action_on_fail: OnFail::Warn }
    }
}

/// `quality-002` for some tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SchemaCheck {
    /// Tools it is about; `*` allowed.
    pub tools: Names,
    /// The JSON Schema of what they give back.
    pub schema: Value,
    /// What happens.
    #[serde(default)]
    pub action_on_fail: OnFail,
}

/// What one layer says about output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutputEntry {
    /// Where it is written.
    pub source: Source,
    /// Its layer.
    pub layer: Layer,
    /// What is said.
    pub checks: OutputChecks,
}

impl OutputEntry {
    /// Everything that cannot be meant so.
    #[must_use]
    pub fn faults(&self) -> Vec<RuleFault> {
        let names = self.checks.secrets.iter().flat_map(|check| check.except.iter());
        let names = names.chain(self.checks.empty.iter().flat_map(|check| check.tools.iter()));
        let names = names.chain(self.checks.schemas.iter().flat_map(|check| check.tools.iter()));
        let patterns = names.filter_map(|name| {
            Some(RuleFault::of_pattern("output".to_owned(), name, Pattern::word(name).err()?))
        });
        let schemas = self.checks.schemas.iter().filter_map(|check| {
            let why = Schema::read(&check.schema).err()?;
            Some(fault("schema", format!("invalid JSON Schema: {why}"), "correct the schema"))
        });
        patterns.chain(schemas).collect()
    }
}

fn fault(needle: &str, message: String, cure: &str) -> RuleFault {
    RuleFault {
        rule: "output".to_owned(),
        at: None,
        needle: needle.to_owned(),
        message,
        cure: cure.to_owned(),
    }
}

impl Settings {
    /// How secrets are looked for, and where that is written; `None` when the
    /// person turned it off.
    pub(crate) fn secret_checks(&self) -> Vec<(Source, SecretCheck)> {
        let said = self.output.iter().filter_map(|entry| {
            let mut check = entry.checks.secrets.clone()?;
            if entry.layer == Layer::Project {
                // A repository may be anybody's: it can only ask for more.
                check.except = Names::default();
            }
            Some((entry, check))
        });
        let said: Vec<(&OutputEntry, SecretCheck)> = said.collect();
        let by_person = |layer: Layer| matches!(layer, Layer::Managed | Layer::User);
        let off = said.iter().any(|(entry, check)| by_person(entry.layer) && !check.on);
        let own: Vec<(Source, SecretCheck)> = said
            .iter()
            .filter(|(_, check)| check.on)
            .map(|(entry, check)| (entry.source.clone(), check.clone()))
            .collect();
        let person_spoke = said.iter().any(|(entry, _)| by_person(entry.layer));
        let unsaid = Source::built_in();
        let always = (!off && !person_spoke).then_some(unsaid);
        let plain = always.into_iter().chain(self.turned_on("safety-003"));
        own.into_iter().chain(plain.map(|source| (source, SecretCheck::default()))).collect()
    }

    /// How empty output is looked for, and where that is written.
    pub(crate) fn empty_checks(&self) -> Vec<(Source, EmptyCheck)> {
        let said = self.output.iter().filter_map(|entry| Some((&entry.source, entry.checks.empty.clone()?)));
        let own = said.filter(|(_, check)| check.on).map(|(source, check)| (source.clone(), check));
        let plain = self.turned_on("quality-001").map(|source| (source, EmptyCheck::default()));
        own.chain(plain).collect()
    }

    /// Where the section of category guardrails or a risk level turns one on.
    fn turned_on(&self, id: &str) -> impl Iterator<Item = Source> {
        self.categories.iter().filter(move |entry| entry.turns_on(id)).map(|entry| entry.source.clone())
    }

    /// The personal data any layer looks for.
    #[must_use]
    pub fn personal_sought(&self) -> Vec<Personal> {
        let mut all: Vec<Personal> =
            self.secret_checks().into_iter().flat_map(|(_, check)| check.personal).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Whether anything looks at output after an event of this kind.
    pub(crate) fn looks_at_output(&self, kind: EventKind) -> bool {
        let schemas = self.output.iter().any(|entry| !entry.checks.schemas.is_empty());
        let rest = schemas || !self.empty_checks().is_empty();
        match kind {
            EventKind::PostExecution => rest || !self.secret_checks().is_empty(),
            EventKind::OnError => !self.secret_checks().is_empty(),
            _ => false,
        }
    }
}

/// Names of fields a model reads as text.
const TEXTS: &[&str] = &["stdout", "stderr", "content", "text", "result", "output", "body", "error"];

/// The texts a model reads in what a tool gave back. What an edit tool gives
/// back is what it was given, and not shown.
#[must_use]
pub fn output_texts(event: &Event) -> Vec<&str> {
    let mut found = Vec::new();
    if let Some(value) = &event.output
        && !is_edit(&event.call)
    {
        collect(value, true, &mut found);
    }
    found
}

fn is_edit(call: &Call) -> bool {
    match &call.kind {
        Kind::File { access, .. } => *access != Access::Read,
        Kind::Files { files } => files.iter().any(|(access, _)| *access != Access::Read),
        _ => false,
    }
}

/// The field of an MCP result that holds data.
const STRUCTURED: &str = "structuredContent";

fn collect_all<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(list) => list.iter().for_each(|one| collect_all(one, found)),
        Value::Object(fields) => fields.values().for_each(|one| collect_all(one, found)),
        _ => {}
    }
}

fn collect<'a>(value: &'a Value, shown: bool, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) if shown => found.push(text),
        Value::Array(list) => list.iter().for_each(|one| collect(one, shown, found)),
        Value::Object(fields) => {
            // Of the fields of a host's own, those that hold text; below them everything counts.
            let named = fields.keys().any(|name| TEXTS.contains(&name.as_str()));
            for (name, one) in fields {
                if name == STRUCTURED {
                    // What an MCP server gives back as data is read whole.
                    collect_all(one, found);
                    continue;
                }
                let is_text = !named || TEXTS.contains(&name.as_str()) || !one.is_string();
                collect(one, is_text, found);
            }
        }
        _ => {}
    }
}

/// What the output is, as data: its one text read as JSON, or the value itself.
#[must_use]
pub fn output_data(event: &Event) -> Option<Value> {
    let value = event.output.as_ref()?;
    let texts: Vec<&str> = output_texts(event).into_iter().filter(|text| !text.trim().is_empty()).collect();
    match (texts.as_slice(), value) {
        ([text], _) => serde_json::from_str(text).ok(),
        (_, Value::Object(fields)) if fields.contains_key("stdout") => {
            fields.get("stdout").and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok())
        }
        (_, value) => Some(value.clone()),
    }
}

/// How often each kind of leak is in the output.
pub(crate) fn leaks_in(event: &Event, personal: &[Personal]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for text in output_texts(event) {
        for leak in leaks(text, personal) {
            *counts.entry(leak.kind).or_insert(0) += 1;
        }
    }
    counts
}

/// The output with every leak taken out, in the host's own shape.
#[must_use]
pub fn without_leaks(value: &Value, personal: &[Personal]) -> Value {
    match value {
        Value::String(text) => Value::String(redacted(text, &leaks(text, personal))),
        Value::Array(list) => Value::Array(list.iter().map(|one| without_leaks(one, personal)).collect()),
        Value::Object(fields) => {
            let clean = |(name, one): (&String, &Value)| (name.clone(), without_leaks(one, personal));
            Value::Object(fields.iter().map(clean).collect())
        }
        other => other.clone(),
    }
}

/// The output with a note where its text was, in the host's own shape; `None`
/// where no text is found to replace.
#[must_use]
pub fn withheld(value: &Value, note: &str) -> Option<Value> {
    let mut said = false;
    let new = blank(value, note, &mut said, false);
    said.then_some(new)
}

fn blank(value: &Value, note: &str, said: &mut bool, is_text: bool) -> Value {
    match value {
        Value::String(text) if is_text => {
            let keep = text.is_empty() || *said;
            *said |= !text.is_empty();
            Value::String(if keep { String::new() } else { note.to_owned() })
        }
        Value::Array(list) => Value::Array(list.iter().map(|one| blank(one, note, said, is_text)).collect()),
        Value::Object(fields) => {
            let next = |(name, one): (&String, &Value), said: &mut bool| {
                (name.clone(), blank(one, note, said, TEXTS.contains(&name.as_str())))
            };
            Value::Object(fields.iter().map(|field| next(field, said)).collect())
        }
        other => other.clone(),
    }
}

/// Whether a text begins like an error though the tool said it went well.
pub(crate) fn looks_like_error(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default().to_ascii_lowercase();
    let begins = ["error:", "error ", "fatal:", "exception", "traceback (most recent call last)", "panic:"];
    let json = ["{\"error\"", "{ \"error\"", "{\"errors\"", "{\"iserror\":true"];
    begins.iter().chain(&json).any(|begin| first.starts_with(begin))
}
