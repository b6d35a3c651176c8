//! What people see, as snapshots: verdicts, rules, logs, requests, the doctor.

use crate::house::{ASKED, CANARY, House, Said, finish};
use crate::plain::plain;
use serde_json::{Value, json};

/// A policy of its own, so that a change of the default pack changes no snapshot here.
const OWN: &str = "\
version: 1
review: { delivery: ticket, expires_minutes: 5 }
rules:
  - id: no-make
    name: make stays out
    kind: block
    match: { command: { program: make } }
    severity: high
    reason: this project builds with cargo
    remediation: use cargo
    alternatives: [\"`cargo build`\"]
    examples: { match: [make all], pass: [cargo build] }
  - id: ask-deploy
    kind: ask
    match: { command: { program: deploy } }
    reason: a person watches every deploy
  - id: mind-curl
    kind: warn
    match: { command: { program: curl } }
    reason: the network is slow here
  - id: quiet-install
    kind: rewrite
    match: { command: { program: npm, subcommand: install } }
    change: { add_flags: --no-audit }
    reason: audits run elsewhere
";

/// Everything a call of the program said, made plain.
fn shown(house: &House, said: &Said) -> String {
    let code = said.code.map_or("a signal".to_owned(), |code| code.to_string());
    let err =
        if said.err.is_empty() { String::new() } else { format!("--- stderr\n{}\n", said.err.trim_end()) };
    let out = if said.out.is_empty() { String::new() } else { format!("{}\n", said.text().trim_end()) };
    plain(house, &format!("{out}{err}--- exit {code}"))
}

/// The calls and what they said, one after the other.
fn session(house: &House, calls: &[&[&str]]) -> String {
    let parts = calls.iter().map(|args| {
        format!("$ toolgate {}\n{}\n", plain(house, &args.join(" ")), shown(house, &house.run(args)))
    });
    parts.collect::<Vec<_>>().join("\n")
}

#[test]
fn test_says_what_would_happen_and_why() {
    let house = House::bare(OWN);
    let calls: [&[&str]; 8] = [
        &["test", "make all"],
        &["test", "ls -l"],
        &["test", "deploy prod"],
        &["test", "curl example.com"],
        &["test", "npm install left-pad"],
        &["test", "cd x && make all; deploy"],
        &["test", "toolgate-canary"],
        &["test", "--tool", "Write", "--input", "{\"file_path\":\".toolgate/policy.yaml\",\"content\":\"\"}"],
    ];
    insta::assert_snapshot!(session(&house, &calls));
}

#[test]
fn test_says_it_as_json() {
    let house = House::bare(OWN);
    insta::assert_snapshot!(session(
        &house,
        &[&["test", "--json", "make all"], &["test", "--json", "ls"], &["test", "--json", "npm install x"]]
    ));
}

/// A verdict the hook does not act on says so.
#[test]
fn test_says_when_nobody_acts_on_it() {
    let house = House::with_policy("version: 1\nmode: observe\n");
    let said = house.run(&["test", "git push --force"]).ended(3).text();
    assert!(said.contains("observe: calls are recorded and never stopped"), "{said}");
    let said = house.run(&["test", "--json", "git push --force"]).ended(3).text();
    assert!(said.contains("\"mode\":\"observe\""), "{said}");
    let said = House::new().run(&["test", "git push --force"]).ended(3).text();
    assert!(!said.contains("observe"), "{said}");
}

#[test]
fn test_ends_with_a_code_for_scripts() {
    let house = House::bare(OWN);
    for (command, code) in
        [("ls", 0), ("curl x", 0), ("npm install x", 0), ("make", 2), ("deploy", 3), (CANARY, 2)]
    {
        house.run(&["test", command]).ended(code);
        house.run(&["test", "--json", command]).ended(code);
    }
    let wrong: [&[&str]; 6] = [
        &["test"],
        &["test", "--tool", "Bash"],
        &["test", "--tool", "Bash", "--input", "{"],
        &["test", "--tool", "Bash", "--input", "{}"],
        &["test", "--nonsense", "ls"],
        &["test", "ls", "--jsonl"],
    ];
    for args in wrong {
        house.run(args).ended(1);
    }
    house.write(".toolgate/policy.yaml", "version: 2\n");
    let said = house.run(&["test", "ls"]).ended(1);
    assert!(said.err.contains("version 2") && said.err.contains("every call is blocked"), "{}", said.err);
}

#[test]
fn test_judges_a_batch_line_by_line() {
    let house = House::bare(OWN);
    let lines = [
        json!({ "id": 1, "tool": "Bash", "input": { "command": "make" } }),
        json!({ "id": "two", "tool": "bash", "input": { "command": "ls" } }),
        json!({ "tool": "Write", "input": { "file_path": "a.txt", "content": "" }, "cwd": house.project() }),
        json!({ "id": null, "tool": "shell", "input": { "command": "deploy" } }),
        json!({ "id": 5, "tool": "fetch", "input": { "url": "https://example.com" } }),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n\n")).collect();
    let said = house.run_with(&["test", "--jsonl"], &text).ended(0).text();
    let answers: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let seen: Vec<(&Value, &str)> =
        answers.iter().map(|answer| (&answer["id"], answer["verdict"].as_str().unwrap())).collect();
    assert_eq!(
        seen,
        [
            (&json!(1), "block"),
            (&json!("two"), "allow"),
            (&json!(null), "allow"),
            (&json!(null), "ask"),
            (&json!(5), "allow")
        ]
    );
    let bad = format!("{}\nnot json\n{{\"id\":3}}\n{}\n", lines[0], lines[1]);
    let said = house.run_with(&["test", "--jsonl"], &bad).ended(1).text();
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[1]["line"], &lines[2]["line"]), (4, &json!(2), &json!(3)));
}

