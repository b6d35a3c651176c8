//! Latency of a hook call, from process start to exit with the decision
//! recorded, as a ratio to `/bin/true`.
//!
//! All variants run in random order in every round; each child gets the event
//! on stdin and is read to its end. A peer given with `--peer 'COMMAND'` gets
//! the same events. With `--warm` every event is also handed to a running
//! `toolgate serve`, in a home of its own.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use serde_json::json;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
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
    /// Which home it runs in.
    home: usize,
    words: Vec<String>,
    input: String,
    samples: Vec<Duration>,
}

struct Options {
    toolgate: PathBuf,
    peers: Vec<String>,
    rounds: usize,
    warm: bool,
}

/// A home, and the server in it if there is one; that ends with the bench.
struct Home {
    folder: tempfile::TempDir,
    server: Option<Child>,
}

impl Home {
    fn new(server: Option<&Path>) -> std::io::Result<Home> {
        let mut home = Home { folder: tempfile::tempdir()?, server: None };
        std::fs::create_dir_all(home.project().join(".git"))?;
        if let Some(program) = server {
            let mut command = scrubbed(program, &home);
            command.args(["serve", "--listen", "127.0.0.1:0", "--json"]).stdout(Stdio::piped());
            let mut child = command.stderr(Stdio::null()).spawn()?;
            // It has said where it is once everything listens.
            let mut line = [0; 1];
            child.stdout.as_mut().ok_or_else(|| std::io::Error::other("no stdout"))?.read_exact(&mut line)?;
            home.server = Some(child);
        }
        Ok(home)
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if let Some(server) = &mut self.server {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

/// A command in a home, with nothing of the outer environment.
fn scrubbed(program: &Path, home: &Home) -> Command {
    let mut command = Command::new(program);
    command.current_dir(home.project()).env_clear();
    command.env("HOME", home.folder.path()).env("PATH", "/usr/local/bin:/usr/bin:/bin");
    command.env("CLAUDE_PROJECT_DIR", home.project());
    command
}

fn main() -> ExitCode {
    let Some(options) = options(std::env::args().skip(1)) else {
        eprintln!("usage: latency --toolgate PATH [--rounds 300] [--warm] [--peer 'COMMAND' …]");
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
    let mut options = Options { toolgate: PathBuf::new(), peers: Vec::new(), rounds: 300, warm: false };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--toolgate" => options.toolgate = PathBuf::from(words.next()?),
            "--peer" => options.peers.push(words.next()?),
            "--warm" => options.warm = true,
            "--rounds" => options.rounds = words.next()?.parse().ok()?,
            _ => return None,
        }
    }
    options.toolgate.is_file().then_some(options)
}

fn bench(options: &Options) -> std::io::Result<()> {
    let mut homes = vec![Home::new(None)?];
    if options.warm {
        homes.push(Home::new(Some(&options.toolgate))?);
    }
    let mut variants = variants(options, &homes);
    let mut dice = Dice::new(20_261_115);
    // Once before the clock runs: caches warm, ledger made.
    for variant in &variants {
        run(variant, &homes)?;
    }
    for _ in 0..options.rounds {
        let mut order: Vec<usize> = (0..variants.len()).collect();
        dice.shuffle(&mut order);
        for at in order {
            if let Some(variant) = variants.get_mut(at) {
                let took = run(variant, &homes)?;
                variant.samples.push(took);
            }
        }
    }
    table(&variants);
    Ok(())
}

fn variants(options: &Options, homes: &[Home]) -> Vec<Variant> {
    let one = |name: String, home: usize, words: Vec<String>, input: String| Variant {
        name,
        home,
        words,
        input,
        samples: Vec::new(),
    };
    let mut variants = vec![one(TRUE.to_owned(), 0, vec![TRUE.to_owned()], String::new())];
    for (name, command) in EVENTS {
        let event = |home: &Home| {
            json!({
            "session_id": "bench", "transcript_path": "/nowhere.jsonl", "cwd": home.project(), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": { "command": command, "description": "bench" }, "tool_use_id": "bench"
        })
        .to_string()
        };
        let words = [options.toolgate.display().to_string(), "hook".to_owned(), "claude-code".to_owned()];
        for (at, home) in homes.iter().enumerate() {
            let way = if home.server.is_some() { " warm" } else { "" };
            variants.push(one(format!("toolgate{way} {name}"), at, words.to_vec(), event(home)));
        }
        for peer in &options.peers {
            let words = peer.split_whitespace().map(str::to_owned).collect();
            variants.extend(homes.first().map(|home| one(format!("{peer} {name}"), 0, words, event(home))));
        }
    }
    variants
}

fn run(variant: &Variant, homes: &[Home]) -> std::io::Result<Duration> {
    let (program, words) =
        variant.words.split_first().ok_or_else(|| std::io::Error::other("an empty command"))?;
    let home = homes.get(variant.home).ok_or_else(|| std::io::Error::other("no such home"))?;
    let mut command = scrubbed(Path::new(program), home);
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
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
