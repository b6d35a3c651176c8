//! What a policy says about supervisors: who they are, how they are reached,
//! what they are fit for, and which questions they may answer.
//!
//! Only the managed and the user layer name supervisors: a cloned repository
//! must not bring its own judge. What a project says can only keep questions
//! from them.

use crate::address::Address;
use crate::finding::Source;
use crate::guard::Severity;
use crate::policy::{Layer, Layered, Notice, Review};
use crate::rule::{Names, Pattern, RuleFault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a supervisor is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
    /// Chat completions as OpenAI and many local servers speak them.
    Openai,
    /// Messages as Anthropic speaks them, answered by a tool call.
    Anthropic,
    /// A program: the brief as JSON on stdin, the answer as JSON on stdout.
    Command,
}

/// The position of a supervisor in the chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SupervisorRole {
    /// Asked first.
    #[default]
    Reviewer,
    /// Asked when no reviewer decided.
    Architect,
}

/// A sort of call a supervisor can be fit for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallSort {
    /// Shell commands.
    Shell,
    /// Tools for files.
    File,
    /// Requests to addresses.
    Fetch,
    /// Tools of MCP servers.
    Mcp,
    /// Work for another agent.
    Handoff,
    /// Anything else.
    Other,
}

// INVARIANT: declared in rising strictness; a project may only move up.
/// How several supervisors decide together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Together {
    /// One after the other; the first that is sure decides.
    #[default]
    FirstConfident,
    /// All at once; more than half of those asked must be sure of the same.
    Majority,
    /// All at once; a yes needs all of them, one sure no is enough.
    Unanimous,
}

/// One supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Supervisor {
    /// How it is reached: `openai`, `anthropic` or `command`.
    pub endpoint: Endpoint,
    /// Its address; `https`, or `http` on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The environment variable that holds its key; the key itself is never written here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// A proxy to reach it through; those of the environment are not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
    /// A file with the certificates (PEM) that vouch for it, for a service of your own; else the public ones do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<String>,
    /// For `command`: the program by its full path, and its arguments.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub command: Names,
    /// Its position in the chain.
    #[serde(default)]
    pub role: SupervisorRole,
    /// Tools it is fit for; `*` allowed. All, if not said.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub tools: Names,
    /// Sorts of calls it is fit for. All, if not said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<CallSort>,
    /// Severities it is fit for. All that `review.supervised` names, if not said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub severities: Vec<Severity>,
    /// How long one answer may take.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 100))]
    pub seconds: u32,
    /// What one question costs, in hundredths.
    #[serde(default)]
    pub cost_cents: u32,
    /// What it may cost a day, in hundredths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_cents: Option<u32>,
    /// How many tokens an answer may have.
    #[serde(default = "thousand")]
    #[schemars(range(min = 64, max = 16384))]
    pub answer_tokens: u32,
}

fn ten() -> u32 {
    10
}

fn thousand() -> u32 {
    1000
}

/// A supervisor with its name and where it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupervisorEntry {
    /// Where it is written.
    pub source: Source,
    /// Its layer.
    pub layer: Layer,
    /// Its name.
    pub name: String,
    /// The supervisor.
    pub supervisor: Supervisor,
}

/// Supervisors and the room they have, from all layers together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Supervision {
    /// The supervisors.
    pub supervisors: Vec<SupervisorEntry>,
    /// Severities they may decide about.
    pub supervised: Vec<Severity>,
    /// An answer less sure than this decides nothing, in per cent.
    pub confidence_percent: u8,
    /// How several decide.
    pub together: Together,
    /// For all of them together.
    pub seconds: u32,
    /// How long an answer holds for the same question; 0 is not at all.
    pub cache_minutes: u32,
    /// Rules whose questions only people answer.
    pub people: Vec<String>,
}

impl Default for Supervision {
    fn default() -> Supervision {
        Supervision {
            supervisors: Vec::new(),
            supervised: vec![Severity::Low, Severity::Medium, Severity::High],
            confidence_percent: 70,
            together: Together::FirstConfident,
            seconds: 20,
            cache_minutes: 0,
            people: Vec::new(),
        }
    }
}

