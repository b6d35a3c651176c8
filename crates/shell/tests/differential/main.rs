//! Real bash as the judge of what runs: scripts are run where every program is
//! a stub that notes its name and arguments, and each of them must be in our
//! list. Reading too much is allowed, missing one is a bug.
//!
//! `TOOLGATE_DIFF_SCRIPTS=50000` sets how many, `TOOLGATE_DIFF_SEED` which;
//! `TOOLGATE_DIFF_ONLY=17,4711` runs those alone.
//! Nothing can get out: the path holds only bash itself, every other name ends
//! in a handler, and the scripts are made of the words in `grammar.rs`.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    reason = "this test runs the real bash"
)]

mod corpus;
mod given;
mod grammar;
mod jail;
mod shapes;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use grammar::{Dice, Maker};
use jail::{BASH, Jail};
use toolgate_shell::{ReadContext, Reading, Unknown, read};

/// Words that open a command, to bash.
const RESERVED: [&str; 10] = ["!", "{", "[[", "if", "while", "until", "for", "select", "case", "function"];

/// Is the call in the list, under its name and with its words where we say we know them?
fn is_listed(reading: &Reading, call: &[String]) -> bool {
    let Some(name) = call.first() else { return true };
    // Bash 5.2 prints `$(coproc a)` as `$(coproc COPROC a)` and reads it anew;
    // to a shell called `sh`, `time` before `-p` is a program, which we open.
    // To bash, `time -x` runs a program called `-x`; to others it is the program.
    if matches!(name.as_str(), "COPROC" | "time") || name.starts_with('-') {
        return true;
    }
    // Behind an `eval` whose text lacks a quote, bash takes a reserved word for a
    // program; we read what stands behind it as usual.
    let lacks_quote = reading.opaque.iter().any(|opaque| opaque.kind == Unknown::Syntax);
    if lacks_quote && RESERVED.contains(&name.as_str()) {
        return true;
    }
    // A name in part unknown (`echo$X`) is listed by the part in front.
    let named = |word: &toolgate_shell::Word| {
        let front = word.text.split('$').next().unwrap_or_default();
        // In the jail a `sh` is a bash that calls itself `bash`.
        let own = word.text.contains("sh") && word.text == name.replace("bash", "sh");
        word.text == *name || own || !word.exact && !front.is_empty() && name.starts_with(front)
    };
    let same = |command: &&toolgate_shell::Command| command.words.first().is_some_and(named);
    // Where the text given to a shell is not known for sure, neither are words in it.
    let guessed = |command: &toolgate_shell::Command| {
        let outer = |one: &toolgate_shell::Command| command.via.contains(&one.program);
        reading.commands.iter().any(|one| outer(one) && one.words.iter().any(|word| !word.exact))
    };
    reading.commands.iter().map(AsRef::as_ref).filter(same).any(|command| {
        let exact = command.words.iter().all(|word| word.exact && !word.glob) && !guessed(command);
        // We show the options a program takes from a variable among its words.
        let given = matches!(name.as_str(), "tar" | "gtar") && command.words.len() > call.len();
        !exact || given || command.words.iter().map(|word| &word.text).eq(call)
    })
}

/// Why nothing can be said about a script.
fn untold(source: &str, reading: &Reading) -> Option<String> {
    // With `extglob` this is a pattern even where a command stands; without it
    // (as usual) it is a subshell, and that is how we read it.
    if source.contains("!(") {
        return Some("a pattern where a command stands".to_string());
    }
    if let Some(fault) = reading.fault.as_ref().filter(|fault| fault.kind == Unknown::Limit) {
        return Some(format!("limit: {}", fault.message));
    }
    // Text for a shell that has mistakes is refused by that shell, too.
    let opaque = reading.opaque.iter().find(|opaque| opaque.kind != Unknown::Syntax)?;
    Some(opaque.kind.name().to_string())
}

fn setting_of(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[derive(Default)]
struct Tally {
    told: usize,
    calls: usize,
    failures: Vec<String>,
    untold: BTreeMap<String, usize>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.told += other.told;
        self.calls += other.calls;
        self.failures.extend(other.failures);
        for (why, count) in other.untold {
            *self.untold.entry(why).or_default() += count;
        }
    }

    /// Compares one script. What is read up to a mistake in the text is all
    /// that bash runs of it, so texts with mistakes are compared as well.
    fn compare(&mut self, jail: &mut Jail, source: &str, number: usize) {
        let text = format!("{source}\nwait\n");
        let setting = ReadContext { home: Some("/home/u".to_string()), ..ReadContext::default() };
        let reading = read(&text, &setting);
        if let Some(why) = untold(&text, &reading) {
            *self.untold.entry(why).or_default() += 1;
            return;
        }
        let ran = jail.runs(&text, number);
        if ran.hung {
            *self.untold.entry("does not end".to_string()).or_default() += 1;
        }
        self.told += 1;
        self.calls += ran.calls.len();
        let missed: Vec<_> = ran.calls.iter().filter(|call| !is_listed(&reading, call)).collect();
        if !missed.is_empty() {
            let failure = format!("script {number}: bash runs {missed:?} of\n{source}\n");
            // Said at once: a long run may be ended before its end.
            eprintln!("{failure}");
            self.failures.push(failure);
        }
    }
}

fn compare(seed: u64, next: &AtomicUsize, numbers: &[usize], thread: usize) -> Tally {
    let mut tally = Tally::default();
    let Some(mut jail) = Jail::new(thread) else { return tally };
    loop {
        let Some(number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)).copied() else { return tally };
        let mut dice = Dice::new(seed.wrapping_mul(1_000_003).wrapping_add(number as u64));
        let source = Maker::new(&mut dice).script();
        tally.compare(&mut jail, &source, number);
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
    let only = std::env::var("TOOLGATE_DIFF_ONLY").unwrap_or_default();
    let mut numbers: Vec<usize> = only.split(',').filter_map(|number| number.parse().ok()).collect();
    if numbers.is_empty() {
        numbers.extend(0..count);
    }
    let next = AtomicUsize::new(0);
    let mut all = Tally::default();
    std::thread::scope(|scope| {
        let (next, numbers) = (&next, &numbers);
        let handles: Vec<_> =
            (0..2).map(|thread| scope.spawn(move || compare(seed, next, numbers, thread))).collect();
        handles.into_iter().filter_map(|handle| handle.join().ok()).for_each(|tally| all.add(tally));
    });
    let told = all.told;
    let count = numbers.len();
    report(&format!("seed {seed}"), count, all);
    assert!(told * 10 > count * 9, "seed {seed}: only {told} of {count} scripts were told");
}

/// Says what was compared, and fails where something was missed.
fn report(what: &str, count: usize, tally: Tally) {
    let Tally { told, calls, mut failures, untold } = tally;
    failures.sort_by_key(String::len);
    eprintln!(
        "{what}: {count} scripts, {told} told with {calls} calls, {} with a command missed",
        failures.len()
    );
    for (why, count) in &untold {
        eprintln!("  {count} not told: {why}");
    }
    assert!(
        failures.is_empty(),
        "{what}: {} scripts with a command missed\n{}",
        failures.len(),
        failures.iter().take(40).map(String::as_str).collect::<Vec<_>>().join("\n")
    );
}
