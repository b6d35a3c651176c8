//! A guardrail checked and ready to be asked.

use super::action::{Action, actions};
use super::data::{AppliesTo, OnFail};
use super::{Guardrail, GuardrailEntry};
use crate::call::Call;
use crate::evidence::Part;
use crate::expression::{Expression, ExpressionFault, Truth};
use crate::facts::Facts;
use crate::finding::{Finding, Source};
use crate::guard::{Category, Guard, Seen, Severity};
use crate::mark::warned_mark;
use crate::outcome::Outcome;
use crate::risk::Risk;
use crate::rule::{Names, Pattern, RuleFault};
use crate::settings::Settings;

/// The warning that asks a person instead.
const WARNINGS_MAX: u64 = 3;

/// So much of a call's hash names it.
const CALL_SHOWN: usize = 12;

/// What thresholds are multiplied by when little budget is left.
const TIGHT: f64 = 0.8;

/// A guardrail ready to be asked.
#[derive(Debug)]
pub(crate) struct CompiledGuardrail {
    entry: GuardrailEntry,
    condition: Option<Expression>,
    check: Expression,
    /// The same with its threshold tightened; only where failing it does not block.
    tight: Option<Expression>,
    agents: Option<Vec<Pattern>>,
    tasks: Option<Vec<Pattern>>,
    tools: Option<Vec<Pattern>>,
}

impl CompiledGuardrail {
    /// A guardrail of an image, whose patterns were tried when it was made.
    pub(crate) fn from_image(entry: &GuardrailEntry) -> Option<CompiledGuardrail> {
        CompiledGuardrail::build(entry, Expression::trusted).ok()
    }

    /// What is wrong with a guardrail, and where.
    pub(crate) fn faults(entry: &GuardrailEntry) -> Option<(Source, RuleFault)> {
        let own = &entry.guardrail;
        let at = |line: u32| Source { line, ..entry.source.clone() };
        let shape = shape_fault(own).map(|fault| (at(entry.lines.own), fault));
        shape.or_else(|| {
            let (place, fault) = CompiledGuardrail::build(entry, Expression::new).err()?;
            let line = match place {
                Place::Condition => entry.lines.condition,
                Place::Check => entry.lines.check,
                Place::Whole => entry.lines.own,
            };
            Some((at(line.max(entry.lines.own)), fault))
        })
    }

    fn build(entry: &GuardrailEntry, read: Reader) -> Result<CompiledGuardrail, (Place, RuleFault)> {
        let own = &entry.guardrail;
        let text = own.condition.expression.as_deref();
        let condition = text.map(|text| {
            read(text, None).map_err(|fault| (Place::Condition, expression_fault(own, text, fault)))
        });
        let check = read(&own.validation.check, own.validation.threshold)
            .map_err(|fault| (Place::Check, expression_fault(own, &own.validation.check, fault)))?;
        let own_action = own.validation.action_on_fail;
        let threshold =
            own.validation.threshold.filter(|_| own_action.is_some_and(|action| action != OnFail::Block));
        // Checked already with the threshold as it is written.
        let tight = threshold.and_then(|threshold| read(&own.validation.check, Some(threshold * TIGHT)).ok());
        let patterns = |names: &Option<Names>| match names {
            Some(names) => {
                let all: Result<Vec<Pattern>, _> = names.iter().map(|name| pattern(own, name)).collect();
                all.map(Some)
            }
            None => Ok(None),
        };
        let AppliesTo { agents, tasks, tools } = own.condition.applies_to.clone().unwrap_or_default();
        Ok(CompiledGuardrail {
            condition: condition.transpose()?,
            check,
            tight,
            agents: patterns(&agents)?,
            tasks: patterns(&tasks)?,
            tools: patterns(&tools)?,
            entry: entry.clone(),
        })
    }

    /// Whether it speaks of what only the host's log tells.
    pub(crate) fn needs_log(&self) -> bool {
        let own = &self.entry.guardrail;
        let texts = own.condition.expression.iter().chain([&own.validation.check]);
        texts.map(|text| text.to_ascii_lowercase()).any(|text| text.contains("session.spent."))
    }

    fn applies_to(&self, call: &Call, role: &str) -> bool {
        let any = |patterns: &Option<Vec<Pattern>>, names: &[&str]| {
            let is_one = |pattern: &Pattern| names.iter().any(|name| pattern.is_match(name));
            patterns.as_ref().is_none_or(|patterns| patterns.iter().any(is_one))
        };
        let both = |patterns: &Vec<Pattern>| {
            let both = format!("{role}-{}", call.agent);
            patterns.iter().any(|pattern| pattern.is_match(&both))
        };
        (any(&self.agents, &[&call.agent, role]) || self.agents.as_ref().is_some_and(both))
            && any(&self.tasks, &[call.task.as_deref().unwrap_or_default()])
            && any(&self.tools, &[&call.tool])
    }

