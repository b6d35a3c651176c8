//! A broken gate: what is about to run is refused in words nobody can take for a denial, what already
//! happened is only told, `doctor` says the same, and once mended the next call works.

use crate::answer::Answer;
use crate::house::{CANARY, House, Said, TICKET, TOOLGATE, finish};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

fn stop(house: &House) -> Value {
    json!({ "session_id": "session-1", "cwd": house.project(), "hook_event_name": "Stop", "stop_hook_active": false })
}

fn after(house: &House) -> Value {
    let mut event = house.event("ls");
    event["hook_event_name"] = json!("PostToolUse");
    event["tool_response"] = json!({ "stdout": "", "stderr": "" });
    event
}

/// Breaks a working gate, looks at everything it says, mends it, and sees that it works.
#[track_caller]
fn check(words: &str, policy: &str, breaks: impl Fn(&House), mends: impl Fn(&House)) {
    let house = House::with_policy(policy);
    assert_eq!(house.ask("ls"), Answer::Silent, "it works before");
    breaks(&house);
    for command in ["ls", CANARY] {
        let answer = house.ask(command);
        assert!(answer.is_broken() && answer.text().contains(words), "{words:?}: {answer:?}");
        assert!(answer.text().starts_with("Toolgate is broken, so nothing was run: "), "{answer:?}");
    }
    for event in [stop(&house), after(&house)] {
        let answer = house.ask_event(&event);
        assert!(
            matches!(&answer, Answer::Told(text) if text.contains("gate is broken") && text.contains(words)),
            "{answer:?}"
        );
    }
    let doctor = house.run(&["doctor"]).ended(1).text();
    assert!(
        doctor.contains("every call is blocked") && doctor.contains(words) && doctor.contains("fix: "),
        "{doctor}"
    );
    mends(&house);
    assert_eq!(house.ask("ls"), Answer::Silent, "it works again");
    assert!(house.ask(CANARY).is_canary());
    house.run(&["ledger", "verify"]).ended(0);
}

/// The same, mended by putting back what was there.
#[track_caller]
fn check_state(words: &str, breaks: impl Fn(&Path)) {
    let aside = |house: &House| house.root().join("aside");
    let copy = |from: &Path, to: &Path| {
        assert!(std::process::Command::new("cp").arg("-a").args([from, to]).status().expect("cp").success())
    };
    check(
        words,
        "version: 1\n",
        |house| {
            copy(&house.state(), &aside(house));
            breaks(&house.state());
        },
        |house| {
            let _ = fs::remove_dir_all(house.state());
            let _ = fs::remove_file(house.state());
            copy(&aside(house), &house.state());
        },
    );
}

#[test]
fn a_ledger_that_cannot_be_written_closes_the_gate() {
    check_state("cannot be opened", |state| {
        fs::remove_file(state.join("ledger.sqlite")).unwrap();
        fs::create_dir(state.join("ledger.sqlite")).unwrap();
    });
    check_state("is not a folder", |state| {
        fs::remove_dir_all(state).unwrap();
        fs::write(state, "a file").unwrap();
    });
    check_state("is not a folder", |state| {
        fs::remove_dir_all(state).unwrap();
        symlink("/proc/nothing/here", state).unwrap();
    });
}

#[test]
fn a_ledger_that_is_none_closes_the_gate() {
    let forget_log = |state: &Path| {
        let _ = fs::remove_file(state.join("ledger.sqlite-wal"));
        let _ = fs::remove_file(state.join("ledger.sqlite-shm"));
    };
    check_state("is not a ledger", |state| {
        forget_log(state);
        fs::write(state.join("ledger.sqlite"), "garbage ".repeat(10_000)).unwrap();
    });
    check_state("", |state| {
        forget_log(state);
        let sqlite = fs::read(state.join("ledger.sqlite")).unwrap();
        fs::write(state.join("ledger.sqlite"), [&sqlite[..100], &[0xff; 8192]].concat()).unwrap();
    });
    check_state("has format 99", |state| {
        let ledger = Connection::open(state.join("ledger.sqlite")).unwrap();
        ledger.pragma_update(None, "user_version", 99).unwrap();
    });
    check_state("the ledger is damaged", |state| {
        let ledger = Connection::open(state.join("ledger.sqlite")).unwrap();
        ledger.pragma_update(None, "user_version", -1).unwrap();
    });
    check_state("the ledger is damaged", |state| {
        let ledger = Connection::open(state.join("ledger.sqlite")).unwrap();
        ledger.execute_batch("DROP TABLE head").unwrap();
    });
}

