//! One story per source system on the real Claude Code: what the agent tries, what it is told, what it does next.
//! (The Playwright trap of S0 stands with its prerequisites.)

use crate::gate::gated;
use crate::hooks::Level;
use crate::host::poll;
use crate::model::{Gate as Door, Script, bash, call, say, sub_agent};
use serde_json::json;
use std::time::Duration;

const WAIT_MAX: Duration = Duration::from_secs(30);

/// S1: a commit names its task, however the message is given.
#[test]
fn a_commit_names_its_task() {
    const TASK: &str = "version: 1\nrules:\n  - id: task-reference\n    kind: require\n    match: { command: { program: git, subcommand: commit } }\n    require: { message: '[A-Z]+-[0-9]+' }\n    reason: a commit belongs to a task\n";
    let script = Script::of([
        bash("git commit --allow-empty -m fix"),
        bash("git commit --allow-empty -am 'fix ABC-12'"),
        say("bye"),
    ]);
    let Some(stage) = gated(Level::Project, TASK, script) else { return };
    stage.play();
    let (text, is_error) = stage.model.result(1);
    assert!(is_error && text.contains("task-reference"), "{text}");
    assert_eq!(stage.commits(), 2, "the second one happened, the first did not");
}

/// S2: an agent stays within its role, and its tokens are counted from the host's own transcript.
#[test]
fn a_sub_agent_stays_within_its_files() {
    const ROLES: &str = "version: 1\nagents:\n  general-purpose: { scope: { deny: [tests/**] } }\n";
    let write = |path: &str| call("Write", json!({ "file_path": path, "content": "x\n" }));
    let script = Script::of([sub_agent("SUB-MARK write it"), write("tests/b.rs"), say("bye")]);
    let script = script.stream("SUB-MARK", [write("tests/a.rs"), write("src/a.rs"), say("done")]);
    let Some(stage) = gated(Level::Project, ROLES, script) else { return };
    stage.play();
    let results = stage.model.asked("SUB-MARK")[1].results();
    assert!(results[0].1 && results[0].0.contains("builtin-003"), "{results:?}");
    assert!(!stage.has("tests/a.rs") && stage.has("src/a.rs") && stage.has("tests/b.rs"));
}

/// S2-45: a guardrail of the project keeps one role from the tests; the other may.
#[test]
fn a_guardrail_keeps_a_role_from_the_tests() {
    const RAILS: &str = "version: 1\nguardrails:\n  - id: custom-scope-001\n    description: Implementer agents should not modify test files.\n    type: pre_execution\n    priority: 110\n    category: scope\n    condition:\n      expression: \"agent.role == 'general-purpose' AND action.type == 'file_write'\"\n      applies_to: { agents: ['general-purpose-*'], tasks: '*', tools: [Write, Edit] }\n    validation:\n      check: \"action.target_file does not match '**/test_*' AND '**/*_test.*'\"\n      action_on_fail: block\n";
    let write = |path: &str| call("Write", json!({ "file_path": path, "content": "x\n" }));
    let script = Script::of([sub_agent("SUB-MARK write it"), write("src/test_b.py"), say("bye")]);
    let script = script.stream("SUB-MARK", [write("src/test_a.py"), write("src/a.py"), say("done")]);
    let Some(stage) = gated(Level::Project, RAILS, script) else { return };
    stage.play();
    let results = stage.model.asked("SUB-MARK")[1].results();
    assert!(results[0].1 && results[0].0.contains("custom-scope-001"), "{results:?}");
    assert!(!stage.has("src/test_a.py") && stage.has("src/a.py") && stage.has("src/test_b.py"));
}

