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
mod own;
mod tool;

pub use agent::{Agent, Answer, Gave};
pub use own::{Completed, CompletionChecker, PolicyDecision, ToolPolicy, ToolValidator, ValidationResult};
pub use tool::Tool;

pub use toolgate_core::{
    Access, Call, Category, Decision, Event, EventKind, Facts, Finding, Guard, Kind, Mark, Method, Outcome,
    Prerequisite, Seen, Session, Severity, Source, Urgency, Verdict,
};
pub use toolgate_runtime::{Broken, Dirs, FeedbackContext, FeedbackProvider, Guidance, RecentCall};

use own::{CheckerGuard, PolicyGuard, ValidatorGuard};
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

    /// The gate with a policy of your own, which also sees how calls ended.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicBool, Ordering};
    /// use toolgate::{Call, Dirs, Gate, PolicyDecision, Session, Tool, ToolPolicy};
    ///
    /// /// Deploys only after the tests have passed.
    /// struct TestsFirst(AtomicBool);
    ///
    /// impl ToolPolicy for TestsFirst {
    ///     fn name(&self) -> &str {
    ///         "tests-first"
    ///     }
    ///     fn check(&self, call: &Call, _: &Session) -> PolicyDecision {
    ///         match call.title().contains("deploy") && !self.0.load(Ordering::SeqCst) {
    ///             true => PolicyDecision::Deny("the tests have not passed yet".to_owned()),
    ///             false => PolicyDecision::Allow,
    ///         }
    ///     }
    ///     fn on_result(&self, call: &Call, succeeded: bool, _: Option<&serde_json::Value>) {
    ///         if call.title() == "make test" {
    ///             self.0.store(succeeded, Ordering::SeqCst);
    ///         }
    ///     }
    /// }
    ///
    /// # let home = tempfile::tempdir().unwrap();
    /// # let home = home.path().display().to_string();
    /// # let dirs = Dirs::from_env(&|name| (name == "HOME").then(|| home.clone()));
    /// let mut gate = Gate::open_in(dirs, &home)?.with_policy(TestsFirst(AtomicBool::new(false)));
    /// let mut agent = gate.agent("session-1");
    /// let (test, deploy) = (Tool::shell("make test"), Tool::shell("make deploy"));
    /// assert!(agent.ask(&deploy)?.is_no());
    /// agent.failed(&test, "1 test failed")?;
    /// assert!(agent.ask(&deploy)?.is_no());
    /// agent.succeeded(&test)?;
    /// assert!(!agent.ask(&deploy)?.is_no());
    /// # Ok::<(), toolgate::Broken>(())
    /// ```
    #[must_use]
    pub fn with_policy(self, policy: impl ToolPolicy + 'static) -> Gate {
        self.with_guard(PolicyGuard(policy))
    }

    /// The gate with a validator of your own.
    ///
    /// ```
    /// use toolgate::{Answer, Call, Dirs, Gate, Session, Tool, ToolValidator, ValidationResult};
    ///
    /// struct NoLocalhost;
    ///
    /// impl ToolValidator for NoLocalhost {
    ///     fn id(&self) -> &str {
    ///         "no-localhost"
    ///     }
    ///     fn applies_to(&self, call: &Call) -> bool {
    ///         call.title().contains("localhost:3000")
    ///     }
    ///     fn validate(&self, _: &Call, _: &Session) -> ValidationResult {
    ///         ValidationResult::Block { reason: "Request targets localhost:3000".to_owned() }
    ///     }
    ///     fn suggest_alternatives(&self, _: &Call) -> Vec<String> {
    ///         vec!["Check connection configuration".to_owned()]
    ///     }
    /// }
    ///
    /// # let home = tempfile::tempdir().unwrap();
    /// # let home = home.path().display().to_string();
    /// # let dirs = Dirs::from_env(&|name| (name == "HOME").then(|| home.clone()));
    /// let mut gate = Gate::open_in(dirs, &home)?.with_validator(NoLocalhost);
    /// let answer = gate.agent("session-1").ask(&Tool::shell("curl http://localhost:3000"))?;
    /// let Answer::No { why, .. } = answer else { panic!("{answer:?}") };
    /// assert!(why.contains("Request targets localhost:3000") && why.contains("Check connection configuration"));
    /// # Ok::<(), toolgate::Broken>(())
    /// ```
    #[must_use]
    pub fn with_validator(self, validator: impl ToolValidator + 'static) -> Gate {
        self.with_guard(ValidatorGuard(validator))
    }

    /// The gate with a checker of your own that says whether an agent may stop.
    ///
    /// ```
    /// use toolgate::{Answer, Call, Completed, CompletionChecker, Dirs, Gate, Session};
    ///
    /// struct ThreeCalls;
    ///
    /// impl CompletionChecker for ThreeCalls {
    ///     fn name(&self) -> &str {
    ///         "three-calls"
    ///     }
    ///     fn check(&self, session: &Session, _stop: &Call) -> Completed {
    ///         match session.calls {
    ///             3.. => Completed::Ok,
    ///             done => Completed::Incomplete(format!("{} of 3 steps are done", done)),
    ///         }
    ///     }
    /// }
    ///
    /// # let home = tempfile::tempdir().unwrap();
    /// # let home = home.path().display().to_string();
    /// # let dirs = Dirs::from_env(&|name| (name == "HOME").then(|| home.clone()));
    /// let mut gate = Gate::open_in(dirs, &home)?.with_checker(ThreeCalls);
    /// let answer = gate.agent("session-1").ask_to_stop()?;
    /// assert!(matches!(answer, Answer::No { why, .. } if why.contains("0 of 3 steps are done")));
    /// # Ok::<(), toolgate::Broken>(())
    /// ```
    #[must_use]
    pub fn with_checker(self, checker: impl CompletionChecker + 'static) -> Gate {
        self.with_guard(CheckerGuard(checker))
    }

    /// The gate with a source of feedback of your own: what it says, the agent hears after a call.
    ///
    /// ```
    /// use toolgate::{Dirs, FeedbackContext, FeedbackProvider, Gate, Guidance, Tool};
    ///
    /// struct Repeats;
    ///
    /// impl FeedbackProvider for Repeats {
    ///     fn name(&self) -> &str {
    ///         "Repeats"
    ///     }
    ///     fn should_run(&self, context: &FeedbackContext<'_>) -> bool {
    ///         context.calls_since_last() >= 2
    ///     }
    ///     fn provide(&self, context: &FeedbackContext<'_>) -> Option<Guidance> {
    ///         let again = context.recent.len() > 1 && context.recent.windows(2).all(|two| two[0] == two[1]);
    ///         again.then(|| Guidance { text: "You repeat yourself.".to_owned(), ..Guidance::default() })
    ///     }
    /// }
    ///
    /// # let home = tempfile::tempdir().unwrap();
    /// # let home = home.path().display().to_string();
    /// # let dirs = Dirs::from_env(&|name| (name == "HOME").then(|| home.clone()));
    /// let mut gate = Gate::open_in(dirs, &home)?.with_feedback(Repeats);
    /// let mut agent = gate.agent("session-1");
    /// let call = Tool::shell("ls");
    /// let _ = agent.ask(&call)?;
    /// assert_eq!(agent.succeeded(&call)?, None);
    /// let _ = agent.ask(&call)?;
    /// let said = agent.succeeded(&call)?;
    /// assert_eq!(said.as_deref(), Some("<feedback provider='Repeats'>\nYou repeat yourself.\n</feedback>"));
    /// assert_eq!(agent.succeeded(&call)?, None, "it has spoken");
    /// # Ok::<(), toolgate::Broken>(())
    /// ```
    #[must_use]
    pub fn with_feedback(self, provider: impl FeedbackProvider + 'static) -> Gate {
        Gate { inner: self.inner.with_feedback(Box::new(provider)), ..self }
    }

    /// One run of an agent. What it did before under the same name is known.
    pub fn agent(&mut self, session: &str) -> Agent<'_> {
        Agent::new(&mut self.inner, &self.project, session)
    }
}
