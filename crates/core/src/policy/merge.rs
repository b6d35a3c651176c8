//! Joins the layers: packs, then managed, user, project (rule 4 of the design).
//!
//! A lower layer may add rules, replace or turn off rules that are not
//! locked, and tighten the mode. A pack's own locks bind the project only: the
//! machine is the user's, the repository may be anybody's; for the same reason
//! a project never says yes in the person's name. A pack acts for anyone who named
//! it: one that only the project names is bound like the project, and packs a
//! person named in their own file bind the project as a whole. Whatever a layer
//! tries beyond that has no effect and is told as a notice, never dropped in
//! silence.

use crate::agent::{Agent, AgentEntry};
use crate::categories::CategoriesEntry;
use crate::finding::Source;
use crate::guard::{Category, Severity};
use crate::guardrail::{GuardrailEntry, GuardrailLines};
use crate::handoff::HandoffEntry;
use crate::notify::NotifyEntry;
use crate::output::OutputEntry;
use crate::people::PeopleEntry;
use crate::policy::file::{Mode, PolicyFile, Review, Workspace};
use crate::recovery::ErrorsEntry;
use crate::rule::{Rule, RuleKind};
use crate::settings::{Settings, VerificationEntry};
use crate::traps::TrapsEntry;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Where a policy file is in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Ships with the program.
    Pack,
    /// `/etc/toolgate`.
    Managed,
    /// `~/.config/toolgate`.
    User,
    /// `.toolgate` in the project.
    Project,
}

/// One file with where it came from.
#[derive(Debug, Clone)]
pub struct Layered {
    /// Its layer.
    pub layer: Layer,
    /// Who put it in force: for a pack, the layer that names it, or
    /// [`Layer::Pack`] where no one did; else its own layer.
    pub by: Layer,
    /// Its path, or the pack's name.
    pub file: String,
    /// What it says.
    pub policy: PolicyFile,
    /// Line of each rule, same order as `policy.rules`.
    pub lines: Vec<u32>,
    /// Line of each agent, by name.
    pub agent_lines: BTreeMap<String, u32>,
    /// Lines of each guardrail, same order as `policy.guardrails`.
    pub guardrail_lines: Vec<GuardrailLines>,
}

/// One rule in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleEntry {
    /// Where it is written.
    pub source: Source,
    /// Its layer.
    pub layer: Layer,
    /// The rule.
    pub rule: Rule,
}

/// Something about the layers a person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Where.
    pub source: Source,
    /// The text in the file it is about; empty for the whole line.
    pub needle: String,
    /// What it amounts to.
    pub kind: NoticeKind,
    /// What.
    pub text: String,
    /// What to do.
    pub help: String,
}

/// What a notice amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoticeKind {
    /// Good to know.
    Note,
    /// It holds, and does not do what it seems to.
    Warning,
    /// It has no effect: a higher layer or a limit of its own layer is against it.
    Conflict,
}

impl Notice {
    /// Something that has no effect.
    pub fn conflict(
        source: Source,
        needle: &str,
        text: impl Into<String>,
        help: impl Into<String>,
    ) -> Notice {
        let (needle, text, help) = (needle.to_owned(), text.into(), help.into());
        Notice { source, needle, kind: NoticeKind::Conflict, text, help }
    }

    /// Something that does not do what it seems to.
    pub fn warning(source: Source, needle: &str, text: impl Into<String>, help: impl Into<String>) -> Notice {
        Notice { kind: NoticeKind::Warning, ..Notice::conflict(source, needle, text, help) }
    }

    /// Something good to know.
    pub fn note(source: Source, needle: &str, text: impl Into<String>, help: impl Into<String>) -> Notice {
        Notice { kind: NoticeKind::Note, ..Notice::conflict(source, needle, text, help) }
    }
}

/// All layers joined.
#[derive(Debug, Clone, Serialize)]
pub struct Merged {
    /// Rules that are on, in chain order.
    pub rules: Vec<RuleEntry>,
    /// The mode.
    pub mode: Mode,
    /// How questions reach a person.
    pub review: Review,
    /// The workspace.
    pub workspace: Workspace,
    /// Everything else.
    pub settings: Settings,
    /// What a person should know; not part of the revision.
    #[serde(skip)]
    pub notices: Vec<Notice>,
    /// Rules that are off, for listings; not part of the revision.
    #[serde(skip)]
    pub off: Vec<RuleEntry>,
}

