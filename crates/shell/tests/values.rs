//! What comparing with real bash has found about values: types, references,
//! subscripts, `read`, functions that call themselves, aliases.

mod listed;

use listed::check;
use toolgate_shell::{ReadContext, read};

/// Wherever bash takes a number or a name, the subscript of a value is expanded.
#[test]
fn a_value_with_a_subscript_may_run_anywhere() {
    for source in [
        "declare -n r='a[$(rm x)]'; r=1",
        "x='a[$(rm x)]'; echo ${!x}",
        "x='a[$(rm x)]'; [[ -v $x ]]",
        "x='a[$(rm x)]'; a=([x]=1)",
        "x=y; y='1+a[`rm x`]'; ((x))",
        "declare -i n; for n in 'a[$(rm x)]'; do :; done",
        "declare -ia n=('a[$(rm x)]')",
        "declare -i n; read n <<<'a[$(rm x)]'",
        "RANDOM='a[$(rm x)]'",
        "f() { (( $1 )); }; f 'a[$(rm x)]'",
    ] {
        check(source, &["rm", "x"]);
    }
    for source in ["m='see map[x] and `rm x`'", "m='[$(rm x)]'", "m='a[x] $(rm x)'"] {
        let reading = read(source, &ReadContext::default());
        assert!(reading.commands.iter().all(|command| command.program != "rm"), "{source:?}");
    }
}

/// What has a type, or stands for another variable.
#[test]
fn declared_variables_hold_something_else() {
    check("x=q; declare -n y=x; y=rm; $x z", &["rm", "z"]);
    check("x=q; declare -n y=x; x=rm; $y z", &["rm", "z"]);
    check("x=rm; declare -n y=x; y=q a; $x z", &["rm", "z"]);
    check("declare -c x=p; $x", &["P"]);
    check("declare -u x; x=p; $x", &["P"]);
    check("declare -u x; x=p; $x", &["p"]);
    check("V=w; p ${V:'$(rm x)'}", &["rm", "x"]);
    check("exec 3<<<'rm x'; a 3<<<q; sh <&3", &["rm", "x"]);
    for source in ["declare -i x=1+1; p$x", "declare -i x; x=p; $x", "A=(a p); unset 'A[0]'; \"${A[@]}\""] {
        let reading = read(source, &ReadContext::default());
        let known = |command: &toolgate_shell::Command| command.words.iter().all(|word| word.exact);
        assert!(!reading.commands.last().is_some_and(|command| known(command)), "{source:?}");
    }
    check("set -- p w; IFS=-; \"$*\"", &["p-w"]);
    check("X=p; f() { local X; $X rm x; }; f", &["rm", "x"]);
    check("X=rm; f() { local X; X=p; }; f; $X x", &["rm", "x"]);
}

#[test]
fn read_takes_what_it_is_told_to_take() {
    check("read -a x <<<'p w'; \"${x[@]}\" z", &["p", "w", "z"]);
    check("read -ra x <<<'p w'; \"${x[@]}\" z", &["p", "w", "z"]);
    check("read -r x <<<$'p\\r'; $x", &["p\r"]);
    for source in ["read -n 2 x <<<pqw; $x", "read -dx y <<<pxq; $y", "read x y <<<'p\\ w a'; $x"] {
        assert!(!read(source, &ReadContext::default()).opaque.is_empty(), "{source:?}");
    }
}

/// A function that calls itself is followed while it is given something else.
#[test]
fn functions_are_followed_into_themselves() {
    check("f() { \"$@\"; }; f f f rm x", &["rm", "x"]);
    check("f() { [[ $1 ]] && p \"$1\" && shift && f \"$@\"; }; f a b", &["p", "b"]);
    check("f() { \"$@\"; }; f f f f f f f rm x", &["rm", "x"]);
    let many = format!("f() {{ \"$@\"; }}; {}rm x", "f ".repeat(20));
    assert!(!read(&many, &ReadContext::default()).opaque.is_empty());
    assert!(read("f() { f \"$1/x\" | sort; }; f .", &ReadContext::default()).opaque.is_empty());
    assert!(read("f() { for i in *; do f \"$i\"; done; }; f .", &ReadContext::default()).opaque.is_empty());
    check("f() { p $# || { shift; f \"$@\"; }; }; f w", &["p", "0"]);
    check("function f ( rm x ); f", &["rm", "x"]);
}