    /// The first action it objects to, and whether it is sure. What is sure
    /// comes before what is not.
    fn objection<'a>(
        &self,
        actions: impl Iterator<Item = Action<'a>>,
        tight: bool,
    ) -> Option<(Truth, Part<'a>)> {
        let tight = self.tight.as_ref().filter(|_| tight);
        let asked = actions.filter_map(|action| {
            let about = self.condition.as_ref().map_or(Truth::Yes, |condition| condition.holds(&action.view));
            if about == Truth::No {
                return None;
            }
            let broken = |check: &Expression| match check.holds(&action.view) {
                Truth::Yes => Truth::No,
                Truth::Unclear => Truth::Unclear,
                Truth::No => Truth::Yes,
            };
            // Both must hold: whichever way the threshold points, this only tightens.
            let broken = broken(&self.check).max(tight.map_or(Truth::No, broken));
            Some((about.min(broken), action)).filter(|(objects, _)| *objects != Truth::No)
        });
        // Of equals the first: `max_by_key` would take the last.
        let worst = asked.reduce(|worst, next| if next.0 > worst.0 { next } else { worst })?;
        Some((worst.0, worst.1.part))
    }

    fn finding(&self, seen: &Seen<'_>, sure: Truth, part: Part<'_>) -> Finding {
        let own = &self.entry.guardrail;
        let said = own.description.clone().or_else(|| own.name.clone());
        let mut message = said.unwrap_or_else(|| format!("the check of guardrail `{}` failed", own.id));
        let call = &seen.event.call;
        let by_risk = || match seen.settings.risk_above(call, self.entry.layer, self.entry.agents) {
            Some(Risk::Low) => OnFail::Warn,
            Some(Risk::Medium) => OnFail::Ask,
            Some(Risk::High | Risk::Critical) | None => OnFail::Block,
        };
        let action = own.validation.action_on_fail.unwrap_or_else(by_risk);
        let outcome = outcome_of(action, sure, &own.id, seen, &mut message);
        let alternatives = self.way_past(seen, &outcome);
        Finding {
            guard: own.id.clone(),
            source: self.entry.source.clone(),
            category: own.category,
            severity: Severity::default(),
            outcome,
            message,
            remediation: Some(format!("required: {}", own.validation.check.trim())),
            alternatives,
            evidence: part.quoted(call, seen.facts).into_iter().collect(),
            confidence: 1.0,
            duration_us: 0,
        }
    }
}

impl CompiledGuardrail {
    /// How a block can be asked past, where the guardrail allows it.
    fn way_past(&self, seen: &Seen<'_>, outcome: &Outcome) -> Vec<String> {
        let own = &self.entry.guardrail;
        let bypass = own.bypass.as_ref().filter(|bypass| bypass.allowed && *outcome == Outcome::Block);
        let Some(bypass) = bypass else { return Vec::new() };
        let Some(role) = seen.autonomy.approver(bypass.requires_approval.as_deref()) else {
            return Vec::new();
        };
        vec![way_past_text(&own.id, &role, &seen.event.call)]
    }
}

/// How a person is asked for one call past what blocks it.
#[must_use]
pub fn way_past_text(guard: &str, role: &str, call: &Call) -> String {
    let call = call.arguments_digest();
    let call = call.get(..CALL_SHOWN).unwrap_or_default();
    format!(
        "this one call, if {role} approves it: `toolgate bypass request {guard} --call {call} --reason \"why it is necessary\"`"
    )
}

impl Guard for CompiledGuardrail {
    fn id(&self) -> &str {
        &self.entry.guardrail.id
    }

    fn priority(&self) -> u32 {
        self.entry.guardrail.priority
    }

    fn category(&self) -> Category {
        self.entry.guardrail.category
    }

    fn asks(&self, _: &Call, _: &Facts, _: &Settings) -> Vec<String> {
        let action = self.entry.guardrail.validation.action_on_fail;
        let warns = action.is_none_or(|action| action == OnFail::Warn);
        if warns { vec![warned_mark(self.id())] } else { Vec::new() }
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        let call = &seen.event.call;
        if !seen.event.is_at(self.entry.guardrail.event) {
            return None;
        }
        let role = role_of(call, seen.settings, self.entry.agents);
        if !self.applies_to(call, role) {
            return None;
        }
        let (sure, part) = self.objection(actions(seen, role), seen.tight)?;
        Some(self.finding(seen, sure, part))
    }
}

