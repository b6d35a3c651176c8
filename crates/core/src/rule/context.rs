//! Conditions on what is around a call: who makes it, on which branch, when,
//! and what the session did before.
//!
//! What cannot be told (a branch that cannot be read) is unclear, and unclear
//! is the strict side: `when` holds, `unless` does not; for an `approve` rule
//! the other way round.

use crate::call::Call;
use crate::expression::Truth;
use crate::guard::Seen;
use crate::path::absolute;
use crate::rule::compiled::{Check, RuleFault};
use crate::rule::lazy::LazyRegex;
use crate::rule::matching::Hit;
use crate::rule::names::Names;
use crate::rule::pattern::Pattern;
use crate::task::task_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_shell::{Command, SmolStr};

/// What must be so around a call; everything written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct When {
    /// The agent, by id or role; `*` allowed. `main` is the one the person talks to.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub agent: Names,
    /// The task, where the host names one; `*` allowed.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub task: Names,
    /// The session, by id; `*` allowed.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub session: Names,
    /// The branch checked out where the call works; `*` allowed.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub branch: Names,
    /// The time of day here: `09:00-17:30`, over midnight as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<String>,
    /// Days of the week here: `mon` … `sun`.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub days: Names,
    /// A regular expression: such a command has succeeded in this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ran: Option<String>,
    /// A regular expression over what recent failures of the session said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// So many calls have been judged in this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
}

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// Minutes of a day.
const DAY: u32 = 24 * 60;

/// Conditions ready to be asked.
#[derive(Debug, Default)]
pub(crate) struct CompiledWhen {
    agent: Vec<Pattern>,
    task: Vec<Pattern>,
    session: Vec<Pattern>,
    branch: Vec<Pattern>,
    hours: Option<(u32, u32)>,
    days: Vec<u32>,
    ran: Option<LazyRegex>,
    failed: Option<LazyRegex>,
    calls: Option<u64>,
}

impl CompiledWhen {
    pub(crate) fn new(wanted: &When, check: &Check<'_>) -> Result<CompiledWhen, RuleFault> {
        let day = |name: &str| {
            let at = DAYS.iter().position(|day| *day == name).and_then(|at| u32::try_from(at).ok());
            let cure = match crate::nearest(&name.to_lowercase(), DAYS) {
                Some(day) => format!("change `{name}` to `{day}`"),
                None => format!("one of: {}", DAYS.join(", ")),
            };
            at.ok_or_else(|| check.fault(name, format!("`{name}` is not a day"), &cure))
        };
        let hours = match &wanted.hours {
            Some(text) => Some(hours(text).ok_or_else(|| {
                check.fault(
                    text,
                    format!("`{text}` is not a time range"),
                    "write a range such as `09:00-17:30`",
                )
            })?),
            None => None,
        };
        Ok(CompiledWhen {
            agent: check.globs(&wanted.agent)?,
            task: check.globs(&wanted.task)?,
            session: check.globs(&wanted.session)?,
            branch: check.globs(&wanted.branch)?,
            hours,
            days: wanted.days.iter().map(day).collect::<Result<_, _>>()?,
            ran: check.regex(wanted.ran.as_ref().map(|pattern| format!("^(?:{pattern})")).as_ref())?,
            failed: check.regex(wanted.failed.as_ref())?,
            calls: wanted.calls,
        })
    }

    /// Whether everything written is so.
    pub(crate) fn holds(&self, seen: &Seen<'_>, hit: &Hit) -> Truth {
        let call = &seen.event.call;
        let any = |patterns: &[Pattern], names: &[&str]| {
            patterns.is_empty() || patterns.iter().any(|one| names.iter().any(|name| one.is_match(name)))
        };
        let said = any(&self.agent, &names_of(call, seen))
            && (self.task.is_empty() || any(&self.task, &[&task_of(call, seen.disk)]))
            && any(&self.session, &[&call.session])
            && self.ran.as_ref().is_none_or(|ran| seen.session.ran.iter().any(|one| ran.is_match(one)))
            && self.failed.as_ref().is_none_or(|failed| {
                seen.session.recent_failures().any(|failure| failed.is_match(&failure.message))
            })
            && self.calls.is_none_or(|calls| seen.session.calls >= calls);
        if !said {
            return Truth::No;
        }
        self.in_time(seen).min(self.on_branch(seen, hit))
    }