#[test]
fn explain_shows_the_page_of_a_rule() {
    let house = House::new();
    insta::assert_snapshot!(session(
        &house,
        &[
            &["explain", "git-skip-hooks"],
            &["explain", "gate-canary"],
            &["explain", "no-such-rule"],
            &["explain", "git-skip-hook"],
        ]
    ));
    house.ask("git commit --no-verify -m x");
    house.ask("git push --force origin main");
    let pages = ["git-skip-hooks", "git-force-push", "delete-root", "seen-download", "risk-critical"];
    let pages = pages.map(|id| ["explain", id]);
    let pages: Vec<&[&str]> = pages.iter().map(|args| args.as_slice()).collect();
    insta::assert_snapshot!("explain_pages", session(&house, &pages));
    let own = House::bare(OWN);
    insta::assert_snapshot!(
        "explain_own",
        session(&own, &[&["explain", "no-make"], &["explain", "ask-deploy"], &["explain", "quiet-install"]])
    );
}

#[test]
fn policy_shows_every_rule_with_its_place() {
    let house = House::bare(&format!("{OWN}disable: [mind-curl, never-was]\n"));
    insta::assert_snapshot!(session(
        &house,
        &[
            &["policy", "show"],
            &["policy", "check"],
            &["rules", "list"],
            &["rules", "list", "--enabled"],
            &["rules", "check"]
        ]
    ));
}

/// A few calls and how they ended.
fn lived_in() -> House {
    let house = House::bare(OWN);
    for command in ["make all", "ls -l", "deploy prod", "curl example.com", "npm install x"] {
        house.ask(command);
    }
    let mut event = house.event("ls -l");
    event["hook_event_name"] = json!("PostToolUse");
    house.ask_event(&event);
    house
}

#[test]
fn logs_show_what_was_decided() {
    let house = lived_in();
    let calls: [&[&str]; 6] = [
        &["logs"],
        &["logs", "--all"],
        &["logs", "--last", "24h", "--decisions", "REJECT,ESCALATE"],
        &["logs", "--limit", "1"],
        &["logs", "--last", "yesterday"],
        &["logs", "--decisions", "MAYBE"],
    ];
    insta::assert_snapshot!(session(&house, &calls));
    let count = |args: &[&str]| house.run(args).ended(0).text().lines().count();
    assert_eq!(count(&["logs", "--session", "session-1"]), 5);
    assert_eq!(count(&["logs", "--session", "another"]), 0);
    assert_eq!(count(&["logs", "--decisions", "block"]), 1);
    assert_eq!(count(&["logs", "--json", "--all"]), 7);
}

#[test]
fn explain_tells_the_story_of_a_decision() {
    let house = lived_in();
    let story = session(&house, &[&["explain", "1"], &["explain", "99"]]);
    let without_durations: Vec<String> =
        story.lines().map(|line| line.split("  (").next().unwrap_or_default().to_owned()).collect();
    insta::assert_snapshot!(without_durations.join("\n"));
}