impl Supervision {
    /// Whether no one is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.supervisors.is_empty()
    }

    /// A supervisor by name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Supervisor> {
        self.supervisors.iter().find(|entry| entry.name == name).map(|entry| &entry.supervisor)
    }

    /// Everything that cannot be meant so.
    #[must_use]
    pub fn faults(&self) -> Vec<(Source, RuleFault)> {
        let faults = |entry: &SupervisorEntry| {
            let own = entry.faults().into_iter();
            own.map(|fault| (entry.source.clone(), fault)).collect::<Vec<_>>()
        };
        self.supervisors.iter().flat_map(faults).collect()
    }
}

impl SupervisorEntry {
    fn faults(&self) -> Vec<RuleFault> {
        if matches!(self.layer, Layer::Project | Layer::Pack) {
            return vec![
                self.fault(
                    "supervisors",
                    "a project policy cannot define AI supervisors, because it would choose its own judge"
                        .to_owned(),
                    "define them in your user policy (`~/.config/toolgate/policy.yaml`) or the managed one",
                ),
            ];
        }
        let own = [self.name_fault(), self.place_fault(), self.model_fault(), self.time_fault()];
        own.into_iter().flatten().chain(self.pattern_faults()).collect()
    }

    fn fault(&self, needle: &str, message: String, cure: &str) -> RuleFault {
        let rule = format!("supervisors.{}", self.name);
        RuleFault { rule, at: None, needle: needle.to_owned(), message, cure: cure.to_owned() }
    }

    fn name_fault(&self) -> Option<RuleFault> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
        let good = !self.name.is_empty() && self.name.len() <= 64 && self.name.chars().all(plain);
        let message = "names use lower-case letters, digits, `-`, `_` and `.`".to_owned();
        (!good).then(|| self.fault(&self.name, message, "use a name such as `reviewer-1`"))
    }

    fn place_fault(&self) -> Option<RuleFault> {
        let own = &self.supervisor;
        if own.endpoint == Endpoint::Command {
            let program = own.command.iter().next();
            let message = match program {
                None => "`command` is missing",
                // What a bare name leads to is up to PATH, and that may lead into the project.
                Some(program) if !program.starts_with('/') => "the program needs an absolute path",
                Some(_) => return None,
            };
            let cure = "write `command: [/path/to/program, argument]`";
            return Some(self.fault(program.unwrap_or(&self.name), message.to_owned(), cure));
        }
        if !own.command.is_empty() {
            let message = "only `endpoint: command` has a `command`".to_owned();
            return Some(self.fault("command", message, "remove it, or set `endpoint: command`"));
        }
        let Some(url) = &own.url else {
            let message = "`url` is missing".to_owned();
            return Some(self.fault(&self.name, message, "write `url: https://…`"));
        };
        let address = Address::parse(url).filter(|_| url.contains("://"));
        let Some(address) = address.filter(|one| matches!(one.scheme.as_str(), "http" | "https")) else {
            let message = format!("`{url}` is not an address");
            return Some(self.fault(url, message, "write `https://host/path`"));
        };
        if url.contains('@') {
            let message = "the address contains a password".to_owned();
            return Some(self.fault(
                url,
                message,
                "put the key in an environment variable and name it in `key_env`",
            ));
        }
        let open = address.scheme == "http" && !address.is_loopback();
        let message = "plain HTTP would send the question unencrypted".to_owned();
        open.then(|| self.fault(url, message, "use `https`; `http` is only allowed for this machine"))
    }

    fn model_fault(&self) -> Option<RuleFault> {
        let missing = self.supervisor.endpoint != Endpoint::Command && self.supervisor.model.is_none();
        let message = "`model` is missing".to_owned();
        missing.then(|| self.fault(&self.name, message, "write `model: name`"))
    }

    fn time_fault(&self) -> Option<RuleFault> {
        let own = &self.supervisor;
        let bad = own.seconds == 0 || own.seconds > 100;
        let message = "the supervisor must answer before the host gives up".to_owned();
        bad.then(|| self.fault("seconds", message, "use 1 to 100 seconds"))
    }

    fn pattern_faults(&self) -> Vec<RuleFault> {
        let bad = self.supervisor.tools.iter().filter(|name| Pattern::word(name).is_err());
        bad.map(|name| {
            self.fault(name, format!("`{name}` is not a valid pattern"), "use `*` and `?` as wildcards")
        })
        .collect()
    }
}

