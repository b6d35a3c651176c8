//! Cheap checks that come before something invasive.
//!
//! A guard says which; the runtime runs them, in the order of how critical
//! they are. What passed is remembered for the session; what failed is tried
//! again.

use crate::digest::{canonical, digest_of};
use crate::mark::passed_mark;
use crate::session::Session;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prerequisite {
    /// What is checked.
    pub description: String,
    /// How.
    pub method: Method,
    /// What a passed check shows.
    pub success_criteria: String,
    /// Higher is more critical and comes first: the other way round than the
    /// priority of guards.
    pub priority: u8,
}

/// How a check is made. An address may name a setting: `${KEY}/path`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Something listens there.
    NetworkPing {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// A service of the system runs.
    ServiceStatus {
        /// Its name.
        service_name: String,
    },
    /// A setting is there, and says what it should.
    ConfigCheck {
        /// The setting.
        key: String,
        /// What it should say; anything if not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expected: Option<String>,
    },
    /// An address answers.
    EndpointTest {
        /// The address.
        url: String,
    },
    /// A command of the person's own policy ends with 0.
    CommandSucceeds {
        /// The command, for `sh`.
        command: String,
        /// Seconds it may take.
        seconds: u32,
    },
    /// A person says so.
    UserConfirmation {
        /// What they are asked.
        question: String,
    },
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Method::NetworkPing { host, port } => write!(f, "something listens at {host}:{port}"),
            Method::ServiceStatus { service_name } => write!(f, "the service `{service_name}` runs"),
            Method::ConfigCheck { key, expected: None } => write!(f, "`{key}` is set"),
            Method::ConfigCheck { key, expected: Some(value) } => write!(f, "`{key}` is `{value}`"),
            Method::EndpointTest { url } => write!(f, "`{url}` answers"),
            Method::CommandSucceeds { command, .. } => write!(f, "`{command}` succeeds"),
            Method::UserConfirmation { question } => write!(f, "a person is asked: {question}"),
        }
    }
}

impl Method {
    /// Whether only a person can answer it.
    #[must_use]
    pub fn is_for_a_person(&self) -> bool {
        matches!(self, Method::UserConfirmation { .. })
    }

    /// The same check has the same name.
    #[must_use]
    pub fn name(&self) -> String {
        digest_of(canonical(self).as_bytes())
    }
}

/// How a check came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    /// The check.
    pub check: Prerequisite,
    /// Whether it passed.
    pub passed: bool,
    /// What was found, in one sentence.
    pub found: String,
    /// What to do if it did not pass.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cure: String,
    /// How long it took.
    pub duration_ms: u64,
}

/// Checks in the order they are made: the most critical first, those alike in
/// the order given, each once.
#[must_use]
pub fn in_order(checks: impl IntoIterator<Item = Prerequisite>) -> Vec<Prerequisite> {
    let mut ordered: Vec<Prerequisite> = Vec::new();
    for check in checks {
        if ordered.iter().all(|known| known.method != check.method) {
            ordered.push(check);
        }
    }
    ordered.sort_by_key(|check| Reverse(check.priority));
    ordered
}

/// Those that have not passed in this session, in order.
pub(crate) fn not_passed(session: &Session, checks: Vec<Prerequisite>) -> Vec<Prerequisite> {
    in_order(checks.into_iter().filter(|check| session.mark(&passed_mark(&check.method)).is_none()))
}
