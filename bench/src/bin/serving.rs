//! Decisions a second through a running `toolgate serve`: over its socket, as
//! hook processes hand them over, and over HTTP, as hosts may send them; and how
//! long the inbox takes to open with many requests in it.
//!
//! Every decision is recorded before its answer, as always.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Error, Read, Result, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use toolgate_bench::{median, quantile};

/// Decisions of one client.
const EACH: usize = 400;

/// Clients side by side.
const CLIENTS: [usize; 2] = [1, 4];

struct Server {
    child: Child,
    home: PathBuf,
    address: String,
    enter: String,
    token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [flag, program] = words.as_slice() else {
        eprintln!("usage: serving --toolgate PATH");
        return ExitCode::from(1);
    };
    let done = if flag == "--toolgate" { bench(Path::new(program)) } else { Err(Error::other("--toolgate")) };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("serving: {error}");
            ExitCode::from(1)
        }
    }
}

fn bench(program: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let server = start(program, folder.path())?;
    println!("{:<28} {:>12} {:>10} {:>10}", "way", "decisions/s", "p50 ms", "p99 ms");
    for clients in CLIENTS {
        row(&format!("socket, {clients} at once"), clients, &|number| over_socket(&server, number))?;
        row(&format!("HTTP, {clients} at once"), clients, &|number| over_http(&server, number))?;
    }
    inbox(&server)
}

fn start(program: &Path, home: &Path) -> Result<Server> {
    let project = home.join("project");
    std::fs::create_dir_all(project.join(".git"))?;
    std::fs::create_dir_all(project.join(".toolgate"))?;
    std::fs::write(project.join(".toolgate/policy.yaml"), "version: 1\nreview: { delivery: ticket }\n")?;
    let mut command = Command::new(program);
    command.args(["serve", "--listen", "127.0.0.1:0", "--json"]).current_dir(&project).env_clear();
    command.env("HOME", home).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().ok_or_else(|| Error::other("no stdout"))?).read_line(&mut line)?;
    let said: Value = serde_json::from_str(&line)?;
    let text = |pointer: &str| said.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let token = std::fs::read_to_string(text("/hook/token_file"))?;
    let address = text("/origin").replace("http://", "");
    Ok(Server { child, home: home.to_path_buf(), address, enter: text("/enter"), token })
}

fn event(server: &Server, command: &str, number: usize) -> String {
    json!({
        "session_id": format!("bench-{}", number % 8), "transcript_path": "/nowhere.jsonl",
        "cwd": server.home.join("project"), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": command }, "tool_use_id": format!("toolu_{number}")
    })
    .to_string()
}

fn over_socket(server: &Server, number: usize) -> Result<()> {
    let mut stream = UnixStream::connect(server.home.join(".local/state/toolgate/serve.sock"))?;
    stream.write_all(format!("toolgt 2{number:032}").as_bytes())?;
    let mut proof = [0; 32];
    stream.read_exact(&mut proof)?;
    // Host, project, six variables around it, the event: each behind its length, and so is the whole.
    let home = format!("={}", server.home.display());
    let event = event(server, "ls -la src", number);
    let mut message = vec![0; 4];
    for part in ["claude-code", "", &home, "", "", "", "", "", &event] {
        message.extend(u32::try_from(part.len()).map_err(Error::other)?.to_le_bytes());
        message.extend(part.as_bytes());
    }
    let length = u32::try_from(message.len() - 4).map_err(Error::other)?.to_le_bytes();
    message.splice(..4, length);
    stream.write_all(&message)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    if answer.len() > 4 { Ok(()) } else { Err(Error::other("the server did not take it")) }
}

fn over_http(server: &Server, number: usize) -> Result<()> {
    let token = format!("Authorization: Bearer {}\r\n", server.token);
    let answer = http(server, "POST", "/hook/claude-code", &token, &event(server, "ls -la src", number))?;
    if answer.starts_with("HTTP/1.1 200") { Ok(()) } else { Err(Error::other(answer)) }
}

fn http(server: &Server, method: &str, path: &str, headers: &str, body: &str) -> Result<String> {
    let mut stream = TcpStream::connect(&server.address)?;
    let (host, length) = (&server.address, body.len());
    stream.write_all(
        format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
            .as_bytes(),
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

fn row(name: &str, clients: usize, ask: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
    ask(0)?;
    let started = Instant::now();
    let one = |client: usize| -> Result<Vec<Duration>> {
        let timed = |at: usize| {
            let began = Instant::now();
            ask(client * EACH + at).map(|()| began.elapsed())
        };
        (0..EACH).map(timed).collect()
    };
    let took: Result<Vec<Vec<Duration>>> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..clients).map(|client| scope.spawn(move || one(client))).collect();
        all.into_iter()
            .map(|one| one.join().unwrap_or_else(|_| Err(Error::other("a client ended"))))
            .collect()
    });
    let took: Vec<Duration> = took?.into_iter().flatten().collect();
    let seconds = started.elapsed().as_secs_f64();
    let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
    let count = f64::from(u32::try_from(took.len()).unwrap_or(u32::MAX));
    println!(
        "{name:<28} {:>12.0} {:>10.2} {:>10.2}",
        count / seconds,
        ms(median(&took)),
        ms(quantile(&took, 99))
    );
    Ok(())
}

/// How long the inbox takes to open, with every one of these asking something else.
fn inbox(server: &Server) -> Result<()> {
    // Before anything is asked: whoever has asked is not let in.
    let path = server.enter.rsplit_once(&server.address).map(|(_, path)| path.to_owned()).unwrap_or_default();
    let answer = http(server, "GET", &path, "", "")?;
    let cookie = answer
        .lines()
        .find_map(|line| line.strip_prefix("set-cookie: "))
        .ok_or_else(|| Error::other("not let in"))?;
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().unwrap_or_default());
    let token = format!("Authorization: Bearer {}\r\n", server.token);
    let many: usize =
        std::env::var("TOOLGATE_BENCH_REQUESTS").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000);
    for number in 0..many {
        let asks = event(server, &format!("git push --force origin branch{number}"), number);
        http(server, "POST", "/hook/claude-code", &token, &asks)?;
    }
    let mut took = Vec::new();
    let mut bytes = 0;
    for _ in 0..20 {
        let began = Instant::now();
        let page = http(server, "GET", "/", &cookie, "")?;
        if !page.contains("origin branch") {
            return Err(Error::other("the inbox does not show what was asked"));
        }
        bytes = page.len();
        took.push(began.elapsed());
    }
    let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
    println!(
        "inbox of {many}: {bytes} bytes, p50 {:.0} ms, p90 {:.0} ms",
        ms(median(&took)),
        ms(quantile(&took, 90))
    );
    Ok(())
}