/// What the layers say, joined: who is asked by the managed and the user
/// layer, and of the room what every layer leaves.
pub(crate) fn joined(files: &[Layered]) -> Supervision {
    let mut supervisors: Vec<SupervisorEntry> = Vec::new();
    for file in files {
        for (name, supervisor) in &file.policy.supervisors {
            // The first one counts: no one below puts another judge in its place.
            if supervisors.iter().all(|known| known.name != *name) {
                supervisors.push(SupervisorEntry {
                    source: Source { file: file.file.clone(), line: 0 },
                    layer: file.layer,
                    name: name.clone(),
                    supervisor: supervisor.clone(),
                });
            }
        }
    }
    if supervisors.is_empty() {
        return Supervision::default();
    }
    let said = |of: &dyn Fn(Layer) -> bool| -> Vec<&Review> {
        files.iter().filter(|file| of(file.layer)).filter_map(|file| file.policy.review.as_ref()).collect()
    };
    let own = said(&|layer| matches!(layer, Layer::Managed | Layer::User));
    let project = said(&|layer| layer == Layer::Project);
    let plain = Supervision::default();
    let mut supervised = severities(&own, &project, plain.supervised);
    if files.iter().any(|file| file.policy.people.as_ref().is_some_and(|one| one.human_required_critical)) {
        supervised.retain(|severity| *severity != Severity::Critical);
    }
    Supervision {
        supervisors,
        supervised,
        confidence_percent: sureness(&own, &project, plain.confidence_percent),
        together: strictest(&own, &project),
        seconds: shortest(&own, &project, plain.seconds),
        cache_minutes: own.iter().rev().find_map(|one| one.cache_minutes).unwrap_or(plain.cache_minutes),
        people: own.iter().chain(&project).flat_map(|one| one.people.iter().map(str::to_owned)).collect(),
    }
}

/// Names a higher layer has taken: told, never dropped in silence.
pub(crate) fn displaced(files: &[Layered]) -> Vec<Notice> {
    let mut notices = Vec::new();
    for (at, file) in files.iter().enumerate() {
        for name in file.policy.supervisors.keys() {
            let earlier = files.iter().take(at).find(|one| one.policy.supervisors.contains_key(name));
            if let Some(earlier) = earlier {
                let text = format!(
                    "the supervisor name `{name}` is already used in {}, and this one is ignored",
                    earlier.file
                );
                let source = Source { file: file.file.clone(), line: 0 };
                notices.push(Notice::conflict(source, name, text, "choose another name for it"));
            }
        }
    }
    notices
}

/// What every layer that says something leaves.
fn severities(own: &[&Review], project: &[&Review], usual: Vec<Severity>) -> Vec<Severity> {
    let narrowed = |room: Option<Vec<Severity>>, review: &&Review| match (room, &review.supervised) {
        (room, None) => room,
        (None, Some(said)) => Some(said.clone()),
        (Some(room), Some(said)) => Some(room.into_iter().filter(|one| said.contains(one)).collect()),
    };
    let room = own.iter().fold(None, narrowed).unwrap_or(usual);
    project.iter().fold(Some(room), narrowed).unwrap_or_default()
}

fn sureness(own: &[&Review], project: &[&Review], usual: u8) -> u8 {
    let chosen = own.iter().filter_map(|one| one.confidence).map(needed_percent).max().unwrap_or(usual);
    project.iter().filter_map(|one| one.confidence).map(needed_percent).fold(chosen, u8::max)
}

fn strictest(own: &[&Review], project: &[&Review]) -> Together {
    let chosen = own.iter().rev().find_map(|one| one.together).unwrap_or_default();
    project.iter().filter_map(|one| one.together).fold(chosen, Together::max)
}

fn shortest(own: &[&Review], project: &[&Review], usual: u32) -> u32 {
    let chosen = own.iter().filter_map(|one| one.supervisor_seconds).min().unwrap_or(usual);
    project.iter().filter_map(|one| one.supervisor_seconds).fold(chosen, u32::min)
}

/// How sure an answer must be, in per cent, rounded against it.
fn needed_percent(share: f64) -> u8 {
    // Safe: kept within what a per cent can be.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let percent = ((share * 1e6).round() / 1e4).ceil().clamp(0.0, 100.0) as u8;
    percent
}
