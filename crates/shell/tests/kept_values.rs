//! Values kept where one does not look for them first: items of lists, `$_`,
//! exported by `set -a`, sent through descriptors; and words that are none.

mod listed;

use listed::check;
use toolgate_shell::{ReadContext, read};

fn lists(source: &str, program: &str) -> bool {
    read(source, &ReadContext::default()).commands.iter().any(|command| command.program == program)
}

#[test]
fn items_of_lists_are_followed() {
    for source in [
        "declare -A m; m[k]=rm; ${m[k]} x",
        "m[1]=rm; ${m[1]} x",
        "a=(q rm); ${a[-1]} x",
        "a=(q rm z); ${a[1]} x",
        "a=(q rm); ${a[1+0]} x",
        "i=1; a=(q rm); ${a[i]} x",
        "declare -A m=([k]=rm [l]=q); ${m[k]} x",
        "m=([3]=rm); ${m[3]} x",
        "declare -a a=(q rm); ${a[1]} x",
        "f() { local a=(\"$@\"); \"${a[@]}\"; }; f rm x",
        "f() { local a=(\"$@\"); \"${a[@]:1}\"; }; f q rm x",
        "set -- q rm; ${@: -1} x",
        "a=(q rm); ${a[@]: -1} x",
        "BASH_ALIASES=([g]='rm x'); g",
        "A[1]=q; A=(rm x); \"${A[@]}\"",
    ] {
        check(source, &["rm", "x"]);
    }
    // Items of before do not hide a list that is there now.
    assert!(lists("A[1]=q; A=(rm x *); \"${A[@]}\"", "rm"));
    // Another item is another value.
    assert!(!lists("m[k]=rm; m[kk]=q; ${m[kk]} x", "rm"));
    assert!(!lists("a=(q rm); ${a[0]} x", "rm"));
    assert!(!lists("a=(q rm); ${a[-2]} x", "rm"));
    assert!(!lists("m[k]=rm; echo ${m[k]}", "rm"));
}

#[test]
fn the_last_word_is_kept() {
    check(": rm; $_ x", &["rm", "x"]);
    assert!(!lists(": rm; : q; $_ x", "rm"));
}

#[test]
fn what_declare_and_printf_set_is_known() {
    check("f() { declare -g X=rm; }; f; $X x", &["rm", "x"]);
    check("printf -v X %q rm; $X x", &["rm", "x"]);
}

#[test]
fn set_a_exports() {
    for source in ["set -a; X=1; p", "set -o allexport; X=1; p", "set -ea\nX=1\np"] {
        let found = read(source, &ReadContext::default());
        let program = found.commands.iter().find(|command| command.program == "p");
        assert!(program.is_some_and(|one| one.assignments.iter().any(|one| one.name == "X")), "{source}");
    }
    let found = read("set -e; X=1; p", &ReadContext::default());
    assert!(found.commands.iter().all(|command| command.assignments.is_empty()));
}

/// Without a value, an unquoted variable is no word, and the next one is the name.
#[test]
fn a_name_that_may_be_nothing_gives_way() {
    for source in ["$u rm x", "${u} rm x", "\"$@\" rm x", "\"${a[@]}\" rm x", "$u $v rm x"] {
        check(source, &["rm", "x"]);
    }
    assert!(!lists("\"$CC-x\" rm x", "rm"));
    assert!(!lists("$EDITOR notes", "notes"));
}

#[test]
fn descriptors_lead_into_a_shell() {
    for source in [
        "{ echo rm x >&3; } 3>&1 >/dev/null | bash",
        "{ echo rm x >&2; } 2>&1 >/dev/null | bash",
        "(echo rm x >&4) 4>&1 1>/dev/null | sh",
        "f() { echo rm x >&3; }; f 3>&1 >/dev/null | bash",
        "cat <(echo rm x) | sh",
        "echo rm >a; echo ' x' >b; cat a b | sh; cat <(echo rm x) <(echo q) | sh",
    ] {
        check(source, &["rm", "x"]);
    }
    assert!(!lists("{ echo rm x >&3; } 3>/dev/null | bash", "rm"));
    assert!(!lists("{ echo rm x >&3; } 3>&1 >/dev/null | cat", "rm"));
    // What else comes that way is not known.
    assert!(!read("{ p; } 2>&1 >/dev/null | bash", &ReadContext::default()).opaque.is_empty());
}

