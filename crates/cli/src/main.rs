//! The `toolgate` binary. `hook` is looked at before the command line is
//! parsed: it runs on every tool call and must cost nothing else.

#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)), no_main)]
// Printing is this crate's work.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod card;
mod desk;
mod explanation;
mod failure;
mod hook;
mod inbox_screen;
mod installer;
mod installs;
mod mcp;
mod project;
mod proof;
mod reach;
mod reference;
mod screen;
mod verbs;
mod wiring;

toolgate_runtime::start!(run);

fn run() -> std::process::ExitCode {
    let mut words = std::env::args_os();
    let (_, verb, name, more) = (words.next(), words.next(), words.next(), words.next());
    if verb.is_none_or(|verb| verb != "hook") {
        return verbs::run();
    }
    match (name.as_ref().and_then(|name| name.to_str()), more) {
        (Some("--help" | "-h"), None) => verbs::run(),
        (Some(name), None) => hook::run(name),
        // A wrong call of the hook is answered too: the usage text would let the host go on.
        (_, more) => {
            let all: Vec<_> = [name, more].into_iter().flatten().collect();
            hook::run(&all.join(" ".as_ref()).to_string_lossy())
        }
    }
}
