//! Judges cases with the real program, all in one batch.
//!
//! The home is one that does not exist and lies outside every temporary folder, so that "outside the
//! project" means the same wherever this checkout lies; only the cache of compiled policies is real. Every
//! policy of a page gets a project of its own.

use crate::page::{Case, Expected};
use crate::quotes;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const HOME: &str = "/home/toolgate-pages";
const PLAIN: &str = "version: 1\n";

/// Hosts that are guarded in the project: where the installer writes for a user, and where for a project.
const HOSTS: &[(&str, &str, &str)] = &[
    ("claude-code", ".claude/settings.json", ".claude/settings.json"),
    ("codex", ".codex/hooks.json", ".codex/hooks.json"),
    ("gemini-cli", ".gemini/settings.json", ".gemini/settings.json"),
    ("copilot-cli", ".copilot/hooks/toolgate.json", ".github/hooks/toolgate.json"),
];

/// Says in the policy of a page that its project holds work no commit has: `docs/intro.md` is changed, and
/// `docs/draft.md` is new.
const WITH_WORK: &str = "# with uncommitted work";

/// What the program said about a case.
#[derive(Debug)]
pub enum Answer {
    Judged { verdict: String, ids: BTreeSet<String>, labels: BTreeSet<String>, command: Option<String> },
    Failed { why: String },
}

/// The answers to all cases, and what they quote.
pub struct Judged {
    pub answers: Vec<Answer>,
    /// How many quotations there are.
    pub quoted: usize,
    /// Those that are not what was written.
    pub misquoted: Vec<String>,
}

impl Answer {
    pub fn fits(&self, expected: &Expected) -> bool {
        match self {
            Answer::Failed { .. } => false,
            Answer::Judged { verdict, ids, labels, command } => {
                // Rules that only label are named where a page is about them.
                let wanted: BTreeSet<String> = expected.ids.difference(labels).cloned().collect();
                *verdict == expected.verdict
                    && *ids == wanted
                    && (expected.rewritten.is_none() || *command == expected.rewritten)
            }
        }
    }

    fn of(line: &Value) -> Answer {
        let text = |name: &str| line.get(name).and_then(Value::as_str).map(str::to_owned);
        let Some(verdict) = text("verdict") else {
            return Answer::Failed { why: text("error").unwrap_or_else(|| line.to_string()) };
        };
        let findings = line.get("findings").and_then(Value::as_array).cloned().unwrap_or_default();
        let decided = findings.iter().filter(|finding| says(finding, &verdict));
        let ids = decided.filter_map(|finding| Some(finding.get("guard")?.as_str()?.to_owned())).collect();
        let labels = findings.iter().filter(|finding| is_label(finding));
        let labels = labels.filter_map(|finding| Some(finding.get("guard")?.as_str()?.to_owned())).collect();
        let command = line.pointer("/modified_input/command").and_then(Value::as_str).map(str::to_owned);
        Answer::Judged { verdict, ids, labels, command }
    }
}

/// Whether a finding only says what the session is remembered by, or that files are copied first.
fn is_label(finding: &Value) -> bool {
    let outcome = finding.get("outcome").and_then(Value::as_object);
    outcome.is_some_and(|outcome| outcome.contains_key("label") || outcome.contains_key("backup"))
}

/// Whether a finding is as strict as the verdict. An outcome is a name, or an object with the name as key.
fn says(finding: &Value, verdict: &str) -> bool {
    let outcome = finding.get("outcome");
    let name = outcome.and_then(Value::as_str);
    let key = outcome.and_then(Value::as_object).and_then(|object| object.keys().next()).map(String::as_str);
    match name.or(key) {
        Some("approve" | "pass") => verdict == "allow",
        other => other == Some(verdict),
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Failed { why } => write!(f, "no verdict: {why}"),
            Answer::Judged { verdict, ids, command, .. } => {
                let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                write!(f, "{verdict} ({})", ids.join(", "))?;
                command.as_ref().map_or(Ok(()), |new| write!(f, ": {new}"))
            }
        }
    }
}

/// A throw-away place to judge in.
pub struct Stage {
    folder: TempDir,
}

fn git(project: &Path, args: &[&str]) {
    let who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"];
    let ended = Command::new("git").args(who).args(args).current_dir(project).env("HOME", HOME).output();
    let ended = ended.expect("git");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}

impl Stage {
    /// A stage, or `None`, told loudly, where the pages cannot be judged.
    pub fn set() -> Option<Stage> {
        let ground = Path::new(env!("CARGO_TARGET_TMPDIR"));
        if let Some(why) = odd_ground(ground) {
            eprintln!("SKIPPED test pages: {why}; build elsewhere (CARGO_TARGET_DIR) to run them");
            return None;
        }
        Some(Stage { folder: TempDir::with_prefix_in("pages-", ground).expect("a folder") })
    }