/// A trap sees what was set behind it, also in a shell of its own.
#[test]
fn traps_run_at_the_end_of_their_shell() {
    for source in [
        "trap '$U x' EXIT; U=rm",
        "bash -c 'trap \"\\$U x\" EXIT; U=rm'",
        "echo 'trap \"\\$U x\" EXIT; U=rm' | sh",
        "(trap '$U x' EXIT; U=rm)",
        "echo 'trap \"\\$U x\" EXIT; U=rm' >f; sh f",
    ] {
        check(source, &["rm", "x"]);
    }
}

/// What is read by `.` stays in force.
#[test]
fn sourced_files_set_variables() {
    check("echo X=rm >f; . ./f; $X x", &["rm", "x"]);
    check("source /dev/stdin <<<'X=rm'; $X x", &["rm", "x"]);
    check("source <(echo 'f() { rm x; }'); f", &["rm", "x"]);
    check("echo 'cd /y' >f; . ./f; rm x", &["rm", "x"]);
    assert!(!lists("echo X=rm >f; bash ./f; $X x", "rm"));
}

/// What a reviewer with nothing but the program found.
#[test]
fn words_that_vanish_and_values_that_stay() {
    for source in [
        "git $nope commit --no-verify",
        "git commit --no-ver$(q)ify",
        "a=(); a[0]=--no-verify; git commit \"${a[@]}\"",
        "readonly v=--no-verify; unset v; git commit $v",
        "f() { for a; do git commit $a; done; }; f -q --no-verify",
        "git -c alias.a=b -c alias.b='commit --no-verify' a",
        "mkdir b; echo 'git commit --no-verify' >b/q; PATH=$PWD/b:$PATH q",
        "yash -c 'git commit --no-verify'",
    ] {
        let setting = ReadContext { pwd: Some("/p".to_string()), ..ReadContext::default() };
        let found = read(source, &setting);
        let skips = |one: &toolgate_shell::Command| {
            one.usage.subcommand.iter().any(|sub| sub == "commit") && one.usage.has("--no-verify")
        };
        assert!(found.commands.iter().any(|one| skips(one)), "{source}");
    }
    let found = read("git $FLAGS status; git log --format=$(q) -3", &ReadContext::default());
    assert!(found.commands.iter().all(|one| !one.usage.has("--no-verify")));
}

/// `declare x+=…` adds, to a list as well.
#[test]
fn declare_adds() {
    check("X=r; declare X+=m; $X x", &["rm", "x"]);
    check("declare -a a=(rm); declare a+=(x); \"${a[@]}\"", &["rm", "x"]);
    check("f() { local a=(rm) a+=(x); \"${a[@]}\"; }; f", &["rm", "x"]);
    check("declare a=(q) a=(rm x); \"${a[@]}\"", &["rm", "x"]);
}

/// What is exported in a branch or a shell of its own may not be in force.
#[test]
fn exports_that_may_not_be() {
    let values = |source: &str| -> Vec<String> {
        let found = read(source, &ReadContext::default());
        let last = found.commands.last().map(|one| one.assignments.clone()).unwrap_or_default();
        last.iter().map(|one| one.value.text.to_string()).collect()
    };
    assert_eq!(values("export X=1; export X=2; p"), ["2"]);
    assert_eq!(values("export X=1; (export X=2); p"), ["1", "2"]);
    assert_eq!(values("export X=1; q && export X=2; p"), ["1", "2"]);
    assert_eq!(values("if q; then export X=1; else export X=2; fi; p"), ["1", "2"]);
}

/// However much was said before.
#[test]
fn descriptors_and_links_lead_on() {
    let errors = "echo q >&2; ".repeat(40);
    check(&format!("{errors}{{ echo rm x >&3; }} 3>&1 >/dev/null | bash"), &["rm", "x"]);
    let links: Vec<String> = (1..20).map(|at| format!("ln -s l{} l{at}; ", at - 1)).collect();
    let back: Vec<String> = links.iter().rev().cloned().collect();
    check(&format!("{}echo rm x >l0; bash l19", links.concat()), &["rm", "x"]);
    check(&format!("{}echo rm x >l0; bash l19", back.concat()), &["rm", "x"]);
}