#[test]
fn aliases_are_text() {
    check("alias a='p '\nalias b='q w'\na b", &["p", "q", "w"]);
    // A group is read as a whole, before anything in it runs.
    check("alias a='rm x'\n{ alias a=p\na\n}", &["rm", "x"]);
    for source in ["alias for='rm x #'\nfor a", "alias a='p \"'\na; rm x \"", "alias a='f()'\na { rm x; }"] {
        assert!(!read(source, &ReadContext::default()).opaque.is_empty(), "{source:?}");
    }
    for source in ["alias ll='ls -l'", "alias g=git gs='git status'", "alias sudo='sudo '"] {
        assert!(read(source, &ReadContext::default()).opaque.is_empty(), "{source:?}");
    }
}

/// Where the output of a command goes, and what is left of it.
#[test]
fn output_that_goes_elsewhere_is_not_substituted() {
    check("x=$(echo q >&2; echo rm); $x z", &["rm", "z"]);
    for source in [
        "x=$(trap 'echo q' EXIT; echo rm); $x z",
        "x=$( { echo q >&2; } 2>&1; echo rm); $x z",
        "x=$(echo q >&3; echo rm); $x z",
    ] {
        assert!(!read(source, &ReadContext::default()).opaque.is_empty(), "{source:?}");
    }
}

/// Builtins that few know to run something.
#[test]
fn rare_builtins_run_what_they_are_given() {
    check("compgen -W '$(rm x)' y", &["rm", "x"]);
    check("compgen -C 'rm x' y", &["rm", "x"]);
    check("jobs -x rm x", &["rm", "x"]);
    check("BASH_ALIASES[a]='rm x'\na", &["rm", "x"]);
    check("BASH_CMDS[a]=/bin/rm; a x", &["/bin/rm", "x"]);
    check("echo '$1 x' >f; . ./f rm", &["rm", "x"]);
    check("f() { eval set -- rm x; \"$@\"; }; f a", &["rm", "x"]);
    check("p ${U:-<(rm x)}", &["rm", "x"]);
    check("bash $V -c 'rm x'", &["rm", "x"]);
    check("bash -e ${V} <<<'rm x'", &["rm", "x"]);
    assert!(read("cat a | bash $V b", &ReadContext::default()).opaque.is_empty());
    check("p {01..03} {9..07}", &["p", "01", "02", "03", "09", "08", "07"]);
    assert!(!read("set -k; p x=2", &ReadContext::default()).opaque.is_empty());
    assert!(read("set -euo pipefail; p x=2", &ReadContext::default()).opaque.is_empty());
}

/// Bash does not split a word whose last `$` stands for itself.
#[test]
fn a_word_that_ends_in_a_dollar_stays_whole() {
    check("X='a b'; p $X$", &["p", "a b$"]);
    check("X='a b'; p $X$+b", &["p", "a b$+b"]);
    check("p $(echo a b)$", &["p", "a b$"]);
    check("X='a b'; p {$X$,$X}", &["p", "a b$", "a", "b"]);
    check("X='a b'; p $X\\$", &["p", "a", "b$"]);
    check("X='a b'; p $X\"$\"", &["p", "a", "b$"]);
    check("set -- 'a b' c; p $@$", &["p", "a", "b", "c$"]);
    check("X='a b'; p ${Y:-$X$}", &["p", "a", "b$"]);
    check("X='a b'; p $+$X", &["p", "$+a", "b"]);
}

/// What runs beside the rest may still write into a file by then.
#[test]
fn a_file_that_is_still_open_is_not_known() {
    for source in [
        "{ time p & } >f 2>&1; echo q >f; sh f",
        "{ time p & } >\"$(r)f\" 2>&1; echo q >f; sh f",
        "{ echo q >f; sh f; } | { time p; } 2>f",
        "a >f & b >f & wait; sh f",
        "f() { time p & } >${X}f 2>&1; f; echo q >f; sh f",
    ] {
        assert!(!read(source, &ReadContext::default()).opaque.is_empty(), "{source}");
    }
    for source in
        ["{ time p & } >\"$(r)g\" 2>&1; echo q >f; sh f", "a >log & b >log & wait", "a 2>>log | b 2>>log"]
    {
        assert!(read(source, &ReadContext::default()).opaque.is_empty(), "{source}");
    }
}