/// What follows when a guardrail objects; what it says is
/// completed.
pub(crate) fn outcome_of(
    action: OnFail,
    sure: Truth,
    id: &str,
    seen: &Seen<'_>,
    message: &mut String,
) -> Outcome {
    let warned = seen.session.mark(&warned_mark(id)).map_or(0, |mark| mark.count).saturating_add(1);
    let outcome = match action {
        OnFail::Log => Outcome::Log,
        OnFail::Warn if warned < WARNINGS_MAX => Outcome::Warn,
        OnFail::Warn => {
            message.push_str(&format!(" – warned {} times already", warned.saturating_sub(1)));
            Outcome::Ask
        }
        OnFail::Block if sure == Truth::Yes => Outcome::Block,
        // It cannot tell, so it asks.
        OnFail::Block | OnFail::Ask => Outcome::Ask,
    };
    if sure == Truth::Unclear {
        message.push_str(" – unclear from the call");
    }
    outcome
}

/// What the agent is here for: what the policy says, else the host, else its name.
fn role_of<'a>(call: &'a Call, settings: &'a Settings, agents: usize) -> &'a str {
    let said = settings.agents.iter().take(agents).filter(|entry| entry.is_for(call));
    let said = said.filter_map(|entry| entry.agent.role.as_deref()).next();
    said.or(call.role.as_deref()).unwrap_or(&call.agent)
}

/// Reads an expression, trying its patterns or trusting them.
type Reader = fn(&str, Option<f64>) -> Result<Expression, ExpressionFault>;

/// The part of a guardrail a fault is in.
enum Place {
    Whole,
    Condition,
    Check,
}

fn fault(own: &Guardrail, needle: &str, message: impl Into<String>, cure: &str) -> RuleFault {
    RuleFault {
        rule: format!("guardrails.{}", own.id),
        at: None,
        needle: needle.to_owned(),
        message: message.into(),
        cure: cure.to_owned(),
    }
}

fn expression_fault(own: &Guardrail, text: &str, found: ExpressionFault) -> RuleFault {
    let needle = text.get(found.start..found.end).unwrap_or_default();
    fault(own, needle.lines().next().unwrap_or_default(), found.message, &found.cure)
}

fn pattern(own: &Guardrail, name: &str) -> Result<Pattern, (Place, RuleFault)> {
    let rule = || format!("guardrails.{}", own.id);
    Pattern::word(name).map_err(|fault| (Place::Whole, RuleFault::of_pattern(rule(), name, fault)))
}

fn shape_fault(own: &Guardrail) -> Option<RuleFault> {
    let is_id = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if own.id.is_empty() || !own.id.chars().all(is_id) {
        let message = format!("`{}` is not a valid id", own.id);
        return Some(fault(
            own,
            &own.id,
            message,
            "use lower-case letters, digits and `-`, such as custom-scope-001",
        ));
    }
    if crate::guards::page(&own.id).is_some() || own.id.starts_with("builtin-") || own.id.starts_with("gate-")
    {
        let message = "this id belongs to a built-in guard";
        return Some(fault(own, &own.id, message, "choose another id, such as custom-scope-001"));
    }
    if own.priority < 100 {
        let needle = own.priority.to_string();
        let message = "priorities below 100 are reserved for built-in guards";
        return Some(fault(own, &needle, message, "use 100 or more"));
    }
    if own.bypass.as_ref().is_some_and(|bypass| !bypass.audit_required) {
        let message = "bypasses are always audited; this cannot be turned off";
        return Some(fault(own, "audit_required", message, "write `audit_required: true`"));
    }
    let said = own.condition.applies_to.clone().unwrap_or_default();
    let lists = [("agents", said.agents), ("tasks", said.tasks), ("tools", said.tools)];
    for (name, list) in lists {
        if list.is_some_and(|list| list.is_empty()) {
            let message = format!("an empty `{name}` list applies to nothing");
            return Some(fault(own, name, message, "write \"*\" for all, or set `enabled: false`"));
        }
    }
    let threshold = own.validation.threshold;
    if threshold.is_some() && !own.validation.check.to_ascii_lowercase().contains("threshold") {
        let message = "the check does not use `threshold`";
        let cure = "use it in the check, such as session.calls < threshold";
        return Some(fault(own, "threshold", message, cure));
    }
    if threshold.is_some_and(|number| !number.is_finite()) {
        return Some(fault(
            own,
            "threshold",
            "the threshold is not a number",
            "write a number such as 100 or 0.9",
        ));
    }
    None
}
