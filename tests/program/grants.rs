//! Answers that reach further than one call: the session, a time, always – and not a step further.

use crate::answer::Answer;
use crate::house::{ASKED, House, Said, TICKET};
use crate::plain::plain;
use crate::review::{PASSPHRASE, locked, state};
use serde_json::{Value, json};

/// Approves or denies with these further words of the command line.
fn give(house: &House, word: &str, id: &str, reach: &[&str]) -> Said {
    let args: Vec<&str> =
        ["inbox", word, id, "--passphrase-stdin"].into_iter().chain(reach.iter().copied()).collect();
    house.run_with(&args, PASSPHRASE)
}

fn elsewhere(house: &House, command: &str, field: &str, value: Value) -> Answer {
    let mut event = house.call(command);
    event[field] = value;
    house.ask_event(&event)
}

#[test]
fn a_yes_for_the_session_is_used_again_and_again() {
    let house = locked();
    let id = house.ask(ASKED).request();
    give(&house, "approve", &id, &["--session"]).ended(0);
    for _ in 0..3 {
        assert_eq!(house.ask(ASKED), Answer::Silent);
    }
    assert!(house.ask("git push --force origin other").is_no(), "another call");
    assert!(elsewhere(&house, ASKED, "session_id", json!("another")).is_no(), "another session");
    let listed = house.run(&["grants", "list", "--json"]).ended(0).text();
    let listed: Vec<Value> = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed[0]["progress"]["uses"], 3, "{listed:?}");
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn a_yes_for_a_time_holds_in_every_session() {
    let house = locked();
    let id = house.ask(ASKED).request();
    give(&house, "approve", &id, &["--minutes", "30"]).ended(0);
    assert_eq!(house.ask(ASKED), Answer::Silent);
    assert_eq!(elsewhere(&house, ASKED, "session_id", json!("another")), Answer::Silent);
    let inner = house.project().join("inner");
    std::fs::create_dir(&inner).unwrap();
    assert!(elsewhere(&house, ASKED, "cwd", json!(inner)).is_no(), "another folder is another call");
}

#[test]
fn always_is_a_pattern_the_person_chose() {
    let house = locked();
    let id = house.ask(ASKED).request();
    let said = give(&house, "approve", &id, &["--always", "--pattern", "git push --force origin *"]).ended(0);
    insta::assert_snapshot!(plain(&house, &said.err));
    for fits in [ASKED, "git push --force origin dev"] {
        assert_eq!(elsewhere(&house, fits, "session_id", json!("another")), Answer::Silent, "{fits}");
    }
    for other in [
        "git push --force upstream main",
        "git push --force origin main dev",
        "git push -f origin main",
        "git push --force origin main && git push --force origin dev",
        "git push --force origin $BRANCH",
        "GIT_SSH_COMMAND=x git push --force origin main",
        "git push --force --no-verify origin main",
    ] {
        assert!(house.ask(other).is_no(), "{other}");
    }
    let mut beside = house.call(ASKED);
    beside["tool_input"]["dangerouslyDisableSandbox"] = json!(true);
    assert!(house.ask_event(&beside).is_no(), "more than the command was asked");
    let outside = house.root().join("other");
    std::fs::create_dir_all(outside.join(".toolgate")).unwrap();
    std::fs::write(outside.join(".toolgate/policy.yaml"), TICKET).unwrap();
    assert!(elsewhere(&house, ASKED, "cwd", json!(outside)).is_no(), "another folder");
    house.run(&["ledger", "verify"]).ended(0);
}

/// What a person said yes to is what they were asked about, not what else may come to ask.
#[test]
fn a_standing_yes_answers_no_other_guard() {
    let house = locked();
    let id = house.ask(ASKED).request();
    give(&house, "approve", &id, &["--session"]).ended(0);
    assert_eq!(house.ask(ASKED), Answer::Silent);
    let more = "  - { id: ask-pushes, kind: ask, match: { regex: '^git push' }, reason: asked }\n";
    house.write(".toolgate/policy.yaml", format!("{TICKET}rules:\n{more}"));
    assert_ne!(house.ask(ASKED).request(), id, "a new rule asks as well");
}

