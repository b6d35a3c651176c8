//! The guardrails of S2 by category: one file each, one line
//! in [`all`]. They are on where the section `category_guardrails` or a risk
//! level says so, and like every guard they only object.
//!
//! A guardrail here says what it objects to; what follows – block, ask, warn,
//! log, the third warning – is the same for all and is below.

mod budget_001;
mod budget_002;
mod budget_003;
mod budget_004;
mod compliance_001;
mod compliance_002;
mod compliance_003;
mod compliance_004;
mod git;
mod quality_003;
mod quality_004;
mod safety_001;
mod safety_002;
mod safety_004;
mod scope_001;
mod scope_002;
mod scope_003;
mod scope_004;

pub use budget_001::TokenBudget;
pub use budget_002::TimeBudget;
pub use budget_003::ApiCalls;
pub use budget_004::CostCeiling;
pub use compliance_001::FileOwnership;
pub(crate) use compliance_001::holder;
pub use compliance_002::ReviewFirst;
pub use compliance_003::BranchPolicy;
pub use compliance_004::Documentation;
pub use quality_003::TestsPass;
pub use quality_004::LintClean;
pub use safety_001::{BUILD_OUTPUT, Destructive};
pub use safety_002::ProtectedFiles;
pub use safety_004::Sandbox;
pub use scope_001::TaskBoundary;
pub use scope_002::FileScope;
pub use scope_003::Capabilities;
pub(crate) use scope_003::{CAPABILITIES, lacking};
pub use scope_004::DecisionAuthority;

use crate::agent::AgentEntry;
use crate::call::{Call, Kind};
use crate::categories::{Categories, Parameters, category_of};
use crate::event::EventKind;
use crate::evidence::Evidence;
use crate::expression::Truth;
use crate::facts::Facts;
use crate::finding::{Finding, Source};
use crate::guard::{Category, Guard, Seen, Severity};
use crate::guardrail::{OnFail, outcome_of};
use crate::handoff::artefacts;
use crate::lock::written;
use crate::mark::warned_mark;
use crate::outcome::Outcome;
use crate::places::Places;
use crate::policy::Layer;
use crate::rule::{Names, Pattern, is_like};
use crate::settings::Settings;
use std::marker::PhantomData;

/// Every one of them.
pub(super) fn all() -> Vec<Box<dyn Guard>> {
    vec![
        on::<Destructive>(),
        on::<ProtectedFiles>(),
        on::<Sandbox>(),
        on::<TestsPass>(),
        on::<LintClean>(),
        on::<FileOwnership>(),
        on::<ReviewFirst>(),
        on::<BranchPolicy>(),
        on::<Documentation>(),
        on::<TokenBudget>(),
        on::<TimeBudget>(),
        on::<ApiCalls>(),
        on::<CostCeiling>(),
        on::<TaskBoundary>(),
        on::<FileScope>(),
        on::<Capabilities>(),
        on::<DecisionAuthority>(),
    ]
}

/// The page of one, for `toolgate explain`.
pub(super) fn page(id: &str) -> Option<&'static str> {
    rows().into_iter().find(|(own, ..)| *own == id).map(|(_, page, _)| page)
}

/// What one does unless the policy says otherwise, and how severe what it finds is.
pub(super) fn verdict_and_severity(id: &str) -> Option<(&'static str, &'static str)> {
    let (_, _, action) = rows().into_iter().find(|(own, ..)| *own == id)?;
    Some((action.name(), severity_of(id).name()))
}

fn row<T: Standard>() -> (&'static str, &'static str, OnFail) {
    (T::ID, T::PAGE, T::ACTION)
}

fn rows() -> [(&'static str, &'static str, OnFail); 17] {
    [
        row::<Destructive>(),
        row::<ProtectedFiles>(),
        row::<Sandbox>(),
        row::<TestsPass>(),
        row::<LintClean>(),
        row::<FileOwnership>(),
        row::<ReviewFirst>(),
        row::<BranchPolicy>(),
        row::<Documentation>(),
        row::<TokenBudget>(),
        row::<TimeBudget>(),
        row::<ApiCalls>(),
        row::<CostCeiling>(),
        row::<TaskBoundary>(),
        row::<FileScope>(),
        row::<Capabilities>(),
        row::<DecisionAuthority>(),
    ]
}

fn severity_of(id: &str) -> Severity {
    if category_of(id) == Category::Safety { Severity::High } else { Severity::Medium }
}

