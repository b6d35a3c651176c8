//! Interpreters of other languages, and the options that carry their programs.

use crate::name_filter::NameFilter;
use crate::programs::is_named;

/// Options that carry program text, per interpreter.
const INTERPRETERS: &[(&str, &[&str])] = &[
    ("python", &["-c"]),
    ("pypy", &["-c"]),
    ("perl", &["-e", "-E"]),
    ("ruby", &["-e"]),
    ("node", &["-e", "--eval", "-p", "--print"]),
    ("nodejs", &["-e", "--eval", "-p", "--print"]),
    ("bun", &["-e", "--eval"]),
    ("deno", &["eval"]),
    ("php", &["-r"]),
    ("tsx", &["-e", "--eval", "-p", "--print"]),
    ("ts-node", &["-e", "--eval", "-p", "--print"]),
    ("lua", &["-e"]),
    ("luajit", &["-e"]),
    ("osascript", &["-e"]),
    ("Rscript", &["-e"]),
    ("R", &["-e"]),
    ("julia", &["-e", "--eval", "-E", "--print"]),
    ("swift", &["-e"]),
    ("octave", &["--eval"]),
    ("matlab", &["-batch", "-r"]),
    ("gnuplot", &["-e"]),
    ("crystal", &["eval"]),
    ("elixir", &["-e", "--eval"]),
    ("erl", &["-eval"]),
    ("raku", &["-e"]),
    ("ghc", &["-e"]),
    ("ocaml", &["-e"]),
    ("awk", &[""]),
    ("gawk", &[""]),
    ("mawk", &[""]),
    ("nawk", &[""]),
];

static HEADS: NameFilter = name_filter();

const fn name_filter() -> NameFilter {
    let (mut all, mut rows) = (NameFilter::NONE, INTERPRETERS);
    while let [(name, _), more @ ..] = rows {
        all = all.with(name);
        rows = more;
    }
    all
}

/// The interpreter a program name represents: `python3.12` is `python`.
pub(super) fn interpreter(program: &str) -> Option<&'static (&'static str, &'static [&'static str])> {
    let bare = program.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.');
    if !HEADS.may_hold(bare) && !HEADS.may_hold(program) {
        return None;
    }
    INTERPRETERS.iter().find(|(name, _)| is_named(name, bare) || is_named(name, program))
}

/// The language a program of this name runs.
pub(super) fn name_of(program: &str) -> Option<&'static str> {
    interpreter(program).map(|(name, _)| *name)
}
