//! How the program starts.
//!
//! A hook is started for every tool call, and what Rust's own start does before
//! `main` – above all reading `/proc/self/maps`, to be able to say "stack overflow"
//! before it dies of one – is a tenth of a warm call. Here `main` is what the C
//! library calls, and does the two things of it that matter: nothing opened later
//! becomes stdin, stdout or stderr, and a reader that is gone or a file that may not
//! grow is an error, not the end of the process.
//!
//! INVARIANT: the only place with `unsafe` in it (the tidy test looks). The macro
//! gives a function its C name and ignores two signals; it touches no memory.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use std::os::fd::IntoRawFd;
use std::panic::{UnwindSafe, catch_unwind};
use std::process::ExitCode;

/// What Rust's own start makes of a panic that reaches it.
const PANICKED: u8 = 101;

/// Makes a function without arguments the program's `main`. The crate has to say
/// `no_main` where this does: on Linux with glibc, outside of its unit tests.
#[macro_export]
macro_rules! start {
    ($run:path) => {
        #[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
        // SAFETY: no other function of this name is linked: the crate says `no_main`.
        #[unsafe(no_mangle)]
        extern "C" fn main() -> ::std::ffi::c_int {
            unsafe extern "C" {
                fn signal(number: ::std::ffi::c_int, what: usize) -> usize;
            }
            const SIGPIPE: ::std::ffi::c_int = 13;
            const SIGXFSZ: ::std::ffi::c_int = 25;
            const SIG_IGN: usize = 1;
            // SAFETY: ignoring a signal installs no handler; no other thread runs yet.
            unsafe { signal(SIGPIPE, SIG_IGN) };
            // Where files may not grow, a write that fails is answered; a process that dies is not.
            // SAFETY: as above.
            unsafe { signal(SIGXFSZ, SIG_IGN) };
            $crate::started($run)
        }

        #[cfg(not(all(target_os = "linux", target_env = "gnu", not(test))))]
        fn main() -> ::std::process::ExitCode {
            $run()
        }
    };
}

/// Runs the program from its C start to its end.
pub fn started(run: impl FnOnce() -> ExitCode + UnwindSafe) -> ! {
    keep_standard_streams();
    let code = catch_unwind(run).map_or(PANICKED, number);
    // Not a plain return: this is what writes out what was printed.
    std::process::exit(i32::from(code))
}

/// Fills stdin, stdout and stderr where the caller closed them: the next file
/// opened would take the place, and the ledger would be printed into.
fn keep_standard_streams() {
    let streams = [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()];
    let mut asked = streams.each_ref().map(|stream| PollFd::new(stream, PollFlags::empty()));
    let looked = poll(&mut asked, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    let closed = asked.iter().filter(|stream| stream.revents().contains(PollFlags::NVAL)).count();
    for _ in 0..if looked.is_ok() { closed } else { 0 } {
        // The lowest free number is taken each time. Not for writing: what is said
        // to no one must fail, so that no answer is lost in silence.
        match open("/dev/null", OFlags::RDONLY, Mode::empty()) {
            Ok(stream) => drop(stream.into_raw_fd()),
            Err(_) => std::process::abort(),
        }
    }
}

/// The number of an exit code; std tells it only to itself.
fn number(code: ExitCode) -> u8 {
    (0..=u8::MAX).find(|number| ExitCode::from(*number) == code).unwrap_or(1)
}
