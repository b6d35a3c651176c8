//! Files that are there already: which ones are asked for, what their text comes to, and which
//! arm of a `case` a script runs.

#![allow(clippy::expect_used, clippy::panic, missing_docs)]

use toolgate_shell::{ReadContext, Reading, Unknown, read};

fn with(files: &[(&str, Option<&str>)], source: &str) -> Reading {
    let files = files.iter().map(|(path, text)| ((*path).into(), text.map(str::to_owned))).collect();
    read(
        source,
        &ReadContext {
            pwd: Some("/p".to_owned()),
            home: Some("/h".to_owned()),
            files,
            ..ReadContext::default()
        },
    )
}

fn lines(reading: &Reading) -> Vec<String> {
    let line = |command: &toolgate_shell::Command| {
        command.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    };
    reading.commands.iter().map(|command| line(command)).collect()
}

#[track_caller]
fn check_sought(source: &str, expected: &[&str]) {
    assert_eq!(with(&[], source).wanted_files, expected, "{source}");
}

/// Does a call run this line, where `/p/x.sh` holds the text?
#[track_caller]
fn check(text: &str, source: &str, line: &str, runs: bool) {
    let found = lines(&with(&[("/p/x.sh", Some(text))], source));
    assert_eq!(found.iter().any(|one| one == line), runs, "{text:?} by {source:?}: {found:?}");
}

#[test]
fn what_would_be_run_or_read_is_asked_for() {
    check_sought("bash x.sh", &["/p/x.sh"]);
    check_sought("./x.sh a", &["/p/x.sh"]);
    check_sought("cd d && . ../x.sh", &["/p/x.sh"]);
    check_sought("sh < /p/y", &["/p/y"]);
    check_sought("cat a b | sh", &["/p/a", "/p/b"]);
    check_sought("echo x >> a; sh a", &["/p/a"]);
    check_sought("python3 ~/t.py", &["/h/t.py", "/h/t.py/__main__.py"]);
    check_sought("psql -f m.sql", &["/p/m.sql"]);
    check_sought("make", &["/p/GNUmakefile", "/p/Makefile", "/p/makefile"]);
    check_sought("bash *.sh", &["/p/*.sh"]);
    check_sought("cp x y && sh y", &["/p/x", "/p/y"]);
    check_sought("npm test", &["/p/package.json"]);
    check_sought("git st", &["/p/.git/config"]);
    // What nobody could find, and what stands here.
    for none in ["ls", "bash $X", "bash \"$D/x.sh\"", "echo x > a; sh a", "sh -c ls", "bash */x.sh"] {
        check_sought(none, &[]);
    }
}

#[test]
fn the_text_is_read_as_if_it_stood_in_the_call() {
    for source in [
        "bash x.sh",
        "./x.sh",
        ". x.sh",
        "sh < x.sh",
        "cat x.sh | sh",
        "sudo -u a bash ./x.sh",
        "cd / && sh /p/x.sh",
    ] {
        check("rm -r a\n", source, "rm -r a", true);
    }
    check("rm -r \"$1\"\n", "bash x.sh b", "rm -r b", true);
    check("X=b\n", ". ./x.sh; rm $X", "rm b", true);
    check("X=b\n", "bash x.sh; rm $X", "rm b", false);
    check("rm \\\n", "echo c >> x.sh; bash x.sh", "rm c", true);
    check("rm a\n", "echo ls > x.sh; bash x.sh", "rm a", false);
    check("rm a\n", "cat x.sh; echo bash x.sh", "rm a", false);
}

#[test]
fn what_is_hard_to_tell_in_it_is_no_news() {
    let kinds = |text: &str, source: &str| -> Vec<Unknown> {
        let found = with(&[("/p/x.sh", Some(text))], source);
        assert!(found.fault.is_none(), "{text}");
        found.opaque.iter().map(|one| one.kind).collect()
    };
    for text in ["eval \"$X\"\n", "$CMD a\n", "\"$@\"\n", "source $(x)\n", "if\n", "python3 -c \"$X\"\n"] {
        assert_eq!(kinds(text, "bash x.sh"), [], "{text}");
    }
    assert_eq!(kinds("base64 -d y | sh\n", "bash x.sh"), [Unknown::Decoded]);
    assert_eq!(kinds("ls\n", "bash x.sh; eval \"$X\""), [Unknown::Variable]);
    assert_eq!(
        kinds("eval \"$X\"\n", "echo 'eval \"$Y\"' >> x.sh; bash x.sh").len(),
        2,
        "whoever adds answers for all"
    );
    let found = with(&[("/p/x.sh", None)], "bash x.sh");
    assert_eq!(found.opaque.first().map(|one| one.kind), Some(Unknown::Limit), "not read to its end");
}

