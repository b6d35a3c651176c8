//! One event through the gate: judge, record, then answer.
//!
//! The record is committed before the answer exists (rule 2). What a rule
//! cannot decide becomes a request; a grant is used up in the same transaction
//! that records the call it lets through.

use crate::after::{after_failure, begun, judged_after, with_advice};
use crate::approver::Approver;
use crate::broken::Broken;
use crate::brought;
use crate::cache::CacheState;
use crate::checkpoints::{later_of, tidy_behind};
use crate::clock::{self, now_ms};
use crate::hearing::Hearing;
use crate::key::signing_key;
use crate::own_work::files_before;
use crate::private::make_private_folder;
use crate::provider::{FeedbackProvider, own_advice, said_by_commands};
use crate::restore::{backup_of, note_changes, roll_back};
use crate::scene::{Scene, Setup};
use crate::scripts;
use crate::spending::with_new_files;
use toolgate_core::guards;
use toolgate_core::shell::{Command, Reach};
use toolgate_core::{
    Access, Advice, Answer, Before, Call, Context, Decided, Decision, Disk, Entry, Event, EventKind, Facts,
    FileFact, Guard, HostAnswer, Mode, Outcome, Policy, Record, Request, Reserved, Resulted, Script, Touched,
    Verdict, agent_text, feedback, feedback_asks, kept_message, output_texts, quoted_message, reserves,
    rewritten_text, without_secrets_of,
};
use toolgate_store::{Sqlite, Store, Turn};

/// After this many refused stops in a row the agent may stop anyway.
const STOPS_REFUSED_MAX: u32 = 10;

/// How much of a call's text a record keeps.
const TITLE_MAX: usize = 8 << 10;

/// Records among which it is looked whether something was told before.
const RECENT_MAX: u32 = 1_000;

/// How many files of one call a record names.
const TOUCHED_MAX: usize = 64;

/// A judged event.
#[derive(Debug, Clone)]
pub struct Answered {
    /// What the guards said.
    pub decision: Decision,
    /// What the host is told.
    pub delivered: HostAnswer,
    /// The request that waits, if one does.
    pub request: Option<Request>,
    /// Whether that request was made just now.
    pub is_new: bool,
}

impl Answered {
    /// Whether only time, or something that may come, is waited for.
    #[must_use]
    pub fn waits_for_time(&self) -> bool {
        self.decision.verdict == Verdict::Delay && matches!(self.delivered, HostAnswer::Denied { .. })
    }
}

/// The gate of one project.
#[derive(Debug)]
pub struct Gate {
    pub(crate) setup: Setup,
    pub(crate) scene: Scene,
    pub(crate) store: Sqlite,
    pub(crate) approver: Option<Approver>,
    pub(crate) later: Later,
    pub(crate) providers: Vec<Box<dyn FeedbackProvider>>,
}

/// Whether tidying up behind a record waits until the answer is out.
#[derive(Debug, Default)]
pub(crate) enum Later {
    /// It does not.
    #[default]
    No,
    /// It does; behind which record.
    Wanted(Option<u64>),
}

impl Gate {
    /// Opens the gate of a project.
    ///
    /// # Errors
    /// If policy, ledger or key cannot be had: then nothing may run.
    pub fn open(setup: Setup) -> Result<(Gate, CacheState), Broken> {
        let (scene, state) = Scene::open(&setup)?;
        make_private_folder(&setup.dirs.state)?;
        let key = signing_key(&setup.dirs)?;
        let store = Sqlite::open(&setup.dirs.ledger(), key)?;
        clock::follow(&store)?;
        let approver = Approver::load(&setup.dirs)?;
        Ok((Gate { setup, scene, store, approver, later: Later::No, providers: Vec::new() }, state))
    }

    /// The gate with one more guard, for those who embed it.
    #[must_use]
    pub fn with_guard(self, guard: Box<dyn Guard>) -> Gate {
        Gate { scene: self.scene.with_guard(guard), ..self }
    }

    /// The gate with one more source of feedback.
    #[must_use]
    pub fn with_feedback(mut self, provider: Box<dyn FeedbackProvider>) -> Gate {
        self.providers.push(provider);
        self
    }

