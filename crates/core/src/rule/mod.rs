//! Rules: guards written as data in a policy file.
//!
//! `data` is the shape people write; `compiled` is the checked form that can
//! be asked; `matching`, `require` and `change` are the three things a rule
//! can do with a call. Adding a condition = one field in `data`, one check in
//! `compiled`, one line in `matching`.

mod change;
mod compiled;
mod data;
mod lazy;
mod literal;
mod matching;
mod names;
mod pattern;
mod require;

pub use compiled::{CompiledRule, RuleFault};
pub use data::{Change, CommandMatch, Examples, FileMatch, Match, Otherwise, Requirement, Rule, RuleKind};
pub(crate) use lazy::LazyRegex;
pub(crate) use literal::required_literals;
pub(crate) use matching::{beginning, is_like};
pub use names::Names;
pub(crate) use pattern::Pattern;
