//! The ledger as the verbs use it that only read: they work without a policy that
//! loads, and say in one line that it is broken.

use crate::failure::asks_for_json;
use crate::project;
use crate::screen::{YELLOW, styled, talk, visible};
use crate::verbs::Failure;
use serde_json::json;
use toolgate_core::Policy;
use toolgate_runtime::{Broken, Desk, Loaded, PolicyFault, Setup, load, load_readable};

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
            warn(faults);
            None
        }
    }
}

/// What can be read of the policy, with a warning if that is not all of it.
pub fn readable_policy(setup: &Setup) -> Result<Loaded, Failure> {
    let (loaded, faults) = load_readable(&setup.dirs, &setup.project);
    let Some(loaded) = loaded else { return Err(Failure::of_broken_policy(&faults)) };
    if !faults.is_empty() {
        warn(faults);
    }
    Ok(loaded)
}

/// One line on stderr, which a program can read too.
fn warn(faults: Vec<PolicyFault>) {
    let Broken { what, cure } = Broken::from(faults);
    let what = format!("every call is blocked: {what}");
    if asks_for_json() {
        talk(&json!({ "warning": what, "help": cure }).to_string());
    } else {
        talk(&format!("{} {}", styled(YELLOW, "warning:"), visible(&what)));
    }
}