    /// Takes the policy the files say now, for a process that lives longer
    /// than one call. Guards that were added stay.
    ///
    /// # Errors
    /// If the policy cannot be had, or who may answer: then nothing may run.
    pub fn refresh(&mut self) -> Result<(), Broken> {
        self.scene.refreshed()?;
        self.approver = Approver::load(&self.setup.dirs)?;
        Ok(())
    }

    /// The policy in force.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        self.scene.policy()
    }

    /// The store behind the gate.
    pub fn store(&mut self) -> &mut Sqlite {
        &mut self.store
    }

    /// Records how a call ended and what it said if it failed, and says what the
    /// agent is told next to it.
    ///
    /// # Errors
    /// If it cannot be recorded.
    pub fn result(&mut self, event: &Event, said: Option<&str>) -> Result<HostAnswer, Broken> {
        let event = &self.salted(event);
        let Gate { scene, store, approver, setup, providers, .. } = self;
        let said_by_commands = match scene.policy().settings().has_feedback_commands(&event.call) {
            true => said_by_commands(store.begin()?.as_mut(), scene, &setup.project, event, now_ms())?,
            false => Vec::new(),
        };
        let mut turn = store.begin()?;
        let session = turn.session(&event.call.session)?;
        let told = event;
        let (event, glance) = scripts::read(turn.as_mut(), scene, &session, told)?;
        let event = event.as_ref();
        let resulted =
            Resulted { message: said.map(kept_message), ..resulted(scene, &glance.facts, event, told) };
        let context = context(event, scene.policy());
        let resulted = with_new_files(turn.as_mut(), scene, event, resulted)?;
        let entry = match event.kind {
            // Work was taken on: no result, but what gives the sender's locks back.
            EventKind::PostHandoff => begun(event),
            _ => Entry::Resulted(resulted),
        };
        let mut seq = turn.append(now_ms(), &context, entry)?.seq;
        let backup = backup_of(turn.as_mut(), event)?;
        if let Some(backup) = &backup {
            note_changes(turn.as_mut(), &context, backup)?;
        }
        let mut judged = judged_after(turn.as_mut(), scene, approver.as_ref(), event)?;
        if let Some(backup) = backup.as_ref().filter(|_| judged.takes_back) {
            let text = roll_back(turn.as_mut(), &setup.dirs, &context, backup)?;
            judged.add(&text);
        }
        let mut advice = advise(turn.as_mut(), scene, event)?;
        advice.extend(said_by_commands);
        advice.extend(own_advice(turn.as_mut(), scene, providers, event, now_ms())?);
        advice.extend(after_failure(turn.as_mut(), scene, event, said)?);
        advice.extend(brought::brought(setup, event, &glance.facts, || {
            turn.recent_of(&session.id, RECENT_MAX).unwrap_or_default()
        }));
        for one in &advice {
            seq = turn.append(now_ms(), &context, Entry::Advised(one.clone()))?.seq;
        }
        turn.commit()?;
        self.checkpoint(seq);
        Ok(with_advice(judged.delivered, &advice))
    }

    /// Records anything else.
    ///
    /// # Errors
    /// If it cannot be recorded.
    pub fn note(&mut self, context: &Context, what: &str, text: &str) -> Result<(), Broken> {
        let context = Context { policy: self.policy().revision().to_owned(), ..context.clone() };
        self.append(&context, Entry::Noted { what: what.to_owned(), text: cut(text) })
    }

    pub(crate) fn append(&mut self, context: &Context, entry: Entry) -> Result<(), Broken> {
        let mut turn = self.store.begin()?;
        let seq = turn.append(now_ms(), context, entry)?.seq;
        turn.commit()?;
        self.checkpoint(seq);
        Ok(())
    }

    /// Tidies up behind a record, now or when the answer is out.
    pub(crate) fn checkpoint(&mut self, seq: u64) {
        if let Later::Wanted(left) = &mut self.later {
            *left = Some(later_of(*left, seq));
            return;
        }
        tidy_behind(&mut self.store, &self.setup.dirs, seq);
    }
}

