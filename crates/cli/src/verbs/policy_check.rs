//! `toolgate policy check`: everything that is wrong with every file of the
//! policy, in one run, each with its place and what to write instead.

use crate::screen::{DIM, GREEN, RED, YELLOW, count, json, out, styled, visible};
use crate::verbs::{Failure, Outcome};
use serde_json::{Value, json};
use std::process::ExitCode;
use toolgate_adapters::{reference_host, tool_named};
use toolgate_core::shell::{self, ReadContext};
use toolgate_core::{Event, EventKind, Notice, RuleEntry, Session};
use toolgate_runtime::{Checked, FaultLevel, PolicyFault, Scene, Setup, check, rebuild};

/// Checks and prints.
pub fn run(setup: &Setup, as_json: bool) -> Outcome {
    let mut checked = check(&setup.dirs, &setup.project);
    if checked.holds {
        let loaded =
            rebuild(&setup.dirs, &setup.project).map_err(|faults| Failure::of_broken_policy(&faults))?;
        let entries = loaded.policy.entries();
        checked.add(wrong_examples(setup, &entries)?);
    }
    if as_json {
        json(&as_value(&checked));
    } else {
        checked.faults.iter().for_each(show);
        out(&summary(&checked));
    }
    Ok(if number(&checked, FaultLevel::Error) == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn number(checked: &Checked, level: FaultLevel) -> u64 {
    let of_level = checked.faults.iter().filter(|fault| fault.level == level).count();
    u64::try_from(of_level).unwrap_or(u64::MAX)
}

fn as_value(checked: &Checked) -> Value {
    let problem = |fault: &PolicyFault| {
        json!({
            "file": fault.file, "line": fault.line, "column": fault.column, "severity": fault.level,
            "message": fault.message, "help": fault.cure,
        })
    };
    json!({
        "rules": checked.rules,
        "guardrails": checked.guardrails,
        "files": checked.files,
        "errors": number(checked, FaultLevel::Error),
        "warnings": number(checked, FaultLevel::Warning),
        "holds": checked.holds,
        "problems": checked.faults.iter().map(problem).collect::<Vec<_>>(),
    })
}

/// One problem with its line and a caret.
fn show(fault: &PolicyFault) {
    let text = visible(&fault.render());
    for (at, line) in text.lines().enumerate() {
        let title = line.split_once(':').filter(|_| at == 0);
        let style = match fault.level {
            FaultLevel::Error => RED,
            FaultLevel::Warning => YELLOW,
            FaultLevel::Note => DIM,
        };
        match title {
            Some((word, rest)) => out(&format!("{}{rest}", styled(style, &format!("{word}:")))),
            None => out(line),
        }
    }
    out("");
}

/// `79 rules from 2 files, 2 errors, 1 warning`.
fn summary(checked: &Checked) -> String {
    let size = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let mut text = count(size(checked.rules), "rule");
    if checked.guardrails > 0 {
        text.push_str(&format!(" and {}", count(size(checked.guardrails), "guardrail")));
    }
    text.push_str(&format!(" from {}", count(size(checked.files), "file")));
    let (errors, warnings) = (number(checked, FaultLevel::Error), number(checked, FaultLevel::Warning));
    if errors == 0 && warnings == 0 {
        return format!("{text}: {}", styled(GREEN, "no problems"));
    }
    if errors > 0 {
        text.push_str(&format!(", {}", styled(RED, &count(errors, "error"))));
    }
    if warnings > 0 {
        text.push_str(&format!(", {}", styled(YELLOW, &count(warnings, "warning"))));
    }
    if !checked.holds {
        text.push_str("\nevery call is blocked until the errors are fixed");
    }
    text
}

/// Examples that do not do what their rule says they do.
pub fn wrong_examples(setup: &Setup, entries: &[RuleEntry]) -> Result<Vec<Notice>, Failure> {
    let (scene, _) = Scene::open(setup).map_err(|faults| Failure::of_broken_policy(&faults))?;
    let mut wrong = Vec::new();
    for entry in entries {
        let RuleEntry { rule, source, .. } = entry;
        let id = &rule.id;
        for example in rule.examples.matching.iter().filter(|text| !text.trim().is_empty()) {
            if !speaks(&scene, setup, id, example)? {
                let text = format!("rule `{id}` does not match its own example");
                let help = format!("change the rule or the example: it is read as {}", reading(example));
                wrong.push(Notice::conflict(source.clone(), example, text, help));
            }
        }
        for example in rule.examples.pass.iter().filter(|text| !text.trim().is_empty()) {
            if speaks(&scene, setup, id, example)? {
                let text = format!("rule `{id}` matches an example it must not match");
                let help = format!(
                    "narrow the rule, or move the example to `match`: it is read as {}",
                    reading(example)
                );
                wrong.push(Notice::conflict(source.clone(), example, text, help));
            }
        }
    }
    Ok(wrong)
}

/// How many examples the rules have.
pub fn examples(entries: &[RuleEntry]) -> usize {
    let of_rule =
        |entry: &RuleEntry| entry.rule.examples.matching.len().saturating_add(entry.rule.examples.pass.len());
    entries.iter().map(of_rule).sum()
}

/// What rules are held against: the commands in one form, and what they would do.
fn reading(example: &str) -> String {
    let read = shell::read(example, &ReadContext::default());
    let commands: Vec<String> =
        read.commands.iter().map(|command| format!("`{}`", command.normal())).collect();
    let mut effects: Vec<&str> =
        read.commands.iter().flat_map(|command| &command.effects).map(|effect| effect.kind.name()).collect();
    effects.sort_unstable();
    effects.dedup();
    let whose = match effects.as_slice() {
        _ if commands.is_empty() => return "no command".to_owned(),
        [] => return commands.join(" and "),
        [_] => "whose effect is",
        _ => "whose effects are",
    };
    format!("{}, {whose} {}", commands.join(" and "), effects.join(", "))
}

fn speaks(scene: &Scene, setup: &Setup, id: &str, example: &str) -> Result<bool, Failure> {
    let (tool, input) = (tool_named("shell"), json!({ "command": example }));
    let call = reference_host().call(tool, input, &setup.project.to_string_lossy());
    let call = call.map_err(|unreadable| Failure::new(unreadable.why, "examples are shell commands"))?;
    let decision = scene.look(
        &Event { kind: EventKind::PreExecution, call, log: None, output: None },
        &Session::new("examples"),
    );
    Ok(decision.findings.iter().any(|finding| finding.guard == id))
}
