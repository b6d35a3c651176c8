//! Feedback from outside of the policy: from code of those who embed the gate,
//! and from commands the person's own policy names.
//!
//! Both only say something to the agent; neither can stop a call. A command runs
//! before the transaction, so that no other process waits for it.

use crate::broken::Broken;
use crate::run_check::answer_of;
use crate::scene::Scene;
use serde::Deserialize;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};
use toolgate_core::{
    Advice, Disk, Entry, Event, EventKind, Mark, Provider, Session, Urgency, advice_mark, feedback_asks,
    is_turn,
};
use toolgate_store::Turn;

/// For all commands after one call.
const COMMANDS_MAX: Duration = Duration::from_secs(5);

/// Records looked through for the latest calls of a session.
const RECENT_MAX: u32 = 200;

/// What a provider of your own knows when it is asked.
#[derive(Debug)]
pub struct FeedbackContext<'a> {
    /// The call that has just succeeded.
    pub event: &'a Event,
    /// The session: how many calls, what ran, what was used up.
    pub session: &'a Session,
    /// When the work must be done, in milliseconds since 1970.
    pub deadline_ms: Option<i64>,
    /// Now.
    pub now_ms: i64,
    /// When this provider spoke last, and at which call.
    pub last: Option<Mark>,
    /// The latest calls of the session, the newest first.
    pub recent: &'a [RecentCall],
}

/// One call of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentCall {
    /// The tool.
    pub tool: String,
    /// The call in one text, without secrets.
    pub title: String,
    /// Whether it was let through.
    pub ran: bool,
}

impl FeedbackContext<'_> {
    /// Calls since this provider spoke last.
    #[must_use]
    pub fn calls_since_last(&self) -> u64 {
        self.session.calls.saturating_sub(self.last.map_or(0, |mark| mark.call))
    }
}

/// What a provider says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Guidance {
    /// What the agent is told.
    pub text: String,
    /// How urgent it is.
    pub urgency: Urgency,
    /// What it is to do.
    pub suggestions: Vec<String>,
}

/// A source of feedback of your own; see `toolgate::Gate::with_feedback`.
pub trait FeedbackProvider: Send {
    /// Its name, unique.
    fn name(&self) -> &str;
    /// Whether it is its turn.
    fn should_run(&self, _context: &FeedbackContext<'_>) -> bool {
        true
    }
    /// What it says, if it has something to say.
    fn provide(&self, context: &FeedbackContext<'_>) -> Option<Guidance>;
}

impl std::fmt::Debug for dyn FeedbackProvider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Guidance {
    fn advice(self, provider: &str) -> Option<Advice> {
        let Guidance { text, urgency, suggestions } = self;
        let provider = provider.to_owned();
        (!text.trim().is_empty()).then_some(Advice { provider, urgency, text, suggestions, file: None })
    }
}

/// What the providers that were added say after a call.
pub(crate) fn own_advice(
    turn: &mut dyn Turn,
    scene: &Scene,
    providers: &[Box<dyn FeedbackProvider>],
    event: &Event,
    now_ms: i64,
) -> Result<Vec<Advice>, Broken> {
    if providers.is_empty() || event.kind != EventKind::PostExecution {
        return Ok(Vec::new());
    }
    let mut session = turn.session(&event.call.session)?;
    let asked: Vec<String> = providers.iter().map(|one| advice_mark(one.name())).collect();
    session.marks = turn.marks(&session.id, &asked)?;
    let recent = recent_calls(turn, &session.id)?;
    let mut agents = scene.policy().settings().agents_of(&event.call);
    let deadline_ms = agents.find_map(|entry| entry.agent.deadline_ms(&session));
    let said = providers.iter().filter_map(|provider| {
        let last = session.mark(&advice_mark(provider.name())).copied();
        let context =
            FeedbackContext { event, session: &session, deadline_ms, now_ms, last, recent: &recent };
        let guidance = provider.should_run(&context).then(|| provider.provide(&context)).flatten();
        guidance?.advice(provider.name())
    });
    Ok(said.collect())
}

fn recent_calls(turn: &mut dyn Turn, session: &str) -> Result<Vec<RecentCall>, Broken> {
    let records = turn.recent_of(session, RECENT_MAX)?;
    let calls = records.into_iter().filter_map(|record| match record.entry {
        Entry::Decided(decided) if decided.event == EventKind::PreExecution => {
            let ran = decided.delivered.runs();
            Some(RecentCall { tool: decided.tool, title: decided.title, ran })
        }
        _ => None,
    });
    Ok(calls.collect())
}

/// What commands of the policy say whose turn it is after a call.
pub(crate) fn said_by_commands(
    turn: &mut dyn Turn,
    scene: &Scene,
    project: &Path,
    event: &Event,
    now_ms: i64,
) -> Result<Vec<Advice>, Broken> {
    let settings = scene.policy().settings();
    let providers = || settings.agents_of(&event.call).flat_map(|entry| &entry.agent.feedback);
    let named = || providers().filter_map(|one| Some((one, one.command.as_deref()?)));
    if event.kind != EventKind::PostExecution || named().next().is_none() {
        return Ok(Vec::new());
    }
    let mut session = turn.session(&event.call.session)?;
    session.marks = turn.marks(&session.id, &feedback_asks(&event.call, settings))?;
    let is_there = |name: &str| scene.is_there(name);
    let disk = Disk { is_there: &is_there, ..Disk::BLIND };
    let until = Instant::now() + COMMANDS_MAX;
    let due = named().filter(|(one, _)| is_turn(one, &session, now_ms, disk));
    Ok(due.filter_map(|(one, command)| said(one, command, project, &session, event, until)).collect())
}

/// A command that fails, or says nothing that can be read, says nothing.
fn said(
    provider: &Provider,
    command: &str,
    project: &Path,
    session: &Session,
    event: &Event,
    until: Instant,
) -> Option<Advice> {
    let asked = json!({
        "provider": provider.name, "session": session.id, "agent": event.call.agent, "tool": event.call.tool,
        "input": event.call.input, "calls": session.calls, "ran": session.ran, "tokens": session.spent.tokens,
    });
    let (success, text) = answer_of(project, command, &asked.to_string(), until)?;
    let guidance: Guidance = serde_json::from_str(text.trim()).ok().filter(|_| success)?;
    let advice = guidance.advice(&provider.name)?;
    let file = provider.on_file.clone().filter(|file| scene_has(project, file));
    Some(Advice { file, ..advice })
}

fn scene_has(project: &Path, file: &str) -> bool {
    project.join(file).exists()
}