#[test]
fn a_key_that_is_none_closes_the_gate() {
    for bytes in [&b""[..], b"short", &[7; 33], &[7; 4096]] {
        check_state("is not a ledger key", |state| fs::write(state.join("ledger.key"), bytes).unwrap());
    }
    check_state("ledger.key", |state| {
        fs::remove_file(state.join("ledger.key")).unwrap();
        fs::create_dir(state.join("ledger.key")).unwrap();
    });
}

#[test]
fn an_approver_that_cannot_be_read_closes_the_gate() {
    for text in ["", "{}", "null", "{\"key\":1,\"salt\":2}", "{\"key\":\"\",\"salt\":\"\",\"extra\":1}"] {
        let file = |house: &House| house.home().join(".config/toolgate/approver.json");
        let breaks = |house: &House| {
            fs::create_dir_all(file(house).parent().unwrap()).unwrap();
            fs::write(file(house), text).unwrap();
        };
        check("approver.json", "version: 1\n", breaks, |house| fs::remove_file(file(house)).unwrap());
    }
}

#[track_caller]
fn check_policy(words: &str, text: &[u8]) {
    let write = |text: &[u8]| {
        let text = text.to_vec();
        move |house: &House| house.write(".toolgate/policy.yaml", &text)
    };
    check(words, TICKET, write(text), write(TICKET.as_bytes()));
}

#[test]
fn a_policy_that_cannot_be_read_closes_the_gate() {
    check_policy("policy.yaml:2", b"version: 1\nrules: [\n");
    check_policy("policy.yaml", b"");
    check_policy("policy.yaml", b"- a list\n");
    check_policy("unknown key `rulez`", b"version: 1\nrulez: []\n");
    check_policy("version 2 is not known", b"version: 2\n");
    check_policy("not UTF-8", b"version: 1\n# \xff\n");
    check_policy("unknown pack `nope`", b"version: 1\npacks: [nope]\n");
    check_policy("larger than 4 MiB", format!("version: 1\n#{}\n", "x".repeat(5 << 20)).as_bytes());
    check_policy("policy.yaml", "{".repeat(100_000).as_bytes());
    check_policy(
        "policy.yaml",
        format!(
            "version: 1\na: &a [x]\n{}",
            (0..40).map(|n| format!("b{n}: &b{n} [*a,*a,*a]\n")).collect::<String>()
        )
        .as_bytes(),
    );
    let bad_rule = "version: 1\nrules:\n  - { id: a, kind: block, match: { regex: \"(\" }, reason: r }\n";
    check_policy("rule `a`", bad_rule.as_bytes());
}

#[test]
fn a_policy_that_is_no_file_closes_the_gate() {
    let file = |house: &House| house.project().join(".toolgate/policy.yaml");
    let mend = |house: &House| {
        let _ = fs::remove_dir(file(house));
        let _ = fs::remove_file(file(house));
        house.write(".toolgate/policy.yaml", TICKET);
    };
    let breaks = |house: &House| {
        fs::remove_file(file(house)).unwrap();
        fs::create_dir(file(house)).unwrap();
    };
    check("the file cannot be read", TICKET, breaks, mend);
    // A pipe nobody writes to: answered at once, not after the longest wait.
    let breaks = |house: &House| {
        fs::remove_file(file(house)).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(file(house)).status().expect("mkfifo").success());
    };
    check("not a regular file", TICKET, breaks, mend);
    for target in ["policy.yaml", "gone.yaml", "/nowhere/policy.yaml"] {
        let breaks = |house: &House| {
            fs::remove_file(file(house)).unwrap();
            symlink(target, file(house)).unwrap();
        };
        check("the file cannot be read", TICKET, breaks, mend);
    }
}

/// A user's or a project's policy: whichever is broken, nothing runs.
#[test]
fn the_users_policy_counts_as_much() {
    let file = |house: &House| house.home().join(".config/toolgate/policy.yaml");
    let breaks = |house: &House| {
        fs::create_dir_all(file(house).parent().unwrap()).unwrap();
        fs::write(file(house), "version: one\n").unwrap();
    };
    check("policy.yaml:1", TICKET, breaks, |house| fs::remove_file(file(house)).unwrap());
}