/// The folder a command runs in, as written; `None` where it did not change.
fn folder(source: &str, program: &str) -> Option<(String, bool)> {
    let found = read(source, &ReadContext::default());
    let command = found.commands.iter().rev().find(|command| command.program == program);
    command.and_then(|command| command.dir.as_ref()).map(|dir| (dir.text.to_string(), dir.exact))
}

#[test]
fn one_goes_back_to_where_one_was() {
    let known = |text: &str| Some((text.to_string(), true));
    for (source, expected) in [
        ("cd /a; cd /b; cd -; rm x", known("/a")),
        ("cd /a; cd -; rm x", None),
        ("cd /a; cd /b; cd ~-; rm x", known("/a")),
        ("cd /; OLDPWD=/c; cd -; rm x", known("/c")),
        ("cd /a; pushd /b; rm x", known("/b")),
        ("cd /a; pushd /b; popd; rm x", known("/a")),
        ("pushd /a; pushd /b; popd; popd; rm x", None),
        ("pushd /a; pushd; rm x", None),
        ("pushd /a; cd /b; pushd; rm x", None),
    ] {
        assert_eq!(folder(source, "rm"), expected, "{source}");
    }
    for source in ["cd -; rm x", "popd; rm x", "pushd /a; pushd /b; popd +1; rm x", "pushd +2; rm x"] {
        assert!(folder(source, "rm").is_some_and(|(_, exact)| !exact), "{source}");
    }
    let found = read("CDPATH=/c; cd a; rm x", &ReadContext::default());
    let dirs: Vec<_> =
        found.commands.iter().filter_map(|one| one.dir.as_ref()).map(|dir| dir.text.to_string()).collect();
    assert!(dirs.contains(&"a".to_string()) && dirs.contains(&"/c/a".to_string()), "{dirs:?}");
}

/// Where a name has two functions, each has its own variables.
#[test]
fn what_is_local_to_one_function_is_not_to_the_other() {
    check("f() { local X=p; $X a; }; f; trap 'f() { $X rm x; }; f' EXIT", &["rm", "x"]);
}

/// Where a shell is given no name, `$0` is the shell: it may start itself.
#[test]
fn a_shell_without_a_name_is_called_by_its_own() {
    check("bash -c 'bash -c \"\\\"\\$0\\\"\"' n <<< 'rm x'", &["rm", "x"]);
    check("sh -c '$0 -c \"rm x\"'", &["rm", "x"]);
    check("sh -c '$0 x' rm", &["rm", "x"]);
    check("echo '$0 -c \"rm x\"' | bash", &["rm", "x"]);
}

/// A file that is run while the group around is printing into it.
#[test]
fn a_file_is_run_while_it_is_written() {
    for source in ["{ echo rm x; sh f; } > f", "for i in 1; do echo rm x; . ./f; done > f"] {
        assert!(!read(source, &ReadContext::default()).opaque.is_empty(), "{source}");
    }
    assert!(read("{ date; sh f; } > log", &ReadContext::default()).opaque.is_empty());
}

/// What is trapped in a subshell runs at its end, and not once more.
#[test]
fn a_trap_of_a_subshell_ends_with_it() {
    let source = "( d=build; trap 'rm -rf \"$d\"' EXIT; ls )";
    check(source, &["rm", "-rf", "build"]);
    let found = read(source, &ReadContext::default());
    let unknown = |command: &std::sync::Arc<toolgate_shell::Command>| {
        command.program == "rm" && command.words.iter().any(|word| !word.exact)
    };
    // It is looked at where it is set as well, before anything is known of later values.
    assert!(!found.commands.iter().any(unknown), "{found:?}");
    check("shopt -s lastpipe; a | trap 'rm $v' EXIT; v=x", &["rm", "x"]);
}

#[test]
fn items_are_cut_at_the_separators_of_the_moment() {
    check("IFS=, read -ra f <<< 'rm,x'; \"${f[@]}\"", &["rm", "x"]);
    check("IFS=, read -ra f <<< 'rm,,x,'; \"${f[@]}\"", &["rm", "", "x"]);
    check("IFS=', ' read -ra f <<< 'rm, x'; \"${f[@]}\"", &["rm", "x"]);
}
