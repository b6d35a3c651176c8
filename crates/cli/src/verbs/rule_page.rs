//! The page of a rule or a guardrail for `toolgate explain`: why it exists,
//! what it matches, how often it did, and how to change it.

use crate::screen::{BOLD, DIM, count, styled, visible};
use crate::verbs::logs;
use serde_json::{Value, json};
use toolgate_core::rule::{Rule, RuleKind};
use toolgate_core::{AppliesTo, GuardTally, GuardrailEntry, RuleEntry, guards};
use toolgate_runtime::{PackExample, pack_examples};

/// Examples of a pack shown on a page, of each kind.
const EXAMPLES_MAX: usize = 3;

/// The lines of a page: a word in front, the text behind it.
struct Page(String);

impl Page {
    fn new(id: &str, head: &str) -> Page {
        Page(format!("{}\n{}\n", styled(BOLD, &format!("# {id}")), styled(DIM, head)))
    }

    fn add(&mut self, name: &str, text: &str) {
        self.0.push_str(&format!("{name:<8} {}\n", visible(text.trim())));
    }

    /// Several lines under one name.
    fn all(&mut self, name: &str, lines: &[String]) {
        for (at, line) in lines.iter().enumerate() {
            self.add(if at == 0 { name } else { "" }, line);
        }
    }

    fn end(self) -> String {
        self.0.trim_end().to_owned()
    }
}

/// The page of a rule.
pub fn rule(entry: &RuleEntry, hits: Option<&GuardTally>) -> String {
    let rule = &entry.rule;
    let locked = if rule.locked { ", locked" } else { "" };
    let off = if rule.enabled { "" } else { ", off" };
    let head =
        format!("{}, {} severity, {}{locked}{off}", rule.kind.name(), rule.severity.name(), entry.source);
    let mut page = Page::new(&rule.id, &head);
    rule.name.iter().for_each(|name| page.add("Name", name));
    page.add("Reason", &rule.reason);
    rule.description.iter().for_each(|text| page.add("About", text));
    rule.remediation.iter().for_each(|step| page.add("Fix", step));
    rule.alternatives.iter().for_each(|other| page.add("Allowed", other));
    page.all("Matches", &conditions(&json!(rule.matches)));
    for (name, value) in [
        ("After", json!(rule.after)),
        ("When", json!(rule.when)),
        ("Unless", json!(rule.unless)),
        ("Requires", json!(rule.require)),
        ("Changes", json!(rule.change)),
        ("Waits", json!(rule.delay)),
        ("Label", json!(rule.label)),
    ] {
        page.all(name, &conditions(&value));
    }
    page.all("Examples", &examples(entry));
    page.add("Hits", &matched(hits));
    rule.success_rate
        .iter()
        .for_each(|rate| page.add("Rate", &format!("{:.0} % right, says its author", rate * 100.0)));
    rule.last_updated.iter().for_each(|when| page.add("Updated", when));
    page.all("Change", &changes(entry));
    page.end()
}

/// The page of a guardrail.
pub fn guardrail(entry: &GuardrailEntry, hits: Option<&GuardTally>) -> String {
    let own = &entry.guardrail;
    let off = if own.enabled { "" } else { ", off" };
    let (action, event) = (own.validation.action_on_fail.unwrap_or_default().name(), own.event.name());
    let head = format!("{action}, {event}, priority {}, {}{off}", own.priority, entry.source);
    let mut page = Page::new(&own.id, &head);
    let AppliesTo { agents, tasks, tools } = own.condition.applies_to.clone().unwrap_or_default();
    own.name.iter().for_each(|name| page.add("Name", name));
    own.description.iter().for_each(|text| page.add("Reason", text));
    own.condition.expression.iter().for_each(|when| page.add("When", when));
    for (name, names) in [("Agents", agents), ("Tasks", tasks), ("Tools", tools)] {
        names.iter().for_each(|names| page.add(name, &names.iter().collect::<Vec<_>>().join(", ")));
    }
    page.add("Requires", &own.validation.check);
    own.validation.threshold.iter().for_each(|number| page.add("With", &format!("threshold {number}")));
    if let Some(bypass) = own.bypass.as_ref().filter(|bypass| bypass.allowed) {
        let role = bypass.requires_approval.as_deref().unwrap_or("a person");
        page.add("Bypass", &format!("one call at a time, approved by {role}"));
    }
    page.add("Hits", &matched(hits));
    page.add("Change", &format!("edit {}, or set `enabled: false` there", entry.source));
    page.end()
}

/// Conditions as they are named in a policy, one line each.
fn conditions(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, value)| !(name.as_str() == "event" && *value == "pre_execution"))
            .map(|(name, value)| format!("{name}: {}", plain(value)))
            .collect(),
        Value::Array(items) => items.iter().map(plain).collect(),
        other => vec![plain(other)],
    }
}

