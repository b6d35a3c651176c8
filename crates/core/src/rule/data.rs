//! The shape of a rule as people write it in a policy file.
//!
//! Only shape: whether a pattern compiles or a kind exists is checked in
//! `compiled`. Unknown keys are errors.

use crate::event::EventKind;
use crate::guard::{Category, Severity};
use crate::rule::context::When;
use crate::rule::delay::Delay;
use crate::rule::hosts::HostMatch;
use crate::rule::names::Names;
use crate::rule::sequence::After;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What a rule does with the calls it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleKind {
    /// They do not run.
    #[serde(alias = "prohibit", alias = "deny", alias = "REJECT")]
    Block,
    /// They run only if `require` holds.
    Require,
    /// They run as `change` rewrites them.
    #[serde(alias = "transform", alias = "modify", alias = "MODIFY")]
    Rewrite,
    /// A person or an AI supervisor is asked first.
    #[serde(alias = "escalate", alias = "ESCALATE")]
    Ask,
    /// They run, and the agent is told the reason.
    Warn,
    /// They wait, for a time or until something is so.
    #[serde(alias = "DELAY")]
    Delay,
    /// They run, and the session remembers that it did so.
    Label,
    /// They run, and the host is told yes in the person's name.
    #[serde(alias = "APPROVE")]
    Approve,
}

impl RuleKind {
    /// The name used in policies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RuleKind::Block => "block",
            RuleKind::Require => "require",
            RuleKind::Rewrite => "rewrite",
            RuleKind::Ask => "ask",
            RuleKind::Warn => "warn",
            RuleKind::Delay => "delay",
            RuleKind::Label => "label",
            RuleKind::Approve => "approve",
        }
    }
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("patternProperties" = { "^x-": true }))]
pub struct Rule {
    /// Stable, unique, kebab-case: named in every message.
    pub id: String,
    /// What it is called, if the id is not enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is for, in more words than the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it does with the calls it matches.
    pub kind: RuleKind,
    /// Which calls it is about. All conditions written must hold.
    #[serde(rename = "match", alias = "then")]
    pub matches: Match,
    /// What the session must have done before; all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<After>,
    /// What must be so around the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
    /// It does not apply when all of this is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless: Option<When>,
    /// For `label`: what the session is remembered by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// For `delay`: how long it waits, and for what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Delay>,
    /// For `require`: what must hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub require: Option<Requirement>,
    /// For `transform`: how the call is rewritten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
    /// What it is about.
    #[serde(default)]
    pub category: Category,
    /// How bad it would be.
    #[serde(default)]
    pub severity: Severity,
    /// Lower runs first; 100 and up.
    #[serde(default = "default_priority")]
    pub priority: u32,
    /// One sentence: why.
    pub reason: String,
    /// One sentence for the agent: the next allowed step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remediation: Option<String>,
    /// What would be allowed instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
    /// When it was last looked at, as its author writes it: a note, nothing follows from it.
    #[serde(default, alias = "lastUpdated", skip_serializing_if = "Option::is_none")]
    pub last_updated: Option<String>,
    /// How often it was right, from 0 to 1, as another system counted it: a note, too.
    /// `toolgate explain` shows how often it matched here.
    #[serde(default, alias = "successRate", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub success_rate: Option<f64>,
    /// Off when false.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub enabled: bool,
    /// Lower layers can neither change it nor turn it off.
    #[serde(default, skip_serializing_if = "is_false")]
    pub locked: bool,
    /// Commands that must and must not match; checked when the policy is checked.
    #[serde(default, skip_serializing_if = "Examples::is_empty")]
    pub examples: Examples,
}

impl Rule {
    /// A rule that says only what it must; everything else as if not written.
    #[must_use]
    pub fn new(id: &str, kind: RuleKind, matches: Match, reason: &str) -> Rule {
        Rule {
            id: id.to_owned(),
            name: None,
            description: None,
            kind,
            matches,
            after: Vec::new(),
            when: None,
            unless: None,
            label: None,
            delay: None,
            require: None,
            change: None,
            category: Category::default(),
            severity: Severity::default(),
            priority: default_priority(),
            reason: reason.to_owned(),
            remediation: None,
            alternatives: Vec::new(),
            last_updated: None,
            success_rate: None,
            enabled: true,
            locked: false,
            examples: Examples::default(),
        }
    }
}

