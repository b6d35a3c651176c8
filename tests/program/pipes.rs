//! The hook called wrongly, or with nothing to read from, nothing to write to, nowhere to keep things.

use crate::house::{House, TOOLGATE, finish};
use std::process::Stdio;

#[test]
fn a_wrong_call_of_the_hook_is_closed() {
    let house = House::new();
    let event = house.event("ls").to_string();
    let hosts = [
        "",
        " ",
        "claude",
        "Claude-Code",
        "claude-code ",
        "../claude-code",
        "codex\u{1b}[31m",
        "--",
        "-x",
        "--version",
    ];
    for host in hosts {
        let answer = finish(house.toolgate(&["hook", host]), event.as_bytes()).answer();
        assert!(answer.is_broken(), "{host:?}: {answer:?}");
    }
    for args in [
        &["hook"][..],
        &["hook", "claude-code", "again"],
        &["hook", "claude-code", "--json"],
        &["hook", "--json", "claude-code"],
    ] {
        let answer = finish(house.toolgate(args), event.as_bytes()).answer();
        assert!(answer.is_broken(), "{args:?}: {answer:?}");
    }
}

#[test]
fn a_closed_stdin_is_closed() {
    let house = House::new();
    let mut command = house.toolgate(&["hook", "claude-code"]);
    let ended = command.stdin(Stdio::null()).output().expect("the program runs");
    assert_eq!(ended.status.code(), Some(2));
    let said =
        finish(house.command("/bin/sh", &["-c", &format!("exec {TOOLGATE} hook claude-code <&-")]), b"");
    assert!(said.answer().is_broken());
    let folder =
        finish(house.command("/bin/sh", &["-c", &format!("exec {TOOLGATE} hook claude-code < /")]), b"");
    assert!(folder.answer().is_broken());
}

/// An answer nobody can read must not end like consent.
#[test]
fn a_stdout_nobody_reads_ends_with_2() {
    let house = House::new();
    let event = house.event("ls").to_string();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = house.toolgate(&["hook", "claude-code"]);
    let child = command
        .stdin(Stdio::piped())
        .stdout(writer)
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    assert_eq!(crate::house::finish_child(child, event.as_bytes()).code, Some(2));
    let full = house.command("/bin/sh", &["-c", &format!("exec {TOOLGATE} hook claude-code > /dev/full")]);
    assert_eq!(finish(full, event.as_bytes()).code, Some(2));
}

/// What is closed stays so: the ledger, opened next, does not become stdout.
#[test]
fn a_closed_stdout_takes_no_answer() {
    let house = House::new();
    let event = house.event("ls").to_string();
    for closed in [">&-", "2>&-", ">&- 2>&-"] {
        let script = format!("exec {TOOLGATE} hook claude-code {closed}");
        let said = finish(house.command("/bin/sh", &["-c", &script]), event.as_bytes());
        let heard = if closed == "2>&-" { Some(0) } else { Some(2) };
        assert_eq!(said.code, heard, "{closed}: {said:?}");
        finish(house.toolgate(&["ledger", "verify"]), b"").ended(0);
    }
    let script = format!("exec {TOOLGATE} rules list >&-");
    finish(house.command("/bin/sh", &["-c", &script]), b"").ended(0);
}

/// Without a home there is no ledger, so there is no yes.
#[test]
fn without_a_home_the_gate_is_closed() {
    let house = House::new();
    for home in [None, Some("relative"), Some(""), Some("/dev/null")] {
        let mut command = house.toolgate(&["hook", "claude-code"]);
        command.env_remove("HOME");
        home.map(|home| command.env("HOME", home));
        let answer = finish(command, house.event("ls").to_string().as_bytes()).answer();
        assert!(answer.is_broken(), "{home:?}: {answer:?}");
    }
}
