//! Latency of a hook call, from process start to exit with the decision
//! recorded, as a ratio to `/bin/true`.
//!
//! All variants run in random order in every round; each child gets the event
//! on stdin and is read to its end. A peer given with `--peer 'COMMAND'` gets
//! the same events.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use serde_json::json;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use toolgate_bench::{Dice, median, quantile, ratio};

const TRUE: &str = "/bin/true";

/// Ten lines as agents write them.
const COMPOUND: &str = "cd src && ls -la | grep foo
for f in *.rs; do wc -l \"$f\"; done
cargo test --workspace 2>&1 | tail -20
git add -A && git commit -m 'fix: the parser'
if [ -f notes.md ]; then cat notes.md; else echo none; fi
head=$(git rev-parse HEAD); echo \"$head\"
find . -name '*.tmp' -delete
sed -i 's/one/two/' lib.rs
npm run build > out.log 2>&1
echo done";

const EVENTS: &[(&str, &str)] =
    &[("benign", "ls -la src"), ("blocked", "git commit --no-verify -m x"), ("compound", COMPOUND)];

struct Variant {
    name: String,
    words: Vec<String>,
    input: String,
    samples: Vec<Duration>,
}

struct Options {
    toolgate: PathBuf,
    peers: Vec<String>,
    rounds: usize,
}

fn main() -> ExitCode {
    let Some(options) = options(std::env::args().skip(1)) else {
        eprintln!("usage: latency --toolgate PATH [--rounds 300] [--peer 'COMMAND' …]");
        return ExitCode::from(1);
    };
    match bench(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("latency: {error}");
            ExitCode::from(1)
        }
    }
}

fn options(mut words: impl Iterator<Item = String>) -> Option<Options> {
    let mut options = Options { toolgate: PathBuf::new(), peers: Vec::new(), rounds: 300 };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--toolgate" => options.toolgate = PathBuf::from(words.next()?),
            "--peer" => options.peers.push(words.next()?),
            "--rounds" => options.rounds = words.next()?.parse().ok()?,
            _ => return None,
        }
    }
    options.toolgate.is_file().then_some(options)
}

fn bench(options: &Options) -> std::io::Result<()> {
    let home = tempfile::tempdir()?;
    let project = home.path().join("project");
    std::fs::create_dir_all(project.join(".git"))?;
    let mut variants = variants(options, &project);
    let mut dice = Dice::new(20_261_115);
    // Once before the clock runs: caches warm, ledger made.
    for variant in &variants {
        run(variant, home.path(), &project)?;
    }
    for _ in 0..options.rounds {
        let mut order: Vec<usize> = (0..variants.len()).collect();
        dice.shuffle(&mut order);
        for at in order {
            if let Some(variant) = variants.get_mut(at) {
                let took = run(variant, home.path(), &project)?;
                variant.samples.push(took);
            }
        }
    }
    table(&variants);
    Ok(())
}

fn variants(options: &Options, project: &Path) -> Vec<Variant> {
    let one =
        |name: String, words: Vec<String>, input: String| Variant { name, words, input, samples: Vec::new() };
    let mut variants = vec![one(TRUE.to_owned(), vec![TRUE.to_owned()], String::new())];
    for (name, command) in EVENTS {
        let event = json!({
            "session_id": "bench", "transcript_path": "", "cwd": project, "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": { "command": command, "description": "bench" }, "tool_use_id": "bench"
        })
        .to_string();
        let words = [options.toolgate.display().to_string(), "hook".to_owned(), "claude-code".to_owned()];
        variants.push(one(format!("toolgate {name}"), words.to_vec(), event.clone()));
        for peer in &options.peers {
            let words = peer.split_whitespace().map(str::to_owned).collect();
            variants.push(one(format!("{peer} {name}"), words, event.clone()));
        }
    }
    variants
}

fn run(variant: &Variant, home: &Path, project: &Path) -> std::io::Result<Duration> {
    let (program, words) =
        variant.words.split_first().ok_or_else(|| std::io::Error::other("an empty command"))?;
    let mut command = Command::new(program);
    command
        .args(words)
        .current_dir(project)
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/local/bin:/usr/bin:/bin");
    command
        .env("CLAUDE_PROJECT_DIR", project)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let started = Instant::now();
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // `/bin/true` may be gone before it is written to.
        let _ = stdin.write_all(variant.input.as_bytes());
    }
    let mut answer = Vec::new();
    if let Some(stdout) = child.stdout.as_mut() {
        stdout.read_to_end(&mut answer)?;
    }
    child.wait()?;
    Ok(started.elapsed())
}

fn table(variants: &[Variant]) {
    let base = variants.first().map(|variant| median(&variant.samples)).unwrap_or_default();
    println!(
        "{:<40} {:>9} {:>12} {:>9} {:>9}",
        "what is started", "median ms", "x /bin/true", "p10 ms", "p90 ms"
    );
    for variant in variants {
        let middle = median(&variant.samples);
        let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
        println!(
            "{:<40} {:>9.2} {:>12.2} {:>9.2} {:>9.2}",
            variant.name,
            ms(middle),
            ratio(middle, base),
            ms(quantile(&variant.samples, 10)),
            ms(quantile(&variant.samples, 90))
        );
    }
}
