//! Time and memory of reading a command to its facts: typical commands, a
//! 10 KB script, and the worst shapes known, from 1 KB to 1 MB.
//!
//!   reading [--all]        the tables; `--all` shows every shape
//!   reading --typical      only the first table, for a profiler or a hurry
//!   reading --gate         exit code 1 when a limit is broken
//!   reading --repeat WHAT ROUNDS   nothing but facts, for `bench/instructions`:
//!                          WHAT is the number of a typical command, or the size of a script
//!   reading --one N SIZE   one shape once, for `valgrind --tool=callgrind`
//!
//! Milliseconds of this machine mean little elsewhere; the column to read is
//! "growth": time per byte at 1 MB over time per byte at 32 KB.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod shapes;

use shapes::{SHAPES, TYPICAL, script, shape};
use std::hint::black_box;
use std::time::{Duration, Instant};
use toolgate_bench::{median, places, ratio, shell_call};
use toolgate_core::Facts;
use toolgate_shell::{ReadContext, read};

const SMALL: usize = 32 << 10;
const LARGE: usize = 1 << 20;
const TYPICAL_US_MAX: f64 = 10.0;
const SCRIPT_US_MAX: f64 = 1_000.0;
const LARGE_MS_MAX: f64 = 50.0;
const MEMORY_MB_MAX: u64 = 64;

fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["--one", number, size] = words.as_slice() {
        one(number.parse().unwrap_or(0), size.parse().unwrap_or(SMALL));
        return std::process::ExitCode::SUCCESS;
    }
    if let ["--repeat", what, rounds] = words.as_slice() {
        repeat(what, rounds.parse().unwrap_or(1));
        return std::process::ExitCode::SUCCESS;
    }
    let mut broken = typical();
    if !words.contains(&"--typical") {
        broken.extend(worst(words.contains(&"--all")));
    }
    for line in &broken {
        println!("over the limit: {line}");
    }
    let failed = words.contains(&"--gate") && !broken.is_empty();
    if failed { std::process::ExitCode::FAILURE } else { std::process::ExitCode::SUCCESS }
}

fn facts_time(command: &str, rounds: usize) -> Duration {
    let (places, call) = (places(), shell_call(command));
    let mut samples = Vec::new();
    for _ in 0..rounds {
        let started = Instant::now();
        black_box(Facts::of(black_box(&call), &places));
        samples.push(started.elapsed());
    }
    median(&samples)
}

fn read_time(source: &str, rounds: usize) -> Duration {
    let setting = ReadContext {
        home: Some("/home/u".to_owned()),
        pwd: Some("/project".to_owned()),
        ..ReadContext::default()
    };
    let mut samples = Vec::new();
    for _ in 0..rounds {
        let started = Instant::now();
        black_box(read(black_box(source), &setting));
        samples.push(started.elapsed());
    }
    median(&samples)
}

fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Typical commands and the script; returns what broke its limit.
fn typical() -> Vec<String> {
    let mut broken = Vec::new();
    println!("{:>10} {:>10}  command", "read µs", "facts µs");
    for command in TYPICAL {
        let (read, facts) = (us(read_time(command, 2_000)), us(facts_time(command, 2_000)));
        println!("{read:>10.2} {facts:>10.2}  {}", command.lines().next().unwrap_or(""));
        if facts > TYPICAL_US_MAX {
            broken.push(format!("{facts:.1} µs: {command}"));
        }
    }
    let script = script(10 << 10);
    let (read, facts) = (us(read_time(&script, 200)), us(facts_time(&script, 200)));
    println!("{read:>10.2} {facts:>10.2}  a script of {} bytes", script.len());
    if facts > SCRIPT_US_MAX {
        broken.push(format!("{facts:.0} µs: the 10 KB script"));
    }
    println!();
    broken
}

struct Row {
    name: String,
    times: Vec<Duration>,
    growth: f64,
    memory_mb: u64,
}

/// Every shape at growing sizes, slowest first; returns what broke its limit.
fn worst(all: bool) -> Vec<String> {
    let mut rows: Vec<Row> = (0..SHAPES.len()).map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.times.last().copied()));
    println!("{:>10} {:>10} {:>10} {:>7} {:>7}  shape", "1 KB µs", "32 KB ms", "1 MB ms", "growth", "MB");
    for row in rows.iter().take(if all { usize::MAX } else { 20 }) {
        let times: Vec<f64> = row.times.iter().map(|time| us(*time)).collect();
        if let [tiny, small, large] = times.as_slice() {
            println!(
                "{tiny:>10.1} {:>10.2} {:>10.2} {:>7.2} {:>7}  {}",
                small / 1e3,
                large / 1e3,
                row.growth,
                row.memory_mb,
                row.name
            );
        }
    }
    let slow = |row: &Row| row.times.iter().any(|time| time.as_secs_f64() * 1e3 > LARGE_MS_MAX);
    rows.iter()
        .filter(|row| slow(row) || row.memory_mb > MEMORY_MB_MAX)
        .map(|row| format!("{} ({} MB)", row.name, row.memory_mb))
        .collect()
}

fn row(number: usize) -> Row {
    let times: Vec<Duration> = [(1 << 10, 20), (SMALL, 5), (LARGE, 3)]
        .iter()
        .map(|(size, rounds)| read_time(&shape(number, *size), *rounds))
        .collect();
    let growth = match times.as_slice() {
        [_, small, large] => ratio(*large, *small) / 32.0,
        _ => 0.0,
    };
    let name = SHAPES
        .get(number)
        .map(|(head, open, mid, close)| format!("{number}: {head:?} {open:?}… {mid:?} {close:?}…"));
    Row { name: name.unwrap_or_default(), times, growth, memory_mb: memory_mb(number) }
}

/// Peak memory of a process that reads the shape at 1 MB once, beyond that of
/// one that reads next to nothing.
fn memory_mb(number: usize) -> u64 {
    let peak = |size: usize| -> u64 {
        let Ok(program) = std::env::current_exe() else { return 0 };
        let output = std::process::Command::new(program)
            .args(["--one", &number.to_string(), &size.to_string()])
            .output();
        let text =
            output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        text.lines().find_map(|line| line.strip_prefix("kB ")?.parse().ok()).unwrap_or(0)
    };
    peak(LARGE).saturating_sub(peak(64)) / 1024
}

/// Reads one thing again and again. The difference of two numbers of rounds is
/// free of everything else the process does.
fn repeat(what: &str, rounds: usize) {
    let number: usize = what.parse().unwrap_or(0);
    let text = TYPICAL.get(number).map_or_else(|| script(number), |command| (*command).to_owned());
    let (places, call) = (places(), shell_call(&text));
    for _ in 0..rounds {
        black_box(Facts::of(black_box(&call), &places));
    }
}

fn one(number: usize, size: usize) {
    let source = shape(number, size);
    let setting = ReadContext {
        home: Some("/home/u".to_owned()),
        pwd: Some("/project".to_owned()),
        ..ReadContext::default()
    };
    let reading = read(&source, &setting);
    println!("commands {} opaque {} fault {:?}", reading.commands.len(), reading.opaque.len(), reading.fault);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("");
    println!("kB {}", peak.trim().trim_end_matches(" kB"));
}
