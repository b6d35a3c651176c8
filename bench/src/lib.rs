//! What the benches share: medians, a seeded shuffle, and a call to judge.
//!
//! Speed is only ever stated as a ratio to something measured in the same
//! run, in random order: this machine's milliseconds mean nothing elsewhere.

use serde_json::json;
use std::time::Duration;
use toolgate_core::{
    Call, Decision, Disk, Event, EventKind, Facts, Kind, Pass, Places, Policy, Session, judge,
};

/// The middle one of some durations.
#[must_use]
pub fn median(samples: &[Duration]) -> Duration {
    quantile(samples, 50)
}

/// The duration that `percent` of the samples do not exceed.
#[must_use]
pub fn quantile(samples: &[Duration], percent: usize) -> Duration {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    let at = sorted.len().saturating_sub(1).saturating_mul(percent) / 100;
    sorted.get(at).copied().unwrap_or_default()
}

/// `a` in units of `b`.
#[must_use]
pub fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64().max(f64::MIN_POSITIVE)
}

/// A small generator: same seed, same order.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice that always fall the same way for one seed.
    #[must_use]
    pub fn new(seed: u64) -> Dice {
        Dice(seed.max(1))
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        // xorshift64: good enough to mix an order.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % limit.max(1)
    }

    /// Mixes a list.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            let other = self.below(at.saturating_add(1));
            items.swap(at, other);
        }
    }
}

/// The project all calls are made in.
#[must_use]
pub fn places() -> Places {
    Places { workspace: vec!["/project".to_owned()], ..Places::default() }
}

/// A shell call as a host would report it.
#[must_use]
pub fn shell_call(command: &str) -> Call {
    Call {
        host: "bench".to_owned(),
        session: "bench".to_owned(),
        agent: "main".to_owned(),
        role: None,
        task: None,
        id: None,
        tool: "Bash".to_owned(),
        kind: Kind::Shell { command: command.to_owned(), field: "command".to_owned() },
        input: json!({ "command": command }),
        dir: "/project".to_owned(),
        scripts: Vec::new(),
        salt: None,
        standing: None,
    }
}

/// Reads a call to its facts and judges it.
pub fn decide(policy: &Policy, call: Call, session: &Session) -> Decision {
    let places = places();
    let facts_of = |call: &Call| Facts::of(call, &places);
    let pass = Pass { facts_of: &facts_of, disk: Disk::BLIND, now_ms: 0, clock_us: &|| 0, suspended: &[] };
    judge(
        policy,
        &Event { kind: EventKind::PreExecution, call, log: None, output: None },
        session,
        &places,
        &pass,
    )
}