/// Joins files given from the highest layer (packs) to the lowest (project).
#[must_use]
pub fn merge(files: &[Layered]) -> Merged {
    let mut rules: Vec<RuleEntry> = Vec::new();
    let mut notices = Vec::new();
    let locks = Locks::of(files);
    for file in files {
        add_rules(file, &locks, &mut rules, &mut notices);
        turn_off(file, &locks, &mut rules, &mut notices);
    }
    let (mut rules, off): (Vec<_>, Vec<_>) = rules.into_iter().partition(|entry| entry.rule.enabled);
    rules.sort_by(|a, b| order(a).cmp(&order(b)));
    find_contradictions(&rules, &mut notices);
    let mode = join_mode(files, &mut notices);
    let review = files.iter().rev().find_map(|file| file.policy.review.clone()).unwrap_or_default();
    let also = join_workspace(files, &mut notices);
    let workspace = Workspace { also: crate::rule::Names(also) };
    let mut settings = join_settings(files);
    tell_guardrails(&settings.guardrails, &mut notices);
    notices.extend(crate::supervisor::displaced(files));
    settings.categories.iter_mut().for_each(|entry| keep_commands_out(entry, &mut notices));
    keep_messages_out(&mut settings.notify, &mut notices);
    settings.people.iter_mut().for_each(|entry| keep_to_layer(entry, &mut notices));
    let is_project = |entry: &AgentEntry| {
        files.iter().any(|file| file.layer == Layer::Project && file.file == entry.source.file)
    };
    let own = settings.agents.iter_mut().filter(|entry| is_project(entry));
    own.for_each(|entry| keep_agent_commands_out(entry, &mut notices));
    Merged { rules, mode, review, workspace, settings, notices, off }
}

/// What every layer says holds; see [`Settings`].
fn join_settings(files: &[Layered]) -> Settings {
    let entry = |file: &Layered, (name, agent): (&String, &Agent)| AgentEntry {
        source: Source { file: file.file.clone(), line: file.agent_lines.get(name).copied().unwrap_or(0) },
        name: name.clone(),
        agent: agent.clone(),
    };
    let agents = files.iter().flat_map(|file| file.policy.agents.iter().map(move |one| entry(file, one)));
    let verification = files.iter().filter_map(|file| {
        let source = Source { file: file.file.clone(), line: 0 };
        Some(VerificationEntry { source, verification: file.policy.verification.clone()? })
    });
    let guardrails = join_guardrails(files);
    let traps = files.iter().filter_map(|file| {
        let source = Source { file: file.file.clone(), line: 0 };
        Some(TrapsEntry { source, traps: file.policy.traps.clone()? })
    });
    let output = files.iter().filter_map(|file| {
        let source = Source { file: file.file.clone(), line: 0 };
        Some(OutputEntry { source, layer: file.layer, checks: file.policy.output.clone()? })
    });
    Settings {
        agents: agents.collect(),
        verification: verification.collect(),
        traps: traps.collect(),
        guardrails,
        output: output.collect(),
        // Anyone who reads the files adds what is no layer.
        knowledge: Vec::new(),
        outside: Vec::new(),
        categories: files.iter().filter_map(categories_of).collect(),
        handoff: files.iter().filter_map(handoff_of).collect(),
        errors: files.iter().filter_map(errors_of).collect(),
        people: files.iter().filter_map(people_of).collect(),
        notify: files.iter().filter_map(notify_of).collect(),
        supervision: crate::supervisor::joined(files),
    }
}

fn whole(file: &Layered) -> Source {
    Source { file: file.file.clone(), line: 0 }
}

fn categories_of(file: &Layered) -> Option<CategoriesEntry> {
    let risk = file.policy.risk;
    let said = file.policy.category_guardrails.clone();
    let entry = |categories| CategoriesEntry { source: whole(file), layer: file.layer, risk, categories };
    said.map(entry).or_else(|| risk.map(|_| entry(Default::default())))
}

