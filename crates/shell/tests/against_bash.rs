//! Real bash as the judge: what it accepts, we read.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, reason = "this test asks the real bash")]

use std::io::Write;
use std::process::{Command, Stdio};

use proptest::prelude::{ProptestConfig, Strategy, prop, proptest};
use toolgate_shell::{Setting, read};

/// Does bash accept the text? `None` when there is no bash.
fn bash_accepts(source: &str) -> Option<bool> {
    let mut child = Command::new("bash")
        .args(["--norc", "-O", "extglob", "-n"])
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(source.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    // Errors inside `[[` leave the exit code at zero.
    let errors = String::from_utf8_lossy(&output.stderr);
    Some(output.status.success() && errors.lines().all(|line| line.contains("warning:")))
}

fn has_bash() -> bool {
    let found = bash_accepts("true").is_some();
    if !found {
        eprintln!("SKIPPED: no bash on this machine, nothing was compared");
    }
    found
}

/// Where bash accepts at first sight what it refuses when it gets there: text
/// in backticks and in arithmetic is only looked at when it runs.
fn is_known_exception(source: &str) -> bool {
    ["`", "$[", "((", "${", "<<", "\0"].iter().any(|sign| source.contains(sign))
}

#[track_caller]
fn check(source: &str) {
    let ours = read(source, &Setting::default()).fault;
    if bash_accepts(source) == Some(true) && !is_known_exception(source) {
        assert_eq!(ours, None, "bash accepts {source:?}");
    }
}

const PIECES: &[&str] = &[
    "a",
    "b ",
    " ",
    " ",
    "\n",
    ";",
    " && ",
    " || ",
    " | ",
    " & ",
    "(",
    ")",
    "{ ",
    "; }",
    "'x'",
    "\"y\"",
    "\"$(a)\"",
    "$x",
    "${x}",
    "$(a)",
    ">f",
    "<f",
    "2>&1",
    "<<<w",
    "if a; then ",
    "; fi",
    "while a; do ",
    "; done",
    "for i in a b; do ",
    "case a in a) ",
    ";; ",
    "esac",
    "f() { ",
    "[[ a ]]",
    "[[ -n $x && a == b* ]]",
    "x=1 ",
    "x=(1 2) ",
    "!",
    " ! ",
    "# c\n",
    "\\\n",
    "\\;",
    "*",
    "?(a|b)",
    "{a,b}",
    "function g { ",
    "else ",
    "elif a; then ",
    "time ",
    "coproc ",
    "<(a)",
    ">(a)",
    "$((1+2))",
    "((1))",
    "`a`",
    "select s in a; do ",
    "until a; do ",
    "~",
    "=",
    "-",
    "[ a ]",
    "$'a'",
    "|&",
    "&>f",
    ";;&",
];

fn snippets() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 1..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_bash_accepts_is_read(source in snippets()) {
        check(&source);
    }
}

#[test]
fn there_is_a_bash_to_ask_or_it_is_said() {
    if !has_bash() {
        return;
    }
    for source in ["echo hi", "if a; then b; fi", "a | b && c"] {
        assert_eq!(bash_accepts(source), Some(true), "{source}");
        check(source);
    }
    assert_eq!(bash_accepts("if a"), Some(false));
}
