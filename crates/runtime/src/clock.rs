//! What time it is: what the machine says, but never earlier than the ledger has seen.
//!
//! A clock that was set back must not give back what was over: a grant, a request, the
//! minutes of a budget. Until it has caught up, time does not go on.

use crate::broken::Broken;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use toolgate_store::Store;

/// The latest time this process knows of.
static LATEST_MS: AtomicI64 = AtomicI64::new(i64::MIN);

/// Milliseconds since 1970.
#[must_use]
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let own = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    LATEST_MS.fetch_max(own, Ordering::Relaxed).max(own)
}

/// From now on it is no earlier than the newest record says.
pub(crate) fn follow(store: &dyn Store) -> Result<(), Broken> {
    if let Some(newest) = store.newest_ms()? {
        LATEST_MS.fetch_max(newest, Ordering::Relaxed);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_never_runs_backwards() {
        let earlier = now_ms();
        LATEST_MS.fetch_max(earlier.saturating_add(1_000), Ordering::Relaxed);
        assert!(now_ms() >= earlier.saturating_add(1_000));
    }
}
