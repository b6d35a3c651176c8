//! `toolgate rules propose`: rules written as prose for agents, as rules to look
//! at. Prints a policy to paste from; writes nothing.

use crate::screen::{count, json, out, talk};
use crate::verbs::{Failure, Outcome, policy};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toolgate_adapters::{reference_host, tool_named};
use toolgate_core::rule::{Rule, RuleKind};
use toolgate_core::{Event, EventKind, RuleEntry, Sentence, Session, Verdict, sentences};
use toolgate_runtime::{Scene, Setup};

/// Where Cursor keeps its rules.
const CURSOR_RULES: &str = ".cursor/rules";

/// One sentence with what the policy in force says to it.
struct Proposal {
    file: String,
    sentence: Sentence,
    /// What the policy in force says about the command it names.
    now: Option<String>,
    /// Whether that is the contrary.
    conflict: bool,
}

/// Reads the files and prints what could be enforced.
pub fn propose(setup: &Setup, files: &[PathBuf], as_json: bool) -> Outcome {
    let files = if files.is_empty() { cursor_files(&setup.project) } else { files.to_vec() };
    if files.is_empty() {
        let what = format!("no rule files in `{CURSOR_RULES}`");
        return Err(Failure::new(what, "name the files: `toolgate rules propose AGENTS.md`"));
    }
    let entries = policy::load(setup)?.policy.entries();
    let (scene, _) = Scene::open(setup).map_err(|faults| Failure::of_broken_policy(&faults))?;
    let mut all = Vec::new();
    for file in &files {
        let name = file.strip_prefix(&setup.project).unwrap_or(file).display().to_string();
        let text = std::fs::read_to_string(file).map_err(|error| {
            Failure::new(format!("`{name}` cannot be read: {error}"), "use a readable text file")
        })?;
        let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        for sentence in sentences(&stem, &text) {
            all.push(compared(&scene, setup, &entries, name.clone(), sentence)?);
        }
    }
    if as_json {
        json(&json!({ "proposals": all.iter().map(as_value).collect::<Vec<_>>() }));
    } else {
        show(&all);
    }
    Ok(ExitCode::SUCCESS)
}

fn cursor_files(project: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(project.join(CURSOR_RULES)).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "mdc"))
        .collect();
    found.sort();
    found
}

/// What the policy in force says about the very command the sentence names.
fn compared(
    scene: &Scene,
    setup: &Setup,
    entries: &[RuleEntry],
    file: String,
    sentence: Sentence,
) -> Result<Proposal, Failure> {
    let example = sentence.rule.as_ref().and_then(|rule| rule.examples.matching.first());
    let Some(example) = example else {
        return Ok(Proposal { file, sentence, now: None, conflict: false });
    };
    let (tool, input) = (tool_named("shell"), json!({ "command": example }));
    let call = reference_host().call(tool, input, &setup.project.to_string_lossy());
    let call =
        call.map_err(|unreadable| Failure::new(unreadable.why, "only shell commands can be compared"))?;
    let event = Event { kind: EventKind::PreExecution, call, log: None, output: None };
    let decision = scene.look(&event, &Session::new("proposals"));
    let by: Vec<String> = decision.objections().map(|finding| format!("`{}`", finding.guard)).collect();
    let says_yes = |id: &str| {
        entries
            .iter()
            .any(|entry| entry.rule.kind == RuleKind::Approve && format!("`{}`", entry.rule.id) == id)
    };
    let conflict = by.iter().any(|id| says_yes(id));
    let stopped = decision.verdict > Verdict::Allow;
    let now = (stopped || conflict).then(|| {
        let word = if conflict { "approved" } else { decision.verdict.name() };
        format!("`{example}` is now: {word}, by {}", by.join(", "))
    });
    Ok(Proposal { file, sentence, now, conflict })
}

fn as_value(one: &Proposal) -> Value {
    let Sentence { line, text, enforceable, rule } = &one.sentence;
    json!({ "file": one.file, "line": line, "text": text, "enforceable": enforceable, "rule": rule,
            "now": one.now, "conflict": one.conflict })
}

fn show(all: &[Proposal]) {
    out("rules:");
    for one in all {
        let Sentence { line, text, enforceable, rule } = &one.sentence;
        out(&format!("  # {}:{line} ({}): {text}", one.file, enforceable.name()));
        if let Some(now) = &one.now {
            out(&format!("  # {}{now}", if one.conflict { "conflict: " } else { "" }));
        }
        if let Some(rule) = rule {
            yaml(rule).iter().for_each(|line| out(line));
        }
    }
    let proposed = all.iter().filter(|one| one.sentence.rule.is_some()).count();
    let conflicts = all.iter().filter(|one| one.conflict).count();
    talk(&format!(
        "{}, {} proposed, {}; nothing was changed",
        count(all.len(), "sentence"),
        count(proposed, "rule"),
        count(conflicts, "conflict")
    ));
}

/// A rule as it would stand in a policy. JSON values are YAML values: no
/// quoting of our own.
fn yaml(rule: &Rule) -> Vec<String> {
    let Value::Object(mut fields) = json!(rule) else { return Vec::new() };
    if let Some(Value::Object(matches)) = fields.get_mut("match") {
        matches.remove("event");
    }
    let shown = ["id", "kind", "match", "when", "require", "alternatives", "reason", "examples"];
    let lines = shown.iter().filter_map(|key| Some((key, fields.get(*key)?)));
    let lines = lines.map(|(key, value)| format!("{key}: {value}"));
    lines.enumerate().map(|(at, line)| format!("  {} {line}", if at == 0 { "-" } else { " " })).collect()
}
