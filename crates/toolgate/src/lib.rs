//! The gate as a library, for people who build an agent of their own.
//!
//! A [`Gate`] is opened for a project folder and follows the same policy, keeps
//! the same ledger and gives the same verdicts as the program does for a host.
//! An [`Agent`] is one run of an agent behind it: it asks before a tool runs,
//! tells how it went, and asks before it stops.
//!
//! ```no_run
//! use toolgate::{Answer, Gate, Tool};
//!
//! let mut gate = Gate::open(".")?;
//! let mut agent = gate.agent("session-1");
//! let push = Tool::shell("git push --force");
//! match agent.ask(&push)? {
//!     Answer::Run { .. } => { /* run it, then */ agent.succeeded(&push)?; }
//!     Answer::RunInstead { input, .. } => { let _run_this = input; }
//!     Answer::No { why, .. } => println!("{why}"),
//! }
//! # Ok::<(), toolgate::Broken>(())
//! ```
//!
//! Deliberately absent: waiting for a person. A call that needs one is answered
//! with no and the id of the request; asked again, exactly so, once the person
//! has said yes (`toolgate inbox`), it runs – once. Supervisors the person's own
//! policy names are asked before that, within their time.

mod agent;
mod tool;

pub use agent::{Agent, Answer, Gave};
pub use tool::Tool;

pub use toolgate_core::{
    Access, Call, Category, Decision, Event, EventKind, Facts, Finding, Guard, Kind, Method, Outcome,
    Prerequisite, Seen, Severity, Source, Verdict,
};
pub use toolgate_runtime::{Broken, Dirs};

use std::path::{Path, PathBuf};
use toolgate_runtime::{HostLimits, Setup, find_project};

/// The gate of one project.
#[derive(Debug)]
pub struct Gate {
    inner: toolgate_runtime::Gate,
    project: PathBuf,
}

impl Gate {
    /// Opens the gate of the project a folder belongs to, with the person's own
    /// configuration and ledger.
    ///
    /// # Errors
    /// If policy, ledger or key cannot be had: then nothing may run.
    pub fn open(folder: impl AsRef<Path>) -> Result<Gate, Broken> {
        Gate::open_in(Dirs::from_env(&|name| std::env::var(name).ok()), folder)
    }

    /// The same with folders of your choice, for tests and services.
    ///
    /// # Errors
    /// If policy, ledger or key cannot be had: then nothing may run.
    pub fn open_in(dirs: Dirs, folder: impl AsRef<Path>) -> Result<Gate, Broken> {
        let folder = std::path::absolute(folder.as_ref()).map_err(|error| {
            Broken::new(format!("the folder cannot be opened: {error}"), "use an existing folder")
        })?;
        let project = find_project(&folder);
        // Anyone who embeds the gate is the agent.
        let asked_by = Some(std::process::id());
        let setup = Setup {
            dirs,
            project: project.clone(),
            host_files: Vec::new(),
            agents: &[],
            usage: None,
            host: HostLimits::default(),
            asked_by,
        };
        let (inner, _) = toolgate_runtime::Gate::open(setup)?;
        Ok(Gate { inner, project })
    }

    /// The revision of the policy in force. It is read again before every call, so
    /// that a change of its files counts at once; a policy that does not load
    /// closes the gate until it is fixed.
    #[must_use]
    pub fn revision(&self) -> &str {
        self.inner.policy().revision()
    }

    /// The gate with a guard of your own. It can only make verdicts stricter.
    #[must_use]
    pub fn with_guard(self, guard: impl Guard + 'static) -> Gate {
        Gate { inner: self.inner.with_guard(Box::new(guard)), ..self }
    }

    /// One run of an agent. What it did before under the same name is known.
    pub fn agent(&mut self, session: &str) -> Agent<'_> {
        Agent::new(&mut self.inner, &self.project, session)
    }
}
