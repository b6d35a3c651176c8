//! A policy in its place: enough to judge, nothing to record with.
//!
//! `toolgate test` and the gate use the same scene, so a trial and the real
//! thing cannot differ.

use crate::branch::{beginning, branch_of};
use crate::cache::{CacheState, Sources};
use crate::clock::now_ms;
use crate::config::setting;
use crate::copy_targets::without_impossible;
use crate::dirs::Dirs;
use crate::kept::PooledPolicy;
use crate::new_files::with_new_files;
use crate::own_work::OwnWork;
use crate::patched::with_patched_files;
use crate::places::{RealPaths, places_of, with_other_case, with_real_paths, with_real_places};
use crate::timed_guard::TimedGuard;
use crate::unguarded::why_unguarded;
use crate::unsaved::with_unsaved;
use crate::untracked::with_taken_files;
use crate::yaml::PolicyFault;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use toolgate_core::{
    Access, AgentProgram, Call, Decision, Delivery, Disk, Event, EventKind, Explained, Facts, Guard, Pass,
    Place, Places, Policy, Session, UsageReader, explain, is_within, judge,
};

/// Most of a file a guard is shown.
pub(crate) const TEXT_MAX: u64 = 64 << 10;

/// How far the clock on the wall is ahead of UTC, where the machine says it.
pub(crate) fn offset_minutes() -> Option<i32> {
    let zone = jiff::tz::TimeZone::try_system().ok()?;
    Some(zone.to_offset(jiff::Timestamp::now()).seconds() / 60)
}

/// What a gate is made from.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The folders.
    pub dirs: Dirs,
    /// The project guarded.
    pub project: PathBuf,
    /// Files of host programs that must not change.
    pub host_files: Vec<PathBuf>,
    /// The host programs themselves.
    pub agents: &'static [&'static AgentProgram],
    /// How the host's own log is read, if it keeps one.
    pub usage: Option<UsageReader>,
    /// What the host the calls come from can do.
    pub host: HostLimits,
    /// The process a question comes from, itself or through those above it; looked
    /// at only when someone is asked.
    pub asked_by: Option<u32>,
}

/// What bounds how a host is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostLimits {
    /// It asks its person when it is told to; where not, such a call is held instead.
    pub asks: bool,
    /// Seconds a call can be held before the host goes on without an answer.
    pub hold_seconds: u32,
}

impl Default for HostLimits {
    fn default() -> HostLimits {
        HostLimits { asks: true, hold_seconds: u32::MAX }
    }
}

/// A policy and the places it speaks of.
#[derive(Debug)]
pub struct Scene {
    policy: Policy,
    /// What it was made from; empty if not from files.
    key: String,
    setup: Setup,
    places: Places,
    started: Instant,
    /// What commands said before the agent stops: they are asked before a transaction begins.
    pub(crate) unfinished: BTreeMap<String, String>,
}

/// A call as it was read, with the links followed for it.
#[derive(Debug)]
pub struct Glance {
    /// What it would do.
    pub facts: Facts,
    links: RealPaths,
}

impl Glance {
    /// The links followed so far.
    pub(crate) fn links(&self) -> &RealPaths {
        &self.links
    }
}

impl Scene {
    /// The scene of a project.
    ///
    /// # Errors
    /// Everything wrong with the policy files.
    pub fn open(setup: &Setup) -> Result<(Scene, CacheState), Vec<PolicyFault>> {
        let sources = Sources::read(&setup.dirs, &setup.project)?;
        let (policy, state) = sources.policy(&setup.dirs, &setup.project)?;
        Ok((Scene { key: sources.key, ..Scene::of(setup, policy) }, state))
    }

    /// The same with a policy kept from an earlier call, if it is still the one
    /// the files say.
    pub(crate) fn open_again(setup: &Setup, kept: Option<PooledPolicy>) -> Result<Scene, Vec<PolicyFault>> {
        let sources = Sources::read(&setup.dirs, &setup.project)?;
        let policy = match kept.filter(|kept| kept.key == sources.key) {
            Some(kept) => kept.policy,
            None => sources.policy(&setup.dirs, &setup.project)?.0,
        };
        Ok(Scene { key: sources.key, ..Scene::of(setup, policy) })
    }