fn handoff_of(file: &Layered) -> Option<HandoffEntry> {
    Some(HandoffEntry { source: whole(file), handoff: file.policy.handoff.clone()? })
}

fn errors_of(file: &Layered) -> Option<ErrorsEntry> {
    Some(ErrorsEntry { source: whole(file), errors: file.policy.errors.clone()? })
}

fn people_of(file: &Layered) -> Option<PeopleEntry> {
    Some(PeopleEntry { source: whole(file), layer: file.layer, people: file.policy.people.clone()? })
}

fn notify_of(file: &Layered) -> Option<NotifyEntry> {
    Some(NotifyEntry { source: whole(file), layer: file.layer, notify: file.policy.notify.clone()? })
}

/// A repository may be anybody's: it sends no messages.
fn keep_messages_out(notify: &mut Vec<NotifyEntry>, notices: &mut Vec<Notice>) {
    for entry in notify.extract_if(.., |entry| entry.layer == Layer::Project) {
        let text = "`notify` of a project is ignored: it would send messages where the project wants";
        let help = "move it to your own policy, `~/.config/toolgate/policy.yaml`";
        notices.push(Notice::conflict(entry.source, "notify", text, help));
    }
    for entry in notify.iter() {
        if let Some(fault) = entry.notify.webhook.as_ref().and_then(crate::notify::Webhook::fault) {
            let text = format!("`notify.webhook.url` is ignored: {fault}");
            let help = "write an address such as `https://example.com/hook`";
            notices.push(Notice::conflict(entry.source.clone(), "url", text, help));
        }
    }
}

fn keep_to_layer(entry: &mut PeopleEntry, notices: &mut Vec<Notice>) {
    for key in entry.keep_to_layer() {
        let text = format!("`{key}` of a project is ignored: people would be asked less");
        let help = "move it to your own policy, `~/.config/toolgate/policy.yaml`";
        let needle = key.rsplit('.').next().unwrap_or_default();
        notices.push(Notice::conflict(entry.source.clone(), needle, text, help));
    }
}

/// The same for feedback and for checks before the agent stops.
fn keep_agent_commands_out(entry: &mut AgentEntry, notices: &mut Vec<Notice>) {
    let mut drops = |needle: &str| {
        let text = format!("`{needle}` of `agents.{}` is ignored: a project runs no commands", entry.name);
        let help = "move it to your own policy, `~/.config/toolgate/policy.yaml`";
        notices.push(Notice::conflict(entry.source.clone(), "command", text, help));
    };
    if entry.agent.feedback.iter().any(|one| one.command.is_some()) {
        drops("feedback.command");
        entry.agent.feedback.retain(|one| one.command.is_none());
    }
    if let Some(completion) = entry.agent.completion.as_mut().filter(|one| !one.commands().is_empty()) {
        drops("completion.command");
        completion.drop_commands();
    }
}

/// A repository may be anybody's: the gate runs no command of its choosing.
fn keep_commands_out(entry: &mut CategoriesEntry, notices: &mut Vec<Notice>) {
    if entry.layer != Layer::Project {
        return;
    }
    let tests = entry.categories.quality_003.iter_mut().map(|own| ("quality-003", &mut own.command));
    let lints = entry.categories.quality_004.iter_mut().map(|own| ("quality-004", &mut own.command));
    for (id, command) in tests.chain(lints) {
        if command.take().is_some() {
            let text =
                format!("`{id}.command` of a project is ignored: the gate would run a command of its choice");
            let help = "move it to your own policy, `~/.config/toolgate/policy.yaml`";
            notices.push(Notice::conflict(entry.source.clone(), "command", text, help));
        }
    }
}

fn join_guardrails(files: &[Layered]) -> Vec<GuardrailEntry> {
    let mut entries = Vec::new();
    for file in files {
        let higher = files.iter().filter(|other| other.layer <= file.layer);
        let agents = higher.map(|other| other.policy.agents.len()).sum();
        for (at, guardrail) in file.policy.guardrails.iter().enumerate() {
            let lines = file.guardrail_lines.get(at).copied().unwrap_or_default();
            let source = Source { file: file.file.clone(), line: lines.own };
            let guardrail = guardrail.clone();
            entries.push(GuardrailEntry { source, layer: file.layer, agents, guardrail, lines });
        }
    }
    entries
}

