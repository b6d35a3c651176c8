//! Files this same text makes, and who runs them later under which name: copies,
//! links, patterns, first lines, projects, modules.

mod listed;

use listed::check;
use toolgate_shell::{Setting, Unknown, read};

/// `rm x` runs in all of these.
#[track_caller]
fn runs(sources: &[&str]) {
    for source in sources {
        check(source, &["rm", "x"]);
    }
}

/// `rm` runs in none of these, and nothing is hidden in them.
#[track_caller]
fn runs_not(sources: &[&str]) {
    for source in sources {
        let found = read(source, &Setting::default());
        assert!(!found.commands.iter().any(|command| command.program == "rm"), "{source}");
        let hidden = found
            .opaque
            .iter()
            .any(|one| matches!(one.kind, Unknown::Variable | Unknown::Decoded | Unknown::Limit));
        assert!(!hidden && found.fault.is_none(), "{source}: {:?} {:?}", found.opaque, found.fault);
    }
}

#[test]
fn a_file_is_followed_under_its_other_names() {
    runs(&[
        "echo rm x >a; cp a d/; bash d/a",
        "echo rm x >a; cp a d; bash d/a",
        "echo rm x >a; cp -t d a; bash d/a",
        "echo rm x >a; cp b a c d; bash d/a",
        "echo rm x >d/a; cp -r d e; bash e/a",
        "echo rm x >d/a; mv d e; bash e/a",
        "echo rm x >d/a; rsync -a d/ e; bash e/a",
        "echo rm x >a.sh; cp *.sh d; bash d/a.sh",
        "echo rm x >a; cp a b; cp b c; bash c",
        "ln -s a b; echo rm x >a; bash b",
        "ln -s a b; echo rm x >b; bash a",
        "echo rm x >d/a; ln -s a d/b; bash d/b",
        "echo rm x >d/a; ln -s d e; bash e/a",
        "ln -s a b; ln -s b c; echo rm x >a; cat c | sh",
        "echo rm >a; echo ' x' >b; cat a b | tr -d '\\n' >c; sh c",
    ]);
    runs_not(&[
        "echo rm x >a; cp a b; cat b",
        "echo rm x >a; cp a b; echo ls >b; bash b",
        "echo rm x >a; cp other a; bash a",
        "ln -s a b; ln -s b a; bash a",
        "echo rm x >a; cp a d; bash d/b",
        "cp a b; bash b",
    ]);
}

/// What may not have been copied may still be what it was.
#[test]
fn a_copy_in_a_branch_is_a_doubt() {
    let found = read("echo rm x >b; echo ls >a; if c; then cp a b; fi; bash b", &Setting::default());
    assert!(!found.opaque.is_empty(), "{found:?}");
}

#[test]
fn a_file_changed_in_place_is_what_it_is_then() {
    runs(&[
        "echo rX x >a; sed -i s/X/m/ a; bash a",
        "printf 'ls\\nry x\\n' >a; sed -i -e 2s/y/m/ -e 1d a; bash a",
        "echo rX x >a; sed s/X/m/ a >b; bash b",
        "echo rX x | sed 's|X|m|g' | sh",
    ]);
    for source in ["echo rX x >a; perl -pi -e 's/X/m/' a; bash a", "echo rX x >a; sed -i 's/X*/m/' a; bash a"]
    {
        let found = read(source, &Setting::default());
        assert!(found.opaque.iter().any(|one| one.kind == Unknown::Decoded), "{source}: {found:?}");
    }
    runs_not(&[
        "echo rm x >a; sed -i s/rm/ls/ a; bash a",
        "sed -i 's/a.*/b/' a; bash a",
        "echo 'print(1)' >a.py; sed -i 's/1*/2/' a.py; python a.py",
        "echo a >a; sed -i \"s/a.*/$b/\" a; bash a",
    ]);
}

#[test]
fn a_pattern_names_what_was_written() {
    runs(&[
        "echo rm x >a.sh; bash *.sh",
        "echo rm x >a.sh; for f in *.sh; do bash \"$f\"; done",
        "echo rm x >a.sh; for f in ./*; do bash $f; done",
        "echo rm x >a.sh; find . -name '*.sh' -exec bash {} \\;",
        "echo rm x >d/a.sh; find . -name '*.sh' | xargs bash",
        "echo rm x >a.sh; ls *.sh | xargs -n1 sh",
        "d=$(mktemp -d); echo rm x >$d/a; bash $d/a",
        "d=$(mktemp -d); echo rm x >\"$d/a\"; cd $d; bash a",
        "f=$(mktemp); echo rm x >$f; bash $f",
        "f=`mktemp`; cat >\"$f\" <<E\nrm x\nE\nbash \"$f\"",
        "f=$(mktemp); { echo ls; echo rm x; } >$f; bash $f",
    ]);
    runs_not(&[
        "echo rm x >a.txt; bash *.sh",
        "echo rm x >d/a.sh; bash *.sh",
        "gen \"$a\" >a.sh; for f in *.sh; do bash $f; done",
        "f=$(mktemp); echo \"$a\" >$f; bash $f",
        "for f in *.sh; do bash $f; done",
    ]);
}

#[test]
fn the_first_line_says_who_reads_it() {
    runs(&[
        "printf '#!/usr/bin/env -S python3 -u\\nimport os\\nos.system(\"rm x\")' >a; ./a",
        "printf '#!/usr/bin/perl -w\\nsystem(\"rm x\");' >a; ./a",
        "printf '#!/usr/bin/awk -f\\nBEGIN{system(\"rm x\")}' >a; ./a",
        "printf '#!/usr/bin/env -S A=b bash -e\\nrm x' >a; ./a",
        "printf '#!/bin/bash\\nrm \"$1\"' >a; ./a x",
        "printf 'rm \"$@\"' >a; bash a x",
        // A shell does not look at the first line.
        "printf '#!/usr/bin/env python3\\nrm x' >a; bash a",
    ]);
    check("printf '#!/bin/rm -f\\n' >a; ./a x", &["/bin/rm", "-f", "./a", "x"]);
    runs_not(&[
        "printf '#!/usr/bin/env python3\\nprint(\"rm x\")' >a; ./a",
        "printf '#!/bin/rm\\n' >a; cat ./a",
    ]);
}
