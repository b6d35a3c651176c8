//! The tests of this crate as one program, because each program is linked on its own; `differential` and `oracle`,
//! which need more than this crate, are programs of their own.

mod against_bash;
mod bash_findings;
mod bash_quirks;
mod choices;
mod disguised;
mod effects;
mod evasions;
mod fuzz_smoke;
mod kept_values;
mod languages;
mod limits;
mod listed;
mod more_program_effects;
mod more_starters;
mod normal;
mod parsing;
mod properties;
mod session_scripts;
mod sourced_env;
mod starters;
mod trusted_values;
mod values;
mod written_files;