/// Each of them holds; one that shares its id is hard to tell from the other.
fn tell_guardrails(entries: &[GuardrailEntry], notices: &mut Vec<Notice>) {
    for (at, entry) in entries.iter().enumerate() {
        let id = &entry.guardrail.id;
        let twin = entries.iter().take(at).find(|other| other.guardrail.id == *id);
        if let Some(twin) = twin {
            let text = format!("`{id}` is also a guardrail at {}, and both hold", twin.source);
            notices.push(Notice::conflict(
                entry.source.clone(),
                id,
                text,
                "choose another id for one of them",
            ));
        }
    }
}

/// The order rules are tried in; the same as that of guards.
fn order(entry: &RuleEntry) -> (u32, Category, Reverse<Severity>, &str) {
    (entry.rule.priority, entry.rule.category, Reverse(entry.rule.severity), &entry.rule.id)
}

fn add_rules(file: &Layered, locks: &Locks<'_>, rules: &mut Vec<RuleEntry>, notices: &mut Vec<Notice>) {
    for (at, rule) in file.policy.rules.iter().enumerate() {
        let line = file.lines.get(at).copied().unwrap_or(0);
        let source = Source { file: file.file.clone(), line };
        if file.layer == Layer::Project && rule.kind == RuleKind::Approve {
            let text = format!("`{}` of a project is ignored: it would approve calls in your name", rule.id);
            let help = "move it to your own policy, `~/.config/toolgate/policy.yaml`";
            notices.push(Notice::conflict(source, "approve", text, help));
            continue;
        }
        let sets_command = rule.change.as_ref().is_some_and(|change| change.set.contains_key("command"));
        if file.layer == Layer::Project && sets_command {
            let text = format!(
                "`{}` of a project is ignored: it would make the agent run a command of its choice",
                rule.id
            );
            let help = "move it to your own policy, or change flags instead of `command`";
            notices.push(Notice::conflict(source, "command", text, help));
            continue;
        }
        let entry = RuleEntry { source: source.clone(), layer: file.layer, rule: rule.clone() };
        match rules.iter_mut().find(|known| known.rule.id == rule.id) {
            None => rules.push(entry),
            Some(known) if locks.bind(known, file) => {
                let text =
                    format!("`{}` is {} {} and cannot be replaced", rule.id, locks.how(known), known.source);
                notices.push(Notice::conflict(source, &rule.id, text, "choose another id for your rule"));
            }
            Some(known) => {
                let text = format!("`{}` replaces the rule at {}", rule.id, known.source);
                notices.push(Notice::note(source, &rule.id, text, "choose another id to keep both"));
                *known = entry;
            }
        }
    }
}

/// What is locked against whom.
struct Locks<'a> {
    /// Packs a person named in a file of their own.
    chosen: Vec<&'a str>,
}

impl Locks<'_> {
    fn of(files: &[Layered]) -> Locks<'_> {
        let by_person =
            |file: &&Layered| file.layer == Layer::Pack && matches!(file.by, Layer::Managed | Layer::User);
        Locks { chosen: files.iter().filter(by_person).map(|file| file.file.as_str()).collect() }
    }

    /// Whether a rule is locked against a file.
    fn bind(&self, known: &RuleEntry, file: &Layered) -> bool {
        let foreign = file.by == Layer::Project;
        match known.layer {
            Layer::Pack => foreign && (known.rule.locked || self.is_chosen(known)),
            _ => known.rule.locked,
        }
    }

    fn is_chosen(&self, known: &RuleEntry) -> bool {
        self.chosen.contains(&known.source.file.as_str())
    }

    fn how(&self, known: &RuleEntry) -> &'static str {
        if known.rule.locked { "locked by" } else { "of a pack your own policy names," }
    }
}

