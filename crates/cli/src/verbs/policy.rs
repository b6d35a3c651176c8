//! `toolgate policy`: show, check, schema.

use crate::project;
use crate::screen::{BOLD, DIM, RED, YELLOW, json, out, styled};
use crate::verbs::{Failure, Outcome, init, policy_check, rules};
use clap::Subcommand;
use schemars::schema_for;
use serde_json::json;
use std::process::ExitCode;
use toolgate_core::{Notice, NoticeKind, PolicyFile, span};
use toolgate_runtime::{Loaded, Setup, rebuild};

/// Shows, checks or describes the policy.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate policy show            every active rule with file and line
  toolgate policy check           find mistakes before you rely on it
  toolgate policy schema > policy.schema.json")]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do with the policy.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show every active rule with file and line
    Show {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check all policy files and show each problem with its fix
    #[command(
        after_help = "Checks structure, values, patterns, layers and every rule's own examples, and looks for \
rules that can never match.

Examples:
  toolgate policy check
  toolgate policy check --json | jq .problems

Exit codes: 0 no errors (warnings do not count) · 1 errors"
    )]
    Check {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the policy file that `toolgate init` offers
    #[command(after_help = "Example:\n  toolgate policy template > .toolgate/policy.yaml")]
    Template,
    /// Print the JSON Schema of a policy file
    Schema {
        /// No effect; the output is always JSON
        #[arg(long)]
        json: bool,
    },
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    let setup = project::here();
    match &args.verb {
        Verb::Show { json } => show(&setup, *json),
        Verb::Check { json } => policy_check::run(&setup, *json),
        Verb::Schema { .. } => {
            out(&serde_json::to_string_pretty(&schema_for!(PolicyFile)).unwrap_or_default());
            Ok(ExitCode::SUCCESS)
        }
        Verb::Template => {
            out(init::TEMPLATE.trim_end());
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The JSON Schema of a policy file, as small as it gets.
pub fn schema() -> String {
    let mut text = serde_json::to_string(&schema_for!(PolicyFile)).unwrap_or_default();
    text.push('\n');
    text
}

/// The policy, or every problem with a caret under it.
pub fn load(setup: &Setup) -> Result<Loaded, Failure> {
    rebuild(&setup.dirs, &setup.project).map_err(|faults| Failure::of_broken_policy(&faults))
}

fn show(setup: &Setup, as_json: bool) -> Outcome {
    let loaded = load(setup)?;
    let policy = &loaded.policy;
    if as_json {
        json(&json!({
            "revision": policy.revision(), "mode": policy.mode(), "review": policy.review(),
            "files": loaded.files, "rules": policy.entries(), "guardrails": policy.settings().guardrails,
            "notices": loaded.notices.iter().map(|n| json!({"at": n.source, "text": n.text, "help": n.help, "conflict": n.kind == NoticeKind::Conflict})).collect::<Vec<_>>(),
        }));
        return Ok(ExitCode::SUCCESS);
    }
    out(&format!("{} {}", styled(BOLD, "revision"), policy.revision()));
    let review = policy.review();
    let (mode, delivery) = (json!(policy.mode()), json!(review.delivery));
    out(&format!(
        "mode {} · delivery {}, hold {}, requests expire after {}",
        mode.as_str().unwrap_or_default(),
        delivery.as_str().unwrap_or_default(),
        span(i64::from(review.hold_seconds)),
        span(i64::from(review.expires_minutes).saturating_mul(60)),
    ));
    for file in &loaded.files {
        out(&format!("from {file}"));
    }
    out("");
    rules::table(&policy.entries());
    rules::guardrail_table(&policy.settings().guardrails.iter().collect::<Vec<_>>());
    notices(&loaded);
    Ok(ExitCode::SUCCESS)
}

fn notices(loaded: &Loaded) {
    for Notice { source, kind, text, help, .. } in &loaded.notices {
        let mark = match kind {
            NoticeKind::Conflict => styled(RED, "conflict"),
            NoticeKind::Warning => styled(YELLOW, "warning"),
            NoticeKind::Note => styled(DIM, "note"),
        };
        out(&format!("{mark} {source}: {text}; {help}"));
    }
}
