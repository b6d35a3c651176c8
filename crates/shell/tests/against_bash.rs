//! Real bash as the judge: what it accepts, we read.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    reason = "this test asks the real bash"
)]

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::{ProptestConfig, Strategy, prop, proptest};
use toolgate_shell::{ReadContext, read};

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
    // `coproc a x=(1)`: bash still takes the array behind the first word.
    let coproc_array = source.contains("coproc") && source.contains("=(");
    // With `extglob` this is a pattern even where a command stands; without it
    // (as usual) it is a subshell, and that is how we read it.
    let negated = source.contains("!(");
    coproc_array || negated || ["`", "$[", "((", "${", "<<", "\0"].iter().any(|sign| source.contains(sign))
}

#[track_caller]
fn check(source: &str) {
    let ours = read(source, &ReadContext::default()).fault;
    if ours.is_some() && !is_known_exception(source) && bash_accepts(source) == Some(true) {
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

/// `PROPTEST_CASES=20000` looks further.
fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(2_000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_bash_accepts_is_read(source in snippets()) {
        check(&source);
    }
}

/// The names bash tries to start when it really runs `source`: nothing is on
/// its path, so every command ends in the handler that notes it.
fn bash_runs(source: &str) -> Option<Vec<String>> {
    let place = std::env::temp_dir().join(format!("toolgate-shell-{}", std::process::id()));
    std::fs::create_dir_all(&place).ok()?;
    // One file per run: what an earlier run left in the background may write late.
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let log = place.join(format!("log-{}", RUNS.fetch_add(1, Ordering::Relaxed)));
    let prelude = "command_not_found_handle() { printf '%s\\0' \"$1\" >>\"$NOTED\"; return 1; }; ulimit -t 1; shopt -s extglob\n";
    let status = Command::new("/bin/bash")
        .args(["--norc", "-c", &format!("{prelude}{source}\n")])
        .current_dir(&place)
        .env_clear()
        .env("PATH", "/nonexistent")
        .env("NOTED", &log)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.ok()?;
    let noted = std::fs::read_to_string(&log).unwrap_or_default();
    let _ = std::fs::remove_file(&log);
    Some(noted.split_terminator('\0').map(str::to_string).collect())
}

/// Commands with names of their own, in every construct that ends by itself.
const RUNNABLE: &[&str] = &[
    "c1",
    "c2 w",
    " ",
    "\n",
    ";",
    "; ",
    " && ",
    " || ",
    " | ",
    " |& ",
    " & ",
    "(",
    ")",
    "{ ",
    "; }",
    " 'x;c3'",
    " \"y $(c4) z\"",
    " $(c5)",
    " `c6`",
    " \"`c7 \\\"x\\\"`\"",
    " ${x:-$(c8)}",
    " \"${x:-'$(c9)'}\"",
    " >f",
    " <<<\"$(d1)\"",
    " <<E\n$(d2)\nE\n",
    " <<'E'\n$(no)\nE\n",
    " <<-E\n\t`d3`\n\tE\n",
    "if d4; then ",
    "; fi",
    "; else ",
    "while d5; do ",
    "; done",
    "for i in 1 $(d6); do ",
    "case a in (a) ",
    ";; ",
    ";& ",
    "*) ",
    "esac",
    "d7() { ",
    "d7 ",
    "[[ -n $(d8) && a == a ]]",
    "[[ a =~ (a|b) ]]",
    "((1))",
    "(( $(d9) ))",
    "((e1); e2)",
    "$((1 + $(e3) + 1))",
    "$((e4); e5)",
    "x=$(e6) ",
    "x=(1 $(e7)) ",
    "! ",
    "# no $(no)\n",
    "\\\n",
    "e\\\n8",
    "\\e9",
    "$\\\n(h1)",
    " \"$\\\n(h2)\"",
    "h\\\n3=1 ",
    "'f'1",
    "$'\\x66'2",
    "{f3,w}",
    "<(f4)",
    " >(f5)",
    "time ",
    "coproc ",
    "f6=1 f7 ",
    "eval 'f8; f9' ",
    "eval \"g1\" ",
    "X=g2; $X ",
    "a[$(g3)]=1 ",
    "function g4 { ",
    "g4 ",
    "${x+$(g5)}",
    "select s in a; do break; done ",
    "$(( 1",
    "))",
    "'",
    "\"",
    "$(",
    "`",
    "${x#",
    "}",
    "\\",
    "<<E ",
];

fn programs() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(RUNNABLE), 1..10).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(500), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_bash_runs_is_listed(source in programs()) {
        let reading = read(&format!("{source}\n"), &ReadContext::default());
        if reading.fault.is_none() && reading.opaque.is_empty() {
            // `$(x)time` is `time` where `x` prints nothing; that is its program then.
            let names = |command: &toolgate_shell::Command| {
                let first = command.words.first().map(|word| word.text.clone());
                first.into_iter().chain([command.program.clone()])
            };
            let listed: Vec<toolgate_shell::SmolStr> = reading.commands.iter().flat_map(|command| names(command)).collect();
            // `a[ x && y ]` is one word to bash, a subscript; we see more in it.
            let odd = |name: &String| name.contains('[') || name.trim().is_empty();
            let names = bash_runs(&source).unwrap_or_default().into_iter().filter(|name| !odd(name));
            for name in names {
                assert!(listed.iter().any(|known| *known == name), "bash runs {name:?} of {source:?}, listed are {listed:?}");
            }
        }
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
