//! The policy in force: rules from layered files, one revision hash, and an
//! index that finds the few rules a call needs.
//!
//! `file` is the shape people write, `merge` joins the layers, `index` and
//! `image` are the compiled form a hook process reads instead of YAML. Reading
//! files and keeping the cache is the runtime's work.

mod file;
mod image;
mod index;
mod merge;
mod path_keys;

pub use file::{Delivery, Mode, PolicyFile, Review, Workspace};
pub use image::{Image, ImageFault};
pub use merge::{Layer, Layered, Merged, Notice, NoticeKind, RuleEntry, merge};

pub use crate::rule::RuleFault;

use crate::budget::Budget;
use crate::call::Call;
use crate::categories::CategoriesEntry;
use crate::digest::{Digest, canonical, digest_of};
use crate::event::EventKind;
use crate::facts::Facts;
use crate::guard::{Guard, Seen};
use crate::guardrail::{Bypass, CompiledGuardrail, GuardrailEntry};
use crate::guards;
use crate::places::Places;
use crate::rule::{CompiledRule, earlier_rules, is_earlier};
use crate::settings::Settings;
use std::cmp::Reverse;
use std::sync::OnceLock;

/// The policy in force.
pub struct Policy {
    image: Image,
    built_in: Vec<Box<dyn Guard>>, // and, at the end, what an embedder added
    embedded: usize,               // how many those are
    after: Vec<Box<dyn Guard>>,
    // Rules are parsed and compiled when first needed: a hook call looks at a
    // handful of ten thousand. Boxed: a place for each of the others is memory the
    // system has to hand out page by page.
    rules: Vec<OnceLock<Option<Box<CompiledRule>>>>,
    guardrails: Vec<Option<CompiledGuardrail>>,
}

impl std::fmt::Debug for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Policy").field("revision", &self.image.revision()).finish_non_exhaustive()
    }
}

