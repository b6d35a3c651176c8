//! A rule checked and ready to be asked.
//!
//! Everything that can be wrong with a rule is found here, at load, and told
//! with the text it is about, so that the loader can put a caret under it.

use crate::expression::Truth;
use crate::facts::Access;
use crate::finding::{Finding, Source};
use crate::guard::{Category, Guard, Seen, Severity};
use crate::outcome::Outcome;
use crate::places::Place;
use crate::rule::context::CompiledWhen;
use crate::rule::data::{ANY_SORT, Match, Rule, RuleKind};
use crate::rule::delay::CompiledDelay;
use crate::rule::hosts::CompiledHosts;
use crate::rule::lazy::LazyRegex;
use crate::rule::matching::Hit;
use crate::rule::names::Names;
use crate::rule::pattern::Pattern;
use crate::rule::pattern_fault::{PatternFault, regex_fault};
use crate::rule::sequence::CompiledAfter;
use crate::rule::{change, matching, require};
use serde_json::Value;
use toolgate_shell::{EffectKind, Unknown};

/// Something wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFault {
    /// The rule.
    pub rule: String,
    /// The text in the file it is about.
    pub needle: String,
    /// The part of that text, in characters from its start: where it begins, and how long it is.
    pub at: Option<(u32, u32)>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub cure: String,
}

impl RuleFault {
    /// A pattern that is none.
    pub(crate) fn of_pattern(rule: String, needle: &str, fault: PatternFault) -> RuleFault {
        let PatternFault { message, help, at: (start, length) } = fault;
        let at = u32::try_from(start).ok().zip(u32::try_from(length).ok());
        RuleFault { rule, needle: needle.to_owned(), at, message, cure: help }
    }
}

/// Compiled conditions on files.
#[derive(Debug)]
pub(crate) struct Files {
    pub access: Vec<Access>,
    pub path: Vec<Pattern>,
    pub except: Vec<Pattern>,
    pub inside: Vec<Place>,
    pub outside: Vec<Place>,
    pub except_inside: Vec<Place>,
    pub covers: Vec<Place>,
    pub unsaved: bool,
}

/// A rule ready to be asked.
#[derive(Debug)]
pub struct CompiledRule {
    pub(crate) rule: Rule,
    pub(crate) source: Source,
    pub(crate) effects: Vec<EffectKind>,
    pub(crate) targets: Vec<Pattern>,
    pub(crate) hosts: Option<CompiledHosts>,
    pub(crate) opaque: Vec<Unknown>,
    pub(crate) regex: Option<LazyRegex>,
    pub(crate) params: Vec<(String, LazyRegex)>,
    pub(crate) tools: Vec<Pattern>,
    pub(crate) programs: Vec<Pattern>,
    pub(crate) args: Vec<Pattern>,
    pub(crate) files: Option<Files>,
    pub(crate) must: require::CompiledRequirement,
    when: Option<CompiledWhen>,
    unless: Option<CompiledWhen>,
    before: Vec<CompiledAfter>,
    pause: CompiledDelay,
}

impl CompiledRule {
    /// Checks a rule.
    ///
    /// # Errors
    /// Everything wrong with it.
    pub fn new(rule: Rule, source: Source) -> Result<CompiledRule, Vec<RuleFault>> {
        CompiledRule::build(rule, source, Patterns::Untried)
    }

    /// A rule of an image, whose patterns were tried when the image was made.
    pub(crate) fn from_image(rule: Rule, source: Source) -> Result<CompiledRule, Vec<RuleFault>> {
        CompiledRule::build(rule, source, Patterns::Trusted)
    }

