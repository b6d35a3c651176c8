//! The ledger as the verbs use it that only read: they work without a policy that
//! loads, and say in one line that it is broken.

use crate::project;
use crate::screen::{YELLOW, styled, talk, visible};
use crate::verbs::Failure;
use toolgate_core::Policy;
use toolgate_runtime::{Broken, Desk, Setup, load};

/// The ledger, with a warning if the policy of this project is broken.
pub fn open() -> Result<Desk, Failure> {
    let setup = project::here();
    policy_or_warn(&setup);
    Ok(Desk::open(&setup.dirs)?)
}

/// The policy in force, or a warning that there is none.
pub fn policy_or_warn(setup: &Setup) -> Option<Policy> {
    match load(&setup.dirs, &setup.project) {
        Ok((policy, _)) => Some(policy),
        Err(faults) => {
            let what = visible(&Broken::from(faults).what);
            talk(&format!("{} every call is blocked: {what}", styled(YELLOW, "warning:")));
            None
        }
    }
}