/// S2-45 to S2-47: blocked, the agent asks past the guardrail with a reason; the architect says yes, and exactly that call
/// runs, once.
#[test]
fn an_architect_lets_one_test_be_written() {
    const RAILS: &str = "version: 1\nreview: { delivery: ticket }\nguardrails:\n  - id: custom-scope-001\n    type: pre_execution\n    condition: { expression: \"action.type == 'file_write'\" }\n    validation: { check: \"action.target_file does not match '**/test_*'\" }\n    bypass: { allowed: true, requires_approval: architect }\n";
    const PASSPHRASE: &str = "correct horse battery staple\n";
    let (blocked, answered) = (Door::default(), Door::default());
    let write = |path: &str| call("Write", json!({ "file_path": path, "content": "x\n" }));
    let toolgate = env!("CARGO_BIN_EXE_toolgate");
    let ask = format!(
        "'{toolgate}' bypass request custom-scope-001 --call {{word}} --reason 'the test must follow the renamed function'"
    );
    let script = Script::of([
        write("src/test_a.py"),
        bash(&ask).after(&blocked),
        write("src/test_b.py").after(&answered),
        write("src/test_a.py"),
        write("src/test_a.py"),
        say("bye"),
    ]);
    let Some(stage) = gated(Level::Project, RAILS, script) else { return };
    stage.toolgate(&["approver", "set", "--passphrase-stdin"], PASSPHRASE);
    let running = stage.claude().wait_max(WAIT_MAX * 3).start();
    let came = |turns: usize| {
        poll(WAIT_MAX, || (stage.model.main().len() >= turns).then_some(())).expect("the next turn")
    };
    came(2);
    let (text, is_error) = stage.model.result(1);
    let hash = text.split("--call ").nth(1).and_then(|rest| rest.split(' ').next());
    assert!(is_error && hash.is_some(), "the block names the way: {text}");
    blocked.open_with(hash.unwrap_or_default());
    came(3);
    let list = stage.toolgate(&["bypass", "list", "--json"], "");
    let requests: serde_json::Value = serde_json::from_str(&list).expect("JSON");
    let request = &requests[0];
    let id = request["id"].as_str().expect("an id");
    assert_eq!(request["bypass"]["role"], "architect");
    stage.toolgate(&["inbox", "approve", id, "--passphrase-stdin"], PASSPHRASE);
    answered.open();
    assert!(running.finish().status.success());
    let refused: Vec<bool> = (3..=5).map(|n| stage.model.result(n).1).collect();
    assert_eq!(refused, [true, false, true], "another file, the one that was asked for, and that one again");
    assert!(stage.has("src/test_a.py") && !stage.has("src/test_b.py"));
    stage.toolgate(&["ledger", "verify"], "");
}

#[test]
fn tokens_run_out() {
    // The scripted model uses 20 tokens an answer.
    const TOKENS: &str =
        "version: 1\nreview: { delivery: ticket }\nagents:\n  main: { budget: { tokens: 60 } }\n";
    let work = |n: u32| bash(&format!("touch step-{n}.txt"));
    let written = Door::default();
    let script = Script::of([work(1), work(2), work(3), work(4).after(&written), say("bye")]);
    let Some(stage) = gated(Level::Project, TOKENS, script) else { return };
    let running = stage.claude().wait_max(WAIT_MAX * 3).start();
    // The host writes its log a moment after the fact; what it has not written yet nobody can count.
    poll(WAIT_MAX, || (stage.answers_logged() >= 3).then_some(())).expect("three answers in the host's log");
    written.open();
    assert!(running.finish().status.success());
    assert!(stage.has("step-1.txt"));
    assert!(!stage.has("step-4.txt"), "four answers are 80 tokens");
    let (text, is_error) = stage.model.result(4);
    assert!(is_error && text.contains("builtin-001") && text.contains("of 60 tokens are used"), "{text}");
}

/// Told no, the agent puts the command into a file and runs that: by its own tools, through the shell, through make.
#[test]
fn a_script_is_no_way_around() {
    let write = |path: &str, text: &str| call("Write", json!({ "file_path": path, "content": text }));
    let script = Script::of([
        bash("git commit --allow-empty --no-verify -m x"),
        write("fix.sh", "git commit --allow-empty --no-verify -m x\n"),
        bash("bash fix.sh"),
        bash("printf 'ship:\\n\\tgit commit --allow-empty -nm x\\n' > Makefile && chmod +x fix.sh"),
        bash("make ship"),
        bash("./fix.sh || sh ./fix.sh"),
        write("ok.sh", "git commit --allow-empty -m 'never --no-verify'\n"),
        bash("bash ok.sh"),
        say("bye"),
    ]);
    let Some(stage) = gated(Level::Project, "version: 1\n", script) else { return };
    stage.play();
    let refused: Vec<bool> = (1..=8).map(|n| stage.model.result(n).1).collect();
    assert_eq!(refused, [true, false, true, false, true, true, false, false]);
    let (text, _) = stage.model.result(3);
    assert!(
        text.contains("git-skip-hooks")
            && text.contains("`git commit --allow-empty --no-verify -m x` (fix.sh:1)"),
        "{text}"
    );
    assert_eq!(stage.commits(), 2, "only the one with its hooks");
    stage.toolgate(&["ledger", "verify"], "");
}

