//! A thousand calls side by side on one budget: never more is spent than there is.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use toolgate::{Dirs, Gate, Tool};

const CALLS: usize = 1000;
const THREADS: usize = 8;

fn dirs(home: &Path) -> Dirs {
    let home = home.display().to_string();
    Dirs::from_env(&move |name| (name == "HOME").then(|| home.clone()))
}

/// Which of a thousand calls may run, each thread with a gate of its own.
fn allowed(budget: &str, tool: impl Fn(usize) -> Tool + Sync) -> Vec<usize> {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join("project");
    std::fs::create_dir_all(project.join(".toolgate")).unwrap();
    std::fs::create_dir_all(home.path().join(".config/toolgate")).unwrap();
    std::fs::write(home.path().join(".config/toolgate/policy.yaml"), "version: 1\npacks: []\n").unwrap();
    let policy = format!("version: 1\nagents:\n  main: {{ budget: {{ {budget} }} }}\n");
    std::fs::write(project.join(".toolgate/policy.yaml"), policy).unwrap();
    let next = AtomicUsize::new(0);
    let ran = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut gate = Gate::open_in(dirs(home.path()), &project).unwrap();
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if number >= CALLS {
                        return;
                    }
                    let tool = tool(number);
                    let mut agent = gate.agent("s");
                    if !agent.ask(&tool).unwrap().is_no() {
                        ran.lock().unwrap().push(number);
                        // Some end at once, some later, some fail: what they used stays used, the rest comes back.
                        match number % 3 {
                            0 => drop(agent.succeeded(&tool).unwrap()),
                            1 => {}
                            _ => drop(agent.succeeded(&tool).unwrap()),
                        }
                    }
                }
            });
        }
    });
    ran.into_inner().unwrap()
}

#[test]
fn calls_are_counted_before_they_run() {
    assert_eq!(allowed("calls: 37", |number| Tool::shell(&format!("true {number}"))).len(), 37);
}

#[test]
fn lines_are_reserved_before_they_are_written() {
    let three = |number: usize| Tool::write(&format!("f{number}.txt"), "a\nb\nc\n");
    assert_eq!(allowed("lines: 100", three).len(), 33, "three lines each");
}

#[test]
fn files_are_reserved_before_they_are_changed() {
    // Five calls go to each file.
    let file = |number: usize| Tool::write(&format!("f{}.txt", number % 200), "a\n");
    let files: BTreeSet<usize> = allowed("files: 25", file).iter().map(|number| number % 200).collect();
    assert_eq!(files.len(), 25);
}

/// What a failed call would have used comes back.
#[test]
fn what_failed_is_let_go() {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join("project");
    std::fs::create_dir_all(project.join(".toolgate")).unwrap();
    std::fs::write(
        project.join(".toolgate/policy.yaml"),
        "version: 1\nagents:\n  main: { budget: { lines: 4, files: 1 } }\n",
    )
    .unwrap();
    let mut gate = Gate::open_in(dirs(home.path()), &project).unwrap();
    let mut agent = gate.agent("s");
    let (one, other) = (Tool::write("a.txt", "1\n2\n3\n"), Tool::write("b.txt", "1\n"));
    assert!(!agent.ask(&one).unwrap().is_no());
    assert!(agent.ask(&other).unwrap().is_no(), "the one file is taken");
    agent.failed(&one, "no room").unwrap();
    assert!(!agent.ask(&other).unwrap().is_no(), "and free again");
    agent.succeeded(&other).unwrap();
    assert!(agent.ask(&one).unwrap().is_no(), "now it is spent");
    assert!(!agent.ask(&Tool::write("b.txt", "1\n2\n3\n")).unwrap().is_no(), "a file counts once");
}