pub(crate) fn context(event: &Event, policy: &Policy) -> Context {
    Context {
        host: event.call.host.clone(),
        session: event.call.session.clone(),
        agent: event.call.agent.clone(),
        policy: policy.revision().to_owned(),
    }
}

/// What the agent is told next to a call that succeeded.
fn advise(turn: &mut dyn Turn, scene: &Scene, event: &Event) -> Result<Vec<Advice>, Broken> {
    let settings = scene.policy().settings();
    let asked = feedback_asks(&event.call, settings);
    if asked.is_empty() || event.kind != EventKind::PostExecution {
        return Ok(Vec::new());
    }
    let mut session = turn.session(&event.call.session)?;
    session.marks = turn.marks(&session.id, &asked)?;
    let is_there = |name: &str| scene.is_there(name);
    Ok(feedback(&event.call, settings, &session, now_ms(), Disk { is_there: &is_there, ..Disk::BLIND }))
}

impl Hearing<'_> {
    /// From what the guards say to what the host is told.
    pub(crate) fn settle(&mut self, decision: Decision) -> Result<Answered, Broken> {
        let text = agent_text(&decision);
        // The canary is denied even while observing: it proves the path.
        let observed = self.policy.mode() == Mode::Observe && !is_canary(&decision);
        let worn_out = self.event.kind == EventKind::Stop && self.session.stops_refused >= STOPS_REFUSED_MAX;
        if observed || worn_out {
            return Ok(Answered { decision, delivered: HostAnswer::Silence, request: None, is_new: false });
        }
        if !self.is_still_past(&decision)? {
            let text = "Not run: the one-time bypass for this call has already been used.".to_owned();
            return Ok(plain(decision, HostAnswer::Denied { text }));
        }
        match decision.verdict {
            Verdict::Allow if decision.is_approved() => {
                Ok(plain(decision, HostAnswer::Approved { text: text.clone() }))
            }
            Verdict::Allow => Ok(plain(decision, HostAnswer::Silence)),
            Verdict::Warn => match self.refusal()? {
                Some(delivered) => Ok(plain(decision, delivered)),
                None => Ok(plain(decision, HostAnswer::Warned { text: text.clone() })),
            },
            Verdict::Rewrite => {
                let input = decision.event.call.input.clone();
                let text = format!("{text} {}", rewritten_text(&self.event.call, &decision.event.call));
                Ok(plain(decision, HostAnswer::Modified { input, text }))
            }
            Verdict::Block => Ok(plain(decision, HostAnswer::Denied { text: text.clone() })),
            // No one is asked about what only takes time.
            Verdict::Delay => Ok(plain(decision, HostAnswer::Denied { text: text.clone() })),
            Verdict::Ask | Verdict::Check if self.event.kind == EventKind::PreExecution => {
                self.ask(decision, &text)
            }
            // Nothing but a call can wait for a person.
            Verdict::Ask | Verdict::Check => Ok(plain(decision, HostAnswer::Denied { text: text.clone() })),
        }
    }

    /// A person's no holds for the repeated call, also where it would only be
    /// warned about now.
    fn refusal(&mut self) -> Result<Option<HostAnswer>, Broken> {
        let key = self.approver.map(|approver| approver.key.as_str());
        let arguments = self.event.call.arguments_digest();
        let open = self.turn.open_requests(&self.event.call.session, &arguments)?;
        let open = open.iter().filter(|request| request.bypass.is_none());
        Ok(open.into_iter().find_map(|request| request.refusal(self.now_ms, key)).map(refused))
    }

    /// What a call that is about to run will use.
    fn reserved(&self, answered: &Answered) -> Option<Reserved> {
        let told = answered.delivered.verdict(answered.decision.verdict);
        let may_run = told.runs() || matches!(answered.delivered, HostAnswer::Asked { .. });
        let before = self.event.kind == EventKind::PreExecution;
        let Decision { event, facts, .. } = &answered.decision;
        (may_run && before)
            .then(|| reserves(&event.call, facts, self.policy.settings(), &self.session))
            .flatten()
    }

    /// What the files were that a call is about to write.
    fn before(&self, answered: &Answered) -> Vec<Before> {
        let told = answered.delivered.verdict(answered.decision.verdict);
        let runs = told.runs() && self.event.kind == EventKind::PreExecution;
        if runs { files_before(&answered.decision.facts, TOUCHED_MAX) } else { Vec::new() }
    }

    /// Writes the decision down.
    pub(crate) fn record(&mut self, answered: &Answered) -> Result<Record, Broken> {
        self.use_bypasses(answered)?;
        let call = &self.event.call;
        let decided = Decided {
            decision: new_id("d")?,
            event: self.event.kind,
            call: call.id.clone(),
            tool: call.tool.clone(),
            title: cut(&call.title()),
            dir: call.dir.clone(),
            arguments: call.arguments_digest(),
            verdict: answered.decision.verdict,
            delivered: answered.delivered.verdict(answered.decision.verdict),
            findings: answered
                .decision
                .findings
                .iter()
                .filter(|f| f.outcome != Outcome::Pass)
                .cloned()
                .collect(),
            modified: match &answered.delivered {
                HostAnswer::Modified { input, .. } => Some(input.clone()),
                _ => None,
            },
            request: answered
                .request
                .as_ref()
                .map(|request| request.id.clone())
                .or_else(|| answered.decision.bypasses.first().cloned()),
            input: self.may_be_passed(&answered.decision).then(|| shown_input(call)).flatten(),
            locks: answered.decision.locks.clone(),
            outward: answered.decision.outward,
            before: self.before(answered),
            reserved: self.reserved(answered),
        };
        Ok(self.turn.append(self.now_ms, &context(&self.event, self.policy), Entry::Decided(decided))?)
    }
}

