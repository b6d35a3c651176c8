//! Nothing hides behind many others: whatever follows more items, words or
//! lines than are followed is listed all the same, or it is said that there is more.

use toolgate_shell::{ReadContext, read};

/// `count` times what `one` makes.
fn many(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect()
}

/// Is `rm x` listed, or said to be beyond what is followed or known?
fn is_told(source: &str) -> bool {
    let found = read(source, &ReadContext::default());
    let listed = found.commands.iter().any(|command| {
        command.program == "rm" && command.words.last().is_some_and(|word| word.text.contains('x'))
    });
    listed || found.fault.is_some() || !found.opaque.is_empty()
}

fn check(source: &str) {
    assert!(is_told(source), "{}…", source.chars().take(60).collect::<String>());
}

#[test]
fn items_and_lines() {
    for count in [20, 70, 300, 3000] {
        let lines = many(count, |at| format!("p{at}\n"));
        let words = many(count, |at| format!("p{at} "));
        check(&format!("printf '%s\\n' {words}'rm x' | xargs -I{{}} sh -c {{}}"));
        check(&format!("printf '%s\\n' {words} x | xargs -n1 rm"));
        check(&format!("parallel rm ::: {words} x"));
        check(&format!("parallel ::: {words} 'rm x'"));
        check(&format!("for i in {words} 'rm x'; do $i; done"));
        check(&format!("while read -r l; do $l; done <<'E'\n{lines}rm x\nE\n"));
        check(&format!("a=({words} rm); ${{a[{}+0]}} x", count));
        check(&format!("find {words} x -exec rm {{}} +"));
        check(&format!("fd . {words} x -x rm"));
        check(&format!("bash <<'E'\n{lines}rm x\nE\n"));
    }
}

#[test]
fn programs_of_other_languages() {
    for count in [80, 400, 3000] {
        let recipe = many(count, |at| format!("\techo {at}\n"));
        check(&format!("make -f - <<'E'\nall:\n{recipe}\trm x\nE\n"));
        let edits = many(count, |at| format!("s/a{at}/b/;"));
        check(&format!("sed '{edits}1e rm x' f"));
        check(&format!("ed f <<'E'\n{}!rm x\nE\n", many(count, |_| "p\n".to_string())));
        check(&format!("ed f <<'E'\n{}!rm x\nE\n", many(count, |at| format!("!q{at}\n"))));
        check(&format!("expect -c '{}spawn rm x'", many(count, |at| format!("puts {at};"))));
        check(&format!("git {}-c alias.y='!rm x' y", many(count, |at| format!("-c a.b{at}=c "))));
        check(&format!("env {}rm x", many(count, |at| format!("A{at}=1 "))));
        check(&format!("echo 'rm x' | tee {}z; sh z", many(count, |at| format!("f{at} "))));
        check(&format!("{}rm x", "ls ) ; ".repeat(count)));
    }
}

/// Deletes are effects of `find` itself.
#[test]
fn places() {
    let found =
        read(&format!("find {} / -delete", many(3000, |at| format!("a{at} "))), &ReadContext::default());
    let targets = found.commands.iter().flat_map(|one| &one.effects).filter_map(|one| one.target.as_ref());
    assert!(targets.clone().any(|word| word.text.starts_with('/')));
}

#[test]
fn variables_and_redirects() {
    for count in [40, 200, 400] {
        let exports = many(count, |at| format!("export A{at}=1; "));
        let found = read(&format!("export X=1; {exports}p"), &ReadContext::default());
        let has = |one: &toolgate_shell::Assignment| one.name == "X";
        let seen = found.commands.last().is_some_and(|one| one.assignments.iter().any(has));
        assert!(seen || found.fault.is_some(), "{count}");
        let redirects = many(count, |at| format!("{}>a{at} ", at + 3));
        let found = read(&format!("{{ echo q; }} {redirects}>x"), &ReadContext::default());
        let into = found.commands.iter().flat_map(|one| &one.redirects).any(|one| one.target.text == "x");
        assert!(into || found.fault.is_some(), "{count}");
    }
}

#[test]
fn files() {
    for count in [20, 80, 300] {
        let names = many(count, |at| format!("f{at} "));
        check(&format!("echo 'rm x' >z; cp {names} z d; bash d/z"));
        check(&format!("mkdir d; {} echo 'rm x' >d/z; cp -r d e; bash e/z", {
            many(count, |at| format!("echo {at} >d/f{at}; "))
        }));
        check(&format!("{} echo 'rm x' >z; bash ./*", many(count, |at| format!("echo {at} >f{at}; "))));
        check(&format!("echo 'q x' >z; sed -i s/q/rm/ z {names}; bash z"));
        check(&format!(
            "{} ln -s z y; echo 'rm x' >z; bash y",
            many(count, |at| format!("ln -s a{at} b{at}; "))
        ));
    }
}

/// Loops over numbers, and loops in loops, are everyday work.
#[test]
fn long_loops_are_no_news() {
    let names = many(20, |at| format!("n{at} "));
    for source in [
        "for i in {1..100}; do for j in {1..100}; do p $i/$j; echo $i; echo $j; done; done".to_string(),
        format!(
            "for a in {names}; do for b in {names}; do for c in {names}; do p $a $b $c; done; done; done"
        ),
        format!("for a in {names}; do ./target/debug/$a --help; done"),
    ] {
        let found = read(&source, &ReadContext::default());
        assert!(found.fault.is_none() && found.opaque.is_empty(), "{source}");
    }
}
