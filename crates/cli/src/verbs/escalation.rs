//! `toolgate escalation`: when people are asked. Shows what is in force,
//! or changes the person's own policy.

use crate::screen::{GREEN, json, out, styled, talk};
use crate::verbs::{Failure, Outcome, install, rules};
use crate::{desk, project};
use serde_json::json;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;
use toolgate_core::span;
use toolgate_core::{Layer, People, Policy};
use toolgate_runtime::{Setup, parse_policy};

/// Show or change when people are asked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate escalation                                               show the settings
  toolgate escalation --auto-approve-low --human-required-critical
  toolgate escalation --auto-approve-low=false

Changes are written to your user policy and apply to everything you run.")]
pub struct Args {
    /// Allow low-severity requests with a warning instead of asking
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub auto_approve_low: Option<bool>,
    /// Always ask a person about critical calls, even if AI supervisors could decide
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub human_required_critical: Option<bool>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    let setup = project::here();
    if args.auto_approve_low.is_some() || args.human_required_critical.is_some() {
        change(&setup, args)?;
    }
    show(&desk::readable_policy(&setup)?.policy, args.json);
    Ok(ExitCode::SUCCESS)
}

fn show(policy: &Policy, as_json: bool) {
    let people = || policy.settings().people.iter().map(|entry| &entry.people);
    let low = people().any(|one| one.auto_approve_low);
    let critical = people().any(|one| one.human_required_critical);
    let review = policy.review();
    if as_json {
        json(&json!({ "auto_approve_low": low, "human_required_critical": critical, "review": review }));
        return;
    }
    let say = |is: bool, yes: &'static str, no: &'static str| if is { yes } else { no };
    out(&format!("low severity   {}", say(low, "allowed with a warning", "asked")));
    out(&format!("critical       {}", say(critical, "always asks a person", "same as others")));
    let delivery = json!(review.delivery);
    let delivery = delivery.as_str().unwrap_or_default();
    let end = span(i64::from(review.expires_minutes).saturating_mul(60));
    out(&format!("delivery       {delivery}; denied if unanswered for {end}"));
}

fn change(setup: &Setup, args: &Args) -> Result<(), Failure> {
    install::refuse_agent()?;
    let file = setup.dirs.config.join("policy.yaml");
    let text = match std::fs::read_to_string(&file) {
        Err(error) if error.kind() == ErrorKind::NotFound => "version: 1\n".to_owned(),
        read => read?,
    };
    let before = read(&file, &text)?;
    let mut people = before.clone().unwrap_or_default();
    people.auto_approve_low = args.auto_approve_low.unwrap_or(people.auto_approve_low);
    people.human_required_critical = args.human_required_critical.unwrap_or(people.human_required_critical);
    if before.as_ref() == Some(&people) {
        return Ok(());
    }
    let Some(new) =
        replaced(&text, &people).filter(|new| read(&file, new).ok().flatten().as_ref() == Some(&people))
    else {
        let what = format!("`people:` in `{}` has a layout that Toolgate cannot edit", file.display());
        return Err(Failure::new(what, format!("edit it by hand: {}", json!(people))));
    };
    let ids = rules::ids_of(&file, &new).map_err(|fault| rules::unreadable(&fault))?;
    rules::save(setup, &file, &new, &ids)?;
    talk(&format!("{} {}", styled(GREEN, "changed"), file.display()));
    Ok(())
}

fn read(file: &Path, text: &str) -> Result<Option<People>, Failure> {
    let layer = parse_policy(Layer::User, &file.display().to_string(), text.as_bytes());
    Ok(layer.map_err(|fault| rules::unreadable(&fault))?.policy.people)
}

/// The text with this section instead of the one it has. `None` where comments
/// would be lost.
fn replaced(text: &str, people: &People) -> Option<String> {
    let fields = json!(people);
    // JSON values are YAML values: no quoting of our own.
    let block = fields.as_object()?.iter().map(|(key, value)| format!("  {key}: {value}"));
    let head = if fields.as_object()?.is_empty() { "people: {}" } else { "people:" };
    let block: Vec<String> = std::iter::once(head.to_owned()).chain(block).collect();
    let lines: Vec<&str> = text.lines().collect();
    let Some(start) = lines.iter().position(|line| line.starts_with("people:")) else {
        return Some(format!("{}\n{}\n", text.trim_end(), block.join("\n")));
    };
    let is_own = |line: &&&str| line.starts_with([' ', '\t']);
    let own = lines.iter().skip(start + 1).take_while(is_own).count();
    let old = lines.get(start..=start + own)?;
    if old.iter().any(|line| line.contains('#')) {
        return None;
    }
    let before = lines.iter().take(start).map(|line| (*line).to_owned());
    let after = lines.iter().skip(start + own + 1).map(|line| (*line).to_owned());
    Some(format!("{}\n", before.chain(block).chain(after).collect::<Vec<_>>().join("\n")))
}
