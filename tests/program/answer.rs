//! What a hook may say to the host, read as strictly as the host reads it.

use crate::house::Said;
use serde_json::{Map, Value};

/// The one answer of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// `{}`: the gate has no objection.
    Silent,
    /// It runs, and the agent or the person is told something.
    Told(String),
    /// It runs with this input.
    Changed(String),
    /// It does not run; exit code 2, the same words on stderr.
    No(String),
}

impl Answer {
    /// Reads an answer; anything a host could take for consent by mistake is a failure here.
    #[track_caller]
    pub fn read(said: &Said) -> Answer {
        let text = String::from_utf8(said.out.clone()).expect("stdout is UTF-8");
        assert!(text.ends_with('\n') && text.lines().count() == 1, "not one line: {text:?} {said:?}");
        assert!(!said.err.contains("panicked") && !text.contains("panicked"), "a panic shows: {said:?}");
        let value: Value = serde_json::from_str(&text).expect("stdout is one JSON object");
        let object = value.as_object().expect("stdout is one JSON object");
        match no(object) {
            Some(reason) => {
                assert_eq!(said.code, Some(2), "a no ends with 2: {said:?}");
                assert_eq!(said.err.trim_end(), reason.trim_end(), "stderr says the same");
                assert!(!reason.is_empty(), "a no has a reason");
                Answer::No(reason)
            }
            None => {
                assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
                consent(object)
            }
        }
    }

    pub fn is_no(&self) -> bool {
        matches!(self, Answer::No(_))
    }

    /// Closed because the gate cannot judge.
    pub fn is_broken(&self) -> bool {
        matches!(self, Answer::No(text) if text.contains("gate is broken") && text.contains("Fix: "))
    }

    /// Denied because the gate stands in the path.
    pub fn is_canary(&self) -> bool {
        matches!(self, Answer::No(text) if text.contains("gate-canary"))
    }

    /// The text that was said.
    #[track_caller]
    pub fn text(&self) -> &str {
        match self {
            Answer::Silent => "",
            Answer::Told(text) | Answer::Changed(text) | Answer::No(text) => text,
        }
    }

    /// The request a denial names.
    #[track_caller]
    pub fn request(&self) -> String {
        let after = self.text().split("Request ").nth(1).unwrap_or_else(|| panic!("no request in {self:?}"));
        after.split(' ').next().expect("an id").to_owned()
    }
}

fn no(object: &Map<String, Value>) -> Option<String> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    if object.get("decision").is_some_and(|word| word == "block") {
        return Some(text(object.get("reason")).expect("a block has a reason"));
    }
    let specific = object.get("hookSpecificOutput")?;
    assert_eq!(specific["hookEventName"], "PreToolUse");
    (specific.get("permissionDecision")? == "deny")
        .then(|| text(specific.get("permissionDecisionReason")).expect("a deny has a reason"))
}

fn consent(object: &Map<String, Value>) -> Answer {
    let specific = object.get("hookSpecificOutput");
    let words = |name: &str| {
        specific.and_then(|fields| fields.get(name)).or_else(|| object.get(name)).map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    };
    match (
        words("updatedInput"),
        words("additionalContext").or_else(|| words("permissionDecision")).or_else(|| words("systemMessage")),
    ) {
        (Some(input), _) => Answer::Changed(input),
        (None, Some(text)) => Answer::Told(text),
        (None, None) => {
            assert!(object.is_empty(), "an unknown answer: {object:?}");
            Answer::Silent
        }
    }
}