    /// The policy for the next call; `None` if it is of no use there.
    pub(crate) fn into_kept(self) -> Option<PooledPolicy> {
        let Scene { key, policy, setup, .. } = self;
        (!key.is_empty()).then_some(PooledPolicy { project: setup.project, key, policy })
    }

    /// The scene of a policy got elsewhere.
    #[must_use]
    pub fn of(setup: &Setup, policy: Policy) -> Scene {
        let places = places_of(setup, &policy, &RealPaths::default());
        Scene {
            policy,
            key: String::new(),
            setup: setup.clone(),
            places,
            started: Instant::now(),
            unfinished: BTreeMap::new(),
        }
    }

    /// The same scene under the policy the files say now.
    pub(crate) fn refreshed(&mut self) -> Result<(), Vec<PolicyFault>> {
        let sources = Sources::read(&self.setup.dirs, &self.setup.project)?;
        if sources.key != self.key {
            let (policy, _) = sources.policy(&self.setup.dirs, &self.setup.project)?;
            self.key = sources.key;
            let policy = policy.in_place_of(&mut self.policy);
            self.places = places_of(&self.setup, &policy, &RealPaths::default());
            self.policy = policy;
        }
        self.started = Instant::now();
        Ok(())
    }

    pub(crate) fn with_guard(self, guard: Box<dyn Guard>) -> Scene {
        let guard = TimedGuard::of(guard, self.setup.clone());
        Scene { policy: self.policy.with_guard(Box::new(guard)), ..self }
    }

    pub(crate) fn asked_by(&self) -> Option<u32> {
        self.setup.asked_by
    }

    /// The policy in force.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// How a request reaches a person on this host.
    pub(crate) fn delivery(&self) -> Delivery {
        match self.policy.review().delivery {
            Delivery::Ask | Delivery::Defer if !self.setup.host.asks => Delivery::Hold,
            delivery => delivery,
        }
    }

    /// How long a call is held on this host.
    pub(crate) fn hold_seconds(&self) -> u32 {
        self.policy.review().hold_seconds.min(self.setup.host.hold_seconds)
    }

    /// What a call would do, symlinks followed.
    #[must_use]
    pub fn facts(&self, call: &Call) -> Facts {
        self.facts_through(call, &RealPaths::default())
    }

    fn facts_through(&self, call: &Call, links: &RealPaths) -> Facts {
        let facts = with_taken_files(Facts::of(call, &self.places), &self.setup);
        let facts = with_patched_files(facts, &call.dir);
        let facts = with_other_case(with_real_paths(facts, links), &self.places);
        with_new_files(without_impossible(facts), &self.places)
    }

    /// Reads a call once, before it is judged.
    #[must_use]
    pub fn glance(&self, call: &Call) -> Glance {
        let links = RealPaths::default();
        Glance { facts: self.facts_through(call, &links), links }
    }

    /// The same with the work the call would lose, but for what the session made itself.
    pub(crate) fn with_unsaved(&self, glance: Glance, call: &Call, own: &mut OwnWork<'_>) -> Glance {
        let Glance { facts, links } = glance;
        Glance { facts: with_unsaved(facts, &call.dir, &self.places, &links, own), links }
    }

    /// The same where no session is known.
    fn full_glance(&self, event: &Event) -> Glance {
        let glance = self.glance(&event.call);
        match event.kind {
            EventKind::PreExecution => self.with_unsaved(glance, &event.call, &mut OwnWork::default()),
            _ => glance,
        }
    }

    /// What the guards say about an event.
    pub fn look(&self, event: &Event, session: &Session) -> Decision {
        self.look_again(event, session, self.full_glance(event))
    }