    fn build(rule: Rule, source: Source, patterns: Patterns) -> Result<CompiledRule, Vec<RuleFault>> {
        let check = Check { rule: &rule.id, patterns };
        let mut faults = Vec::new();
        let all = &mut faults;
        kept(all, check.shape(&rule));
        let command = rule.matches.command.clone().unwrap_or_default();
        let files = rule.matches.files.as_ref().map(|files| Files {
            access: kept(all, check.access(&files.access)),
            path: kept(all, check.path_globs(&files.path)),
            except: kept(all, check.path_globs(&files.except)),
            inside: kept(all, check.places(&files.inside)),
            outside: kept(all, check.places(&files.outside)),
            except_inside: kept(all, check.places(&files.except_inside)),
            covers: kept(all, check.places(&files.covers)),
            unsaved: files.unsaved,
        });
        let compiled = CompiledRule {
            effects: kept(all, check.effects(&rule.matches.effect)),
            targets: kept(all, check.globs(&rule.matches.target)),
            hosts: kept(
                all,
                rule.matches.host.as_ref().map(|host| CompiledHosts::new(host, &check)).transpose(),
            ),
            opaque: kept(all, check.sorts(&rule.matches.opaque)),
            regex: kept(all, check.regex(rule.matches.regex.as_ref())),
            params: kept(all, check.params(&rule.matches.params)),
            tools: kept(all, check.globs(&rule.matches.tool)),
            programs: kept(all, check.globs(&command.program)),
            args: kept(all, check.globs(&command.args)),
            must: kept(all, require::CompiledRequirement::new(rule.require.as_ref(), &check)),
            when: kept(all, rule.when.as_ref().map(|when| CompiledWhen::new(when, &check)).transpose()),
            unless: kept(all, rule.unless.as_ref().map(|when| CompiledWhen::new(when, &check)).transpose()),
            before: kept(all, CompiledAfter::all(&rule, &check)),
            pause: kept(all, CompiledDelay::new(rule.delay.as_ref(), &check)),
            files,
            source,
            rule,
        };
        if faults.is_empty() { Ok(compiled) } else { Err(faults) }
    }

    /// The rule as written.
    #[must_use]
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// Whether what is around the call is as the rule wants it. What cannot be
    /// told counts for the strict side.
    fn applies(&self, seen: &Seen<'_>, hit: &Hit) -> bool {
        let doubt = self.rule.kind != RuleKind::Approve;
        let when = self.when.as_ref().map_or(Truth::Yes, |when| when.holds(seen, hit));
        let unless = self.unless.as_ref().map_or(Truth::No, |unless| unless.holds(seen, hit));
        (when == Truth::Yes || when == Truth::Unclear && doubt)
            && (unless == Truth::No || unless == Truth::Unclear && doubt)
            && self.before.iter().all(|before| before.happened(seen))
    }

    fn finding(&self, outcome: Outcome, hit: Hit, message: Option<String>) -> Finding {
        let Hit { evidence, said, .. } = hit;
        Finding {
            guard: self.rule.id.clone(),
            source: self.source.clone(),
            category: self.rule.category,
            severity: self.rule.severity,
            outcome,
            message: message.or(said).unwrap_or_else(|| self.rule.reason.clone()),
            remediation: self.rule.remediation.clone(),
            alternatives: self.rule.alternatives.clone(),
            evidence,
            confidence: 1.0,
            duration_us: 0,
        }
    }
}

impl Guard for CompiledRule {
    fn id(&self) -> &str {
        &self.rule.id
    }

    fn priority(&self) -> u32 {
        self.rule.priority
    }

    fn category(&self) -> Category {
        self.rule.category
    }

    fn severity(&self) -> Severity {
        self.rule.severity
    }

    fn is_rule(&self) -> bool {
        true
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        let hit = matching::hit(self, seen).filter(|hit| self.applies(seen, hit))?;
        match self.rule.kind {
            RuleKind::Block => Some(self.finding(Outcome::Block, hit, None)),
            RuleKind::Ask => Some(self.finding(Outcome::Ask, hit, None)),
            RuleKind::Warn => Some(self.finding(Outcome::Warn, hit, None)),
            // A yes is for the whole call or not at all.
            RuleKind::Approve => {
                matching::covers_call(self, seen, &hit).then(|| self.finding(Outcome::Approve, hit, None))
            }
            RuleKind::Require => {
                let Some(missing) = self.must.missing(seen, &hit) else {
                    let outcome = self.must.backup()?;
                    return Some(self.finding(outcome, hit, None));
                };
                let message = format!("{} ({missing})", self.rule.reason);
                Some(self.finding(self.must.outcome(), hit, Some(message)))
            }
            RuleKind::Delay => {
                let (outcome, note) = self.pause.answer(seen, &hit)?;
                let message = format!("{} ({note})", self.rule.reason);
                Some(self.finding(outcome, hit, Some(message)))
            }
            RuleKind::Label => {
                let label = self.rule.label.clone()?;
                Some(self.finding(Outcome::Label(label), hit, None))
            }
            RuleKind::Rewrite => {
                let (outcome, note) = change::apply(self, seen, &hit)?;
                Some(self.finding(outcome, hit, note))
            }
        }
    }
}