/// Checks merged layers and builds the policy from them.
///
/// # Errors
/// Every rule that has something wrong with it, with the file it is in.
pub fn compile(merged: &Merged) -> Result<Policy, Vec<(crate::finding::Source, RuleFault)>> {
    let mut faults = Vec::new();
    for entry in &merged.rules {
        let rules = std::iter::once(entry.rule.clone()).chain(earlier_rules(&entry.rule));
        for rule in rules {
            let wrong = CompiledRule::new(rule, entry.source.clone()).err().into_iter().flatten();
            faults.extend(wrong.map(|fault| (entry.source.clone(), fault)));
        }
    }
    for entry in &merged.settings.agents {
        faults.extend(entry.faults().into_iter().map(|fault| (entry.source.clone(), fault)));
    }
    for entry in &merged.settings.verification {
        let fault = |name: &str| RuleFault {
            rule: "verification.tools".to_owned(),
            at: None,
            needle: name.to_owned(),
            message: format!("`{name}` is not a valid pattern"),
            cure: "use `*`, `?`, `[…]` and `{…,…}`, each closed".to_owned(),
        };
        let bad = entry.verification.bad_names();
        faults.extend(bad.iter().map(|name| (entry.source.clone(), fault(name))));
    }
    for entry in &merged.settings.traps {
        faults.extend(entry.faults().into_iter().map(|fault| (entry.source.clone(), fault)));
    }
    for entry in &merged.settings.output {
        faults.extend(entry.faults().into_iter().map(|fault| (entry.source.clone(), fault)));
    }
    for entry in &merged.settings.categories {
        faults.extend(entry.faults().into_iter().map(|fault| (entry.source.clone(), fault)));
    }
    faults.extend(merged.settings.supervision.faults());
    for entry in &merged.settings.guardrails {
        faults.extend(CompiledGuardrail::faults(entry));
        faults.extend(id_of_a_rule(merged, entry));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(Policy::new(Image::build(merged)))
}

/// A guardrail must not be called like a rule: a verdict names one of them.
fn id_of_a_rule(merged: &Merged, entry: &GuardrailEntry) -> Option<(crate::finding::Source, RuleFault)> {
    let id = &entry.guardrail.id;
    let rule = merged.rules.iter().find(|rule| rule.rule.id == *id)?;
    let fault = RuleFault {
        rule: format!("guardrails.{id}"),
        at: None,
        needle: id.clone(),
        message: format!("the rule at {} is called so", rule.source),
        cure: "choose another id: custom-scope-001".to_owned(),
    };
    Some((entry.source.clone(), fault))
}

/// How a check that failed is passed: a person lets the one call run.
static OVERRIDE: Bypass = Bypass { allowed: true, requires_approval: None, audit_required: true };

impl Policy {
    /// The policy of an image. The image has been checked by the code that made it.
    #[must_use]
    pub fn new(image: Image) -> Policy {
        let rules = (0..image.len()).map(|_| OnceLock::new()).collect();
        let on = image.settings().guardrails.iter().filter(|entry| entry.guardrail.enabled);
        let guardrails = on.map(CompiledGuardrail::from_image).collect();
        Policy { image, built_in: guards::built_in(), embedded: 0, after: guards::after(), rules, guardrails }
    }

    /// The policy with one more guard, for those who embed the gate.
    #[must_use]
    pub fn with_guard(mut self, guard: Box<dyn Guard>) -> Policy {
        self.built_in.push(guard);
        self.embedded = self.embedded.saturating_add(1);
        self
    }

    /// The guards that were added.
    fn added(&self) -> impl Iterator<Item = &dyn Guard> {
        let at = self.built_in.len().saturating_sub(self.embedded);
        self.built_in.iter().skip(at).map(AsRef::as_ref)
    }

    /// This policy with the guards that were added to `old`, which are no part
    /// of any file: what a process that lives long goes on with when its files
    /// have changed.
    #[must_use]
    pub fn in_place_of(mut self, old: &mut Policy) -> Policy {
        let at = old.built_in.len().saturating_sub(old.embedded);
        let moved = old.built_in.split_off(at);
        self.embedded = moved.len();
        self.built_in.extend(moved);
        self
    }

    /// The compiled form.
    #[must_use]
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Hash over everything that can change a verdict.
    #[must_use]
    pub fn revision(&self) -> &str {
        self.image.revision()
    }

    /// Whether verdicts are enforced or only recorded.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.image.mode()
    }

    /// How questions reach a person.
    #[must_use]
    pub fn review(&self) -> &Review {
        self.image.review()
    }

    /// What the policy says about the workspace.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        self.image.workspace()
    }

    /// What the policy says besides rules.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        self.image.settings()
    }

    /// Whether what a call's agent has used up must be known to judge it.
    #[must_use]
    pub fn needs_log(&self, call: &Call) -> bool {
        if self.settings().categories.iter().any(CategoriesEntry::needs_log) {
            return true;
        }
        let mut budgets = self.settings().agents_of(call).filter_map(|entry| entry.agent.budget.as_ref());
        budgets.any(Budget::needs_log) || self.guardrails.iter().flatten().any(CompiledGuardrail::needs_log)
    }

    /// Whether anything looks at calls that have run.
    #[must_use]
    pub fn judges_after(&self, kind: EventKind) -> bool {
        let on = self.settings().guardrails.iter().filter(|entry| entry.guardrail.enabled);
        let own = || self.added().any(|guard| guard.looks_after());
        on.into_iter().any(|entry| entry.guardrail.event == kind)
            || self.settings().looks_at_output(kind)
            || own()
    }

    /// Every rule in force, in order, with where it is written.
    #[must_use]
    pub fn entries(&self) -> Vec<RuleEntry> {
        let all = (0..self.image.len()).filter_map(|at| self.image.rule(at));
        all.filter(|entry| !is_earlier(&entry.rule)).collect()
    }

    /// The marks of the session the guards want to know before they judge.
    #[must_use]
    pub fn asks(&self, call: &Call, facts: &Facts) -> Vec<String> {
        let guardrails = self.guardrails.iter().flatten().map(|guard| guard as &dyn Guard);
        let guards = self.built_in.iter().map(AsRef::as_ref).chain(guardrails);
        let mut keys: Vec<String> =
            guards.flat_map(|guard| guard.asks(call, facts, self.settings())).collect();
        keys.sort();
        keys.dedup();
        keys
    }

    /// The files whose locks must be known to judge a call.
    #[must_use]
    pub fn asks_locks(&self, call: &Call, facts: &Facts, places: &Places) -> Vec<String> {
        guards::category::asked_locks(self.settings(), call, facts, places)
    }

    /// Who may let a call past a guardrail; `None` if no one may or there is
    /// no such guardrail. Of several with one id all must allow it.
    #[must_use]
    pub fn bypass(&self, id: &str) -> Option<&Bypass> {
        if guards::MAY_BE_OVERRIDDEN.contains(&id) {
            return Some(&OVERRIDE);
        }
        let own = self.settings().guardrails.iter().filter(|entry| entry.guardrail.id == id);
        let all: Option<Vec<&Bypass>> =
            own.map(|entry| entry.guardrail.bypass.as_ref().filter(|one| one.allowed)).collect();
        all?.first().copied()
    }

    /// The guards that can have something to say, in chain order.
    #[must_use]
    pub fn guards_for(&self, seen: &Seen<'_>) -> Vec<&dyn Guard> {
        // Some built-in guards prevent, others look at what has happened.
        let built_in = if seen.event.kind.is_before() { &self.built_in } else { &self.after };
        let mut guards: Vec<&dyn Guard> = built_in.iter().map(AsRef::as_ref).collect();
        if !seen.event.kind.is_before() {
            guards.extend(self.added().filter(|guard| guard.looks_after()));
        }
        for guardrail in &self.guardrails {
            guards.push(guardrail.as_ref().map_or(&guards::BROKEN_RULE, |guard| guard as &dyn Guard));
        }
        let mut keys = index::keys_of(seen, self.image.lengths());
        keys.retain(|key| self.image.may_hold(*key));
        keys.sort_unstable();
        keys.dedup();
        let candidates = keys.into_iter().flat_map(|key| self.image.rules_at(key));
        let mut numbers: Vec<usize> = candidates.collect();
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            match self.rule(number) {
                Some(rule) => guards.push(rule),
                // An image that passed its hash but holds a rule that does not
                // compile is broken; the guard that says so blocks.
                None => guards.push(&guards::BROKEN_RULE),
            }
        }
        guards.sort_by_cached_key(|guard| {
            let guard: &dyn Guard = *guard;
            (guard.priority(), guard.category(), Reverse(guard.severity()), guard.id())
        });
        guards
    }

    fn rule(&self, number: usize) -> Option<&CompiledRule> {
        let slot = self.rules.get(number)?;
        slot.get_or_init(|| {
            let entry = self.image.rule(number)?;
            CompiledRule::from_image(entry.rule, entry.source).ok().map(Box::new)
        })
        .as_deref()
    }
}

/// Hash over everything in merged layers that can change a verdict.
fn revision_of(merged: &Merged) -> Digest {
    digest_of(canonical(merged).as_bytes())
}
