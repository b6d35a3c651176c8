//! The library as an embedder uses it, and the examples as they are printed.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use toolgate::{Answer, Category, Dirs, Finding, Gate, Guard, Seen, Tool, Verdict};

#[path = "../../../examples/agent_loop.rs"]
mod agent_loop;
#[path = "../../../examples/own_validator.rs"]
mod own_validator;

fn dirs(home: &Path) -> Dirs {
    let home = home.display().to_string();
    Dirs::from_env(&move |name| (name == "HOME").then(|| home.clone()))
}

fn gate(home: &Path, policy: &str) -> Gate {
    let project = home.join("project");
    std::fs::create_dir_all(project.join(".toolgate")).unwrap();
    std::fs::write(project.join(".toolgate/policy.yaml"), policy).unwrap();
    Gate::open_in(dirs(home), &project).unwrap()
}

#[test]
fn an_agent_asks_tells_and_stops() {
    let home = tempfile::tempdir().unwrap();
    let policy =
        "version: 1\nagents:\n  main:\n    read_before_write: true\n    completion: { ran: [make test] }\n";
    let mut gate = gate(home.path(), policy);
    std::fs::write(home.path().join("project/a.txt"), "x").unwrap();
    let mut agent = gate.agent("s");
    let commit = agent.ask(&Tool::shell("git commit --no-verify -m x")).unwrap();
    assert!(matches!(&commit, Answer::No { why, .. } if why.contains("git-skip-hooks")), "{commit:?}");
    let write = Tool::write("a.txt", "new");
    assert!(agent.ask(&write).unwrap().is_no(), "not read yet");
    agent.succeeded(&Tool::read("a.txt")).unwrap();
    assert!(!agent.ask(&write).unwrap().is_no());
    assert!(agent.ask_to_stop().unwrap().is_no());
    agent.failed(&Tool::shell("make test"), "2 tests failed").unwrap();
    assert!(agent.ask_to_stop().unwrap().is_no());
    agent.succeeded(&Tool::shell("make test")).unwrap();
    assert!(!agent.ask_to_stop().unwrap().is_no());
    assert!(agent.ask(&Tool::mcp("files", "read", serde_json::json!({}))).is_ok());
}

/// S0-26: a gate made from a project's folder knows what the project knows, and checks before the call runs.
#[test]
fn a_gate_of_a_folder_supervises_every_call() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(home.path().join("project/.toolgate")).unwrap();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let knowledge = format!(
        "[endpoints.browser]\nname = \"Browser\"\ndefault_url = \"http://{closed}\"\nconfig_key = \"TEST_BROWSER_URL\"\n"
    );
    std::fs::write(home.path().join("project/.toolgate/knowledge.toml"), knowledge).unwrap();
    let mut gate = gate(home.path(), "version: 1\n");
    let mut agent = gate.agent("s");
    let install = Tool::shell("npx playwright install chromium");
    assert!(!agent.ask(&install).unwrap().is_no());
    agent.failed(&Tool::shell("npm test"), "browser: connect ECONNREFUSED").unwrap();
    let answer = agent.ask(&install).unwrap();
    let Answer::No { why, .. } = &answer else { panic!("{answer:?}") };
    assert!(why.contains("PrerequisiteFailed: Test connectivity to configured endpoint"), "{why}");
}

struct Crashing;

impl Guard for Crashing {
    fn id(&self) -> &str {
        "crashing"
    }
    fn priority(&self) -> u32 {
        100
    }
    fn category(&self) -> Category {
        Category::Safety
    }
    fn judge(&self, _: &Seen<'_>) -> Option<Finding> {
        panic!("a guard that crashes")
    }
}

/// A guard of one's own that crashes closes the gate for the call (S2-67).
#[test]
fn a_guard_that_crashes_blocks() {
    let home = tempfile::tempdir().unwrap();
    let mut gate = gate(home.path(), "version: 1\n").with_guard(Crashing);
    let answer = gate.agent("s").ask(&Tool::shell("ls")).unwrap();
    let Answer::No { decision, why, .. } = answer else { panic!("it runs") };
    assert_eq!(decision.verdict, Verdict::Block);
    assert!(why.contains("`crashing` crashed"), "{why}");
}

/// Answers nothing for as long as the test runs, and counts how often it is asked.
struct Hanging(Arc<AtomicUsize>);

impl Guard for Hanging {
    fn id(&self) -> &str {
        "hanging"
    }
    fn priority(&self) -> u32 {
        100
    }
    fn category(&self) -> Category {
        Category::Safety
    }
    fn judge(&self, _: &Seen<'_>) -> Option<Finding> {
        self.0.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_secs(600));
        None
    }
}

#[test]
fn a_guard_that_never_answers_is_cut_and_asked_once() {
    let home = tempfile::tempdir().unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let mut gate = gate(home.path(), "version: 1\n").with_guard(Hanging(Arc::clone(&asked)));
    for _ in 0..2 {
        let started = Instant::now();
        let answer = gate.agent("s").ask(&Tool::shell("ls")).unwrap();
        let Answer::No { why, .. } = answer else { panic!("it runs") };
        assert!(why.contains("`hanging` took longer than 500 ms"), "{why}");
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1, "it still is at the first question");
}

