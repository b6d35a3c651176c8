//! What a supervisor that never answers adds to a held call: the hook's time,
//! from process start to exit, less the supervisor's own limit and less the same
//! call without a supervisor. Goal: 50 ms at most.
//!
//! Three services: one that takes the question and stays silent, one that sends
//! a byte now and then, one that sends headers without end.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use serde_json::json;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use toolgate_bench::{median, quantile};

const LIMIT: Duration = Duration::from_secs(1);
const GOAL: Duration = Duration::from_millis(50);
const ASKED: &str = "git push --force origin main";

type Manner = fn(TcpStream);

const MANNERS: &[(&str, Manner)] =
    &[("silent", silent), ("a byte now and then", drips), ("without end", floods)];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let (Some("--toolgate"), Some(path)) = (words.next().as_deref(), words.next()) else {
        eprintln!("usage: supervisor --toolgate PATH [ROUNDS]");
        return ExitCode::from(1);
    };
    let rounds = words.next().and_then(|word| word.parse().ok()).unwrap_or(10);
    match std::path::absolute(path).and_then(|path| bench(&path, rounds)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(2),
        Err(error) => {
            eprintln!("supervisor: {error}");
            ExitCode::from(1)
        }
    }
}

fn bench(toolgate: &Path, rounds: usize) -> std::io::Result<bool> {
    println!("{:<20} {:>12} {:>12} {:>12}", "service", "plain ms", "added p50", "added p99");
    let mut well = true;
    for (name, manner) in MANNERS {
        let url = serve(*manner)?;
        let (mut plain, mut asked) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            let (without, with) = (String::new(), policy(&url));
            plain.push(once(toolgate, &without, round)?);
            asked.push(once(toolgate, &with, round)?);
        }
        let base = median(&plain);
        let added = |percent| quantile(&asked, percent).saturating_sub(base).saturating_sub(LIMIT);
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        println!("{name:<20} {:>12.1} {:>12.1} {:>12.1}", ms(base), ms(added(50)), ms(added(99)));
        well &= added(50) <= GOAL;
    }
    Ok(well)
}

fn policy(url: &str) -> String {
    format!(
        "supervisors:\n  one: {{ endpoint: openai, url: \"{url}\", model: m, seconds: {} }}\n",
        LIMIT.as_secs()
    )
}

/// One hook call in a home of its own, so that no breaker opens.
fn once(toolgate: &Path, more: &str, round: usize) -> std::io::Result<Duration> {
    let home = tempfile::tempdir()?;
    let (project, config) = (home.path().join("project"), home.path().join(".config/toolgate"));
    std::fs::create_dir_all(project.join(".git"))?;
    std::fs::create_dir_all(&config)?;
    let review = "review: { delivery: ticket, supervised: [low, medium, high, critical] }";
    std::fs::write(config.join("policy.yaml"), format!("version: 1\n{review}\n{more}"))?;
    // Once before the clock runs: cache and ledger are made.
    hook(toolgate, home.path(), &project, "ls", round)?;
    hook(toolgate, home.path(), &project, ASKED, round)
}

fn hook(
    toolgate: &Path,
    home: &Path,
    project: &Path,
    command: &str,
    round: usize,
) -> std::io::Result<Duration> {
    let event = json!({
        "session_id": "bench", "transcript_path": "", "cwd": project, "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": format!("b{round}")
    });
    let started = Instant::now();
    let mut child = Command::new(toolgate)
        .args(["hook", "claude-code"])
        .current_dir(project)
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(event.to_string().as_bytes())?;
    }
    child.wait()?;
    Ok(started.elapsed())
}

fn serve(manner: Manner) -> std::io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || manner(stream));
        }
    });
    Ok(format!("http://127.0.0.1:{port}/v1"))
}

/// Reads what comes and says nothing until the other side is gone.
fn silent(mut stream: TcpStream) {
    let mut piece = [0; 4096];
    while stream.read(&mut piece).is_ok_and(|length| length > 0) {}
}

fn drips(mut stream: TcpStream) {
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n";
    for byte in head.iter().chain(std::iter::repeat(&b' ')) {
        if stream.write_all(&[*byte]).is_err() {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn floods(mut stream: TcpStream) {
    // Headers that never end: a body would be cut at its limit at once.
    let sent = stream.write_all(b"HTTP/1.1 200 OK\r\nX: ");
    while sent.is_ok() && stream.write_all(&[b'a'; 64]).is_ok() {
        std::thread::sleep(Duration::from_millis(20));
    }
}