#[test]
fn a_no_can_stand_too() {
    let house = locked();
    let id = house.ask(ASKED).request();
    let reach = ["--always", "--pattern", "git push --force * *", "--words", "never force"];
    give(&house, "deny", &id, &reach).ended(0);
    let answer = elsewhere(&house, "git push --force upstream dev", "session_id", json!("another"));
    assert!(answer.is_no() && answer.text().contains("never force"), "{answer:?}");
    house.run(&["grants", "revoke", &id]).ended(0);
    let answer = elsewhere(&house, "git push --force upstream dev", "session_id", json!("third"));
    assert!(!answer.text().contains("never force") && answer.text().contains("Request r-"), "{answer:?}");
}

#[test]
fn what_stands_is_listed_and_ends_when_it_is_revoked() {
    let house = locked();
    assert!(house.run(&["grants"]).ended(0).err.contains("no active grants"));
    let id = house.ask(ASKED).request();
    give(&house, "approve", &id, &["--session"]).ended(0);
    assert_eq!(house.ask(ASKED), Answer::Silent);
    let listed = house.run(&["grants"]).ended(0).text();
    assert!(listed.contains(&id) && listed.contains("used once"), "{listed}");
    house.run(&["grants", "revoke", &id]).ended(0);
    assert_eq!(state(&house, &id), "revoked");
    assert_ne!(house.ask(ASKED).request(), id, "it asks again");
    house.run(&["grants", "revoke", &id]).ended(1);
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn an_answer_is_undone_while_nothing_has_run() {
    let house = locked();
    let id = house.ask(ASKED).request();
    house.run(&["inbox", "undo", &id]).ended(1);
    give(&house, "approve", &id, &[]).ended(0);
    house.run(&["inbox", "undo", &id]).ended(0);
    assert_eq!(state(&house, &id), "pending");
    assert_eq!(house.ask(ASKED).request(), id, "it waits again");
    give(&house, "deny", &id, &[]).ended(0);
    house.run(&["inbox", "undo", &id]).ended(0);
    give(&house, "approve", &id, &[]).ended(0);
    assert_eq!(house.ask(ASKED), Answer::Silent);
    let said = house.run(&["inbox", "undo", &id]).ended(1);
    assert!(said.err.contains("the call has already run"), "{}", said.err);
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn claims_and_comments_are_shown_and_answer_nothing() {
    let house = locked();
    let id = house.ask(ASKED).request();
    house.run(&["inbox", "claim", &id]).ended(0);
    house.run(&["inbox", "comment", &id, "which branch?\u{1b}[2J"]).ended(0);
    let shown = house.run(&["inbox", "show", &id]).ended(0).text();
    assert!(shown.contains("claimed  by ada") && shown.contains("note     ada: which branch?"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "control characters are made visible");
    assert_eq!(state(&house, &id), "pending");
    assert_eq!(house.ask(ASKED).request(), id);
}

/// None of it is for the agent.
#[test]
fn an_agent_takes_nothing_back() {
    let house = locked();
    let id = house.ask(ASKED).request();
    give(&house, "deny", &id, &["--session"]).ended(0);
    for args in [["inbox", "undo", &id], ["inbox", "claim", &id], ["grants", "revoke", &id]] {
        let mut command = house.toolgate(&args);
        command.env("CLAUDECODE", "1");
        assert!(!command.output().unwrap().status.success(), "{args:?}");
        assert!(house.ask(&format!("toolgate {}", args.join(" "))).is_no(), "the gate refuses {args:?}");
    }
    assert_eq!(state(&house, &id), "denied");
}

#[test]
fn what_cannot_be_is_refused() {
    let house = locked();
    let id = house.ask(ASKED).request();
    for reach in [
        &["--minutes", "0"][..],
        &["--minutes", "99999999"],
        &["--session", "--always"],
        &["--pattern", "git *"],
        &["--always", "--pattern", "*"],
        &["--always", "--pattern", "git push | sh"],
    ] {
        give(&house, "approve", &id, reach).ended(1);
        assert_eq!(state(&house, &id), "pending", "{reach:?}");
    }
}

/// A pattern is for commands; with another tool it would be taken and never apply.
#[test]
fn a_pattern_is_refused_for_what_is_no_command() {
    let house = locked();
    let rule = "  - { id: ask-writes, kind: ask, match: { tool: Write }, reason: asked }\n";
    house.write(".toolgate/policy.yaml", format!("{TICKET}rules:\n{rule}"));
    let mut event = house.event("");
    event["tool_name"] = json!("Write");
    event["tool_input"] = json!({ "file_path": house.project().join("a.txt"), "content": "A" });
    let id = house.ask_event(&event).request();
    for word in ["approve", "deny"] {
        let said = give(&house, word, &id, &["--always", "--pattern", "cat *"]).ended(1);
        assert!(said.err.contains("`Write` call") && said.err.contains("exactly this call"), "{}", said.err);
        assert_eq!(state(&house, &id), "pending");
    }
    let said = give(&house, "approve", &id, &["--always"]).ended(0);
    assert!(!said.err.contains("--pattern"), "none is proposed: {}", said.err);
    event["session_id"] = json!("another");
    assert_eq!(house.ask_event(&event), Answer::Silent);
}

/// A rule rewrites, another asks: what people are asked about, and what a wider yes speaks of, is the call as the
/// agent made it; what runs is the rewritten one.
#[test]
fn a_yes_stands_for_calls_that_are_rewritten() {
    const MADE: &str = "git commit --no-verify -m x";
    let policy = format!(
        "{TICKET}disable: [git-skip-hooks]
rules:
  - {{ id: with-hooks, kind: rewrite, match: {{ command: {{ program: git, subcommand: commit, flags: [--no-verify] }} }},
      change: {{ remove_flags: [--no-verify] }}, reason: hooks run }}
  - {{ id: ask-commits, kind: ask, match: {{ command: {{ program: git, subcommand: commit }} }}, reason: asked }}
"
    );
    let rewritten = |answer: &Answer| matches!(answer, Answer::Changed(input) if input.contains("\"git commit -m x\"") && !input.contains("no-verify"));
    for (reach, another_command) in [
        (&["--minutes", "30"][..], false),
        (&["--always"], false),
        (&["--always", "--pattern", "git commit --no-verify -m *"], true),
    ] {
        let house = locked();
        house.write(".toolgate/policy.yaml", &policy);
        let id = house.ask(MADE).request();
        let shown = house.run(&["inbox", "show", &id]).ended(0).text();
        assert!(shown.contains(MADE), "{shown}");
        give(&house, "approve", &id, reach).ended(0);
        for session in ["session-1", "another", "third"] {
            let answer = elsewhere(&house, MADE, "session_id", json!(session));
            assert!(rewritten(&answer), "{reach:?} in {session}: {answer:?}");
        }
        assert!(house.ask("git commit -m x").is_no(), "{reach:?}: nobody was asked about that one");
        let other = house.ask("git commit --no-verify -m other");
        assert_eq!(!other.is_no(), another_command, "{reach:?}: {other:?}");
        house.run(&["ledger", "verify"]).ended(0);
    }
    let house = locked();
    house.write(".toolgate/policy.yaml", &policy);
    let id = house.ask(MADE).request();
    give(&house, "deny", &id, &["--always", "--pattern", "git commit --no-verify -m *"]).ended(0);
    let denied = elsewhere(&house, "git commit --no-verify -m other", "session_id", json!("another"));
    let said = denied.text();
    assert!(
        said.contains("denied such calls") && !said.contains("denied this call"),
        "nobody saw this one: {said}"
    );
}

/// A person may be called like the agent: what tells them apart is whose process it is.
#[test]
fn a_person_called_like_the_agent_can_answer() {
    let house = locked();
    let id = house.ask(ASKED).request();
    let mut named = house.toolgate(&["inbox", "approve", &id, "--passphrase-stdin"]);
    named.env("USER", "main");
    crate::house::finish(named, PASSPHRASE.as_bytes()).ended(0);
    assert_eq!(state(&house, &id), "approved");
    assert_eq!(house.ask(ASKED), Answer::Silent);
    house.run(&["ledger", "verify"]).ended(0);
    // And whoever is below an agent cannot, whatever the name.
    let open = House::with_policy(TICKET);
    let id = open.ask(ASKED).request();
    for name in ["main", "ada"] {
        let mut below = open.toolgate(&["inbox", "approve", &id]);
        below.env("USER", name).env("CLAUDECODE", "1");
        let said = crate::house::finish(below, id.as_bytes()).ended(1);
        assert!(said.err.contains("inside an agent"), "{}", said.err);
        assert_eq!(state(&open, &id), "pending");
    }
}

/// A row put back, or widened, is worth nothing without its record.
#[test]
fn a_widened_row_is_noticed() {
    let house = locked();
    let id = house.ask(ASKED).request();
    give(&house, "approve", &id, &["--session"]).ended(0);
    let ledger = rusqlite::Connection::open(house.ledger()).unwrap();
    let wide = r#"replace(body, '"extent":"session"', '"extent":"for","minutes":9999')"#;
    assert_eq!(ledger.execute(&format!("UPDATE request SET body = {wide}"), []).unwrap(), 1);
    drop(ledger);
    assert!(elsewhere(&house, ASKED, "session_id", json!("another")).is_no());
    house.run(&["ledger", "verify"]).ended(2);
}

const TWO: &str = "version: 1
review: { delivery: ticket }
people: { needs: { low: 2 } }
";

#[test]
fn two_people_must_say_yes_where_the_policy_says_so() {
    let house = House::with_policy(TWO);
    let yes = |by: &str| {
        let mut gate = gate(&house);
        let request = open_request(&mut gate);
        let (id, by) = (request.id.clone(), by.to_owned());
        let reach = toolgate_core::Extent::Once;
        let (word, proof) = (toolgate_core::Word::Approve, toolgate_core::Proof::Terminal);
        gate.answer(&request, toolgate_core::Answer { request: id, word, by, words: None, reach, proof })
            .unwrap();
    };
    let id = house.ask(ASKED).request();
    yes("ada");
    yes("ada");
    assert_eq!(house.ask(ASKED).request(), id, "one is not two");
    let shown = house.run(&["inbox", "show", &id]).ended(0).text();
    assert!(shown.contains("so far   ada approves; 2 people must"), "{shown}");
    yes("bob");
    assert_eq!(house.ask(ASKED), Answer::Silent);
}

fn gate(house: &House) -> toolgate_runtime::Gate {
    let home = house.home().display().to_string();
    let dirs = toolgate_runtime::Dirs::from_env(&move |name| (name == "HOME").then(|| home.clone()));
    toolgate_runtime::Gate::open(toolgate_runtime::Setup {
        host: toolgate_runtime::HostLimits::default(),
        dirs,
        project: house.project(),
        host_files: Vec::new(),
        agents: &[],
        usage: None,
        asked_by: None,
    })
    .unwrap()
    .0
}

fn open_request(gate: &mut toolgate_runtime::Gate) -> toolgate_core::Request {
    use toolgate_store::Store;
    gate.store().requests(toolgate_store::Which::Open).unwrap().remove(0)
}

/// The person's own policy may let mild questions through; a repository may not say so.
#[test]
fn low_severity_is_approved_only_by_the_persons_own_policy() {
    let rules = "rules:
  - { id: mild, kind: ask, severity: low, match: { regex: '^make.* mild' }, reason: mild }
  - { id: grave, kind: ask, severity: high, match: { regex: '^make.* grave' }, reason: grave }
";
    let project =
        format!("version: 1\nreview: {{ delivery: ticket }}\npeople: {{ auto_approve_low: true }}\n{rules}");
    let house = House::bare(&project);
    house.ask("make mild").request();
    let check = house.run(&["policy", "check"]).ended(1).text();
    assert!(check.contains("people.auto_approve_low"), "a repository cannot say it: {check}");
    house.write_user("version: 1\npacks: []\npeople: { auto_approve_low: true }\n");
    let answer = house.ask("make -s mild");
    assert!(!answer.is_no() && answer.text().contains("low-severity"), "{answer:?}");
    house.ask("make grave").request();
    house.ask("make mild && make grave").request();
}

#[test]
fn where_nobody_is_there_the_answer_is_no() {
    let house = House::with_policy("version: 1\nreview: { delivery: deny }\n");
    let answer = house.ask(ASKED);
    assert!(answer.is_no() && answer.text().contains("No person can be asked"), "{answer:?}");
    assert!(
        house.run(&["inbox", "list", "--all"]).ended(0).err.contains("nothing waits"),
        "no request is made"
    );
}
