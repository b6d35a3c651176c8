//! `toolgate rules`: add, list, remove, check. Edits keep the comments of the
//! file and are written only if the whole policy still loads.

use crate::screen::{BOLD, DIM, GREEN, count, json, one_line, out, styled, talk};
use crate::verbs::{Failure, Outcome, install, policy, policy_check, proposals};
use crate::{desk, project};
use clap::Subcommand;
use clap::builder::{PossibleValue, PossibleValuesParser};
use serde_json::json;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toolgate_core::{GuardrailEntry, Layer, Layered, Notice, RuleEntry};
use toolgate_runtime::{Broken, PolicyFault, Setup, load_uncached, parse_policy};

/// Adds, lists, removes or checks rules.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate rules add --name ban-no-verify --pattern \"git commit.*--no-verify\" --action block
  toolgate rules list --enabled
  toolgate rules remove ban-no-verify
  toolgate rules propose AGENTS.md")]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do with rules.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Add a rule to the project's policy (`approve` rules go to your user policy)
    Add(AddArgs),
    /// List rules with file and line
    List {
        /// Only enabled rules
        #[arg(long)]
        enabled: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove a rule from the project's policy or your user policy
    Remove {
        /// The rule's id
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Test every rule against its own examples
    Check {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Propose rules from prose such as AGENTS.md; changes nothing
    Propose {
        /// Files to read (default: Cursor's rule files)
        files: Vec<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// A new rule.
#[derive(Debug, clap::Args)]
pub struct AddArgs {
    /// The rule's id, in kebab-case
    #[arg(long, visible_alias = "id")]
    pub name: String,
    /// Regular expression for the command
    #[arg(long)]
    pub pattern: String,
    /// What happens to matching commands
    #[arg(long, visible_alias = "kind", value_parser = actions(), ignore_case = true)]
    pub action: String,
    /// For rewrite: an option to take out, such as `--remove=--no-verify`
    #[arg(long, value_name = "OPTION")]
    pub remove: Vec<String>,
    /// For rewrite: an option to put in
    #[arg(long, value_name = "OPTION")]
    pub add: Vec<String>,
    /// For delay: how long a call waits
    #[arg(long, value_name = "SECONDS")]
    pub seconds: Option<u64>,
    /// Why the rule exists, in one sentence
    #[arg(long)]
    pub reason: Option<String>,
    /// low, medium, high or critical
    #[arg(long, default_value = "medium", value_parser = ["low", "medium", "high", "critical"])]
    pub severity: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The kinds of rules it adds; the second names are older and still accepted.
fn actions() -> PossibleValuesParser {
    let block = PossibleValue::new("block").alias("reject");
    let ask = PossibleValue::new("ask").alias("escalate");
    let rewrite = PossibleValue::new("rewrite").alias("modify").alias("transform");
    let [warn, delay, approve] = ["warn", "delay", "approve"].map(PossibleValue::new);
    PossibleValuesParser::new([block, ask, warn, rewrite, delay, approve])
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    let setup = project::here();
    match &args.verb {
        Verb::Add(args) => add(&setup, args),
        Verb::List { enabled, json } => list(&setup, *enabled, *json),
        Verb::Remove { id, json } => remove(&setup, id, *json),
        Verb::Propose { files, json } => proposals::propose(&setup, files, *json),
        Verb::Check { json: as_json } => {
            let entries = policy::load(&setup)?.policy.entries();
            let wrong = policy_check::wrong_examples(&setup, &entries)?;
            let shown = |one: &Notice| format!("{}: {}: `{}`", one.source, one.text, one.needle);
            let lines: Vec<String> = wrong.iter().map(shown).collect();
            let all = u64::try_from(policy_check::examples(&entries)).unwrap_or(u64::MAX);
            let failed = u64::try_from(wrong.len()).unwrap_or(u64::MAX);
            if *as_json {
                json(&json!({ "examples": all, "wrong_examples": lines }));
            } else {
                for (line, one) in lines.iter().zip(&wrong) {
                    out(&format!("{line}\n  help: {}", one.help));
                }
                match failed {
                    0 => talk(&format!("{}: all pass", count(all, "example"))),
                    failed => talk(&format!("{}: {failed} failed", count(all, "example"))),
                }
            }
            Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
        }
    }
}

fn list(setup: &Setup, enabled: bool, as_json: bool) -> Outcome {
    let loaded = desk::readable_policy(setup)?;
    let mut entries = loaded.policy.entries();
    if !enabled {
        entries.extend(loaded.off);
    }
    let all = &loaded.policy.settings().guardrails;
    let guardrails: Vec<&GuardrailEntry> =
        all.iter().filter(|entry| entry.guardrail.enabled || !enabled).collect();
    if as_json {
        let rules = entries.iter().map(|entry| json!(entry));
        json(&rules.chain(guardrails.iter().map(|entry| json!(entry))).collect::<Vec<_>>())
    } else {
        table(&entries);
        guardrail_table(&guardrails);
    }
    Ok(ExitCode::SUCCESS)
}

/// Guardrails as a table.
pub fn guardrail_table(entries: &[&GuardrailEntry]) {
    let width = entries.iter().map(|entry| entry.guardrail.id.len()).max().unwrap_or(0);
    for entry in entries {
        let own = &entry.guardrail;
        let state = if own.enabled { "" } else { " (off)" };
        let said = own.description.as_ref().or(own.name.as_ref()).unwrap_or(&own.validation.check);
        out(&format!(
            "{}  {:<9} {}  {}  {}",
            styled(BOLD, &format!("{:<width$}", own.id)),
            own.validation.action_on_fail.unwrap_or_default().name(),
            own.event.name(),
            one_line(said, 80),
            styled(DIM, &format!("{}{state}", entry.source)),
        ));
    }
}

/// Rules as a table.
pub fn table(entries: &[RuleEntry]) {
    let width = entries.iter().map(|entry| entry.rule.id.len()).max().unwrap_or(0);
    for entry in entries {
        let rule = &entry.rule;
        let state = if rule.enabled { "" } else { " (off)" };
        let lock = if rule.locked { " locked" } else { "" };
        out(&format!(
            "{}  {:<9} {:<8} {}  {}",
            styled(BOLD, &format!("{:<width$}", rule.id)),
            rule.kind.name(),
            rule.severity.name(),
            one_line(&rule.reason, 80),
            styled(DIM, &format!("{}{lock}{state}", entry.source)),
        ));
    }
}

/// The file a new rule goes to: the project's, but a yes in the person's name
/// belongs into the person's own policy.
fn policy_file(setup: &Setup, kind: &str) -> PathBuf {
    match kind {
        "approve" => setup.dirs.config.join("policy.yaml"),
        _ => setup.project.join(".toolgate/policy.yaml"),
    }
}

fn add(setup: &Setup, args: &AddArgs) -> Outcome {
    install::refuse_agent()?;
    let kind = match args.action.to_lowercase().as_str() {
        "block" | "reject" => "block",
        "ask" | "escalate" => "ask",
        "rewrite" | "modify" | "transform" => "rewrite",
        "warn" => "warn",
        "delay" => "delay",
        _ => "approve",
    };
    let more = more_of(kind, args)?;
    let file = policy_file(setup, kind);
    let text = match std::fs::read_to_string(&file) {
        Err(error) if error.kind() == ErrorKind::NotFound => "version: 1\n".to_owned(),
        read => read.map_err(|error| {
            Failure::new(format!("`{}` cannot be read: {error}", file.display()), "fix the file first")
        })?,
    };
    let mut ids = ids_of(&file, &text).map_err(|fault| unreadable(&fault))?;
    if ids.contains(&args.name) {
        return Err(Failure::new(
            format!("a rule `{}` already exists", args.name),
            "remove it first, or choose another name",
        ));
    }
    let reason = args.reason.clone().unwrap_or_else(|| format!("this command matches `{}`", args.pattern));
    // JSON strings are YAML strings: no quoting of our own.
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let is_plain = args.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let block = format!(
        "  - id: {}\n    kind: {kind}\n    match: {{ regex: {} }}\n{more}    severity: {}\n    reason: {}\n",
        if is_plain { args.name.clone() } else { quoted(&args.name) },
        quoted(&args.pattern),
        args.severity,
        quoted(&reason)
    );
    ids.push(args.name.clone());
    save(setup, &file, &inserted(&text, &block), &ids)?;
    if args.json {
        json(&json!({ "added": args.name, "file": file }));
    }
    talk(&format!("{} {} to {}", styled(GREEN, "added"), args.name, file.display()));
    Ok(ExitCode::SUCCESS)
}

/// What a rule of this kind says besides.
fn more_of(kind: &str, args: &AddArgs) -> Result<String, Failure> {
    let list = |names: &[String]| serde_json::to_string(names).unwrap_or_default();
    match (kind, args.remove.is_empty() && args.add.is_empty(), args.seconds) {
        ("rewrite", false, None) => {
            let (remove, add) = (list(&args.remove), list(&args.add));
            Ok(format!("    change: {{ remove_flags: {remove}, add_flags: {add} }}\n"))
        }
        ("rewrite", true, None) => Err(Failure::new(
            "the rule does not say how the command is rewritten",
            "add `--remove=--no-verify` for an option to take out, or `--add=--save-exact` for one to put in",
        )),
        ("delay", true, Some(seconds)) => Ok(format!("    delay: {{ seconds: {seconds} }}\n")),
        ("delay", true, None) => {
            Err(Failure::new("the rule does not say how long a call waits", "add `--seconds 60`"))
        }
        (_, true, None) => Ok(String::new()),
        _ => Err(Failure::new(
            format!("a rule that says `{kind}` takes none of --remove, --add and --seconds"),
            "--remove and --add are for `--action rewrite`, --seconds is for `--action delay`",
        )),
    }
}

/// The text with a rule at the end of its `rules:` list.
fn inserted(text: &str, block: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let Some(start) = lines.iter().position(|line| line.starts_with("rules:")) else {
        return format!("{}\nrules:\n{block}", text.trim_end());
    };
    let is_next_key = |line: &&str| !line.is_empty() && !line.starts_with([' ', '#', '-', '\t']);
    let end =
        lines.iter().skip(start + 1).position(is_next_key).map_or(lines.len(), |offset| start + 1 + offset);
    let filled = lines
        .iter()
        .take(end)
        .rposition(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .unwrap_or(start);
    let mut new: Vec<&str> = lines.iter().take(filled + 1).copied().collect();
    if let Some(head) = new.get_mut(start)
        && filled == start
    {
        *head = "rules:";
    }
    new.extend(block.trim_end().lines());
    new.extend(lines.iter().skip(filled + 1));
    format!("{}\n", new.join("\n"))
}

fn remove(setup: &Setup, id: &str, as_json: bool) -> Outcome {
    install::refuse_agent()?;
    let Written { file, text, layer, at } = written(setup, id)?;
    let line = |at: usize| {
        layer.lines.get(at).and_then(|line| usize::try_from(*line).ok()).map(|line| line.saturating_sub(1))
    };
    let start = line(at).unwrap_or(0);
    let lines: Vec<&str> = text.lines().collect();
    let is_over =
        |line: &&str| !line.trim().is_empty() && !line.starts_with(['#']) && !line.starts_with("    ");
    let end = line(at + 1)
        .or_else(|| lines.iter().skip(start + 1).position(is_over).map(|offset| start + 1 + offset))
        .unwrap_or(lines.len());
    // What is above the next rule or key is about that one.
    let is_own = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let end = lines.iter().take(end).rposition(is_own).map_or(end, |last| last.saturating_add(1));
    let mut rest: Vec<&str> = lines.iter().take(start).chain(lines.iter().skip(end)).copied().collect();
    if layer.policy.rules.len() == 1
        && let Some(head) = rest.iter_mut().find(|line| line.starts_with("rules:"))
    {
        *head = "rules: []";
    }
    let ids: Vec<String> =
        layer.policy.rules.iter().map(|rule| rule.id.clone()).filter(|own| own != id).collect();
    save(setup, &file, &format!("{}\n", rest.join("\n")), &ids)?;
    if as_json {
        json(&json!({ "removed": id, "file": file }));
    }
    talk(&format!("{} {id} from {}", styled(GREEN, "removed"), file.display()));
    Ok(ExitCode::SUCCESS)
}

/// A rule in the file it is written in.
struct Written {
    file: PathBuf,
    text: String,
    layer: Layered,
    at: usize,
}

/// Where a rule is written: the project's policy, else the person's own.
fn written(setup: &Setup, id: &str) -> Result<Written, Failure> {
    for kind in ["block", "approve"] {
        let file = policy_file(setup, kind);
        let text = match std::fs::read_to_string(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            read => read.map_err(|error| {
                let what = format!("`{}` cannot be read: {error}", file.display());
                Failure::new(what, "make it readable for your user")
            })?,
        };
        let layer = parse_policy(Layer::Project, &file.display().to_string(), text.as_bytes())
            .map_err(|fault| unreadable(&fault))?;
        if let Some(at) = layer.policy.rules.iter().position(|rule| rule.id == id) {
            return Ok(Written { file, text, layer, at });
        }
    }
    let (own, yours) = (policy_file(setup, "block"), policy_file(setup, "approve"));
    Err(Failure::new(
        format!("neither `{}` nor `{}` has a rule `{id}`", own.display(), yours.display()),
        "to turn off a rule of a pack, add its id to `disable:`; `toolgate rules list` shows every id",
    ))
}

/// What is wrong with a file.
pub fn unreadable(fault: &PolicyFault) -> Failure {
    Failure::of_policy(std::slice::from_ref(fault))
}

/// The ids of the rules of a file.
pub fn ids_of(file: &Path, text: &str) -> Result<Vec<String>, PolicyFault> {
    let layer = parse_policy(Layer::Project, &file.display().to_string(), text.as_bytes())?;
    Ok(layer.policy.rules.into_iter().map(|rule| rule.id).collect())
}

/// Writes the file only if the policy loads with it and holds exactly the
/// rules it is to hold.
pub fn save(setup: &Setup, file: &Path, text: &str, ids: &[String]) -> Result<(), Failure> {
    let found = ids_of(file, text).map_err(|fault| unreadable(&fault).with_note("nothing was changed"))?;
    if found != ids {
        let what = format!(
            "nothing was changed: the rules in `{}` have a layout that Toolgate cannot edit",
            file.display()
        );
        return Err(Failure::new(what, "edit the file by hand"));
    }
    let before = std::fs::read(file).ok();
    let made = file.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| std::fs::write(file, text)).map_err(|error| Broken::io("write", file, &error))?;
    if let Err(faults) = load_uncached(&setup.dirs, &setup.project) {
        match before {
            Some(bytes) => std::fs::write(file, bytes)?,
            None => std::fs::remove_file(file)?,
        }
        return Err(Failure::of_policy(&faults).with_note("nothing was changed"));
    }
    Ok(())
}
