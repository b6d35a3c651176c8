//! What a call reaches, in words for a card: its facts, read again from the
//! text that is shown.

use crate::App;
use crate::shown::Shown;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toolgate_core::shell::Command;
use toolgate_core::{Call, Event, EventKind, Facts, Request, Session, Severity};
use toolgate_runtime::{Scene, Setup, find_project};

/// Things named before the rest is only counted.
const NAMED_MAX: usize = 8;

/// Characters of one thing.
const THING_MAX: usize = 120;

/// Reads calls again; remembers the project it read last.
pub(crate) struct Reader<'a> {
    app: &'a App,
    scene: Option<Scene>,
    project: std::path::PathBuf,
    /// How bad each rule of that project takes things to be.
    severities: BTreeMap<String, Severity>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(app: &'a App) -> Reader<'a> {
        Reader { app, scene: None, project: std::path::PathBuf::new(), severities: BTreeMap::new() }
    }

    /// What the call of a request reaches; nothing if it cannot be told.
    pub(crate) fn of_request(&mut self, request: &Request) -> Vec<Shown> {
        self.of_call(self.call_of(request))
    }

    /// How bad it would be, by the rules that ask, as they are now; nothing if
    /// they say nothing any more.
    pub(crate) fn severity(&mut self, request: &Request) -> Option<Severity> {
        let call = self.call_of(request)?;
        self.enter(&call);
        let known = request.asks.iter().map(|guard| self.severities.get(guard).copied());
        if let Some(all) = known.collect::<Option<Vec<Severity>>>() {
            return all.into_iter().max();
        }
        // Built-in guards set the severity only for a call they judge.
        let event = Event { kind: EventKind::PreExecution, call, log: None, output: None };
        let decision = self.scene.as_ref()?.look(&event, &Session::new(&request.session));
        let asked = decision.findings.iter().filter(|finding| request.asks.contains(&finding.guard));
        asked.map(|finding| finding.severity).max()
    }

    fn call_of(&self, request: &Request) -> Option<Call> {
        // What is next to a command are scripts it runs.
        let input = request.input.as_ref().and_then(|input| serde_json::from_str(input).ok());
        let input = input.unwrap_or_else(|| serde_json::json!({ "command": request.title }));
        (self.app.lent.call)(&request.tool, input, &request.dir).ok()
    }

    /// What a shell command reaches.
    pub(crate) fn of_command(&mut self, tool: &str, command: &str, dir: &str) -> Vec<Shown> {
        let input = serde_json::json!({ "command": command });
        self.of_call((self.app.lent.call)(tool, input, dir).ok())
    }

    fn of_call(&mut self, call: Option<Call>) -> Vec<Shown> {
        let Some(call) = call else { return Vec::new() };
        self.enter(&call);
        self.scene.as_ref().map(|scene| words(&scene.facts(&call))).unwrap_or_default()
    }

    /// Goes to the project of a call.
    fn enter(&mut self, call: &Call) {
        let project = find_project(Path::new(&call.dir));
        if self.scene.is_some() && self.project == project {
            return;
        }
        let setup = Setup { project: project.clone(), ..self.app.setup.clone() };
        self.scene = Scene::open(&setup).ok().map(|(scene, _)| scene);
        let rules = self.scene.as_ref().map(|scene| scene.policy().entries()).unwrap_or_default();
        self.severities = rules.into_iter().map(|entry| (entry.rule.id, entry.rule.severity)).collect();
        self.project = project;
    }
}

fn words(facts: &Facts) -> Vec<Shown> {
    let mut known = BTreeSet::new();
    let mut all = Vec::new();
    let mut add = |what: Shown| {
        if known.insert(what.clone()) {
            all.push(what);
        }
    };
    let mut told = BTreeSet::new();
    for (at, command) in facts.commands() {
        for effect in &command.effects {
            let target = effect.target.as_ref().map(|word| word.text.as_str()).unwrap_or_default();
            told.insert((Some(at), target.to_owned()));
            add(thing(&effect.kind.name().replace('-', " "), target));
        }
    }
    for file in facts.files.iter().filter(|file| !told.contains(&(file.command, file.written.to_string()))) {
        add(thing(&file.access.name().replace('-', " "), &file.path));
    }
    for opaque in &facts.reading.opaque {
        add(thing("not understood:", &opaque.what));
    }
    if let Some(fault) = &facts.reading.fault {
        add(thing("cannot be read:", &fault.message));
    }
    if all.is_empty() {
        for program in programs(facts.commands().map(|(_, command)| command)) {
            all.push(thing("runs", &program));
        }
    }
    let more = all.len().saturating_sub(NAMED_MAX);
    all.truncate(NAMED_MAX);
    if more > 0 {
        all.push(Shown::all(&format!("and {more} more")));
    }
    all
}

fn programs<'a>(commands: impl Iterator<Item = &'a Command>) -> BTreeSet<String> {
    commands.map(|command| command.program.to_string()).filter(|name| !name.is_empty()).collect()
}

fn thing(what: &str, target: &str) -> Shown {
    Shown::line(format!("{what} {target}").trim_end(), THING_MAX)
}