/// A long script has a budget of its own: what stands behind it in the call is read all the same.
#[test]
fn a_long_script_hides_nothing_in_the_call() {
    let long = "for i in a b c d e f g h; do for j in a b c d e f g h; do f $i $j; done; done\n".repeat(600);
    let found = with(&[("/p/x.sh", Some(&long))], "bash x.sh; git push --force");
    assert!(lines(&found).iter().any(|line| line == "git push --force"));
    assert!(found.fault.is_none());
    assert!(found.opaque.iter().any(|one| one.kind == Unknown::Output), "{:?}", found.opaque);
    let twice = with(&[("/p/x.sh", Some(&long))], &"bash x.sh; ".repeat(3));
    assert_eq!(twice.fault.map(|fault| fault.kind), Some(Unknown::Limit));
}

/// Functions nobody calls do not run, unless somebody might.
#[test]
fn functions_of_a_script() {
    let text = "f() { rm a; }\ng() { ls; }\n";
    check(&format!("{text}g\n"), "bash x.sh", "rm a", false);
    check(&format!("{text}f\n"), "bash x.sh", "rm a", true);
    check(&format!("{text}\"$@\"\n"), "bash x.sh f", "rm a", true);
    check(&format!("{text}\"$X\"\n"), "bash x.sh", "rm a", true);
    check(text, ". x.sh && f", "rm a", true);
}

#[test]
fn a_script_runs_the_arm_it_is_asked_for() {
    let text = "case \"$1\" in\n  ship|-s) rm a ;;\n  test*) ls ;;\n  *) pwd ;;\nesac\n";
    for (source, removes, lists, prints) in [
        ("bash x.sh ship", true, false, false),
        ("bash x.sh -s now", true, false, false),
        ("./x.sh testing", false, true, false),
        ("./x.sh other", false, false, true),
        // By another case, a pattern, or words nobody knows, it may be any.
        ("./x.sh SHIP", true, false, true),
        ("./x.sh", true, true, true),
        ("./x.sh $X", true, true, true),
        ("./x.sh $X test", true, true, true),
        ("./x.sh *", true, true, true),
        ("for i in ship test; do ./x.sh $i; done", true, true, false),
    ] {
        for (line, runs) in [("rm a", removes), ("ls", lists), ("pwd", prints)] {
            check(text, source, line, runs);
        }
    }
}

/// Words that are gone through, or given on, reach every arm.
#[test]
fn arms_that_are_reached_later() {
    for text in [
        "while [ $# -gt 0 ]; do case $1 in -n) rm a ;; *) ls ;; esac; shift; done\n",
        "f() { case $1 in -n) rm a ;; esac; shift; f \"$@\"; }\nf \"$@\"\n",
        "f() { while [ $# -gt 0 ]; do case $1 in -n) rm a ;; esac; shift; done; }\nf a b c d e f \"$@\"\n",
        "case $1 in a) shift ;; esac\ncase $1 in -n) rm a ;; esac\n",
        "shift\ncase ${1:-x} in -n) rm a ;; esac\n",
        "set -- $V \"$@\"; shift; case $1 in -n) rm a ;; esac\n",
        "f() { shift; case ${1:--n} in -n) rm a ;; esac; }\nf $V a\n",
        "case $1 in a) ls ;& -n) rm a ;; esac\n",
    ] {
        check(text, "bash x.sh a -n", "rm a", true);
    }
    check(
        "cmd=\"${1:-x}\"; shift\ncase \"$cmd\" in ship) rm a ;; *) ls ;; esac\n",
        "bash x.sh up",
        "rm a",
        false,
    );
    check(
        "main() { local cmd=\"$1\"; case $cmd in ship) rm a ;; esac; }\nmain \"$@\"\n",
        "bash x.sh ship",
        "rm a",
        true,
    );
    check(
        "main() { local cmd=\"$1\"; case $cmd in ship) rm a ;; esac; }\nmain \"$@\"\n",
        "bash x.sh up",
        "rm a",
        false,
    );
    check("read cmd; case $cmd in ship) rm a ;; esac\n", "bash x.sh up", "rm a", true);
    // A script that is given nothing has nothing, whatever the one around it has.
    let files =
        [("/p/x.sh", Some("bash y.sh\n")), ("/p/y.sh", Some("case $1 in ship) ls ;; *) rm a ;; esac\n"))];
    assert!(lines(&with(&files, "bash x.sh ship")).iter().any(|line| line == "rm a"));
    // A function nobody can tell to be called is not given what the script was.
    check("f() { case $1 in b) rm a ;; esac; }\n$X\n", "bash x.sh c", "rm a", true);
}
