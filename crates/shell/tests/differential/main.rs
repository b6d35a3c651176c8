//! Real bash as the judge of what runs: scripts are run where every program is
//! a stub that notes its name and arguments, and each of them must be in our
//! list. Reading too much is allowed, missing one is a bug.
//!
//! `TOOLGATE_DIFF_SCRIPTS=50000` sets how many, `TOOLGATE_DIFF_SEED` which.
//! Nothing can get out: the path holds only bash itself, every other name ends
//! in a handler, and the scripts are made of the words in `grammar.rs`.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    reason = "this test runs the real bash"
)]

mod grammar;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use grammar::{Dice, Maker};
use toolgate_shell::{Reading, Setting, read};

const HANDLER: &str = "() { printf '%s\\0' \"$#\" \"$@\" >>\"$NOTED\"; return 1; }";
const BASH: &str = "/bin/bash";

/// A folder with bash under two names and nothing else.
struct Jail {
    place: PathBuf,
}

impl Jail {
    fn new(number: usize) -> Option<Jail> {
        let place = std::env::temp_dir().join(format!("toolgate-diff-{}-{number}", std::process::id()));
        for folder in ["bin", "logs", "work"] {
            std::fs::create_dir_all(place.join(folder)).ok()?;
        }
        for name in ["bash", "sh"] {
            let _ = std::os::unix::fs::symlink(BASH, place.join("bin").join(name));
        }
        Path::new(BASH).exists().then_some(Jail { place })
    }

    /// Every command bash starts, with its arguments.
    fn runs(&self, source: &str, number: usize) -> Vec<Vec<String>> {
        let log = self.place.join("logs").join(number.to_string());
        let status = Command::new(BASH)
            .args(["--norc", "-O", "extglob", "-c", &format!("ulimit -t 1 -f 64\n{source}")])
            .current_dir(self.place.join("work"))
            .env_clear()
            .env("PATH", self.place.join("bin"))
            .env("HOME", "/home/u")
            .env("BASH_FUNC_command_not_found_handle%%", HANDLER)
            .env("NOTED", &log)
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let noted = std::fs::read(&log).unwrap_or_default();
        let _ = std::fs::remove_file(&log);
        let noted = String::from_utf8_lossy(&noted).into_owned();
        let mut fields = noted.split_terminator('\0').map(str::to_string);
        let mut calls = Vec::new();
        while let Some(count) = fields.next().and_then(|count| count.parse::<usize>().ok()) {
            calls.push(fields.by_ref().take(count).collect());
        }
        if status.is_ok() { calls } else { Vec::new() }
    }
}

impl Drop for Jail {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.place);
    }
}

/// Is this one of the names the grammar makes?
fn is_name(word: &str) -> bool {
    word.strip_prefix('p')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Is the call in the list, under its name and with its words where we say we know them?
fn is_listed(reading: &Reading, call: &[String]) -> bool {
    let Some(name) = call.first() else { return true };
    // Bash 5.2 prints `$(coproc a)` as `$(coproc COPROC a)` and reads it anew;
    // to a shell called `sh`, `time` before `-p` is a program, which we open.
    // To bash, `time -x` runs a program called `-x`; to others it is the program.
    if matches!(name.as_str(), "COPROC" | "time") || name.starts_with('-') {
        return true;
    }
    let same =
        |command: &&toolgate_shell::Command| command.words.first().is_some_and(|word| word.text == *name);
    reading.commands.iter().filter(same).any(|command| {
        let exact = command.words.iter().all(|word| word.exact && !word.glob);
        // Bash 5.2 loses a `;` behind a here-document when it prints `$(…)` to
        // read it anew: the next command becomes an argument.
        let lost = call.iter().skip(1).any(|word| word == "time" || is_name(word));
        !exact || lost || command.words.iter().map(|word| &word.text).eq(call)
    })
}

/// What bash ran of `source` that we did not list; `None` where we say
/// ourselves that we cannot tell.
fn missed(jail: &Jail, source: &str, number: usize) -> Option<Vec<Vec<String>>> {
    let source = format!("{source}\nwait\n");
    let setting = Setting { home: Some("/home/u".to_string()), ..Setting::default() };
    let reading = read(&source, &setting);
    // With `extglob` this is a pattern even where a command stands; without it
    // (as usual) it is a subshell, and that is how we read it.
    let pattern = source.contains("!(");
    if pattern || reading.fault.is_some() || !reading.opaque.is_empty() {
        return None;
    }
    let calls = jail.runs(&source, number);
    Some(calls.into_iter().filter(|call| !is_listed(&reading, call)).collect())
}

fn setting_of(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[derive(Default)]
struct Tally {
    told: usize,
    failures: Vec<String>,
}

fn compare(seed: u64, next: &AtomicUsize, count: usize, thread: usize) -> Tally {
    let mut tally = Tally::default();
    let Some(jail) = Jail::new(thread) else { return tally };
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= count {
            return tally;
        }
        let mut dice = Dice::new(seed.wrapping_mul(1_000_003).wrapping_add(number as u64));
        let source = Maker::new(&mut dice).script();
        if let Some(missed) = missed(&jail, &source, number) {
            tally.told += 1;
            if !missed.is_empty() {
                tally.failures.push(format!("script {number}: bash runs {missed:?} of\n{source}\n"));
            }
        }
    }
}

#[test]
fn every_command_bash_runs_is_listed() {
    if !Path::new(BASH).exists() {
        eprintln!("SKIPPED: no bash on this machine, nothing was compared");
        return;
    }
    let count =
        setting_of("TOOLGATE_DIFF_SCRIPTS").and_then(|count| usize::try_from(count).ok()).unwrap_or(2_000);
    // Fixed, so that a change and not the time of day decides whether it passes.
    let seed = setting_of("TOOLGATE_DIFF_SEED").unwrap_or(1);
    let next = AtomicUsize::new(0);
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let next = &next;
        let handles: Vec<_> =
            (0..2).map(|thread| scope.spawn(move || compare(seed, next, count, thread))).collect();
        handles.into_iter().filter_map(|handle| handle.join().ok()).collect()
    });
    let told: usize = tallies.iter().map(|tally| tally.told).sum();
    let mut failures: Vec<&String> = tallies.iter().flat_map(|tally| &tally.failures).collect();
    failures.sort_by_key(|text| text.len());
    eprintln!("seed {seed}: {count} scripts, {told} told, {} with a command missed", failures.len());
    assert!(told * 2 > count, "seed {seed}: only {told} of {count} scripts were told");
    assert!(
        failures.is_empty(),
        "seed {seed}: {} scripts with a command missed\n{}",
        failures.len(),
        failures.iter().take(40).map(|text| text.as_str()).collect::<Vec<_>>().join("\n")
    );
}
