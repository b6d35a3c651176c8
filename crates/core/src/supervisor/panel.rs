//! Whom to ask next, and what the answers come to: a pure step at a time.
//!
//! The runtime asks, waits and tells what came; this module decides. Nothing
//! that is missing counts as a yes, and of several answers a no is never
//! outvoted by silence.

use crate::supervisor::data::{SupervisorRole, Together};
use crate::supervisor::health::Health;
use crate::supervisor::opinion::{Judgement, Opinion};

/// Most supervisors asked about one question.
const ASKED_MAX: usize = 5;

/// The next one is asked when the first takes longer than this, or than thrice
/// what it usually takes.
const HEDGE_MIN_MS: u64 = 2_000;

/// A supervisor that could be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// Where it is in the chain.
    pub role: SupervisorRole,
    /// How long one answer may take.
    pub limit_ms: u64,
    /// What the records say of it.
    pub health: Health,
    /// Whether it is left alone for now: it counts among those who decide
    /// together, and says nothing.
    pub away: bool,
}

/// The order of asking: by role, then by how soon and how surely an answer
/// comes, then by name; those to be left alone last. They stay in the list: what
/// needs all of them does not get easier when one is missing.
#[must_use]
pub fn in_asking_order(mut all: Vec<Candidate>, now_ms: i64) -> Vec<Candidate> {
    for one in &mut all {
        one.away = one.health.is_open(now_ms) || one.health.drifts();
    }
    all.sort_by_key(|one| (one.away, one.role, one.health.weight(now_ms), one.name.clone()));
    all.truncate(ASKED_MAX);
    all
}

/// What asking one supervisor gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PanelReply {
    /// An answer.
    Opinion(Opinion),
    /// No usable answer: down, late, malformed, or no budget left.
    None,
}

/// What the answers come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// It may run, once.
    Approved {
        /// Who said so.
        by: Vec<String>,
    },
    /// It must not run.
    Rejected {
        /// Who said so.
        by: Vec<String>,
    },
    /// It may run as this one wants it, once that has been judged.
    Modified {
        /// Who wants it.
        by: String,
    },
    /// A person must look.
    Person,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PanelStep {
    /// Ask this one.
    Ask(String),
    /// Wait for an answer, at most until then.
    Wait {
        /// In milliseconds since asking began.
        until_ms: u64,
    },
    /// Done.
    Done(Settled),
}

/// One question and everybody who is asked about it. Times are milliseconds
/// since asking began.
#[derive(Debug, Clone)]
pub struct Panel {
    together: Together,
    confidence_percent: u8,
    limit_ms: u64,
    members: Vec<Member>,
}

#[derive(Debug, Clone)]
struct Member {
    candidate: Candidate,
    asked_ms: Option<u64>,
    came: Option<PanelReply>,
}

impl Member {
    /// When its time is over.
    fn until_ms(&self) -> Option<u64> {
        self.asked_ms.map(|at| at.saturating_add(self.candidate.limit_ms))
    }

    fn is_waited_for(&self, now_ms: u64) -> bool {
        self.came.is_none() && self.until_ms().is_some_and(|until| now_ms < until)
    }

    /// When another one is asked next to it.
    fn hedge_ms(&self) -> Option<u64> {
        let usual = self.candidate.health.latency_ms.saturating_mul(3).max(HEDGE_MIN_MS);
        self.asked_ms.map(|at| at.saturating_add(usual.min(self.candidate.limit_ms)))
    }
}

impl Panel {
    /// Of these, in this order.
    #[must_use]
    pub fn new(
        together: Together,
        confidence_percent: u8,
        limit_ms: u64,
        candidates: Vec<Candidate>,
    ) -> Panel {
        let member = |candidate: Candidate| {
            let came = candidate.away.then_some(PanelReply::None);
            Member { candidate, asked_ms: None, came }
        };
        Panel {
            together,
            confidence_percent,
            limit_ms,
            members: candidates.into_iter().map(member).collect(),
        }
    }

    /// Someone has been asked.
    pub fn asked(&mut self, name: &str, now_ms: u64) {
        if let Some(member) = self.member(name) {
            member.asked_ms = Some(now_ms);
        }
    }