    fn in_time(&self, seen: &Seen<'_>) -> Truth {
        if self.hours.is_none() && self.days.is_empty() {
            return Truth::Yes;
        }
        let Some(offset) = (seen.disk.offset_minutes)() else { return Truth::Unclear };
        let minutes = seen.now_ms.div_euclid(60_000).saturating_add(i64::from(offset));
        // 1 January 1970 was a Thursday.
        let day =
            u32::try_from(minutes.div_euclid(i64::from(DAY)).saturating_add(3).rem_euclid(7)).unwrap_or(0);
        let minute = u32::try_from(minutes.rem_euclid(i64::from(DAY))).unwrap_or(0);
        let in_hours = self.hours.is_none_or(|(from, to)| match from <= to {
            true => (from..to).contains(&minute),
            false => minute >= from || minute < to,
        });
        let on_day = self.days.is_empty() || self.days.contains(&day);
        if in_hours && on_day { Truth::Yes } else { Truth::No }
    }

    fn on_branch(&self, seen: &Seen<'_>, hit: &Hit) -> Truth {
        if self.branch.is_empty() {
            return Truth::Yes;
        }
        let is_meant = |name: &str| self.branch.iter().any(|pattern| pattern.is_match(name));
        let branches = branches(seen, hit);
        let mut worst = Truth::No;
        for branch in branches {
            worst = worst.max(match branch {
                Some(name) if is_meant(&name) => Truth::Yes,
                Some(_) => Truth::No,
                None => Truth::Unclear,
            });
        }
        worst
    }
}

/// How an agent can be called: its id, and its role as host or policy say it.
fn names_of<'a>(call: &'a Call, seen: &Seen<'a>) -> Vec<&'a str> {
    let roles = seen.settings.agents_of(call).filter_map(|entry| entry.agent.role.as_deref());
    [call.agent.as_str()].into_iter().chain(call.role.as_deref()).chain(roles).collect()
}

/// `09:00-17:30` in minutes.
fn hours(text: &str) -> Option<(u32, u32)> {
    let time = |text: &str| -> Option<u32> {
        let (hour, minute) = text.trim().split_once(':').unwrap_or((text.trim(), "0"));
        let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
        (hour <= 24 && minute < 60 && hour * 60 + minute <= DAY).then_some(hour * 60 + minute)
    };
    let (from, to) = text.split_once('-')?;
    Some((time(from)?, time(to)?))
}

/// The branches a call works on: of each command concerned the one checked out
/// in its folder, or the one the same text changes to before it.
fn branches(seen: &Seen<'_>, hit: &Hit) -> Vec<Option<String>> {
    let call = &seen.event.call;
    if hit.commands.is_empty() {
        return vec![(seen.disk.branch)(&call.dir)];
    }
    let mut found = Vec::new();
    for at in &hit.commands {
        let Some(command) = seen.facts.reading.commands.get(*at) else { continue };
        let earlier = seen.facts.commands().take_while(|(other, _)| other < at).map(|(_, one)| one);
        let change = earlier.filter_map(changes_branch).last();
        match change {
            Some(Change::To(name)) => found.push(name),
            Some(Change::Maybe(name)) => found.extend([name, here(seen, command)]),
            None => found.push(here(seen, command)),
        }
    }
    found
}

fn here(seen: &Seen<'_>, command: &Command) -> Option<String> {
    let start = &seen.event.call.dir;
    match &command.dir {
        Some(dir) if !dir.exact => None,
        Some(dir) => (seen.disk.branch)(&absolute(&dir.text, start)),
        None => (seen.disk.branch)(start),
    }
}

/// How a command changes the branch; `None` inside where its name is not known.
enum Change {
    To(Option<String>),
    /// `git checkout x`: a branch, or a file.
    Maybe(Option<String>),
}

fn changes_branch(command: &Command) -> Option<Change> {
    let sub = command.usage.subcommand.first().map(SmolStr::as_str);
    if command.program != "git" || !matches!(sub, Some("checkout" | "switch")) {
        return None;
    }
    let made = command.usage.flags.iter().find(|flag| {
        matches!(flag.name.as_str(), "-b" | "-B" | "--create" | "--force-create" | "-c" | "-C" | "--orphan")
    });
    let name = |word: &toolgate_shell::Word| Some(word.text.to_string()).filter(|_| word.exact);
    if let Some(flag) = made {
        let word = flag.value.as_ref().or(command.usage.operands.first());
        return Some(Change::To(word.and_then(name)));
    }
    let target = command.usage.operands.first()?;
    Some(if sub == Some("switch") { Change::To(name(target)) } else { Change::Maybe(name(target)) })
}

#[cfg(test)]
mod tests {
    use super::hours;

    #[test]
    fn times_of_day_are_read() {
        assert_eq!(hours("09:00-17:30"), Some((540, 1050)));
        assert_eq!(hours("22-6"), Some((1320, 360)));
        assert_eq!(hours("00:00-24:00"), Some((0, 1440)));
        for wrong in ["", "9", "25:00-26:00", "09:60-10:00", "a-b", "24:01-3"] {
            assert_eq!(hours(wrong), None, "{wrong}");
        }
    }
}
