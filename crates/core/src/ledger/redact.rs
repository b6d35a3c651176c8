//! An entry without the secrets of the call it is about.
//!
//! What a grant is bound to is the hash of the exact call, so nothing here
//! changes what an answer is worth. It says nothing about who may see what.

use crate::evidence::{Evidence, Origin};
use crate::finding::Finding;
use crate::inbox::Request;
use crate::leak::{Recorded, recorded};
use crate::ledger::record::{Decided, Entry, Resulted};
use crate::outcome::{Edit, Outcome};
use serde_json::Value;
use std::borrow::Cow;

impl Entry {
    /// The entry as it is recorded.
    #[must_use]
    pub fn without_secrets(mut self) -> Entry {
        match &mut self {
            Entry::Decided(decided) => of_decided(decided),
            Entry::Resulted(resulted) => of_resulted(resulted),
            Entry::Requested(request) => of_request(request),
            Entry::Backed(backed) => clean(&mut backed.title),
            Entry::Checked { results, .. } => results.iter_mut().for_each(|result| {
                clean(&mut result.found);
                clean(&mut result.cure);
            }),
            Entry::Advised(advice) => clean(&mut advice.text),
            Entry::Noted { text, .. } => clean(text),
            _ => {}
        }
        self
    }
}

impl Request {
    /// The request as it is recorded and shown.
    #[must_use]
    pub fn without_secrets(mut self) -> Request {
        of_request(&mut self);
        self
    }
}

fn clean(text: &mut String) {
    if let Cow::Owned(clean) = recorded(text) {
        *text = clean;
    }
}

fn of_decided(decided: &mut Decided) {
    let title = take(&mut decided.title);
    decided.findings.iter_mut().for_each(|finding| of_finding(finding, title.as_ref()));
    decided.modified.iter_mut().for_each(of_value);
    decided.input.iter_mut().for_each(clean);
}

fn of_resulted(resulted: &mut Resulted) {
    resulted.ran.iter_mut().for_each(clean);
    resulted.message.iter_mut().for_each(clean);
}

fn of_request(request: &mut Request) {
    let title = take(&mut request.title);
    request.input.iter_mut().for_each(clean);
    request.why.iter_mut().for_each(clean);
    request.details.description.iter_mut().for_each(clean);
    request.details.alternatives.iter_mut().for_each(clean);
    request.details.evidence.iter_mut().for_each(|one| of_evidence(one, title.as_ref()));
    request.bypass.iter_mut().for_each(|own| clean(&mut own.reason));
}

fn of_finding(finding: &mut Finding, title: Option<&Moved>) {
    clean(&mut finding.message);
    finding.remediation.iter_mut().for_each(clean);
    finding.alternatives.iter_mut().for_each(clean);
    finding.evidence.iter_mut().for_each(|one| of_evidence(one, title));
    if let Outcome::Rewrite(edits) = &mut finding.outcome {
        edits.iter_mut().for_each(|edit| match edit {
            Edit::Command(text) => clean(text),
            Edit::Field { value, .. } => of_value(value),
        });
    }
}

/// A title that had secrets in it, as it was and as it is.
struct Moved {
    was: String,
    is: Recorded,
}

fn take(title: &mut String) -> Option<Moved> {
    let is = Recorded::of(title)?;
    Some(Moved { was: std::mem::replace(title, is.text.clone()), is })
}

/// A quotation of the title stays one.
fn of_evidence(evidence: &mut Evidence, title: Option<&Moved>) {
    let own = evidence.range();
    let quoted =
        title.zip(own).filter(|(title, own)| title.was.get(own.clone()) == Some(evidence.text.as_str()));
    let Some((title, own)) = quoted else {
        // A field that is quoted whole tells by its name what its value is.
        return match &mut evidence.origin {
            Some(Origin::Field { field, start, end, .. }) => {
                let before = evidence.text.len();
                clean_named(field.rsplit('.').next().unwrap_or_default(), &mut evidence.text);
                if evidence.text.len() != before {
                    *end = start.saturating_add(evidence.text.len());
                    evidence.marks.clear();
                }
            }
            _ => clean(&mut evidence.text),
        };
    };
    let Some(Origin::Field { start, end, .. }) = &mut evidence.origin else {
        return clean(&mut evidence.text);
    };
    let now = title.is.moved(&own);
    (*start, *end) = (now.start, now.end);
    evidence.text = title.is.text.get(now).unwrap_or_default().to_owned();
    evidence.marks.iter_mut().for_each(|mark| *mark = title.is.moved(mark));
}

/// The text of a field; one with a telling name goes as a whole.
fn clean_named(name: &str, text: &mut String) {
    let named = format!("{name}={text}");
    let prefix = name.len().saturating_add(1);
    match recorded(&named) {
        Cow::Owned(clean) => *text = clean.get(prefix..).unwrap_or_default().to_owned(),
        Cow::Borrowed(_) => clean(text),
    }
}

/// Every text in a value; one of a telling name goes as a whole.
fn of_value(value: &mut Value) {
    match value {
        Value::String(text) => clean(text),
        Value::Array(list) => list.iter_mut().for_each(of_value),
        Value::Object(fields) => fields.iter_mut().for_each(|(name, one)| match one {
            Value::String(text) => clean_named(name, text),
            other => of_value(other),
        }),
        _ => {}
    }
}
