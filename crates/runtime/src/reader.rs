//! Reads the call of a request again: what it reaches, and how severe the rules take it to be now.
//! For cards; nothing is judged or recorded.

use crate::places::find_project;
use crate::scene::{Scene, Setup};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toolgate_core::{Call, Event, EventKind, Request, Session, Severity, reached};

/// Makes a call of a tool's name, input and folder, as a host names its tools.
pub type ReadCall = fn(&str, Value, &str) -> Result<Call, String>;

/// Reads calls again; remembers the project it read last.
#[derive(Debug)]
pub struct Reader {
    setup: Setup,
    read_call: ReadCall,
    scene: Option<Scene>,
    project: PathBuf,
    /// How severe each rule of that project is.
    severities: BTreeMap<String, Severity>,
}

impl Reader {
    /// A reader that has read nothing yet.
    #[must_use]
    pub fn new(setup: Setup, read_call: ReadCall) -> Reader {
        Reader { setup, read_call, scene: None, project: PathBuf::new(), severities: BTreeMap::new() }
    }

    /// What the call of a request reaches; nothing if that cannot be told.
    pub fn reach(&mut self, request: &Request) -> Vec<String> {
        self.reach_of(self.call_of(request))
    }

    /// What a shell command reaches.
    pub fn reach_of_command(&mut self, tool: &str, command: &str, dir: &str) -> Vec<String> {
        self.reach_of((self.read_call)(tool, json!({ "command": command }), dir).ok())
    }

    /// How severe it would be by the rules that ask, as they are now; nothing if they no longer ask.
    pub fn severity(&mut self, request: &Request) -> Option<Severity> {
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
        // What is kept with a command are scripts it runs.
        let input = request.input.as_ref().and_then(|input| serde_json::from_str(input).ok());
        let input = input.unwrap_or_else(|| json!({ "command": request.title }));
        (self.read_call)(&request.tool, input, &request.dir).ok()
    }

    fn reach_of(&mut self, call: Option<Call>) -> Vec<String> {
        let Some(call) = call else { return Vec::new() };
        self.enter(&call);
        self.scene.as_ref().map(|scene| reached(&scene.facts(&call))).unwrap_or_default()
    }

    /// Goes to the project of a call.
    fn enter(&mut self, call: &Call) {
        let project = find_project(Path::new(&call.dir));
        if self.scene.is_some() && self.project == project {
            return;
        }
        let setup = Setup { project: project.clone(), ..self.setup.clone() };
        self.scene = Scene::open(&setup).ok().map(|(scene, _)| scene);
        let rules = self.scene.as_ref().map(|scene| scene.policy().entries()).unwrap_or_default();
        self.severities = rules.into_iter().map(|entry| (entry.rule.id, entry.rule.severity)).collect();
        self.project = project;
    }
}
