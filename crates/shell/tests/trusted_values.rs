//! What a red team found: values that are trusted though nobody knows them, and
//! text that is read once more.

mod listed;

use listed::check;
use toolgate_shell::{ReadContext, Unknown, read};

/// What a loop puts together in more rounds than are followed is not known, and
/// whoever runs it hides what it is.
#[test]
fn a_name_put_together_by_a_loop_is_not_known() {
    let kinds = |source: &str| -> Vec<Unknown> {
        read(source, &ReadContext::default()).opaque.iter().map(|one| one.kind).collect()
    };
    for source in [
        "set -- r m d i r; s=; while (($#)); do s+=$1; shift; done; $s x",
        "s=; for c in a b c d; do s=$s$c; done; $s x",
        "s=; while read c; do s+=a; done; $s x",
    ] {
        assert!(kinds(source).contains(&Unknown::Variable), "{source}: {:?}", kinds(source));
    }
    for source in ["while read x; do y=ls; done; $y z", "PY=$(which python3); $PY x.py", "$CMD x"] {
        assert!(!kinds(source).contains(&Unknown::Variable), "{source}: {:?}", kinds(source));
    }
    let found = read("f() { s+=$1; }; f r; f m; $s x", &ReadContext::default());
    assert!(found.commands.iter().any(|command| command.program == "rm"), "{found:?}");
}

/// A list given as text is read once more.
#[test]
fn a_list_in_quotes_is_read_by_declare() {
    for source in [
        "declare -a a='($(rm x))'",
        "declare -A 'm=([$(rm x)]=1)'",
        "s='($(rm x))'; declare -a a=\"$s\"",
        "f() { local -a a='(`rm x`)'; }; f",
        "readonly -a 'a=($(rm x))'",
    ] {
        check(source, &["rm", "x"]);
    }
}

/// What a function does behind a `return`, or one that is gone, may not be done.
#[test]
fn what_a_function_sets_may_not_be_set() {
    check("x=rm; f() { false || return; x=echo; }; f; $x y", &["rm", "y"]);
    check("x=rm; f() { x=echo; }; unset -f f; f; $x y", &["rm", "y"]);
    check("x=rm; ls() { x=echo; }; command ls; $x y", &["rm", "y"]);
    check("x=a; y=a; for i in 1 2 3; do $x; x=$y; y=rm; done", &["rm"]);
    let found = read("x=ls; trap 'x=rm' USR1; x=ls; kill -USR1 $$; $x y", &ReadContext::default());
    assert!(!found.opaque.is_empty(), "{found:?}");
    assert!(read("trap 'rm -f \"$t\"' EXIT; t=a; ls $t", &ReadContext::default()).opaque.is_empty());
}

/// The folder a round of a loop leaves is where the next one begins.
#[test]
fn a_loop_begins_again_where_it_ended() {
    for source in ["for i in 1 2; do rm x; cd /etc; done", "while a; do rm x; cd /etc; done"] {
        let found = read(source, &ReadContext::default());
        let there = |command: &toolgate_shell::Command| {
            command.program == "rm" && command.dir.as_ref().is_some_and(|dir| dir.text == "/etc")
        };
        assert!(found.commands.iter().any(|command| there(command)), "{source}: {found:?}");
    }
}

/// What `PATH` finds is not what was unpacked beside it.
#[test]
fn a_program_found_by_path_was_not_unpacked() {
    use toolgate_shell::EffectKind;
    let setting = ReadContext { pwd: Some("/p".to_string()), ..ReadContext::default() };
    let runs = |source: &str| {
        let found = read(source, &setting);
        let effects = found.commands.iter().flat_map(|command| &command.effects).map(|effect| effect.kind);
        effects.filter(|kind| *kind == EffectKind::RunsDownload).count()
    };
    assert_eq!(runs("curl https://x.org/y.tgz | tar xz; export PATH=$PWD/y/bin:$PATH; ls; cargo build"), 0);
    assert_eq!(runs("curl https://x.org/y.tgz | tar xz; ./y/bin/z"), 1);
}

/// `exec <x` is what all that follows reads.
#[test]
fn a_shell_reads_what_exec_opened() {
    check("exec 0<<<'rm x'; sh", &["rm", "x"]);
    check("exec < <(echo rm x); bash", &["rm", "x"]);
    check("echo rm x >a; exec <a; bash", &["rm", "x"]);
}

/// An alias that opens a quote or a here-document takes what follows.
#[test]
fn an_alias_that_goes_on_is_not_known() {
    for source in ["alias x='cat <<A'\nx", "alias q=\"echo '\"\nq"] {
        assert!(!read(source, &ReadContext::default()).opaque.is_empty(), "{source}");
    }
    assert!(
        read("alias ll='ls -la'; alias g=\"git log --format='%h'\"", &ReadContext::default())
            .opaque
            .is_empty()
    );
}

/// The same words elsewhere, with another environment or another input are
/// another command.
#[test]
fn what_runs_again_differently_is_listed_again() {
    for (source, wanted) in [
        ("f() { a; }; f; X=1 f", 2),
        ("f() { a; }; f; export X=1; f", 2),
        ("f() { a; }; f; cd /; f", 2),
        ("f() { a; }; b | f; c | f", 2),
        ("f() { a; }; f; f", 1),
        ("for i in 1 2 3; do a; done", 1),
    ] {
        let found = read(source, &ReadContext::default());
        let listed = found.commands.iter().filter(|command| command.program == "a").count();
        assert_eq!(listed, wanted, "{source}");
    }
}

/// A mistake may be one of this reader: what stands behind it is read all the same.
#[test]
fn what_follows_a_mistake_is_read() {
    for source in [
        "ls ) ; rm x",
        "echo $((1 + $(time coproc ${U:-a} } | coproc export V=1\ncase q in *) echo 1;; esac) )); rm x",
        "echo $(p || coproc $}(echo q); rm x)",
        "if a; fi; rm x",
    ] {
        check(source, &["rm", "x"]);
    }
    // Names nobody knows are no news there.
    assert!(read("ls ) ; $x y", &ReadContext::default()).opaque.is_empty());
}