/// Texts in the parameters that are no patterns: id, text, why.
pub(crate) fn bad_patterns(said: &Categories) -> Vec<(&'static str, (String, String))> {
    fn of<T: Standard>(said: &Categories) -> Vec<(&'static str, (String, String))> {
        let bad = T::section(said).map(Parameters::bad_patterns).unwrap_or_default();
        bad.into_iter().map(|one| (T::ID, one)).collect()
    }
    let write = said.scope_002.iter().flat_map(|own| own.write.iter()).flat_map(Names::iter);
    let write = write.filter_map(|text| Some((FileScope::ID, (text.to_owned(), no_path(text)?))));
    [
        write.collect(),
        of::<Destructive>(said),
        of::<ProtectedFiles>(said),
        of::<Sandbox>(said),
        of::<TestsPass>(said),
        of::<LintClean>(said),
        of::<ReviewFirst>(said),
        of::<BranchPolicy>(said),
        of::<Documentation>(said),
        of::<TaskBoundary>(said),
        of::<FileScope>(said),
        of::<DecisionAuthority>(said),
    ]
    .concat()
}

/// Parameters of a guardrail, with the two every one of them has.
macro_rules! parameters {
    ($(#[$about:meta])* $name:ident { $( $(#[$field:meta])* $key:ident: $kind:ty = $default:expr, )* }
     patterns { $( $list:ident: $check:expr ),* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            /// Whether it is on.
            pub on: bool,
            /// What happens instead of what its page says.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub action: Option<crate::guardrail::OnFail>,
            $( $(#[$field])* pub $key: $kind, )*
        }

        impl Default for $name {
            fn default() -> $name {
                $name { on: true, action: None, $( $key: $default, )* }
            }
        }

        impl crate::categories::Parameters for $name {
            fn is_on(&self) -> bool {
                self.on
            }

            fn action(&self) -> Option<crate::guardrail::OnFail> {
                self.action
            }

            #[allow(unused_mut)]
            fn bad_patterns(&self) -> Vec<(String, String)> {
                let mut bad = Vec::new();
                $(
                    let check: fn(&str) -> Option<String> = $check;
                    bad.extend(self.$list.iter().filter_map(|text| Some((text.to_owned(), check(text)?))));
                )*
                bad
            }
        }
    };
}
pub(crate) use parameters;

/// Why a text is not a path pattern.
fn no_path(text: &str) -> Option<String> {
    Pattern::path(text).err().map(|fault| fault.message)
}

/// Why a text is not a pattern of words.
fn no_word(text: &str) -> Option<String> {
    Pattern::word(text).err().map(|fault| fault.message)
}

/// What one of them objects to.
#[derive(Debug)]
pub(crate) struct Objection {
    /// Whether it is sure.
    pub sure: Truth,
    /// One sentence for the person.
    pub message: String,
    /// The next allowed step.
    pub step: String,
    /// What made it speak.
    pub evidence: Vec<Evidence>,
    /// What happens whatever the action says: thresholds, checks to make.
    pub outcome: Option<Outcome>,
}

impl Objection {
    fn new(message: impl Into<String>, step: impl Into<String>) -> Objection {
        let (message, step) = (message.into(), step.into());
        Objection { sure: Truth::Yes, message, step, evidence: Vec::new(), outcome: None }
    }

    fn because(mut self, evidence: Option<Evidence>) -> Objection {
        self.evidence.extend(evidence);
        self
    }

    fn unsure(self) -> Objection {
        Objection { sure: Truth::Unclear, ..self }
    }
}

/// One guardrail: its parameters are the type.
pub(crate) trait Standard: Parameters + Send + 'static {
    const ID: &'static str;
    const PAGE: &'static str;
    /// What happens unless the policy says otherwise: the word of the seed.
    const ACTION: OnFail;

    /// What a policy says about it.
    fn section(all: &Categories) -> Option<&Self>;

    /// The marks of the session it wants to know.
    fn asks(&self, _call: &Call, _facts: &Facts) -> Vec<String> {
        Vec::new()
    }

    /// Whether it is in force for a call though no section turns it on.
    fn is_due(_seen: &Settings, _call: &Call) -> Option<Source> {
        None
    }

    /// What it objects to in a call that is about to run.
    fn objection(&self, seen: &Seen<'_>) -> Option<Objection>;
}

struct On<T>(PhantomData<T>);

fn on<T: Standard>() -> Box<dyn Guard> {
    Box::new(On::<T>(PhantomData))
}

/// The parameters in force for a call, each with where they are written.
fn in_force<T: Standard>(settings: &Settings, call: &Call) -> Vec<(Source, T)> {
    let mut found: Vec<(Source, T)> = Vec::new();
    for entry in &settings.categories {
        match T::section(&entry.categories) {
            Some(own) if own.is_on() => found.push((entry.source.clone(), own.clone())),
            None if entry.turns_on(T::ID) => found.push((entry.source.clone(), T::default())),
            _ => {}
        }
    }
    // Also where a layer has parameters of its own: those of a project must not
    // take the place of what a person's agent works under.
    let literal = || {
        let mut own = settings.categories.iter().filter(|entry| entry.layer < Layer::Project);
        own.any(|entry| entry.categories.literal)
    };
    let brings = |entry: &&AgentEntry| entry.agent.risk.is_some_and(|risk| risk.brings(T::ID, literal()));
    let risky = settings.agents_of(call).find(brings).map(|entry| entry.source.clone());
    let due = risky.or_else(|| T::is_due(settings, call));
    found.extend(due.map(|source| (source, T::default())));
    found
}

impl<T: Standard> Guard for On<T> {
    fn id(&self) -> &str {
        T::ID
    }

    fn priority(&self) -> u32 {
        match category_of(T::ID) {
            Category::Safety => 10,
            Category::Compliance => 20,
            Category::Budget => 30,
            Category::Scope => 40,
            Category::Quality => 50,
        }
    }

    fn category(&self) -> Category {
        category_of(T::ID)
    }

    fn asks(&self, call: &Call, facts: &Facts, settings: &Settings) -> Vec<String> {
        let all = in_force::<T>(settings, call);
        let warns = all.iter().any(|(_, own)| own.action().unwrap_or(T::ACTION) == OnFail::Warn);
        let own = all.iter().flat_map(|(_, own)| own.asks(call, facts));
        own.chain(warns.then(|| warned_mark(T::ID))).collect()
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        if seen.event.kind != EventKind::PreExecution {
            return None;
        }
        let findings =
            in_force::<T>(seen.settings, &seen.event.call).into_iter().filter_map(|(source, own)| {
                let objection = own.objection(seen)?;
                Some(finding::<T>(seen, source, &own, objection))
            });
        // Of equals the first, which is the highest layer.
        findings.reduce(
            |worst, next| {
                if next.outcome.verdict() > worst.outcome.verdict() { next } else { worst }
            },
        )
    }
}

fn finding<T: Standard>(seen: &Seen<'_>, source: Source, own: &T, objection: Objection) -> Finding {
    let Objection { sure, mut message, step, evidence, outcome } = objection;
    let action = own.action().unwrap_or(T::ACTION);
    let outcome = outcome.unwrap_or_else(|| outcome_of(action, sure, T::ID, seen, &mut message));
    let category = category_of(T::ID);
    let severity = severity_of(T::ID);
    Finding {
        guard: T::ID.to_owned(),
        source,
        category,
        severity,
        outcome,
        message,
        remediation: Some(step),
        alternatives: Vec::new(),
        evidence,
        confidence: 1.0,
        duration_us: 0,
    }
}

/// Whether a path is like one of these patterns; a pattern without a start
/// fits at any depth.
fn any_path(names: &Names, path: &str, places: &Places) -> bool {
    names.iter().any(|name| Pattern::path(name).is_ok_and(|glob| is_like(&glob, path, places)))
}

/// Whether a word is like one of these patterns.
fn any_word(names: &Names, word: &str) -> bool {
    names.iter().any(|name| Pattern::word(name).is_ok_and(|glob| glob.is_match(word)))
}

/// Whether a command in its normal form begins like one of these.
fn begins(names: &Names, normal: &str) -> bool {
    names.iter().any(|wanted| {
        normal.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}

/// Where locks are asked for, and after how many minutes they are given back;
/// `None` if no one asks for them.
pub(crate) fn lock_minutes(settings: &Settings, call: &Call) -> Option<(Source, u32)> {
    let all = in_force::<FileOwnership>(settings, call).into_iter();
    all.map(|(source, own)| (source, own.minutes)).max_by_key(|(_, minutes)| *minutes)
}

/// The files a call takes a lock on if it runs.
pub(crate) fn taken_locks(seen: &Seen<'_>) -> Vec<String> {
    let due = seen.event.kind == EventKind::PreExecution && !seen.facts.files.is_empty();
    if !due || lock_minutes(seen.settings, &seen.event.call).is_none() {
        return Vec::new();
    }
    written(seen.facts, seen.places)
}

/// The files whose locks must be known to judge a call.
pub(crate) fn asked_locks(settings: &Settings, call: &Call, facts: &Facts, places: &Places) -> Vec<String> {
    if lock_minutes(settings, call).is_none() {
        return Vec::new();
    }
    let mut paths = written(facts, places);
    if matches!(call.kind, Kind::Handoff) {
        paths.extend(artefacts(call));
    }
    paths
}

/// Whether a call counts as one to the outside.
pub(crate) fn counts_outward(seen: &Seen<'_>) -> bool {
    let counted = in_force::<ApiCalls>(seen.settings, &seen.event.call);
    counted.iter().any(|(_, own)| own.limit.is_some()) && budget_003::is_outward(seen.event, seen.facts)
}