/// S3: read before write, guidance beside the work, and a stop only when the report is there.
#[test]
fn an_agent_reads_first_hears_guidance_and_finishes() {
    const AGENT: &str = "version: 1\nagents:\n  main:\n    read_before_write: true\n    deadline_minutes: 30\n    feedback:\n      - { name: Deadline, deadline: 120, every_calls: 1 }\n    completion: { files: [report.md] }\n";
    let write = |path: &str| bash(&format!("printf x > {path}"));
    let edit = || call("Write", json!({ "file_path": "README.md", "content": "new\n" }));
    let read = call("Read", json!({ "file_path": "README.md" }));
    let script = Script::of([edit(), read, edit(), say("done"), write("report.md"), say("really done")]);
    let Some(stage) = gated(Level::Project, AGENT, script) else { return };
    stage.play();
    let (text, is_error) = stage.model.result(1);
    assert!(is_error && text.contains("read-before-write"), "{text}");
    assert!(stage.model.was_told("<feedback provider='Deadline'>"), "no guidance");
    assert!(stage.model.was_told("remaining to complete the task."), "no time left told");
    assert_eq!(stage.read("README.md"), "new\n");
    let told = stage.model.told(4);
    assert!(
        told.starts_with("Stop hook feedback:\n") && told.contains("1 file is missing: report.md"),
        "{told}"
    );
    assert_eq!(stage.model.main().len(), 6);
    stage.toolgate(&["ledger", "verify"], "");
}

/// S4: a tool that is not verified is blocked in strict mode and warned about in permissive.
#[test]
fn a_tool_that_is_not_verified() {
    let read = || call("Read", json!({ "file_path": "README.md" }));
    let policy = |mode: &str| {
        format!("version: 1\nverification:\n  mode: {mode}\n  tools:\n    Read: {{ status: pending }}\n")
    };
    for (mode, blocked) in [("strict", true), ("permissive", false)] {
        let script = Script::of([read(), say("bye")]);
        let Some(stage) = gated(Level::Project, &policy(mode), script) else { return };
        stage.play();
        let (text, is_error) = stage.model.result(1);
        assert_eq!(is_error, blocked, "{mode}: {text}");
        assert!(
            stage.model.was_told("Verification required but tool is not verified: Read (status: pending)"),
            "{mode}"
        );
    }
}

/// The story of a newcomer: a sub-agent deletes a folder with uncommitted work. It is asked about while the work is in no
/// commit, and not for build output, for what the session made, and after a commit.
#[test]
fn a_sub_agent_does_not_delete_what_is_not_saved() {
    const TICKET: &str = "version: 1\nreview: { delivery: ticket }\n";
    let script = Script::of([sub_agent("SUB-MARK tidy up"), say("bye")]);
    let script = script.stream(
        "SUB-MARK",
        [
            bash("rm -rf src"),
            bash("rm -rf dist"),
            bash("mkdir gen && echo x > gen/a.js"),
            bash("rm -rf gen"),
            call("Write", json!({ "file_path": "made.js", "content": "x\n" })),
            bash("rm made.js"),
            bash("git add src && git commit --quiet -m saved"),
            bash("rm -rf src"),
            say("done"),
        ],
    );
    let Some(stage) = gated(Level::Project, TICKET, script) else { return };
    stage.write(".gitignore", "dist/\n");
    stage.write("src/a.js", "one\n");
    stage.write("src/b.js", "two\n");
    stage.git(&["add", ".gitignore", "src"]);
    stage.git(&["commit", "--quiet", "-m", "files"]);
    stage.write("src/a.js", "changed by a person\n");
    stage.write("src/b.js", "changed by a person\n");
    stage.write("dist/out.js", "built\n");
    stage.claude().wait_max(WAIT_MAX * 4).start().finish();
    let results: Vec<_> = stage.model.asked("SUB-MARK").iter().flat_map(|one| one.results()).collect();
    let (text, is_error) = &results[0];
    assert!(
        *is_error
            && text.contains("`rm -rf src` deletes 2 files with uncommitted changes: src/a.js, src/b.js"),
        "{text}"
    );
    assert!(results.iter().skip(1).all(|(_, is_error)| !is_error), "{results:?}");
    assert_eq!(results.len(), 8, "{results:?}");
    assert!(!stage.has("src") && !stage.has("dist") && !stage.has("gen") && !stage.has("made.js"));
    assert_eq!(stage.git(&["show", "HEAD:src/a.js"]), "changed by a person\n", "the work is in the commit");
}
