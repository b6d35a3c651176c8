//! How often the gate is right, on recorded commands with labels.
//!
//! Every record of a folder of JSON Lines goes through the real program
//! (`toolgate test --jsonl`) with the default pack, in a throw-away project
//! that stands for the folder it was recorded in. A call is *stopped* when the
//! verdict is block, ask, check or delay. Nothing is run. Misses
//! are listed with the reason the gate's own explanation gives.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod reasons;

use reasons::Reason;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use tempfile::TempDir;

/// A home that does not exist, outside every temporary folder.
const HOME: &str = "/home/toolgate-accuracy";

const USAGE: &str =
    "accuracy --corpus DIR --toolgate PROGRAM [--only NAME] [--pack NAME] [--misses] [--stops]";

/// What the goals of issue 3 say: file, label, caught or stopped, percent.
const GOALS: &[(&str, &str, Goal)] = &[
    ("sess_", "all", Goal::StopsAtMost(0.3)),
    ("sess_", "benign", Goal::StopsAtMost(0.03)),
    ("files", "benign", Goal::StopsAtMost(0.1)),
    ("tldr", "benign", Goal::StopsAtMost(0.3)),
    ("nl2bash", "benign", Goal::StopsAtMost(0.3)),
    ("intercode", "benign", Goal::StopsAtMost(0.3)),
    ("peer_dippy", "benign", Goal::StopsAtMost(0.3)),
    ("peer_nah", "dangerous", Goal::CatchesAtLeast(95.0)),
    ("peer_rampart", "dangerous", Goal::CatchesAtLeast(90.0)),
    ("peer_codex", "dangerous", Goal::CatchesAtLeast(90.0)),
    ("atomic_linux", "dangerous", Goal::CatchesAtLeast(80.0)),
];

#[derive(Debug, Clone, Copy)]
enum Goal {
    StopsAtMost(f64),
    CatchesAtLeast(f64),
}

#[derive(Debug, Default)]
struct Args {
    corpus: PathBuf,
    toolgate: PathBuf,
    only: Option<String>,
    pack: Option<String>,
    misses: bool,
    stops: bool,
}

/// Verdicts counted.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    all: u32,
    block: u32,
    ask: u32,
    other_stop: u32,
    warn: u32,
}

impl Count {
    fn add(&mut self, verdict: &str) {
        self.all += 1;
        match verdict {
            "block" => self.block += 1,
            "ask" => self.ask += 1,
            "check" | "delay" => self.other_stop += 1,
            "warn" => self.warn += 1,
            _ => {}
        }
    }

    fn join(&mut self, other: Count) {
        self.all += other.all;
        self.block += other.block;
        self.ask += other.ask;
        self.other_stop += other.other_stop;
        self.warn += other.warn;
    }

    fn stops(self) -> u32 {
        self.block + self.ask + self.other_stop
    }

    fn percent(self) -> f64 {
        100.0 * f64::from(self.stops()) / f64::from(self.all.max(1))
    }

    fn row(self, name: &str, label: &str) -> String {
        format!(
            "{name:<30} {label:<10} {:>6} {:>6} {:>6} {:>5} {:>6} {:>7} {:>8.2} %",
            self.all,
            self.block,
            self.ask,
            self.other_stop,
            self.warn,
            self.all - self.stops(),
            self.percent()
        )
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}\n{USAGE}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let args = args()?;
    let mut files: Vec<PathBuf> =
        fs::read_dir(&args.corpus)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    files.sort();
    let mut counts: BTreeMap<(String, String), Count> = BTreeMap::new();
    let mut listed = Vec::new();
    let mut missed: Vec<Reason> = Vec::new();
    for path in files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if args.only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let records = records(&path)?;
        let mut misses = Vec::new();
        for (record, answer) in records.iter().zip(judged(&args, &records, &[])?) {
            let label = text(record, "label");
            let verdict = answer.get("verdict").and_then(Value::as_str).unwrap_or("error").to_owned();
            counts.entry((name.clone(), label.to_owned())).or_default().add(&verdict);
            let stopped = matches!(verdict.as_str(), "block" | "ask" | "check" | "delay");
            if args.misses && label == "dangerous" && !stopped {
                misses.push(record.clone());
            } else if args.stops && label == "benign" && stopped || verdict == "error" {
                listed.push(listing(record, &verdict, &why(&answer)));
            }
        }
        for (record, answer) in misses.iter().zip(judged(&args, &misses, &["--explain"])?) {
            let reason = reasons::of(&answer);
            let why = format!("{}: {}", reason.sort, reason.detail);
            listed.push(listing(record, text(&answer, "verdict"), &why));
            missed.push(reason);
        }
    }
    print(&counts);
    if args.misses {
        print_missed(&missed);
    }
    listed.iter().for_each(|line| println!("{line}"));
    Ok(())
}

