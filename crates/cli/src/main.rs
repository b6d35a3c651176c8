//! The `toolgate` binary. `hook` is looked at before the command line is
//! parsed: it runs on every tool call and must cost nothing else.

// Printing is this crate's work.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod explanation;
mod failure;
mod hook;
mod installs;
mod project;
mod reach;
mod reference;
mod screen;
mod verbs;

fn main() -> std::process::ExitCode {
    let words: Vec<std::ffi::OsString> = std::env::args_os().skip(1).take(3).collect();
    match words.as_slice() {
        [verb, help] if verb == "hook" && (help == "--help" || help == "-h") => verbs::run(),
        // A wrong call of the hook is answered too: the usage text would let the host go on.
        [verb, rest @ ..] if verb == "hook" => hook::run(&rest.join(" ".as_ref()).to_string_lossy()),
        _ => verbs::run(),
    }
}