/// What a check gave, or nothing: a rule tells all its faults at once.
fn kept<T: Default>(faults: &mut Vec<RuleFault>, checked: Result<T, RuleFault>) -> T {
    checked.unwrap_or_else(|fault| {
        faults.push(fault);
        T::default()
    })
}

/// Checks the parts of one rule and names them in faults.
pub(crate) struct Check<'a> {
    rule: &'a str,
    patterns: Patterns,
}

/// Whether patterns are known to compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Patterns {
    /// They are from a file someone wrote: try each.
    Untried,
    /// They are from an image whose policy was checked.
    Trusted,
}

impl Check<'_> {
    pub(crate) fn fault(&self, needle: &str, message: String, cure: &str) -> RuleFault {
        RuleFault {
            rule: self.rule.to_owned(),
            at: None,
            needle: needle.to_owned(),
            message,
            cure: cure.to_owned(),
        }
    }

    fn shape(&self, rule: &Rule) -> Result<(), RuleFault> {
        self.id(&rule.id)?;
        let text = rule.priority.to_string();
        let wrong = if rule.matches == Match::default() {
            let cure = "add conditions under `match`, or `tool: \"*\"` for every call";
            Some(("match", "this rule matches every call".to_owned(), cure))
        } else if rule.priority < 100 {
            let message = format!("priority {text} is reserved for built-in guards");
            Some((text.as_str(), message, "use 100 or more"))
        } else if rule.reason.trim().is_empty() {
            Some(("reason", "`reason` is empty".to_owned(), "write one sentence that says why"))
        } else {
            parts_wrong(rule)
                .or_else(|| extras_wrong(rule))
                .map(|(needle, message, cure)| (needle, message.to_owned(), cure))
        };
        match wrong {
            Some((needle, message, cure)) => Err(self.fault(needle, message, cure)),
            None => Ok(()),
        }
    }

    fn id(&self, id: &str) -> Result<(), RuleFault> {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.');
        if id.is_empty() || !id.chars().all(allowed) {
            let message = format!("`{id}` is not a valid rule id");
            return Err(self.fault(id, message, "use lower-case letters, digits and `-`"));
        }
        if id.starts_with("gate-") {
            let message = format!("`{id}`: ids that start with `gate-` are reserved");
            return Err(self.fault(id, message, "choose an id that does not start with `gate-`"));
        }
        Ok(())
    }

    pub(crate) fn regex(&self, pattern: Option<&String>) -> Result<Option<LazyRegex>, RuleFault> {
        let Some(pattern) = pattern else { return Ok(None) };
        if self.patterns == Patterns::Trusted {
            return Ok(Some(LazyRegex::new(pattern)));
        }
        match regex_fault(pattern) {
            None => Ok(Some(LazyRegex::new(pattern))),
            Some(fault) => Err(RuleFault::of_pattern(self.rule.to_owned(), pattern, fault)),
        }
    }

    pub(crate) fn params(
        &self,
        params: &std::collections::BTreeMap<String, String>,
    ) -> Result<Vec<(String, LazyRegex)>, RuleFault> {
        let mut compiled = Vec::new();
        for (name, pattern) in params {
            if let Some(regex) = self.regex(Some(pattern))? {
                compiled.push((name.clone(), regex));
            }
        }
        Ok(compiled)
    }

    pub(crate) fn globs(&self, names: &Names) -> Result<Vec<Pattern>, RuleFault> {
        names.iter().map(|name| self.glob(name, Pattern::word(name))).collect()
    }

    fn path_globs(&self, names: &Names) -> Result<Vec<Pattern>, RuleFault> {
        names.iter().map(|name| self.glob(name, Pattern::path(name))).collect()
    }

    pub(crate) fn glob(
        &self,
        needle: &str,
        pattern: Result<Pattern, PatternFault>,
    ) -> Result<Pattern, RuleFault> {
        pattern.map_err(|fault| RuleFault::of_pattern(self.rule.to_owned(), needle, fault))
    }

    fn effects(&self, names: &Names) -> Result<Vec<EffectKind>, RuleFault> {
        let known: Vec<&str> = EffectKind::ALL.iter().map(|kind| kind.name()).collect();
        let mut effects = self.named(names, "effect", &known, EffectKind::from_name)?;
        // Making a file is writing one.
        if effects.contains(&EffectKind::WritesFile) {
            effects.push(EffectKind::CreatesFile);
        }
        Ok(effects)
    }

    fn sorts(&self, names: &Names) -> Result<Vec<Unknown>, RuleFault> {
        if names.iter().any(|name| name == ANY_SORT) {
            return Ok(Unknown::ALL.to_vec());
        }
        let known: Vec<&str> = Unknown::ALL.iter().map(|one| one.name()).collect();
        self.named(names, "sort of opaque", &known, Unknown::from_name)
    }

    fn access(&self, names: &Names) -> Result<Vec<Access>, RuleFault> {
        let known = Access::ALL.map(Access::name);
        self.named(names, "access", &known, from_value)
    }

    fn places(&self, names: &Names) -> Result<Vec<Place>, RuleFault> {
        let known = ["workspace", "home", "temp", "root", "system", "gate"];
        self.named(names, "place", &known, from_value)
    }

    fn named<T>(
        &self,
        names: &Names,
        what: &str,
        known: &[&str],
        parse: fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, RuleFault> {
        names
            .iter()
            .map(|name| {
                let cure = match crate::nearest(name, known.iter().copied()) {
                    Some(near) => format!("change `{name}` to `{near}`"),
                    None => format!("one of: {}", known.join(", ")),
                };
                parse(name).ok_or_else(|| self.fault(name, format!("unknown {what} `{name}`"), &cure))
            })
            .collect()
    }
}