    /// What the guards say about an event whose call has been read.
    pub fn look_again(&self, event: &Event, session: &Session, glance: Glance) -> Decision {
        self.look_past(event, session, glance, &[])
    }

    /// The same without guardrails a person has suspended for this call.
    pub(crate) fn look_past(
        &self,
        event: &Event,
        session: &Session,
        glance: Glance,
        suspended: &[String],
    ) -> Decision {
        self.with_pass(event, glance, suspended, |places, pass| {
            judge(&self.policy, event, session, places, pass)
        })
    }

    /// The files whose locks must be known to judge a call.
    pub(crate) fn asks_locks(&self, call: &Call, glance: &Glance) -> Vec<String> {
        self.policy.asks_locks(call, &glance.facts, &self.places)
    }

    /// The same, with every pass and the bytes that caused each finding.
    #[must_use]
    pub fn explain(&self, event: &Event, session: &Session) -> Explained {
        let glance = self.full_glance(event);
        self.with_pass(event, glance, &[], |places, pass| explain(&self.policy, event, session, places, pass))
    }

    fn with_pass<T>(
        &self,
        event: &Event,
        glance: Glance,
        suspended: &[String],
        judge: impl FnOnce(&Places, &Pass<'_>) -> T,
    ) -> T {
        let clock_us = || u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let Glance { facts: first, links } = glance;
        let places = self.places_for(&first, &links);
        // Read once; a rewritten call is read again.
        let first = Cell::new(Some(first));
        let facts_of = |call: &Call| match first.take() {
            Some(facts) if *call == event.call => facts,
            // Who made what is lost by a rewritten call was not looked up.
            _ => {
                let facts = self.facts_through(call, &links);
                with_unsaved(facts, &call.dir, &self.places, &links, &mut OwnWork::default())
            }
        };
        let is_there = |name: &str| self.is_there(name);
        let text = |path: &str| beginning(Path::new(path), TEXT_MAX);
        let branch = |folder: &str| branch_of(folder);
        let offset_minutes = || offset_minutes();
        let is_incomplete = |command: &str| self.unfinished.get(command).cloned();
        let setting = |name: &str| setting(&self.setup.project, self.policy.settings(), name);
        let home = self.setup.dirs.home.as_deref();
        let unguarded = |agent: &AgentProgram, folder: &str| why_unguarded(agent, home, Path::new(folder));
        let agents = self.setup.agents;
        let disk = Disk {
            is_there: &is_there,
            text: &text,
            branch: &branch,
            setting: &setting,
            is_incomplete: &is_incomplete,
            offset_minutes: &offset_minutes,
            agents,
            unguarded: &unguarded,
        };
        let pass = Pass { facts_of: &facts_of, disk, now_ms: now_ms(), clock_us: &clock_us, suspended };
        judge(&places, &pass)
    }

    /// Whether a file is there, by a path seen from the project.
    #[must_use]
    pub fn is_there(&self, name: &str) -> Option<bool> {
        self.setup.project.join(name).try_exists().ok()
    }

    /// Whether a file belongs to the workspace.
    pub(crate) fn is_ours(&self, path: &str) -> bool {
        self.places.holds(Place::Workspace, path)
    }

    /// Whether a path lies below the workspace or a folder for throw-away files, and is
    /// none of them itself.
    pub(crate) fn is_below(&self, path: &str) -> bool {
        let Places { workspace, temp, .. } = &self.places;
        let inside = workspace.iter().chain(temp).any(|top| is_within(path, top) && top != path);
        // The workspace itself may lie in such a folder.
        inside && !workspace.iter().any(|top| is_within(top, path))
    }

    /// Where the gate's own files really are takes many looks at the file
    /// system; only a call that changes files needs them.
    fn places_for(&self, facts: &Facts, links: &RealPaths) -> Places {
        let changes = facts.files.iter().any(|file| file.access != Access::Read);
        if changes { with_real_places(&self.places, links) } else { self.places.clone() }
    }
}