#[test]
fn a_sub_agent_has_its_role() {
    let home = tempfile::tempdir().unwrap();
    let mut gate = gate(home.path(), "version: 1\nagents:\n  reviewer: { tools: [read] }\n");
    let reviewer =
        |gate: &mut Gate, tool: &Tool| gate.agent("s").as_role("r-1", "reviewer").ask(tool).unwrap();
    assert!(reviewer(&mut gate, &Tool::shell("ls")).is_no());
    assert!(!reviewer(&mut gate, &Tool::read("a")).is_no());
}

/// The examples are compiled with this test; they need a home of their own to run, so each runs in a
/// process of its own.
#[test]
fn the_examples_run() {
    let home = tempfile::tempdir().unwrap();
    for (name, expected) in [
        ("own_validator", "yes curl https://staging.example.com\nno  curl https://prod.example.com\n"),
        ("agent_loop", "git-skip-hooks"),
    ] {
        let own = std::env::current_exe().unwrap();
        let output = std::process::Command::new(own)
            .args(["--ignored", "--exact", name, "--nocapture"])
            .env_clear()
            .env("HOME", home.path())
            .current_dir(home.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && said.contains(expected), "{name}: {said}");
    }
}

#[test]
#[ignore = "run by the_examples_run, with a home of its own"]
fn own_validator() {
    own_validator::main().unwrap();
}

#[test]
#[ignore = "run by the_examples_run, with a home of its own"]
fn agent_loop() {
    agent_loop::main().unwrap();
}

/// A guard that crashes on one call; and a crash is a no.
struct NoFridays;

impl Guard for NoFridays {
    fn id(&self) -> &str {
        "no-fridays"
    }
    fn priority(&self) -> u32 {
        100
    }
    fn category(&self) -> Category {
        Category::Safety
    }
    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        assert!(!seen.event.call.title().contains("friday"), "never on a Friday");
        None
    }
}

/// S2-64: a process that lives long follows its policy's files, and keeps the guards it was given.
#[test]
fn a_changed_policy_counts_at_once() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("project/.toolgate/policy.yaml");
    let mut gate = gate(home.path(), "version: 1\n").with_guard(NoFridays);
    let first = gate.revision().to_owned();
    let makes = |gate: &mut Gate| gate.agent("s").ask(&Tool::shell("make it")).map(|answer| answer.is_no());
    let fridays =
        |gate: &mut Gate| gate.agent("s").ask(&Tool::shell("echo friday")).map(|answer| answer.is_no());
    assert_eq!((makes(&mut gate).unwrap(), fridays(&mut gate).unwrap()), (false, true));
    let rule =
        "rules:\n  - { id: no-make, kind: block, match: { command: { program: make } }, reason: no }\n";
    std::fs::write(&file, format!("version: 1\n{rule}")).unwrap();
    assert_eq!((makes(&mut gate).unwrap(), fridays(&mut gate).unwrap()), (true, true));
    assert_ne!(gate.revision(), first);
    std::fs::write(&file, "version: 1\nrules: [\n").unwrap();
    assert!(makes(&mut gate).is_err(), "a policy that does not load closes the gate");
    std::fs::write(&file, "version: 1\n").unwrap();
    assert_eq!((makes(&mut gate).unwrap(), fridays(&mut gate).unwrap()), (false, true));
    assert_eq!(gate.revision(), first);
}

/// A supervisor of the person's own policy answers for an agent of one's own; nobody waits for a person.
#[test]
fn supervisors_answer_before_a_person() {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join("project");
    std::fs::create_dir_all(project.join(".git")).unwrap();
    let config = home.path().join(".config/toolgate");
    std::fs::create_dir_all(&config).unwrap();
    let judge = config.join("judge.sh");
    // The ids of the question come back with a yes.
    let script = r#"sed 's/.*"request":"\([^"]*\)","nonce":"\([^"]*\)".*/{"request":"\1","nonce":"\2","decision":"WORD","confidence":0.9,"reasons":[{"rule":"R1","text":"the script says so"}]}/'"#;
    let policy = format!(
        "version: 1\nreview: {{ supervised: [low, medium, high, critical] }}\nsupervisors:\n  one: {{ endpoint: command, command: [/bin/sh, \"{}\"] }}\n",
        judge.display()
    );
    std::fs::write(config.join("policy.yaml"), policy).unwrap();
    let own = home.path().display().to_string();
    let dirs = Dirs::from_env(&move |name| (name == "HOME").then(|| own.clone()));
    let mut gate = Gate::open_in(dirs, &project).unwrap();
    for (number, (word, runs)) in
        [("approve", true), ("reject", false), ("escalate", false)].into_iter().enumerate()
    {
        std::fs::write(&judge, script.replace("WORD", word)).unwrap();
        let push = Tool::shell(&format!("git push --force origin topic-{number}"));
        let answer = gate.agent("s").ask(&push).unwrap();
        assert_eq!(!answer.is_no(), runs, "{word}: {answer:?}");
        let said = matches!(&answer, Answer::No { why, .. } if why.contains("the script says so"));
        assert_eq!(said, word == "reject", "{answer:?}");
    }
}