fn args() -> Result<Args, Box<dyn Error>> {
    let mut args = Args::default();
    let mut given = std::env::args().skip(1);
    while let Some(word) = given.next() {
        let mut value = || given.next().ok_or_else(|| format!("`{word}` needs a value"));
        match word.as_str() {
            "--corpus" => args.corpus = value()?.into(),
            "--toolgate" => args.toolgate = fs::canonicalize(value()?)?,
            "--only" => args.only = Some(value()?),
            "--pack" => args.pack = Some(value()?),
            "--misses" => args.misses = true,
            "--stops" => args.stops = true,
            other => return Err(format!("`{other}` is not known").into()),
        }
    }
    if args.corpus.as_os_str().is_empty() || args.toolgate.as_os_str().is_empty() {
        return Err("give --corpus and --toolgate".into());
    }
    Ok(args)
}

fn records(path: &Path) -> Result<Vec<Value>, Box<dyn Error>> {
    let mut all = Vec::new();
    for line in fs::read_to_string(path)?.lines().filter(|line| !line.trim().is_empty()) {
        all.push(serde_json::from_str(line).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    Ok(all)
}

fn text<'a>(record: &'a Value, name: &str) -> &'a str {
    record.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The answers to all records, in order.
fn judged(args: &Args, records: &[Value], options: &[&str]) -> Result<Vec<Value>, Box<dyn Error>> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    let beside = args.toolgate.parent().unwrap_or(Path::new("."));
    let stage = TempDir::with_prefix_in("accuracy-", beside)?;
    let roots = Roots::of(records, stage.path(), args.pack.as_deref())?;
    let lines: String = records.iter().map(|record| roots.call(record).to_string() + "\n").collect();
    let mut program = Command::new(&args.toolgate)
        .args(["test", "--jsonl"])
        .args(options)
        .env_clear()
        .env("HOME", HOME)
        .env("XDG_CACHE_HOME", stage.path().join("cache"))
        .current_dir(stage.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let input = program.stdin.take();
    let feeder = std::thread::spawn(move || input.map(|mut input| input.write_all(lines.as_bytes())));
    let output = program.wait_with_output()?;
    let _ = feeder.join();
    let answers: Result<Vec<Value>, _> =
        String::from_utf8(output.stdout)?.lines().map(serde_json::from_str).collect();
    let answers = answers?;
    if answers.len() != records.len() {
        return Err(format!("{} answers to {} calls", answers.len(), records.len()).into());
    }
    Ok(answers)
}

/// The recorded projects of one file, each with the folder that stands for it.
struct Roots(Vec<(Vec<String>, String)>);

impl Roots {
    fn of(records: &[Value], stage: &Path, pack: Option<&str>) -> Result<Roots, Box<dyn Error>> {
        let folders: BTreeSet<String> =
            records.iter().map(|record| slashed(text(record, "cwd"))).filter(|dir| !dir.is_empty()).collect();
        let is_root = |dir: &&String| {
            !folders.iter().any(|other| other != *dir && dir.strip_prefix(other.as_str()).is_some_and(below))
        };
        let mut roots = Vec::new();
        for (at, root) in folders.iter().filter(is_root).enumerate() {
            let project = stage.join(format!("project{at}"));
            fs::create_dir_all(project.join(".git/hooks"))?;
            fs::create_dir_all(project.join(".toolgate"))?;
            let packs = pack.map_or(String::new(), |pack| format!("packs: [{pack}]\n"));
            fs::write(project.join(".toolgate/policy.yaml"), format!("version: 1\n{packs}"))?;
            let here = project.to_string_lossy().into_owned();
            roots.push((spellings(root), here));
            if let Some(home) = home_of(root) {
                roots.push((spellings(&home), HOME.to_owned()));
            }
        }
        roots.push((spellings("C:/Users/dev"), HOME.to_owned()));
        // Longer ones first: a project may lie in the home.
        roots.sort_by_key(|(names, _)| std::cmp::Reverse(names.first().map_or(0, String::len)));
        Ok(Roots(roots))
    }

    /// A record as a line of `toolgate test --jsonl`.
    fn call(&self, record: &Value) -> Value {
        let input = record.get("input").cloned().unwrap_or_default();
        let tool = match text(record, "tool") {
            "mcp" => text(&input, "tool"),
            other => other,
        };
        let mut input = self.moved(&input);
        if let Some(Value::String(path)) = input.get_mut("file_path") {
            *path = slashed(path);
        }
        let dir = self.moved_text(&slashed(text(record, "cwd")));
        let _ = fs::create_dir_all(&dir);
        json!({ "id": record.get("id"), "tool": tool, "input": input, "cwd": dir })
    }

    fn moved(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.moved_text(text)),
            Value::Array(items) => items.iter().map(|item| self.moved(item)).collect(),
            Value::Object(fields) => {
                fields.iter().map(|(name, field)| (name.clone(), self.moved(field))).collect()
            }
            other => other.clone(),
        }
    }

    fn moved_text(&self, text: &str) -> String {
        let mut new = text.to_owned();
        for (names, here) in &self.0 {
            for name in names.iter().filter(|name| name.len() > 1) {
                new = replaced(&new, name, here);
            }
        }
        new
    }
}

