//! Reads a shell command to *what it would do*.
//!
//! Text goes in; a [`Reading`] comes out: every simple command bash could
//! start, the wrappers around it opened, its words sorted by the model of its
//! program, and its effects. Reading is total (no input fails or panics),
//! linear in time, and bounded in depth and size.
//!
//! Deliberately absent: files, processes, environment, clock – and opinions.
//! Whether an effect is welcome is for the guards in `toolgate-core`.

mod aims;
mod edit;
mod effect_kind;
mod expand;
mod losses;
mod name_filter;
mod normal;
mod one_or_many;
mod options;
mod outline;
mod output;
mod parse;
mod powershell;
mod programs;
mod reading;
mod scope;
mod stream;
mod surely;
mod tree;
mod walk;
mod wrappers;

pub use aims::aims;
pub use effect_kind::EffectKind;
pub use losses::{Loss, is_copier};
pub use outline::{Outline, outline};
pub use powershell::read_powershell;
pub use programs::{
    Connection, Reach, canonical_flag, canonical_sub, connection, find_flag, given_port, has_other_spellings,
    hosts_in_code, identity, is_group, is_known, is_path, is_subcommand, is_surely_subcommand,
    known_commands, known_flags, known_subcommands, other_first_words, patched_files, reach_of, shows_files,
};
pub use reading::{
    Assignment, Command, Effect, Fault, Flag, Opaque, ReadContext, Reading, Redirect, RedirectKind,
    SavedWork, Span, Unknown, Usage, Word,
};
pub use smol_str::{SmolStr, SmolStrBuilder};
pub use surely::surely_ran;
pub use walk::is_clean_path;
pub use wrappers::is_interpreter;

/// Longer text than this is not read. Files are written by here-documents of any size.
const SOURCE_MAX: usize = 4 << 20;

/// Reads `source` as bash would, in `setting`.
#[must_use]
pub fn read(source: &str, setting: &ReadContext) -> Reading {
    if source.len() > SOURCE_MAX {
        let fault = Fault {
            span: Span::default(),
            message: "longer than a command may be".to_string(),
            kind: Unknown::Limit,
        };
        return Reading { fault: Some(fault), ..Reading::default() };
    }
    let parsed = parse::parse(source, None, 0);
    let mut reading = walk::walk(&parsed.list, source, setting);
    // Too much to follow weighs more than a mistake in the text: what was not
    // followed would have run before the mistake.
    let is_limit = |fault: &Fault| fault.kind == Unknown::Limit;
    reading.fault = match reading.fault {
        Some(fault) if is_limit(&fault) => Some(fault),
        other => parsed.fault.or(other),
    };
    reading
}