#[test]
fn a_cache_that_cannot_be_written_costs_time_and_nothing_else() {
    let house = House::new();
    fs::create_dir_all(house.cache().parent().unwrap()).unwrap();
    fs::write(house.cache(), "a file").unwrap();
    assert_eq!(house.ask("ls"), Answer::Silent);
    assert!(house.ask("git commit --no-verify -m x").is_no());
    let doctor = house.run(&["doctor"]).text();
    assert!(doctor.contains("the compiled policy cannot be cached"), "{doctor}");
}

#[test]
fn a_ledger_somebody_keeps_locked_closes_the_gate_in_time() {
    let house = House::new();
    house.ask(CANARY);
    let holder = Connection::open(house.ledger()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answer = house.ask("ls");
    assert!(answer.is_broken() && answer.text().contains("locked by another process"), "{answer:?}");
    holder.execute_batch("ROLLBACK").unwrap();
    assert_eq!(house.ask("ls"), Answer::Silent);
}

/// Runs a script with mounts of its own; `None`, told loudly, where the system does not let us.
fn with_mounts(house: &House, script: &str) -> Option<Said> {
    let probe = finish(house.command("unshare", &["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]), b"");
    if probe.code != Some(0) {
        println!("SKIPPED: no mounts here ({}); a full or read-only disk was not tried", probe.err.trim());
        return None;
    }
    fs::write(house.root().join("ls.json"), house.event("ls").to_string()).unwrap();
    fs::write(house.root().join("stop.json"), stop(house).to_string()).unwrap();
    let head = format!(
        "set -u; hook() {{ {TOOLGATE} hook claude-code < {}/$1; echo \"code $?\"; }}; S={}; mkdir -p $S\n",
        house.root().display(),
        house.state().display()
    );
    Some(finish(house.command("unshare", &["-m", "sh", "-c", &format!("{head}{script}")]), b""))
}

#[test]
fn a_full_disk_closes_the_gate_until_there_is_room() {
    let house = House::new();
    let script = "mount -t tmpfs -o size=1m tmpfs $S; hook ls.json
        dd if=/dev/zero of=$S/filler bs=1k count=4096 2>/dev/null
        hook ls.json; hook stop.json; rm $S/filler; hook ls.json;";
    let Some(said) = with_mounts(&house, &format!("{script} {TOOLGATE} ledger verify")) else { return };
    let text = said.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..2], ["{}", "code 0"], "{text}");
    assert!(
        lines[2].contains("\"deny\"")
            && lines[2].contains("Toolgate is broken")
            && lines[2].contains("full")
            && lines[2].contains("free some disk space"),
        "{text}"
    );
    assert_eq!(lines[3], "code 2");
    assert!(lines[4].contains("systemMessage") && lines[5] == "code 0", "{text}");
    assert_eq!(lines[6..8], ["{}", "code 0"], "{text}");
    assert!(lines[8].starts_with("intact: 2 records"), "{text}");
}

/// Full from the first call on: not even the key can be made.
#[test]
fn a_disk_full_from_the_start_closes_the_gate() {
    let house = House::new();
    let script = "mount -t tmpfs -o size=8k tmpfs $S; dd if=/dev/zero of=$S/filler bs=1k count=64 2>/dev/null; hook ls.json; rm $S/filler; mount -o remount,size=1m $S; hook ls.json";
    let Some(said) = with_mounts(&house, script) else { return };
    let text = said.text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].contains("Toolgate is broken")
            && lines[0].contains("free some disk space")
            && lines[1] == "code 2",
        "{text}"
    );
    assert_eq!(lines[2..4], ["{}", "code 0"], "{text}");
}

#[test]
fn a_disk_that_may_not_be_written_closes_the_gate() {
    let house = House::new();
    let script = "mount -t tmpfs tmpfs $S; hook ls.json; mount -o remount,ro $S; hook ls.json; hook stop.json; mount -o remount,rw $S; hook ls.json";
    let Some(said) = with_mounts(&house, script) else { return };
    let text = said.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..2], ["{}", "code 0"], "{text}");
    assert!(lines[2].contains("Toolgate is broken") && lines[3] == "code 2", "{text}");
    assert!(lines[4].contains("systemMessage") && lines[5] == "code 0", "{text}");
    assert_eq!(lines[6..8], ["{}", "code 0"], "{text}");
}