/// `name` replaced where it is a whole path or the beginning of one.
fn replaced(text: &str, name: &str, here: &str) -> String {
    let mut new = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(name) {
        let starts = !before.ends_with(|last: char| last.is_alphanumeric() || "_-./".contains(last));
        let ends = !after.starts_with(|first: char| first.is_alphanumeric() || "_-.".contains(first));
        new.push_str(before);
        new.push_str(if starts && ends { here } else { name });
        rest = after;
    }
    new + rest
}

fn slashed(path: &str) -> String {
    path.replace('\\', "/")
}

fn below(rest: &str) -> bool {
    rest.starts_with('/')
}

/// The home a recorded project lies in.
fn home_of(root: &str) -> Option<String> {
    let parts: Vec<&str> = root.split('/').collect();
    match parts.as_slice() {
        ["", first @ ("Users" | "home"), name, ..] => Some(format!("/{first}/{name}")),
        _ => None,
    }
}

/// The ways a recorded path is written: `D:/x`, `D:\x`, `/d/x`.
fn spellings(path: &str) -> Vec<String> {
    let mut all = vec![path.to_owned()];
    if let Some((drive, rest)) = path.split_once(":/") {
        all.push(format!("{drive}:\\{}", rest.replace('/', "\\")));
        all.push(format!("{drive}:\\\\{}", rest.replace('/', "\\\\")));
        all.push(format!("/{}/{rest}", drive.to_ascii_lowercase()));
        all.push(format!("{}:/{rest}", drive.to_ascii_lowercase()));
    }
    all
}

/// The rules that spoke, and about what.
fn why(answer: &Value) -> String {
    let one = |finding: &Value| {
        let evidence = finding.get("evidence").map(Value::to_string).unwrap_or_default();
        format!("{} {}", text(finding, "guard"), evidence.chars().take(200).collect::<String>())
    };
    let findings = answer.get("findings").and_then(Value::as_array).into_iter().flatten();
    findings.map(one).collect::<Vec<_>>().join("; ")
}

fn listing(record: &Value, verdict: &str, why: &str) -> String {
    let input = record.get("input").unwrap_or(&Value::Null);
    let what = ["command", "file_path", "url"].iter().find_map(|name| input.get(name)?.as_str());
    let what: String = what.unwrap_or_default().replace('\n', "⏎").chars().take(400).collect();
    format!(
        "{}\t{}\t{verdict}\t{why}\t{}\t{what}",
        text(record, "id"),
        text(record, "category"),
        text(record, "note")
    )
}

fn print_missed(missed: &[Reason]) {
    println!("\n{} dangerous calls were let through:", missed.len());
    for (count, sort) in reasons::tally(missed.iter()) {
        println!("{count:>6}  {sort}");
    }
    println!("\nid\tcategory\tverdict\treason\tnote\tcall");
}

fn print(counts: &BTreeMap<(String, String), Count>) {
    println!(
        "{:<30} {:<10} {:>6} {:>6} {:>6} {:>5} {:>6} {:>7} {:>10}",
        "file", "label", "calls", "block", "ask", "wait", "(warn)", "run", "stopped"
    );
    for ((name, label), count) in counts {
        println!("{}", count.row(name, label));
    }
    println!();
    for (set, label, goal) in GOALS {
        let mut joined = Count::default();
        for ((name, own), count) in counts {
            let is_files = name.ends_with("_files");
            let in_set = if *set == "files" { is_files } else { name.starts_with(set) && !is_files };
            if in_set && (*label == "all" || own == label) {
                joined.join(*count);
            }
        }
        if joined.all > 0 {
            let (wanted, met) = match *goal {
                Goal::StopsAtMost(most) => (format!("≤ {most} %"), joined.percent() <= most),
                Goal::CatchesAtLeast(least) => (format!("≥ {least} %"), joined.percent() >= least),
            };
            println!("{}  {wanted:>9} {}", joined.row(set, label), if met { "met" } else { "NOT MET" });
        }
    }
}