fn from_value<T: serde::de::DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_value(Value::String(name.to_owned())).ok()
}

/// A part of a rule that does not belong to its kind: its text, the problem, the fix.
fn parts_wrong(rule: &Rule) -> Option<(&'static str, &'static str, &'static str)> {
    let two_rules = "remove it, or split this into two rules";
    match (rule.kind, rule.require.is_some(), rule.change.is_some()) {
        (RuleKind::Require, false, _) => Some((
            "require",
            "a `require` rule needs `require:`",
            "add `require:` with the condition that must hold",
        )),
        (RuleKind::Rewrite, _, false) => {
            Some(("kind", "a `rewrite` rule needs `change:`", "add `change:` with what to rewrite"))
        }
        (RuleKind::Require, _, true) => Some(("change", "only a `rewrite` rule has `change`", two_rules)),
        (RuleKind::Rewrite, true, _) => Some(("require", "only a `require` rule has `require`", two_rules)),
        (RuleKind::Require | RuleKind::Rewrite, ..) => None,
        (_, true, _) => Some(("require", "only a `require` rule has `require`", "set `kind: require`")),
        (_, _, true) => Some(("change", "only a `rewrite` rule has `change`", "set `kind: rewrite`")),
        (_, false, false) => None,
    }
}

/// The same for what only rules of one kind have.
fn extras_wrong(rule: &Rule) -> Option<(&'static str, &'static str, &'static str)> {
    let is_label = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.".contains(&b))
    };
    match (rule.kind, &rule.delay, &rule.label) {
        (RuleKind::Delay, None, _) => {
            Some(("delay", "a `delay` rule needs `delay:`", "add `delay:` with what to wait for"))
        }
        (RuleKind::Label, _, None) => {
            Some(("label", "a `label` rule needs `label:`", "add `label:` with one word"))
        }
        (kind, Some(_), _) if kind != RuleKind::Delay => {
            Some(("delay", "only a `delay` rule has `delay`", "set `kind: delay`"))
        }
        (kind, _, Some(_)) if kind != RuleKind::Label => {
            Some(("label", "only a `label` rule has `label`", "set `kind: label`"))
        }
        (_, _, Some(label)) if !is_label(label) => {
            Some(("label", "this is not a valid label", "use lower-case letters, digits and `-`"))
        }
        _ => None,
    }
}