    /// A project with the policy, as a person would have it: a repository, guarded, with a symlink that
    /// leads to the host's settings.
    fn project(&self, name: &str, policy: &str) -> PathBuf {
        let project = self.folder.path().join(name).join("app");
        for folder in [".git/hooks", ".toolgate", ".claude", "src", "node_modules", "build"] {
            fs::create_dir_all(project.join(folder)).expect("a folder of the project");
        }
        fs::write(project.join(".toolgate/policy.yaml"), policy).expect("the policy");
        for (host, from, to) in HOSTS {
            let file = project.join(to);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder of settings");
            fs::write(file, self.settings(host, from)).expect("the settings");
        }
        fs::write(project.join("src/main.rs"), "fn main() {}\n").expect("a file");
        for secret in [".env", ".env.local", "credentials.json", "server.key"] {
            fs::write(project.join("build").join(secret), "A=1\n").expect("a file of secrets");
        }
        std::os::unix::fs::symlink("../.claude/settings.json", project.join("src/innocent.json"))
            .expect("a link");
        std::os::unix::fs::symlink("/etc", project.join("system")).expect("a link");
        fs::create_dir(project.join("docs")).expect("a folder");
        fs::write(project.join("docs/intro.md"), "An introduction\n").expect("a file");
        git(&project, &["init", "-q"]);
        git(&project, &["add", "src", "docs", "system"]);
        git(&project, &["commit", "-qm", "begin"]);
        // Which branch is checked out cannot be told; a page that needs one says so.
        fs::remove_file(project.join(".git/HEAD")).expect("what is checked out");
        if policy.contains(WITH_WORK) {
            fs::write(project.join("docs/intro.md"), "A better introduction\n").expect("a file");
            fs::write(project.join("docs/draft.md"), "A draft\n").expect("a file");
        }
        project
    }

    /// Settings with the hook in them, as the installer writes them.
    fn settings(&self, host: &str, file: &str) -> Vec<u8> {
        let home = self.folder.path().join("installed");
        let file = home.join(file);
        if !file.exists() {
            fs::create_dir_all(&home).expect("a home");
            let mut install = self.program(&home);
            install.env("HOME", &home).args(["install", host, "--user", "--yes"]);
            assert!(install.output().expect("toolgate").status.success(), "the hook is installed");
        }
        fs::read(file).expect("installed settings")
    }

    fn program(&self, dir: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolgate"));
        command.env_clear().env("HOME", HOME).env("XDG_CACHE_HOME", self.folder.path().join("cache"));
        command.current_dir(dir);
        command
    }

    /// The ids of the rules a pack puts in force.
    pub fn rules_of(&self, pack: &str) -> Vec<String> {
        let dir = self.project(&format!("pack-{pack}"), &format!("version: 1\npacks: [{pack}]\n"));
        let ended = self.program(&dir).args(["rules", "list", "--json"]).output().expect("toolgate");
        let rules: Value = serde_json::from_slice(&ended.stdout).expect("a list of rules");
        let ids =
            rules.as_array().expect("a list").iter().filter_map(|entry| entry.pointer("/rule/id")?.as_str());
        ids.map(str::to_owned).collect()
    }

    /// The answer to each case, in order.
    pub fn judge(&self, cases: &[&Case]) -> Judged {
        let mut projects: BTreeMap<&str, PathBuf> = BTreeMap::new();
        let mut input = String::new();
        for (at, case) in cases.iter().enumerate() {
            let policy = case.policy.as_deref().unwrap_or_else(|| plain(&case.place));
            let number = projects.len();
            let dir =
                projects.entry(policy).or_insert_with(|| self.project(&format!("project-{number}"), policy));
            let (tool, arguments) = call_of(case);
            let line = json!({ "id": at, "tool": tool, "input": arguments, "cwd": dir, "labels": case.expected.labels });
            input.push_str(&format!("{line}\n"));
        }
        let lines = self.batch(&input);
        assert_eq!(lines.len(), cases.len(), "one answer a case");
        let mut judged =
            Judged { answers: lines.iter().map(Answer::of).collect(), quoted: 0, misquoted: Vec::new() };
        for (case, line) in cases.iter().zip(&lines) {
            let (quoted, wrong) = quotes::check(&call_of(case).1, line);
            judged.quoted += quoted;
            judged.misquoted.extend(wrong.iter().map(|wrong| format!("{}: {wrong}", case.place)));
        }
        judged
    }

    fn batch(&self, input: &str) -> Vec<Value> {
        let mut child = self
            .program(self.folder.path())
            .args(["test", "--jsonl"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("toolgate");
        let mut stdin = child.stdin.take().expect("its input");
        let bytes = input.to_owned();
        let feeding = std::thread::spawn(move || stdin.write_all(bytes.as_bytes()));
        let ended = child.wait_with_output().expect("its output");
        feeding.join().expect("the feeding thread").expect("toolgate reads its input");
        let text = String::from_utf8(ended.stdout).expect("UTF-8");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

/// The policy of a page that says none: its own pack, beside the default one.
fn plain(place: &str) -> &'static str {
    match place.split(':').next() {
        Some("policies/strict.md") => "version: 1\npacks: [default, strict]\n",
        Some("policies/relaxed.md") => "version: 1\npacks: [default, relaxed]\n",
        _ => PLAIN,
    }
}

fn call_of(case: &Case) -> (&str, Value) {
    let input = match case.tool.as_str() {
        "Write" => json!({ "file_path": case.subject, "content": "new\n" }),
        "Edit" => json!({ "file_path": case.subject, "old_string": "a", "new_string": "b" }),
        "Read" => json!({ "file_path": case.subject }),
        "Call" => {
            let (tool, input) = case.subject.split_once(' ').unwrap_or((&case.subject, "{}"));
            return (tool, serde_json::from_str(input).unwrap_or_else(|_| panic!("{}: no JSON", case.place)));
        }
        _ => json!({ "command": case.subject }),
    };
    (&case.tool, input)
}

/// Why the pages cannot be judged here, if they cannot. They speak of an
/// ordinary project; below a temporary folder an agent may do more, and below
/// a folder of the system less.
fn odd_ground(folder: &Path) -> Option<String> {
    let given = std::env::var_os("TMPDIR").map(PathBuf::from);
    let odd = ["/tmp", "/var", "/dev", "/private", "/root", "/etc", "/usr", "/opt", "/boot", "/lib"]
        .map(PathBuf::from);
    let under = odd.into_iter().chain(given).find(|odd| folder.starts_with(odd))?;
    Some(format!("the clone lies below {}, where other rules hold", under.display()))
}
