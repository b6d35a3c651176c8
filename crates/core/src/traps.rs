//! The section `traps` of a policy: what agents do when something fails and a
//! simple cause was not looked for, and what they could do instead.
//!
//! Defaults: with project knowledge, `installation_prevention` and
//! `known_issues` are on; everything else only where a policy says so, because
//! it asks about ordinary work.

use crate::address::Address;
use crate::finding::Source;
use crate::rule::{Names, Pattern, RuleFault};
use crate::settings::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The section.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Traps {
    /// All of them on, or – where no one else says otherwise – all of them off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// Checks before something is installed after a failed connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installation_prevention: Option<InstallTrap>,
    /// A question before configuration is changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filesystem_safety: Option<FileTrap>,
    /// A question before an address is used that is mostly a guess.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_operations: Option<NetworkTrap>,
    /// The known issues of the project knowledge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_issues: Option<IssueTrap>,
}

/// `installation_prevention`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct InstallTrap {
    /// Whether it is on.
    pub on: bool,
    /// Any failed connection counts and the setting is `connection_url`, instead of the services the knowledge names.
    pub literal: bool,
}

impl Default for InstallTrap {
    fn default() -> InstallTrap {
        InstallTrap { on: true, literal: false }
    }
}

/// `filesystem_safety`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FileTrap {
    /// Whether it is on.
    pub on: bool,
    /// Only writes, to any path with `config` or `env` in it, instead of names that mean configuration.
    pub literal: bool,
    /// Path patterns that are never asked about.
    pub except: Names,
}

impl Default for FileTrap {
    fn default() -> FileTrap {
        FileTrap { on: true, literal: false, except: Names::default() }
    }
}

/// `network_operations`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkTrap {
    /// Whether it is on.
    pub on: bool,
    /// Any address that contains one of these texts, instead of the same host and port.
    pub literal: bool,
    /// Addresses that are mostly a guess.
    pub endpoints: Names,
}

impl Default for NetworkTrap {
    fn default() -> NetworkTrap {
        NetworkTrap { on: true, literal: false, endpoints: Names(vec!["localhost:3000".to_owned()]) }
    }
}

/// What happens to a call that walks into a known issue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IssueAnswer {
    /// A person is asked.
    #[default]
    #[serde(alias = "confirm")]
    Ask,
    /// It does not run.
    Block,
}

/// `known_issues`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IssueTrap {
    /// Whether it is on.
    pub on: bool,
    /// Ask a person, or block.
    pub answer: IssueAnswer,
}

impl Default for IssueTrap {
    fn default() -> IssueTrap {
        IssueTrap { on: true, answer: IssueAnswer::Ask }
    }
}

/// What one layer says about traps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrapsEntry {
    /// Where it is written.
    pub source: Source,
    /// What is said.
    pub traps: Traps,
}

impl TrapsEntry {
    /// Everything that cannot be meant so.
    #[must_use]
    pub fn faults(&self) -> Vec<RuleFault> {
        let fault = |rule: &str, needle: &str, message: &str, cure: &str| RuleFault {
            rule: rule.to_owned(),
            at: None,
            needle: needle.to_owned(),
            message: format!("`{needle}` is not a valid {message}"),
            cure: cure.to_owned(),
        };
        let except = self.traps.filesystem_safety.iter().flat_map(|trap| trap.except.iter());
        let except = except.filter_map(|name| {
            let rule = "traps.filesystem_safety".to_owned();
            Some(RuleFault::of_pattern(rule, name, Pattern::path(name).err()?))
        });
        let endpoints = self.traps.network_operations.iter().filter(|trap| !trap.literal);
        let endpoints = endpoints.flat_map(|trap| trap.endpoints.iter());
        let endpoints = endpoints
            .filter(|name| Address::parse(name).is_none())
            .map(|name| fault("traps.network_operations", name, "address", "write it as `host:port`"));
        except.chain(endpoints).collect()
    }
}

/// A trap in force: its settings and where they are written.
pub(crate) type Armed<T> = Vec<(Source, T)>;

impl Settings {
    pub(crate) fn install_trap(&self) -> Armed<InstallTrap> {
        self.armed(|traps| traps.installation_prevention.clone(), |one| one.on, self.knowledge_source())
    }

    pub(crate) fn file_trap(&self) -> Armed<FileTrap> {
        self.armed(|traps| traps.filesystem_safety.clone(), |one| one.on, None)
    }

    pub(crate) fn network_trap(&self) -> Armed<NetworkTrap> {
        self.armed(|traps| traps.network_operations.clone(), |one| one.on, None)
    }

    pub(crate) fn issue_trap(&self) -> Armed<IssueTrap> {
        self.armed(|traps| traps.known_issues.clone(), |one| one.on, self.knowledge_source())
    }

    fn knowledge_source(&self) -> Option<Source> {
        self.knowledge.iter().find(|entry| !entry.knowledge.is_empty()).map(|entry| entry.source.clone())
    }

    /// Every layer that turns a trap on is heard; one that turns it off only
    /// where none turns it on. `unsaid` is where the default comes from.
    fn armed<T: Default>(
        &self,
        own: impl Fn(&Traps) -> Option<T>,
        is_on: impl Fn(&T) -> bool,
        unsaid: Option<Source>,
    ) -> Armed<T> {
        let said: Vec<(Source, Option<T>)> = self
            .traps
            .iter()
            .filter_map(|entry| {
                let on = match (own(&entry.traps), entry.traps.on) {
                    (Some(one), _) => Some(one).filter(&is_on),
                    (None, Some(true)) => Some(T::default()),
                    (None, Some(false)) => None,
                    (None, None) => return None,
                };
                Some((entry.source.clone(), on))
            })
            .collect();
        if said.is_empty() {
            return unsaid.map(|source| (source, T::default())).into_iter().collect();
        }
        said.into_iter().filter_map(|(source, one)| Some((source, one?))).collect()
    }
}

/// A step that needs no one's leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Look which version is installed.
    CheckInstalledVersion,
    /// Use what is there already.
    TestExistingConnection,
    /// Read the configuration.
    ReviewConfig,
    /// See whether the other side answers.
    TestConnectivity,
}

impl Action {
    fn words(self) -> &'static str {
        match self {
            Action::CheckInstalledVersion => "check the installed version",
            Action::TestExistingConnection => "test the existing connection",
            Action::ReviewConfig => "review the configuration",
            Action::TestConnectivity => "test the connectivity",
        }
    }
}

/// What would be allowed instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alternative {
    /// What it comes to.
    pub description: &'static str,
    /// Its steps.
    pub actions: &'static [Action],
}

impl std::fmt::Display for Alternative {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let steps: Vec<&str> = self.actions.iter().map(|action| action.words()).collect();
        write!(f, "{} ({})", self.description, steps.join(", "))
    }
}

/// What may go wrong with an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Risk {
    /// It is another service.
    WrongEndpoint(String),
    /// Nothing is there.
    ServiceNotRunning(String),
}

impl std::fmt::Display for Risk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Risk::WrongEndpoint(text) => write!(f, "wrong endpoint: {text}"),
            Risk::ServiceNotRunning(text) => write!(f, "service not running: {text}"),
        }
    }
}
