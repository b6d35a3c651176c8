//! What a project knows about itself: its services, how it is configured, what
//! was agreed on, and which failures have a simple cause.
//!
//! Written by people in `.toolgate/knowledge.toml` or `.patinox/knowledge.toml`;
//! reading the file is the runtime's work. Part of the policy's revision.

use crate::address::Address;
use crate::failure::Failure;
use crate::finding::Source;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One knowledge file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Knowledge {
    /// Services by a short name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub endpoints: BTreeMap<String, ServiceEndpoint>,
    /// Files that configure the project, besides the usual ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub config_patterns: Vec<ConfigPattern>,
    /// What was agreed on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub practices: Vec<Practice>,
    /// Failures with a simple cause, and what agents do instead of fixing it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known_issues: Vec<KnownIssue>,
}

/// A service of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceEndpoint {
    /// Its name for people.
    pub name: String,
    /// Where it is unless configured otherwise.
    pub default_url: String,
    /// The setting that says where it is.
    pub config_key: String,
    /// A path that answers when it is well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_check: Option<String>,
    /// The system service it runs as, if its state is to be looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
}

/// A file that configures the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigPattern {
    /// Its path, seen from the project; `.toml`, `.yaml`, `.json`, `.ini` or `KEY=VALUE` lines.
    pub file: String,
}

/// Something agreed on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Practice {
    /// What it is about.
    pub name: String,
    /// What is done.
    pub rule: String,
    /// How to see that it was done.
    #[serde(default)]
    pub validation: String,
}

/// A failure with a simple cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownIssue {
    /// What the failure says.
    pub symptom: String,
    /// What is behind it, mostly.
    pub common_cause: String,
    /// The fix.
    pub simple_fix: String,
    /// What agents do instead.
    pub escalation_trap: String,
}

/// One knowledge file and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnowledgeEntry {
    /// The file.
    pub source: Source,
    /// What it says.
    pub knowledge: Knowledge,
}

/// Something a knowledge file must not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnowledgeFault {
    /// The text it is about.
    pub needle: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub cure: String,
}

impl Knowledge {
    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Knowledge::default()
    }

    /// Everything that cannot be meant so.
    #[must_use]
    pub fn faults(&self) -> Vec<KnowledgeFault> {
        let fault = |needle: &str, message: String, cure: &str| KnowledgeFault {
            needle: needle.to_owned(),
            message,
            cure: cure.to_owned(),
        };
        let mut faults = Vec::new();
        for (key, one) in &self.endpoints {
            if Address::parse(&one.default_url).is_none() {
                let message = format!("`{}` of the endpoint `{key}` is not an address", one.default_url);
                faults.push(fault(&one.default_url, message, "write it as `http://host:port`"));
            }
            if one.config_key.trim().is_empty() {
                let message = format!("the endpoint `{key}` has an empty `config_key`");
                faults.push(fault("config_key", message, "name the setting that holds its address"));
            }
            if let Some(path) = one.health_check.as_ref().filter(|path| !path.starts_with('/')) {
                let message = format!("the `health_check` of `{key}` is not a path");
                faults.push(fault(path, message, "start it with `/`"));
            }
        }
        for one in &self.known_issues {
            // An empty text is part of every other.
            if one.symptom.trim().is_empty() || one.escalation_trap.trim().is_empty() {
                let message = "a known issue needs a `symptom` and an `escalation_trap`".to_owned();
                faults.push(fault(
                    "known_issues",
                    message,
                    "add the error text and what agents wrongly do about it",
                ));
            }
        }
        for one in &self.config_patterns {
            if one.file.starts_with('/') || one.file.split('/').any(|part| part == "..") {
                let message = format!("`{}` is outside the project", one.file);
                faults.push(fault(&one.file, message, "name a file inside the project"));
            }
        }
        faults
    }

    /// The first known issue a call would walk into: its symptom is in a recent failure, its trap in what
    /// the call says it does.
    #[must_use]
    pub fn detect_escalation_trap(&self, described: &str, failures: &[&Failure]) -> Option<&KnownIssue> {
        self.known_issues.iter().find(|issue| {
            failures.iter().any(|failure| failure.tells(&issue.symptom))
                && says(described, &issue.escalation_trap)
        })
    }
}

impl ServiceEndpoint {
    /// Whether a failure is about this service: by its name or setting, or by host and port, those of its
    /// default and those `configured`; by the host alone where the failure says no port.
    #[must_use]
    pub fn is_meant(&self, key: &str, configured: Option<&str>, failure: &Failure) -> bool {
        let prose = failure.prose();
        let named = [key, &self.name].iter().any(|name| says(&prose, name))
            || says(&failure.message, &self.config_key);
        let own =
            [Some(self.default_url.as_str()), configured].into_iter().flatten().filter_map(Address::parse);
        named || own.into_iter().any(|own| failure.mentions(&own.host).iter().any(|one| one.is_of(&own)))
    }

    /// The address to test: the configured one, with the path that answers.
    #[must_use]
    pub fn test_url(&self) -> String {
        format!("${{{}}}{}", self.config_key, self.health_check.as_deref().unwrap_or_default())
    }
}

/// Whether a text says a phrase: as it is, or every word of it somewhere,
/// upper and lower case alike.
pub(crate) fn says(text: &str, phrase: &str) -> bool {
    let (text, phrase) = (text.to_lowercase(), phrase.trim().to_lowercase());
    if phrase.is_empty() {
        return false;
    }
    let said: Vec<&str> = words(&text).collect();
    text.contains(&phrase) && phrase.contains(' ') || words(&phrase).all(|word| said.contains(&word))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