/// An approved call runs as it was judged: as asked, or as a rule rewrote it.
pub(crate) fn go_ahead(decision: &Decision, event: &Event) -> HostAnswer {
    if decision.event == *event {
        return HostAnswer::Silence;
    }
    let input = decision.event.call.input.clone();
    let changed = rewritten_text(&event.call, &decision.event.call);
    HostAnswer::Modified { input, text: format!("Approved, and rewritten by a rule. {changed}") }
}

/// How a call ended that was told of, read with its scripts as `event`.
pub(crate) fn resulted(scene: &Scene, facts: &Facts, event: &Event, told: &Event) -> Resulted {
    let (ran, mut touched) = evidence(facts, &event.call);
    let changes = |one: &Touched| one.access != Access::Read && scene.is_ours(&one.path);
    // What a script changes on its way is its own matter, as it is for those of the project.
    let changed = match event.call.scripts.is_empty() {
        true => touched.iter().any(changes),
        false => evidence(&scene.facts(&told.call), &told.call).1.iter().any(changes),
    };
    touched.retain(|one| one.access != Access::Read || is_read(scene, facts, event, &one.path));
    let command = event.call.command().unwrap_or_default();
    let ran = ran.into_iter().map(|line| without_secrets_of(command, line)).collect();
    Resulted {
        event: event.kind,
        call: event.call.id.clone(),
        tool: event.call.tool.clone(),
        ran,
        touched,
        changed,
        lines: if event.kind == EventKind::PostExecution { event.call.lines() } else { 0 },
        files: None,
        message: None,
        to: event.call.receiver().map(str::to_owned),
        // Tells failures apart, and calls that have no id.
        arguments: (event.kind == EventKind::OnError || event.call.id.is_none())
            .then(|| event.call.arguments_digest()),
    }
}

/// Whether a file was read in a sense that the agent knows it now: what only copies, searches or
/// counts it does not show it.
fn is_read(scene: &Scene, facts: &Facts, event: &Event, path: &str) -> bool {
    let call = &event.call;
    let mut agents = scene.policy().settings().agents_of(call);
    if let Some(counts) = agents.find_map(|entry| entry.agent.reads_with(&call.tool)) {
        return counts;
    }
    // What came back holds no text: nothing was shown, whatever was read.
    let has_shape =
        event.output.as_ref().and_then(serde_json::Value::as_object).is_some_and(|all| !all.is_empty());
    if has_shape && call.command().is_some() && output_texts(event).iter().all(|text| text.trim().is_empty())
    {
        return false;
    }
    let shows = |fact: &FileFact| match (
        fact.command.and_then(|at| facts.reading.commands.get(at)),
        call.command(),
    ) {
        (Some(command), Some(source)) => toolgate_core::shell::shows_files(command, source),
        _ => fact.below == Reach::Itself && !facts.files.iter().any(|other| other.access != Access::Read),
    };
    facts.files.iter().any(|fact| {
        fact.access == Access::Read && cut(fact.real.as_deref().unwrap_or(&fact.path)) == path && shows(fact)
    })
}

