//! One run of an agent behind the gate: ask, tell, ask to stop.

use crate::tool::Tool;
use serde_json::Value;
use std::path::Path;
use toolgate_core::{Call, Decision, Event, EventKind, HostAnswer, Kind};
use toolgate_runtime::{Broken, Gate};

/// What the agent is to do with a call.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub enum Answer {
    /// Run it.
    Run {
        /// Something the agent should know, if there is something.
        told: Option<String>,
        /// Everything the guards said.
        decision: Decision,
    },
    /// Run it with this input.
    RunInstead {
        /// The whole new input.
        input: Value,
        /// What changed and why.
        told: String,
        /// Everything the guards said.
        decision: Decision,
    },
    /// Do not run it.
    No {
        /// Why, and the next allowed step: give it to the model.
        why: String,
        /// The request a person can answer, if one can.
        request: Option<String>,
        /// Everything the guards said.
        decision: Decision,
    },
}

impl Answer {
    /// Whether the call does not run.
    #[must_use]
    pub fn is_no(&self) -> bool {
        matches!(self, Answer::No { .. })
    }
}

/// What comes of a result.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Gave {
    /// Something the agent should hear, if there is something.
    pub told: Option<String>,
    /// What the agent should see instead of the output, if not the output itself.
    pub instead: Option<Value>,
}

/// One run of an agent.
#[derive(Debug)]
pub struct Agent<'a> {
    gate: &'a mut Gate,
    dir: String,
    session: String,
    name: String,
    role: Option<String>,
}

impl<'a> Agent<'a> {
    pub(crate) fn new(gate: &'a mut Gate, project: &Path, session: &str) -> Agent<'a> {
        Agent {
            gate,
            dir: project.to_string_lossy().into_owned(),
            session: session.to_owned(),
            name: "main".to_owned(),
            role: None,
        }
    }

    /// The run of a sub-agent of this sort (`agents:` in the policy).
    #[must_use]
    pub fn as_role(self, name: &str, role: &str) -> Agent<'a> {
        Agent { name: name.to_owned(), role: Some(role.to_owned()), ..self }
    }

    /// Asks whether a call may run. The decision is recorded before it comes back.
    ///
    /// # Errors
    /// If the gate is broken: then the call must not run.
    pub fn ask(&mut self, tool: &Tool) -> Result<Answer, Broken> {
        self.decide(EventKind::PreExecution, self.call(tool))
    }

    /// Tells that a call ran and succeeded; comes back with what the agent should hear.
    ///
    /// # Errors
    /// If it cannot be recorded.
    pub fn succeeded(&mut self, tool: &Tool) -> Result<Option<String>, Broken> {
        self.tell(EventKind::PostExecution, tool, None)
    }

    /// Tells that a call ran and what it gave back; comes back with what the agent should hear, and with what it
    /// should see instead where that holds secrets or does not fit.
    ///
    /// # Errors
    /// If it cannot be recorded.
    pub fn gave(&mut self, tool: &Tool, output: &Value) -> Result<Gave, Broken> {
        let event = self.event(EventKind::PostExecution, tool, Some(output.clone()));
        Ok(match self.gate.result(&event, None)? {
            HostAnswer::Replaced { output, text } => Gave { told: Some(text), instead: Some(output) },
            HostAnswer::Warned { text } | HostAnswer::Told { text } => {
                Gave { told: Some(text), instead: None }
            }
            _ => Gave { told: None, instead: None },
        })
    }

    /// Tells that a call failed and what it said; the gate keeps it cut and
    /// without secrets.
    ///
    /// # Errors
    /// If it cannot be recorded.
    pub fn failed(&mut self, tool: &Tool, said: &str) -> Result<Option<String>, Broken> {
        self.tell(EventKind::OnError, tool, Some(said))
    }

    /// Asks whether the agent may stop; a no says what is missing.
    ///
    /// # Errors
    /// If the gate is broken.
    pub fn ask_to_stop(&mut self) -> Result<Answer, Broken> {
        let stop = Tool { name: "stop".to_owned(), kind: Kind::Stop, input: Value::Null, dir: None };
        self.decide(EventKind::Stop, self.call(&stop))
    }

    fn decide(&mut self, kind: EventKind, call: Call) -> Result<Answer, Broken> {
        let event = Event { kind, call, log: None, output: None };
        self.gate.refresh()?;
        let answered = self.gate.decide(&event)?;
        let answered = self.gate.supervise(&event, answered)?;
        self.gate.tell_people(&answered);
        let decision = answered.decision;
        let request = answered.request.map(|request| request.id);
        Ok(match answered.delivered {
            HostAnswer::Silence | HostAnswer::Replaced { .. } => Answer::Run { told: None, decision },
            HostAnswer::Approved { text } | HostAnswer::Warned { text } | HostAnswer::Told { text } => {
                Answer::Run { told: Some(text), decision }
            }
            HostAnswer::Modified { input, text } => Answer::RunInstead { input, told: text, decision },
            HostAnswer::Denied { text } | HostAnswer::Asked { text } | HostAnswer::Deferred { text } => {
                Answer::No { why: text, request, decision }
            }
        })
    }

    fn tell(&mut self, kind: EventKind, tool: &Tool, said: Option<&str>) -> Result<Option<String>, Broken> {
        let event = self.event(kind, tool, said.map(|said| Value::String(said.to_owned())));
        Ok(match self.gate.result(&event, said)? {
            HostAnswer::Warned { text } | HostAnswer::Told { text } | HostAnswer::Replaced { text, .. } => {
                Some(text)
            }
            _ => None,
        })
    }

    fn event(&self, kind: EventKind, tool: &Tool, output: Option<Value>) -> Event {
        Event { kind, call: self.call(tool), log: None, output }
    }

    fn call(&self, tool: &Tool) -> Call {
        Call {
            host: "library".to_owned(),
            session: self.session.clone(),
            agent: self.name.clone(),
            role: self.role.clone(),
            task: None,
            id: None,
            tool: tool.name.clone(),
            kind: tool.kind.clone(),
            input: tool.input.clone(),
            dir: tool.dir.clone().unwrap_or_else(|| self.dir.clone()),
            scripts: Vec::new(),
            salt: None,
            standing: None,
        }
    }
}