fn turn_off(file: &Layered, locks: &Locks<'_>, rules: &mut [RuleEntry], notices: &mut Vec<Notice>) {
    for id in file.policy.disable.iter() {
        let source = Source { file: file.file.clone(), line: 0 };
        match rules.iter_mut().find(|known| known.rule.id == id) {
            None => {
                let near = crate::nearest(id, rules.iter().map(|known| known.rule.id.as_str()));
                let help = match near {
                    Some(near) => format!("change `{id}` to `{near}`"),
                    None => "remove it; `toolgate rules list` shows the ids".to_owned(),
                };
                let (text, help) = match crate::guards::page(id) {
                    Some(_) => (
                        format!("`{id}` is built in and cannot be turned off"),
                        "remove it from `disable`".to_owned(),
                    ),
                    None => (format!("`disable` names `{id}`, and there is no such rule"), help),
                };
                notices.push(Notice::warning(source, id, text, help));
            }
            Some(known) if locks.bind(known, file) => {
                let how = locks.how(known);
                let text = format!("`{id}` is {how} {} and stays on", known.source);
                notices.push(Notice::conflict(source, id, text, "remove it from `disable`"));
            }
            Some(known) => known.rule.enabled = false,
        }
    }
}

fn find_contradictions(rules: &[RuleEntry], notices: &mut Vec<Notice>) {
    let says_yes = |rule: &Rule| rule.kind == RuleKind::Approve;
    let says_no = |rule: &Rule| matches!(rule.kind, RuleKind::Block | RuleKind::Ask);
    for yes in rules.iter().filter(|entry| says_yes(&entry.rule)) {
        for no in rules.iter().filter(|entry| says_no(&entry.rule) && entry.rule.matches == yes.rule.matches)
        {
            let text = format!(
                "`{}` approves exactly what `{}` at {} stops, and the stricter one wins",
                yes.rule.id, no.rule.id, no.source
            );
            let help = "remove one of the two";
            notices.push(Notice::conflict(yes.source.clone(), &yes.rule.id, text, help));
        }
    }
}

/// Folders every layer adds. A project cannot declare the whole machine or
/// the whole home its own.
fn join_workspace(files: &[Layered], notices: &mut Vec<Notice>) -> Vec<String> {
    let mut also = Vec::new();
    for file in files {
        for folder in file.policy.workspace.iter().flat_map(|workspace| workspace.also.iter()) {
            if file.layer == Layer::Project && is_too_wide(folder) {
                let source = Source { file: file.file.clone(), line: 0 };
                let text = format!("`workspace.also: {folder}` is too wide for a project and is ignored");
                let help = "name a folder, or move it to your own policy, `~/.config/toolgate/policy.yaml`";
                notices.push(Notice::conflict(source, folder, text, help));
            } else {
                also.push(folder.to_owned());
            }
        }
    }
    also
}

fn is_too_wide(folder: &str) -> bool {
    let below_home = folder.strip_prefix('~');
    let parts = below_home.unwrap_or(folder).split('/').filter(|part| !part.is_empty() && *part != ".");
    let parts: Vec<&str> = parts.collect();
    let climbs = parts.iter().filter(|part| **part == "..").count();
    match (below_home.is_some(), folder.starts_with('/')) {
        (true, _) => parts.is_empty() || climbs > 0,
        (_, true) => parts.len() < 3 || climbs > 0,
        _ => climbs > 1 || parts.is_empty(),
    }
}

/// The highest layer that says a mode sets it; lower ones may only tighten.
fn join_mode(files: &[Layered], notices: &mut Vec<Notice>) -> Mode {
    let mut said: Option<(Mode, &Layered)> = None;
    for file in files {
        let Some(mode) = file.policy.mode else { continue };
        match said {
            Some((higher, by)) if mode < higher => {
                let source = Source { file: file.file.clone(), line: 0 };
                let text = format!("`mode: observe` has no effect: {} says `enforce`", by.file);
                let help = "remove the line, or change the other file";
                notices.push(Notice::conflict(source, "observe", text, help));
            }
            _ => said = Some((mode, file)),
        }
    }
    said.map_or(Mode::default(), |(mode, _)| mode)
}
