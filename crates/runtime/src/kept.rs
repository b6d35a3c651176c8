//! Policies kept ready by a process that lives longer than one call: their rules
//! are read and compiled already.
//!
//! INVARIANT: a kept one is used only where every file a policy is read from holds
//! the very bytes it was made from. Those are read again for each call.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use toolgate_core::Policy;

/// Kept at most; the one that waited longest goes.
const KEPT_MAX: usize = 16;

/// A policy and what it was made from.
#[derive(Debug)]
pub(crate) struct PooledPolicy {
    pub project: PathBuf,
    pub key: String,
    pub policy: Policy,
}

/// The pool.
#[derive(Debug, Default)]
pub struct Policies {
    idle: Mutex<Vec<PooledPolicy>>,
}

impl Policies {
    /// One of a project, if there is one; whether it still holds is for the taker
    /// to find out.
    pub(crate) fn take(&self, project: &Path) -> Option<PooledPolicy> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.iter().rposition(|kept| kept.project == project)?;
        Some(idle.remove(at))
    }

    /// Keeps it for the next call.
    pub(crate) fn give(&self, kept: PooledPolicy) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() >= KEPT_MAX {
            idle.remove(0);
        }
        idle.push(kept);
    }
}