fn plain(value: &Value) -> String {
    let joined = |parts: Vec<String>, between: &str| parts.join(between);
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => joined(items.iter().map(plain).collect(), ", "),
        Value::Object(fields) => {
            joined(fields.iter().map(|(name, value)| format!("{name} {}", plain(value))).collect(), "; ")
        }
        other => other.to_string(),
    }
}

/// The rule's own examples, or those of its pack.
fn examples(entry: &RuleEntry) -> Vec<String> {
    let Rule { id, kind, examples, .. } = &entry.rule;
    let line = |verdict: &str, command: &str| format!("{verdict:<7} {command}");
    let own = examples.matching.iter().map(|one| line(kind.name(), one));
    let own: Vec<String> = own.chain(examples.pass.iter().map(|one| line("allow", one))).collect();
    let Some(pack) = entry.source.pack().filter(|_| own.is_empty()) else { return own };
    let all = pack_examples(pack, id);
    let (matching, pass): (Vec<&PackExample<'_>>, Vec<&PackExample<'_>>) =
        all.iter().partition(|one| one.matches);
    let mut pass: Vec<&PackExample<'_>> = pass.into_iter().filter(|one| one.verdict == "allow").collect();
    let matching: Vec<&PackExample<'_>> = matching.into_iter().take(EXAMPLES_MAX).collect();
    // What is like a call that matches shows best where the rule ends.
    pass.sort_by_key(|one| std::cmp::Reverse(matching.iter().map(|other| likeness(one, other)).max()));
    let some = matching.into_iter().chain(pass.into_iter().take(EXAMPLES_MAX));
    // A rule that only sets a label lets the call run.
    let verdict = |one: &PackExample<'_>| match kind {
        RuleKind::Label if one.matches => kind.name().to_owned(),
        _ => one.verdict.to_owned(),
    };
    let after = |one: &PackExample<'_>| one.after.map(|after| format!("  ({after})")).unwrap_or_default();
    some.map(|one| format!("{}{}", line(&verdict(one), one.command), after(one))).collect()
}

/// How much two calls have in common: the words they begin with, then any others.
fn likeness(one: &PackExample<'_>, other: &PackExample<'_>) -> usize {
    let (one, other): (Vec<&str>, Vec<&str>) =
        (one.command.split(' ').collect(), other.command.split(' ').collect());
    let first = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    first * 100 + one.iter().filter(|word| other.contains(word)).count()
}

/// The page of a built-in guard, with what it does and how to change it.
pub fn built_in(id: &str, page: &str, hits: Option<&GuardTally>) -> String {
    let text: Vec<String> = page.lines().skip(1).map(emphasised).collect();
    let about = guards::about(id);
    let head = about.map_or_else(
        || "built-in".to_owned(),
        |about| format!("{}, {} severity, built-in", about.verdict, about.severity),
    );
    let title = page.lines().next().unwrap_or(id);
    let mut shown = Page::new(title.trim_start_matches("# "), &head);
    shown.0.push_str(&format!("{}\n\n", text.join("\n").trim()));
    shown.add("Hits", &matched(hits));
    about.iter().for_each(|about| shown.add("Change", about.change));
    shown.end()
}

/// `**What** – …` of a page in Markdown, as a terminal shows it.
fn emphasised(line: &str) -> String {
    match line.strip_prefix("**").and_then(|rest| rest.split_once("**")) {
        Some((word, rest)) => format!("{}{rest}", styled(BOLD, word)),
        None => line.to_owned(),
    }
}

fn matched(hits: Option<&GuardTally>) -> String {
    let Some(hits) = hits else { return "no match recorded".to_owned() };
    let counts = [
        ("blocked", hits.blocked),
        ("asked", hits.escalated),
        ("warned", hits.warned),
        ("rewrote", hits.modified),
    ];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(_, number)| *number > 0)
        .map(|(what, number)| format!("{number} {what}"))
        .collect();
    let details = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
    format!("matched {}{details}, last {}", count(hits.spoke, "time"), logs::time(hits.last_ms))
}

/// How to turn the rule off and how to make it stricter.
fn changes(entry: &RuleEntry) -> Vec<String> {
    let rule = &entry.rule;
    if entry.source.pack().is_none() {
        return vec![format!("edit {}, or set `enabled: false` there", entry.source)];
    }
    let place = if rule.locked { "~/.config/toolgate/policy.yaml" } else { ".toolgate/policy.yaml" };
    let turn = if rule.enabled {
        format!("to turn it off, add `disable: [{}]` to {place}", rule.id)
    } else {
        format!("to turn it on, remove it from `disable:` in {place}")
    };
    let stricter = matches!(rule.kind, RuleKind::Ask | RuleKind::Warn);
    let stricter = stricter
        .then(|| "to block instead, add a rule with the same `match:` and `kind: block`; the strictest verdict counts".to_owned());
    [Some(turn), stricter].into_iter().flatten().collect()
}