/// The commands whose success the success of the call proves, and no others;
/// and the files it read for sure or may have changed.
fn evidence(facts: &Facts, call: &Call) -> (Vec<String>, Vec<Touched>) {
    let spans = call.command().map(toolgate_core::shell::surely_ran).unwrap_or_default();
    let is_sure =
        |command: &Command| command.in_place && command.via.is_empty() && spans.contains(&command.span);
    let sure: Vec<usize> =
        facts.commands().filter(|(_, command)| is_sure(command)).map(|(at, _)| at).collect();
    let ran = sure.iter().map(|at| facts.normal(*at).to_owned()).collect();
    let happened = |file: &&FileFact| {
        file.access != Access::Read || file.exact && file.command.is_none_or(|at| sure.contains(&at))
    };
    // Who may run a file is changed, and not what it holds.
    let is_kept = |file: &FileFact| {
        let command = file.command.and_then(|at| facts.reading.commands.get(at));
        let by = |one: &Command| matches!(one.program.as_str(), "chmod" | "chown" | "chgrp" | "setfacl");
        file.access == Access::Write && command.is_some_and(|one| by(one))
    };
    let touched = facts.files.iter().filter(happened).take(TOUCHED_MAX).map(|file| Touched {
        access: if is_kept(file) { Access::Change } else { file.access },
        path: cut(file.real.as_deref().unwrap_or(&file.path)),
    });
    (ran, touched.collect())
}

/// The whole input of a call that is not a shell command, and the scripts of one
/// that is, for the person who is asked: never cut, since a yes is one to all of it.
pub(crate) fn shown_input(call: &Call) -> Option<String> {
    if call.command().is_none() {
        return Some(serde_json::to_string_pretty(&call.input).unwrap_or_default());
    }
    let script = |one: &Script| {
        let text = one.text.as_deref().unwrap_or("(too large to read)");
        format!("# {}\n{}", call.shown(&one.path), text.trim_end_matches('\n'))
    };
    let scripts: Vec<String> = call.scripts.iter().map(script).collect();
    (!scripts.is_empty()).then(|| scripts.join("\n\n"))
}

fn is_canary(decision: &Decision) -> bool {
    decision.findings.iter().any(|finding| finding.guard == guards::CANARY_ID)
}

pub(crate) fn plain(decision: Decision, delivered: HostAnswer) -> Answered {
    Answered { decision, delivered, request: None, is_new: false }
}

/// What the agent reads when a person denied the call.
pub(crate) fn refused(answer: &Answer) -> HostAnswer {
    let message =
        answer.words.as_ref().map_or_else(|| ".".to_owned(), |words| format!(": {}", quoted_message(words)));
    let what = if answer.reach.is_once() {
        "this call".to_owned()
    } else {
        // The person has not seen this call; an earlier answer covers it.
        format!("such calls ({})", answer.reach.words())
    };
    HostAnswer::Denied { text: format!("Not run: {} denied {what}{message}", answer.by) }
}

pub(crate) fn cut(text: &str) -> String {
    if text.len() <= TITLE_MAX {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(TITLE_MAX);
    format!("{}… ({} bytes in total)", text.get(..end).unwrap_or_default(), text.len())
}

pub(crate) fn new_id(prefix: &str) -> Result<String, Broken> {
    let mut bytes = [0; 5];
    getrandom::fill(&mut bytes)
        .map_err(|error| Broken::new(format!("no randomness: {error}"), "run `toolgate doctor`"))?;
    Ok(format!("{prefix}-{}", toolgate_core::hex(&bytes)))
}
