//! Rules: guards written as data in a policy file.
//!
//! `data` is the shape people write; `compiled` is the checked form that can
//! be asked; `matching`, `require` and `change` are the three things a rule
//! can do with a call. Adding a condition = one field in `data`, one check in
//! `compiled`, one line in `matching`.

mod change;
mod compiled;
mod context;
mod data;
mod delay;
mod effects;
mod hosts;
mod lazy;
mod literal;
mod matching;
mod message;
mod names;
mod overlap;
mod pattern;
mod pattern_fault;
mod require;
mod sequence;
mod specific;

pub use compiled::{CompiledRule, RuleFault};
pub use context::When;
pub use data::{Change, CommandMatch, Examples, FileMatch, Match, Otherwise, Requirement, Rule, RuleKind};
pub use delay::Delay;
pub(crate) use delay::waiting;
pub(crate) use effects::{TO_HOSTS, kinds_of};
pub use hosts::HostMatch;
pub(crate) use lazy::LazyRegex;
pub(crate) use literal::required_literals;
pub(crate) use matching::{beginning, has_flag, is_like};
pub use names::Names;
pub(crate) use overlap::{can_hold, overlap};
pub(crate) use pattern::{Pattern, spread};
pub(crate) use pattern_fault::PatternFault;
pub use sequence::After;
pub(crate) use specific::most_specific;

/// Whether a file pattern means a path.
#[must_use]
pub fn path_fits(pattern: &str, path: &str) -> bool {
    fast_glob::glob_match(pattern, path)
}

pub(crate) use sequence::{earlier_rules, is_earlier};