fn default_priority() -> u32 {
    100
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_true(value: &bool) -> bool {
    *value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// Which calls a rule is about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Match {
    /// The moment; `pre_execution` if not said.
    #[serde(default)]
    pub event: EventKind,
    /// Tool names (`*` and `?` allowed), or words for the tools of every host: `shell`, `read`, `search`, `write`, `edit`, `web`, `agent`, `mcp`.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub tool: Names,
    /// Conditions on one simple command, as the shell would see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandMatch>,
    /// What the command would do, however it is spelled: `skips-commit-hooks`, `rewrites-remote` …
    #[serde(default, alias = "does", skip_serializing_if = "Names::is_empty")]
    pub effect: Names,
    /// A regular expression over the normalised command, quoting resolved,
    /// long option names, free text left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// Conditions on the files touched, by shell or by file tool alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<FileMatch>,
    /// Input fields by name (`a.b` for nested ones), each a regular expression.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
    /// What those effects are done to – a host, a package, a branch, a
    /// statement; `*` and `?` allowed.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub target: Names,
    /// The host that is reached, in whatever form it is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostMatch>,
    /// What would run is not known before the command runs: `true` for any
    /// reason, or the reasons: `variable`, `output`,
    /// `decoded`, `name`, `computed`, `syntax`, `limit`.
    #[serde(default, deserialize_with = "sorts", skip_serializing_if = "Names::is_empty")]
    #[schemars(with = "Sorts")]
    pub opaque: Names,
}

/// Any sort of what cannot be told.
pub(crate) const ANY_SORT: &str = "any";

/// `true`, or names.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Sorts {
    /// Any sort, or none.
    All(bool),
    /// These sorts.
    Some(Names),
}

fn sorts<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Names, D::Error> {
    Ok(match Sorts::deserialize(deserializer)? {
        Sorts::All(true) => Names(vec![ANY_SORT.to_owned()]),
        Sorts::All(false) => Names::default(),
        Sorts::Some(names) => names,
    })
}

/// Conditions on one simple command. In each list, one must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandMatch {
    /// Base name of the program; `*` and `?` allowed.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub program: Names,
    /// What the program is told to do: `commit` of `git -C x commit`, `s3 rb` of `aws --profile x s3 rb`;
    /// `*` and `?` allowed.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub subcommand: Names,
    /// Options in any spelling the program accepts: `--no-verify` also finds `-n` and `-anm`.
    /// With a value, only that one: `--request=POST` also finds `-XPOST`.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub flags: Names,
    /// Options that must all be there.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub all_flags: Names,
    /// Operands; `*` and `?` allowed.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub args: Names,
    /// Wrappers around it: `sudo`, `xargs` …
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub via: Names,
    /// Variables set for it: `HUSKY` or `HUSKY=0`.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub env: Names,
}

/// Conditions on one file. In each list, one must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileMatch {
    /// `read`, `write`, `delete`, `delete-tree`; any of them if not said. `create` and `change` are the two
    /// sides of `write`.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub access: Names,
    /// Globs. Without a leading `/` or `~` they match at any depth; a folder means all in it.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub path: Names,
    /// Globs that are never meant.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub except: Names,
    /// Places it lies in: `workspace`, `home`, `temp`, `system`, `gate`.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub inside: Names,
    /// Places it must lie outside of, all of them.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub outside: Names,
    /// Places it must not be known to lie in. Unlike `outside`, a path that cannot be known still counts.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub except_inside: Names,
    /// Places that would be lost with it: `root`, `home`, `workspace`, `system`.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub covers: Names,
    /// Work that is in no commit would be lost with it, and this session did not make it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unsaved: bool,
}

/// What must hold for a `require` rule; all that is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Options that must all be given.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub flags: Names,
    /// A regular expression the normalised command must match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// A regular expression the message must match, however it is given: `-m`, `-F file`, `-F -`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Input fields that must be there and match.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
    /// A regular expression: such a command must have succeeded in this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran: Option<String>,
    /// Headers a request must carry, by name.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub headers: Names,
    /// The files it would change or delete are copied first; `toolgate restore` brings them back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub backup: bool,
    /// With `ran`: since the workspace last changed, not ever.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fresh: bool,
    /// What happens if it does not hold.
    #[serde(default)]
    pub otherwise: Otherwise,
}

/// What happens when a requirement does not hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Otherwise {
    /// The call does not run.
    #[default]
    Block,
    /// A person or an AI supervisor is asked.
    #[serde(alias = "escalate")]
    Ask,
    /// It runs with a warning.
    Warn,
}

/// How a `transform` rule rewrites the call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Options taken out, in any spelling.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub remove_flags: Names,
    /// Options put in if they are not there.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub add_flags: Names,
    /// Input fields set to fixed values.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub set: Map<String, Value>,
}

/// Examples that must and must not match.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Examples {
    /// Commands the rule must speak about.
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matching: Vec<String>,
    /// Commands it must leave alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pass: Vec<String>,
}

impl Examples {
    /// Whether none were written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.matching.is_empty() && self.pass.is_empty()
    }
}
