//! `toolgate test`: judge a call without running it.

use crate::explanation;
use crate::project;
use crate::screen::{BOLD, DIM, json, one_line, out, styled, verdict_style, visible};
use crate::verbs::{Failure, Outcome};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toolgate_adapters::{reference_host, tool_named};
use toolgate_core::{
    Decision, Event, EventKind, Explained, Finding, Mode, Policy, Prerequisite, Session, Verdict,
    kept_message,
};
use toolgate_runtime::Scene;

/// Judges a call without running it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate test \"git commit --no-verify -m 'fix'\"
  toolgate test --explain \"cd / && sudo rm -rf etc | tee log\"
  toolgate test --tool Write --input '{\"file_path\":\".env\",\"content\":\"\"}'
  toolgate test --after 'npm test' \"git commit -m 'fix'\"
  toolgate test --after '{\"tool\":\"Read\",\"input\":{\"file_path\":\"a.rs\"}}' --tool Edit --input '…'
  toolgate test --failed 'connect ECONNREFUSED 127.0.0.1:9222' 'npx playwright install'
  toolgate test --jsonl < calls.jsonl

Exit codes: 0 would run · 2 would be blocked · 3 would wait · 1 usage error or broken setup")]
pub struct Args {
    /// The shell command
    #[arg(required_unless_present_any = ["tool", "jsonl"])]
    pub command: Option<String>,
    /// Judge a call of this tool instead of a shell command
    #[arg(long, requires = "input", conflicts_with = "command")]
    pub tool: Option<String>,
    /// The tool's input, as JSON
    #[arg(long, requires = "tool")]
    pub input: Option<String>,
    /// Judge a batch from stdin: one {"id","tool","input","cwd","role","labels"} per line
    #[arg(long, conflicts_with_all = ["command", "tool"])]
    pub jsonl: bool,
    /// The folder the call would run in
    #[arg(long)]
    pub cwd: Option<PathBuf>,
    /// As if an earlier call of the session had failed with this text
    #[arg(long, value_name = "WORDS")]
    pub failed: Vec<String>,
    /// As if this command, or this call as a JSON line, had run and succeeded before; several in order
    #[arg(long, value_name = "COMMAND|CALL")]
    pub after: Vec<String>,
    /// As if the session had this label
    #[arg(long, value_name = "LABEL")]
    pub label: Vec<String>,
    /// As if a sub-agent with this role made the call
    #[arg(long, conflicts_with = "jsonl")]
    pub role: Option<String>,
    /// Show each part of the command, its effects, and the exact text each rule matched
    #[arg(long)]
    pub explain: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Judges and prints.
pub fn run(args: &Args) -> Outcome {
    let dir = args.cwd.clone().unwrap_or_else(project::current_dir);
    let dir = std::path::absolute(&dir)?;
    if args.jsonl {
        return batch(&dir, args.explain, &session(args));
    }
    let scene = open(&dir)?;
    let (tool, input) = match (&args.command, &args.tool, &args.input) {
        (Some(command), ..) => (tool_named("shell").to_owned(), json!({ "command": command })),
        (None, Some(tool), Some(input)) => (
            tool.clone(),
            serde_json::from_str(input).map_err(|error| {
                Failure::new(format!("--input is not JSON: {error}"), "quote it for your shell")
            })?,
        ),
        _ => return Err(Failure::new("no call was given", "pass a command, or --tool with --input")),
    };
    let event = event(&tool, input, &dir, args.role.as_deref())?;
    if args.explain {
        let before = before(&scene, args, &dir)?;
        return Ok(explain(&scene, &event, &before, args.json));
    }
    let decision = scene.look(&event, &before(&scene, args, &dir)?);
    if args.json {
        json(&answer(&decision, scene.policy()));
    } else {
        show(&decision);
        show_mode(&scene);
    }
    Ok(exit(decision.verdict))
}

/// The session after what is said to have run in it.
fn before(scene: &Scene, args: &Args, dir: &Path) -> Result<Session, Failure> {
    let mut session = session(args);
    for text in &args.after {
        let (tool, input) = earlier(text);
        session = scene.after_call(&event(&tool, input, dir, args.role.as_deref())?, session);
    }
    Ok(session)
}

/// A call that ran before: `{"tool":"Read","input":{…}}` as in a line of `--jsonl`, else a command.
fn earlier(text: &str) -> (String, Value) {
    match serde_json::from_str::<Line>(text) {
        Ok(line) => (tool_named(&line.tool).to_owned(), line.input),
        Err(_) => (tool_named("shell").to_owned(), json!({ "command": text })),
    }
}

/// A session in which nothing happened but these failures, with these labels.
fn session(args: &Args) -> Session {
    let failure =
        |words: &String| toolgate_core::Failure { message: kept_message(words), ..Default::default() };
    let labels = args.label.iter().map(|label| (label.clone(), 0)).collect();
    Session { failures: args.failed.iter().map(failure).collect(), labels, ..Session::new("test") }
}

fn open(dir: &Path) -> Result<Scene, Failure> {
    let (scene, _) =
        Scene::open(&project::setup(dir)).map_err(|faults| Failure::of_broken_policy(&faults))?;
    Ok(scene)
}

fn event(tool: &str, input: Value, dir: &Path, role: Option<&str>) -> Result<Event, Failure> {
    let call = reference_host().call(tool, input, &dir.to_string_lossy());
    let mut call =
        call.map_err(|unreadable| Failure::new(unreadable.why, "see `toolgate test --help` for the form"))?;
    if let Some(role) = role {
        call.agent = "test".to_owned();
        call.role = Some(role.to_owned());
    }
    Ok(Event { kind: EventKind::PreExecution, call, log: None, output: None })
}

/// The explanation first; the verdict is last, where the eye ends.
fn explain(scene: &Scene, event: &Event, session: &Session, as_json: bool) -> ExitCode {
    let explained = scene.explain(event, session);
    if as_json {
        json(&explained_answer(scene, &explained));
    } else {
        out(&explanation::text(&explained, &scene.policy().entries()));
        out(&headline(&explained.decision));
        show_mode(scene);
    }
    exit(explained.decision.verdict)
}

fn explained_answer(scene: &Scene, explained: &Explained) -> Value {
    let mut answer = answer(&explained.decision, scene.policy());
    if let Some(fields) = answer.as_object_mut() {
        let data = explanation::data(explained, &scene.policy().entries());
        fields.insert("explanation".to_owned(), data);
    }
    answer
}

fn exit(verdict: Verdict) -> ExitCode {
    match verdict {
        Verdict::Allow | Verdict::Warn | Verdict::Rewrite => ExitCode::SUCCESS,
        Verdict::Block => ExitCode::from(2),
        Verdict::Delay | Verdict::Ask | Verdict::Check => ExitCode::from(3),
    }
}

/// The stable JSON form of a decision.
fn answer(decision: &Decision, policy: &Policy) -> Value {
    let rules: Vec<&str> = decision.findings.iter().map(|finding| finding.guard.as_str()).collect();
    let alternatives: Vec<&String> = decision.decisive().flat_map(|finding| &finding.alternatives).collect();
    let confidence = decision.decisive().map(|finding| finding.confidence).fold(1.0, f64::min);
    let mut answer = json!({
        "verdict": decision.verdict.name(),
        "decision": decision.verdict.decision(),
        "validation_result": decision.verdict.validation_result(),
        "reason": reason(decision),
        "confidence": confidence,
        "applied_rules": rules,
        "findings": decision.findings,
        "alternatives": alternatives,
        "policy_revision": policy.revision(),
    });
    if policy.mode() == Mode::Observe
        && let Some(fields) = answer.as_object_mut()
    {
        fields.insert("mode".to_owned(), json!("observe"));
    }
    let modified = decision.findings.iter().any(|finding| finding.outcome.verdict() == Verdict::Rewrite);
    if modified && let Some(fields) = answer.as_object_mut() {
        fields.insert("modified_input".to_owned(), decision.event.call.input.clone());
    }
    answer
}

fn reason(decision: &Decision) -> String {
    let reasons: Vec<&str> = decision.decisive().map(|finding| finding.message.as_str()).collect();
    if reasons.is_empty() { "no rule objects".to_owned() } else { reasons.join("; ") }
}

fn show(decision: &Decision) {
    out(&headline(decision));
    if decision.objections().next().is_none() {
        out(&styled(DIM, "  no rule objects"));
    }
    decision.objections().for_each(show_finding);
    for label in decision.labels() {
        out(&styled(DIM, &format!("  label    {label} (later rules of this session can refer to it)")));
    }
}

/// In observe mode the verdict is only recorded, and the output must say so.
fn show_mode(scene: &Scene) {
    if scene.policy().mode() == Mode::Observe {
        out(
            "  mode     observe: calls are recorded and never stopped; set `mode: enforce` to enforce the verdict",
        );
    }
}

fn headline(decision: &Decision) -> String {
    let verdict = decision.verdict;
    let head = styled(verdict_style(verdict), &verdict.name().to_uppercase());
    format!("{head}  {}", one_line(&decision.event.call.title(), 200))
}

fn show_finding(finding: &Finding) {
    out(&format!(
        "  rule     {} {}",
        styled(BOLD, &finding.guard),
        styled(DIM, &format!("({})", finding.source))
    ));
    out(&format!("  reason   {}", visible(&finding.message)));
    for evidence in &finding.evidence {
        out(&format!("  found    {}", explanation::quoted(evidence)));
    }
    for check in checks(finding) {
        out(&format!(
            "  check    {} – {} (not run by `toolgate test`)",
            check.description,
            visible(&check.method.to_string())
        ));
    }
    if let Some(step) = &finding.remediation {
        out(&format!("  fix      {step}"));
    }
    for alternative in &finding.alternatives {
        out(&format!("  allowed  {alternative}"));
    }
}

fn checks(finding: &Finding) -> &[Prerequisite] {
    match &finding.outcome {
        toolgate_core::Outcome::Check(checks) => checks,
        _ => &[],
    }
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    id: Value,
    tool: String,
    #[serde(default)]
    input: Value,
    #[serde(default)]
    cwd: Option<PathBuf>,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
}

/// One answer a line, in order; a line that cannot be read is answered as an
/// error with its number, and the exit code says so at the end.
fn batch(dir: &Path, explain: bool, session: &Session) -> Outcome {
    if std::io::stdin().is_terminal() {
        return Err(Failure::new(
            "--jsonl reads calls from stdin",
            "pipe a file into it, such as `toolgate test --jsonl < calls.jsonl`",
        ));
    }
    let mut scenes: HashMap<PathBuf, Scene> = HashMap::new();
    let mut bad = 0_u32;
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        match one(&line, dir, &mut scenes, session, explain) {
            Ok(answer) => json(&answer),
            Err(failure) => {
                bad = bad.saturating_add(1);
                json(&json!({ "line": number.saturating_add(1), "error": failure.what }));
            }
        }
    }
    Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn one(
    text: &str,
    dir: &Path,
    scenes: &mut HashMap<PathBuf, Scene>,
    session: &Session,
    explain: bool,
) -> Result<Value, Failure> {
    let line: Line = serde_json::from_str(text)?;
    let cwd = line.cwd.filter(|cwd| cwd.is_absolute()).unwrap_or_else(|| dir.to_path_buf());
    if !scenes.contains_key(&cwd) {
        let scene = open(&cwd)?;
        scenes.insert(cwd.clone(), scene);
    }
    let Some(scene) = scenes.get(&cwd) else {
        return Err(Failure::new("the policy could not be loaded", "try again"));
    };
    let event = event(tool_named(&line.tool), line.input, &cwd, line.role.as_deref())?;
    let mut session = session.clone();
    session.labels.extend(line.labels.into_iter().map(|label| (label, 0)));
    let mut answer = if explain {
        explained_answer(scene, &scene.explain(&event, &session))
    } else {
        answer(&scene.look(&event, &session), scene.policy())
    };
    if let Some(fields) = answer.as_object_mut() {
        fields.insert("id".to_owned(), line.id);
    }
    Ok(answer)
}
