//! A guard that was added to the gate, in a thread of its own: one that never answers is
//! left behind when its time is over, and the call is blocked.
//!
//! The guards of the gate itself end by what they are made of and are asked directly.

use crate::branch::{beginning, branch_of};
use crate::config::setting;
use crate::scene::{Setup, TEXT_MAX, offset_minutes};
use crate::unguarded::why_unguarded;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::Duration;
use toolgate_core::{
    AgentProgram, Autonomy, Call, Category, Disk, Event, Facts, Finding, GUARD_MAX_US, Guard, Places, Seen,
    Session, Settings, too_slow,
};

/// See the module.
pub(crate) struct TimedGuard {
    id: String,
    priority: u32,
    category: Category,
    looks_after: bool,
    questions: Sender<Question>,
    /// It has not ended what it was asked last.
    is_busy: Arc<AtomicBool>,
}

/// All a guard is asked with, on its own: it may be held longer than the call lasts.
struct Question {
    what: What,
    answer: Sender<Answer>,
}

enum What {
    Asks(Box<(Call, Facts, Settings)>),
    Judge(Box<Kept>),
}

enum Answer {
    Marks(Vec<String>),
    Finding(Option<Finding>),
    Panic(Box<dyn Any + Send>),
}

/// What [`Seen`] shows, kept.
struct Kept {
    event: Event,
    facts: Facts,
    session: Session,
    settings: Settings,
    now_ms: i64,
    places: Places,
    autonomy: Autonomy,
    tight: bool,
}

impl TimedGuard {
    pub(crate) fn of(guard: Box<dyn Guard>, setup: Setup) -> TimedGuard {
        let (id, priority, category) = (guard.id().to_owned(), guard.priority(), guard.category());
        let looks_after = guard.looks_after();
        let (questions, asked) = channel();
        let is_busy = Arc::new(AtomicBool::new(false));
        let busy = Arc::clone(&is_busy);
        // Without a thread nothing is answered, and that blocks.
        let _ =
            Builder::new().name(id.clone()).spawn(move || answer_all(guard.as_ref(), &setup, &asked, &busy));
        TimedGuard { id, priority, category, looks_after, questions, is_busy }
    }

    /// The answer in time; none if there is none.
    fn ask(&self, what: What) -> Option<Answer> {
        if self.is_busy.swap(true, Ordering::SeqCst) {
            return None;
        }
        let (answer, answered) = channel();
        let _ = self.questions.send(Question { what, answer });
        match answered.recv_timeout(Duration::from_micros(GUARD_MAX_US)) {
            Ok(answer) => Some(answer),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Answer::Panic(Box::new("its thread is gone"))),
        }
    }
}

impl Guard for TimedGuard {
    fn id(&self) -> &str {
        &self.id
    }

    fn priority(&self) -> u32 {
        self.priority
    }

    fn category(&self) -> Category {
        self.category
    }

    fn looks_after(&self) -> bool {
        self.looks_after
    }

    fn asks(&self, call: &Call, facts: &Facts, settings: &Settings) -> Vec<String> {
        let what = What::Asks(Box::new((call.clone(), facts.clone(), settings.clone())));
        match self.ask(what) {
            Some(Answer::Marks(marks)) => marks,
            // Asked to judge, it says so.
            _ => Vec::new(),
        }
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        let Seen { event, facts, session, settings, now_ms, places, autonomy, tight, .. } = *seen;
        let (event, facts, session) = (event.clone(), facts.clone(), session.clone());
        let (settings, places) = (settings.clone(), places.clone());
        let kept = Kept { event, facts, session, settings, now_ms, places, autonomy, tight };
        match self.ask(What::Judge(Box::new(kept))) {
            Some(Answer::Finding(finding)) => finding,
            // As if it had been asked here.
            Some(Answer::Panic(payload)) => resume_unwind(payload),
            Some(Answer::Marks(_)) | None => Some(too_slow(&self.id)),
        }
    }
}

fn answer_all(guard: &dyn Guard, setup: &Setup, asked: &Receiver<Question>, is_busy: &AtomicBool) {
    while let Ok(Question { what, answer }) = asked.recv() {
        let found = catch_unwind(AssertUnwindSafe(|| match what {
            What::Asks(call) => Answer::Marks(guard.asks(&call.0, &call.1, &call.2)),
            What::Judge(kept) => Answer::Finding(judged(guard, &kept, setup)),
        }));
        is_busy.store(false, Ordering::SeqCst);
        // The call may be over by now.
        let _ = answer.send(found.unwrap_or_else(Answer::Panic));
    }
}

fn judged(guard: &dyn Guard, kept: &Kept, setup: &Setup) -> Option<Finding> {
    let home = setup.dirs.home.as_deref();
    let is_there = |name: &str| setup.project.join(name).try_exists().ok();
    let text = |path: &str| beginning(Path::new(path), TEXT_MAX);
    let branch = |folder: &str| branch_of(folder);
    let unguarded = |agent: &AgentProgram, folder: &str| why_unguarded(agent, home, Path::new(folder));
    let disk = Disk {
        is_there: &is_there,
        text: &text,
        branch: &branch,
        is_incomplete: &|command| Some(format!("`{command}` was not asked")),
        setting: &|name| setting(&setup.project, &kept.settings, name),
        offset_minutes: &offset_minutes,
        agents: setup.agents,
        unguarded: &unguarded,
    };
    guard.judge(&Seen {
        event: &kept.event,
        facts: &kept.facts,
        session: &kept.session,
        settings: &kept.settings,
        now_ms: kept.now_ms,
        disk,
        places: &kept.places,
        autonomy: kept.autonomy,
        tight: kept.tight,
    })
}