#[test]
fn the_inbox_shows_the_whole_call() {
    let house = lived_in();
    let list = house.run(&["inbox", "list", "--json"]).ended(0).text();
    let id = serde_json::from_str::<Value>(&list).unwrap()[0]["id"].as_str().unwrap().to_owned();
    let said = session(
        &house,
        &[
            &["inbox"],
            &["inbox", "list", "--all"],
            &["inbox", "show", &id],
            &["explain", &id],
            &["inbox", "show", "r-none"],
        ],
    );
    insta::assert_snapshot!(said);
}

#[test]
fn the_doctor_says_what_to_fix() {
    let house = House::bare(OWN);
    let mut said = session(&house, &[&["doctor"]]);
    house.run(&["install", "claude-code", "--project", "--yes"]).ended(0);
    said.push_str(&session(&house, &[&["doctor"]]));
    house.write(".claude/settings.json", "{\"disableAllHooks\": true}");
    said.push_str(&session(&house, &[&["doctor"]]));
    let settings = house.project().join(".claude/settings.json");
    std::fs::remove_file(&settings).unwrap();
    house.run(&["install", "claude-code", "--project", "--yes"]).ended(0);
    let gone = house.read(".claude/settings.json").replace(crate::house::TOOLGATE, "/nowhere/toolgate");
    house.write(".claude/settings.json", gone);
    said.push_str(&session(&house, &[&["doctor"]]));
    std::fs::remove_file(&settings).unwrap();
    house.write(".toolgate/policy.yaml", "version: 1\nmode: observe\n");
    said.push_str(&session(&house, &[&["doctor"]]));
    insta::assert_snapshot!(said);
}

/// The reference in the repository is what the program says (U-docs).
#[test]
fn the_reference_is_the_program() {
    let house = House::new();
    let said = house.run(&["man", "--reference"]).ended(0).text();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");
    let written = std::fs::read_to_string(file).expect("docs/cli.md");
    assert!(said == written, "write it anew: toolgate man --reference > docs/cli.md");
}

/// The published schema is the one the program checks against.
#[test]
fn the_schema_is_the_program() {
    let said = House::new().run(&["policy", "schema"]).ended(0).text();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/policy.schema.json");
    let written = std::fs::read_to_string(file).expect("docs/policy.schema.json");
    assert!(said == written, "write it anew: toolgate policy schema > docs/policy.schema.json");
}

#[test]
fn every_verb_helps_and_wrong_use_ends_with_1() {
    let house = House::new();
    for verb in [
        "init",
        "install",
        "uninstall",
        "doctor",
        "hook",
        "test",
        "explain",
        "rules",
        "policy",
        "logs",
        "ledger",
        "inbox",
        "approver",
        "mcp",
        "pins",
        "completions",
        "man",
    ] {
        let said = house.run(&[verb, "--help"]).ended(0).text();
        assert!(said.contains("Example"), "{verb}: {said}");
    }
    for args in [
        &[][..],
        &["nonsense"],
        &["inbox", "approve"],
        &["logs", "--limit", "x"],
        &["completions", "nosuchshell"],
    ] {
        house.run(args).ended(1);
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(house.run(&["completions", shell]).ended(0).text().contains("toolgate"));
    }
    serde_json::from_str::<Value>(&house.run(&["policy", "schema"]).ended(0).text()).unwrap();
}

#[test]
fn colour_comes_only_where_it_is_wanted() {
    let house = House::bare(OWN);
    let run = |set: &[(&str, &str)]| {
        let mut command = house.toolgate(&["test", "make"]);
        command.envs(set.iter().copied());
        finish(command, b"").text()
    };
    assert!(!run(&[]).contains('\u{1b}'), "into a pipe");
    assert!(run(&[("CLICOLOR_FORCE", "1")]).contains('\u{1b}'), "asked for");
    let pty = |name: &str| {
        let mut script = house.command(
            "/usr/bin/script",
            &["-qec", &format!("{} test make", crate::house::TOOLGATE), "/dev/null"],
        );
        script.env("TERM", "xterm").env(name, "1");
        finish(script, b"").text()
    };
    if std::path::Path::new("/usr/bin/script").exists() {
        assert!(pty("UNUSED").contains("\u{1b}["), "at a terminal");
        assert!(!pty("NO_COLOR").contains("\u{1b}["), "not wanted");
    }
}

/// A force push in the default pack waits for a person, in words for both sides.
#[test]
fn a_ticket_tells_the_agent_what_to_do() {
    let house = House::with_policy(crate::house::TICKET);
    let told = house.ask(ASKED);
    insta::assert_snapshot!(plain(&house, told.text()));
}
