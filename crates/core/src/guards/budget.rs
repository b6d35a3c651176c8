//! `builtin-001` tokens, `builtin-002` time, `budget-limits` everything else an
//! agent may use up. Their thresholds never move

use super::of_agent;
use crate::agent::AgentEntry;
use crate::budget::{Budget, Nearness, Thresholds, changed_files, nearness, new_files, seconds};
use crate::call::Call;
use crate::event::EventKind;
use crate::facts::Facts;
use crate::feedback::duration;
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen};
use crate::mark::changed_mark;
use crate::outcome::Outcome;
use crate::settings::Settings;
use crate::wording::count;

pub(crate) const TOKENS_ID: &str = "builtin-001";
pub(crate) const TIME_ID: &str = "builtin-002";
pub(crate) const LIMITS_ID: &str = "budget-limits";

pub(crate) const PAGE: &str = "\
builtin-001, builtin-002, budget-limits: what an agent may use.

Tokens warn at 80 %, ask a person at 95 % and block when they are used up; time
does the same at 70 %, 90 % and 100 %, and `deadline_minutes` blocks when it is over. Calls, model responses, lines written and
files changed block at their limit. Cost works like tokens, using `prices` of the
policy. Lines and files are reserved before a call runs and settled after it.
Tokens and responses are counted from the host's own log; if that log shrinks, a
person is asked.

  agents:
    main:
      budget: { tokens: 500000, minutes: 60, calls: 400, files: 40 }
";

/// Which of the three a guard is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Spending {
    Tokens,
    Time,
    Limits,
}

impl Guard for Spending {
    fn id(&self) -> &str {
        match self {
            Spending::Tokens => TOKENS_ID,
            Spending::Time => TIME_ID,
            Spending::Limits => LIMITS_ID,
        }
    }

    fn priority(&self) -> u32 {
        match self {
            Spending::Tokens => 1,
            Spending::Time => 2,
            Spending::Limits => 6,
        }
    }

    fn category(&self) -> Category {
        Category::Budget
    }

    fn asks(&self, call: &Call, facts: &Facts, settings: &Settings) -> Vec<String> {
        let mut budgets = settings.agents_of(call).filter_map(|entry| entry.agent.budget.as_ref());
        if matches!(self, Spending::Limits) && budgets.any(|budget| budget.files.is_some()) {
            return changed_files(facts).iter().map(|path| changed_mark(path)).collect();
        }
        Vec::new()
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        if seen.event.kind != EventKind::PreExecution {
            return None;
        }
        let findings = seen.settings.agents_of(&seen.event.call).filter_map(|entry| self.of(entry, seen));
        findings.max_by_key(|finding| finding.outcome.verdict())
    }
}

impl Spending {
    fn of(self, entry: &AgentEntry, seen: &Seen<'_>) -> Option<Finding> {
        let budget = entry.agent.budget.as_ref();
        match self {
            Spending::Tokens => {
                let limit = budget?.tokens?;
                if seen.session.spent.lost {
                    let text = "the host's log was shortened, so the tokens used are unknown".to_owned();
                    return Some(finding(TOKENS_ID, entry, text, Nearness::Ask));
                }
                let used = seen.session.spent.tokens;
                let near = nearness(used, limit, Thresholds { warn: 80, ask: 95 });
                near_limit(TOKENS_ID, entry, near, &format!("{used} of {limit} tokens are used"))
            }
            Spending::Time => past_deadline(entry, seen).or_else(|| {
                let limit = budget?.minutes?.saturating_mul(60);
                let used = seconds(seen.session, seen.now_ms);
                let near = nearness(used, limit, Thresholds { warn: 70, ask: 90 });
                near_limit(
                    TIME_ID,
                    entry,
                    near,
                    &format!("{} of {} are used", duration(used), duration(limit)),
                )
            }),
            Spending::Limits => {
                let budget = budget?;
                let session = seen.session;
                let counters = [
                    ("calls", budget.calls, session.calls),
                    ("model responses", budget.api_calls, session.spent.api_calls),
                    ("lines", budget.lines, session.lines_taken()),
                ];
                let spent = counters.into_iter().find_map(|(noun, limit, used)| {
                    let limit = limit.filter(|limit| used >= *limit)?;
                    let text = format!("this session has used all its {limit} {noun}");
                    Some(finding(LIMITS_ID, entry, text, Nearness::Over))
                });
                spent.or_else(|| too_much(budget, entry, seen)).or_else(|| cost(budget, entry, seen))
            }
        }
    }
}

/// The time for the task is over.
fn past_deadline(entry: &AgentEntry, seen: &Seen<'_>) -> Option<Finding> {
    let minutes = entry.agent.deadline_minutes?;
    let end = entry.agent.deadline_ms(seen.session)?;
    (seen.now_ms >= end).then(|| {
        let allowed = count(u64::from(minutes), "minute");
        finding(TIME_ID, entry, format!("the {allowed} for this task are used up"), Nearness::Over)
    })
}

/// A call that is larger than what is left.
fn too_much(budget: &Budget, entry: &AgentEntry, seen: &Seen<'_>) -> Option<Finding> {
    let lines = seen.event.call.lines();
    let left = budget.lines.map(|limit| limit.saturating_sub(seen.session.lines_taken()));
    if let Some(left) = left.filter(|left| lines > *left) {
        let text = format!("this writes {}, but only {left} of the budget are left", count(lines, "line"));
        return Some(finding(LIMITS_ID, entry, text, Nearness::Over));
    }
    let limit = budget.files?;
    let mut new = new_files(seen.facts, seen.session);
    new.retain(|path| !seen.session.reserved.iter().any(|one| one.files.contains(path)));
    let new = u64::try_from(new.len()).unwrap_or(u64::MAX);
    let left = limit.saturating_sub(seen.session.files_taken());
    (new > left).then(|| {
        let new = count(new, "more file");
        let text = format!("this changes {new}, but only {left} of this session's {limit} are left");
        finding(LIMITS_ID, entry, text, Nearness::Over)
    })
}

fn cost(budget: &Budget, entry: &AgentEntry, seen: &Seen<'_>) -> Option<Finding> {
    let limit = budget.cost_cents?;
    if seen.session.spent.lost {
        let text = "the host's log was shortened, so the cost is unknown".to_owned();
        return Some(finding(LIMITS_ID, entry, text, Nearness::Ask));
    }
    match budget.cost_cents_of(&seen.session.spent) {
        Ok(used) => {
            let near = nearness(used, limit, Thresholds { warn: 80, ask: 95 });
            near_limit(LIMITS_ID, entry, near, &format!("{used} of {limit} cents are spent"))
        }
        Err(model) => {
            let text = format!("`prices` has no entry for `{model}`, so the cost is unknown");
            Some(finding(LIMITS_ID, entry, text, Nearness::Ask))
        }
    }
}

fn near_limit(id: &str, entry: &AgentEntry, near: Nearness, text: &str) -> Option<Finding> {
    (near != Nearness::Far).then(|| finding(id, entry, text.to_owned(), near))
}

fn finding(id: &str, entry: &AgentEntry, message: String, near: Nearness) -> Finding {
    let (outcome, step) = match near {
        Nearness::Over => (Outcome::Block, "stop here and report what is done and what is left"),
        Nearness::Ask => {
            (Outcome::Ask, "finish what matters most; a person decides whether you may use more")
        }
        Nearness::Warn | Nearness::Far => (Outcome::Warn, "finish soon"),
    };
    let finding = of_agent(id, entry, message, step.to_owned());
    Finding { category: Category::Budget, outcome, ..finding }
}