    /// Something came of it. Only the first word of each counts, and none that
    /// comes after its time.
    pub fn record(&mut self, name: &str, came: PanelReply, now_ms: u64) {
        let limit_ms = self.limit_ms;
        if let Some(member) = self.member(name).filter(|member| member.came.is_none()) {
            let late = now_ms >= limit_ms || member.until_ms().is_none_or(|until| now_ms >= until);
            member.came = Some(if late { PanelReply::None } else { came });
        }
    }

    fn member(&mut self, name: &str) -> Option<&mut Member> {
        self.members.iter_mut().find(|member| member.candidate.name == name)
    }

    /// Those asked whose time is over at `now_ms`.
    #[must_use]
    pub fn overdue(&self, now_ms: u64) -> Vec<String> {
        let late = |member: &&Member| {
            member.came.is_none() && member.until_ms().is_some_and(|until| now_ms >= until.min(self.limit_ms))
        };
        self.members.iter().filter(late).map(|member| member.candidate.name.clone()).collect()
    }

    /// What to do at `now_ms`.
    #[must_use]
    pub fn next(&self, now_ms: u64) -> PanelStep {
        if let Some(settled) = self.settled() {
            return PanelStep::Done(settled);
        }
        if now_ms >= self.limit_ms {
            return PanelStep::Done(Settled::Person);
        }
        let waited: Vec<&Member> = self.members.iter().filter(|one| one.is_waited_for(now_ms)).collect();
        let unasked = self.members.iter().find(|member| member.asked_ms.is_none() && member.came.is_none());
        if let Some(member) = unasked.filter(|_| self.may_ask_more(&waited, now_ms)) {
            return PanelStep::Ask(member.candidate.name.clone());
        }
        if waited.is_empty() {
            return PanelStep::Done(Settled::Person);
        }
        let ends = waited.iter().filter_map(|member| member.until_ms());
        let hedges = waited
            .iter()
            .filter_map(|member| member.hedge_ms())
            .filter(|at| unasked.is_some() && *at > now_ms);
        let until_ms = ends.chain(hedges).min().unwrap_or(self.limit_ms).min(self.limit_ms);
        PanelStep::Wait { until_ms }
    }

    /// All at once where several decide; else the next when the one before is
    /// slow or has not decided.
    fn may_ask_more(&self, waited: &[&Member], now_ms: u64) -> bool {
        match self.together {
            Together::FirstConfident => {
                waited.iter().all(|member| member.hedge_ms().is_some_and(|at| now_ms >= at))
            }
            Together::Majority | Together::Unanimous => true,
        }
    }

    fn sure(&self) -> impl Iterator<Item = (&str, Judgement)> {
        self.members.iter().filter_map(|member| match &member.came {
            Some(PanelReply::Opinion(opinion)) if opinion.confidence_percent >= self.confidence_percent => {
                Some((member.candidate.name.as_str(), opinion.decision))
            }
            _ => None,
        })
    }

    fn who(&self, wanted: Judgement) -> Vec<String> {
        self.sure().filter(|(_, said)| *said == wanted).map(|(name, _)| name.to_owned()).collect()
    }

    fn settled(&self) -> Option<Settled> {
        let (yes, no) = (self.who(Judgement::Approve), self.who(Judgement::Reject));
        let all = self.members.len();
        let is_over = self.members.iter().all(|member| member.came.is_some());
        match self.together {
            // Of two answers that are there at once the stricter one counts.
            Together::FirstConfident if !no.is_empty() => Some(Settled::Rejected { by: no }),
            Together::FirstConfident => match (self.who(Judgement::Modify).first(), yes.is_empty()) {
                (Some(by), _) => Some(Settled::Modified { by: by.clone() }),
                (None, false) => Some(Settled::Approved { by: yes }),
                (None, true) => is_over.then_some(Settled::Person),
            },
            Together::Majority if no.len() * 2 > all => Some(Settled::Rejected { by: no }),
            Together::Majority if yes.len() * 2 > all => Some(Settled::Approved { by: yes }),
            Together::Unanimous if !no.is_empty() => Some(Settled::Rejected { by: no }),
            Together::Unanimous if all > 0 && yes.len() == all => Some(Settled::Approved { by: yes }),
            Together::Majority | Together::Unanimous => is_over.then_some(Settled::Person),
        }
    }
}
