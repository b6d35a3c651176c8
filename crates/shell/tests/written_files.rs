//! Files this same text makes, and who runs them later under which name: copies,
//! links, patterns, first lines, projects, modules.

mod listed;

use listed::check;
use toolgate_shell::{ReadContext, Unknown, read};

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
        let found = read(source, &ReadContext::default());
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
    let found = read("echo rm x >b; echo ls >a; if c; then cp a b; fi; bash b", &ReadContext::default());
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
        let found = read(source, &ReadContext::default());
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
    // One that goes through its words in a loop is read as if nobody knew them.
    let source = "echo 'while a; do o=$2; shift 2; done; rm \"$o/y\"' >a; bash a -o x";
    let found = read(source, &ReadContext::default());
    let is_root = |command: &toolgate_shell::Command| command.words.iter().any(|word| word.text == "/y");
    assert!(!found.commands.iter().any(|command| is_root(command)), "{found:?}");
    runs_not(&[
        "printf '#!/usr/bin/env python3\\nprint(\"rm x\")' >a; ./a",
        "printf '#!/bin/rm\\n' >a; cat ./a",
    ]);
}

#[test]
fn a_package_manager_runs_the_scripts_of_the_project() {
    for run in [
        "npm run y",
        "npm run-script y",
        "pnpm y",
        "pnpm run y",
        "yarn y",
        "yarn run y",
        "bun run y",
        "npm run z",
    ] {
        check(
            &format!("echo '{{\"scripts\":{{\"y\":\"rm x\",\"z\":\"npm run y\"}}}}' >package.json; {run}"),
            &["rm", "x"],
        );
    }
    runs(&[
        "echo '{\"scripts\":{\"test\":\"rm x\"}}' >package.json; npm test",
        "echo '{\"scripts\":{\"pretest\":\"rm x\",\"test\":\"jest\"}}' >package.json; npm t",
        "echo '{\"scripts\":{\"postinstall\":\"rm x\"}}' >package.json; npm i",
        "echo '{\"scripts\":{\"prepare\":\"rm x\"}}' >package.json; yarn",
        "echo '{\"scripts\":{\"y\":\"r\\u006d x\"}}' >package.json; npm run y",
        "echo '{\"scripts\":{\"y\":\"rm\"}}' >package.json; npm run y -- x",
        "echo '{\"scripts\":{\"y\":\"rm x\"}}' >d/package.json; npm --prefix d run y",
        "echo '{\"scripts\":{\"y\":\"rm x\"}}' >d/package.json; (cd d && npm run y)",
        "echo '{\"scripts\":{\"y\":\"rm x\"}}' >d/package.json; pnpm -C d y",
        "npm pkg set scripts.y='rm x'; npm run y",
        "echo '{\"name\":\"a\"}' >package.json; npm pkg set scripts.y='rm x'; npm run y",
    ]);
    runs_not(&[
        "echo '{\"scripts\":{\"y\":\"rm x\",\"test\":\"jest\"}}' >package.json; npm test",
        "echo '{\"scripts\":{\"y\":\"rm x\"}}' >package.json; cat package.json; npm i",
        "echo '{\"scripts\":{\"postinstall\":\"rm x\"}}' >package.json; npm i --ignore-scripts",
        "echo '{\"rm\":\"rm x\",\"y\":\"rm x\"}' >package.json; npm run y",
        "echo '{\"scripts\":{\"y\":\"rm x\"}}' >package.json; npm run y -w other",
        "echo '{\"scripts\":{\"y\":\"npm run y\"}}' >package.json; npm run y",
        "echo '{\"scripts\":{\"y\":\"npm run y --workspaces\"}}' >package.json; npm run y",
        "echo \"{\\\"v\\\":\\\"$V\\\"}\" >package.json; npm test",
        "echo '{}' | jq '.a=1' >package.json; npm test",
        "npm pkg set scripts.y='rm x'; npm test",
    ]);
    let found = read("echo e30= | base64 -d >package.json; npm test", &ReadContext::default());
    assert!(found.opaque.is_empty(), "{found:?}");
    let found = read("base64 -d a >package.json; npm test", &ReadContext::default());
    assert!(found.opaque.iter().any(|one| one.kind == Unknown::Decoded), "{found:?}");
}

#[test]
fn makefiles_are_read_where_they_lie() {
    runs(&[
        "printf 'a:\\n\\trm x\\n' >d/Makefile; make -C d",
        "printf 'a:\\n\\trm x\\n' >d/Makefile; make --directory=d",
        "printf 'a:\\n\\trm x\\n' >d/Makefile; make -Cd a",
        "printf 'a:\\n\\trm x\\n' >d/b.mk; make -C d -f b.mk",
        "printf 'a:\\n\\trm x\\n' >b.mk; echo 'include b.mk' >Makefile; make",
        "printf 'a:\\n\\trm x\\n' >b.mk; printf 'B=b\\n-include $(B).mk\\n' >Makefile; make",
        "printf 'a:\\n\\trm x\\n' >b.mk; MAKEFILES=b.mk make",
        "printf 'a:\\n  @rm x\\n' >justfile; just a",
    ]);
    runs_not(&[
        "printf 'a:\\n\\trm x\\n' >d/Makefile; make -C e",
        "printf 'a:\\n\\trm x\\n' >b.mk; make",
        "printf 'include Makefile\\na:\\n\\tls\\n' >Makefile; make",
        "date >d/Makefile; make -C d",
    ]);
    let found = read("printf 'a:\\n\\trm x\\n' >d/Makefile; make -C d", &ReadContext::default());
    let inside = |command: &toolgate_shell::Command| {
        command.program == "rm" && command.dir.as_ref().is_some_and(|dir| dir.text == "d")
    };
    assert!(found.commands.iter().any(|command| inside(command)), "{found:?}");
}

#[test]
fn interpreters_load_what_was_written() {
    for run in [
        "python -m y",
        "python -c 'import y'",
        "python -c 'from y import z'",
        "python -W ignore y.py",
        "python - <<<'import os, y as z'",
        "echo 'import y' >z.py; python z.py",
        "uv run y.py",
        "PYTHONSTARTUP=y.py python -i",
        "python -c 'exec(open(\"y.py\").read())'",
        "python -c 'import runpy; runpy.run_path(\"y.py\")'",
        "NODE_ENV=a python3.12 -X dev y.py",
        "mkdir y; mv y.py y/__main__.py; python y",
        "mv y.py d/; echo 'import y' >d/z.py; python d/z.py",
    ] {
        check(&format!("printf 'import os\\nos.system(\"rm x\")' >y.py; {run}"), &["rm", "x"]);
    }
    for run in [
        "node y.js",
        "node y",
        "node -r ./y.js z.js",
        "node --require=./y.js z.js",
        "node --import ./y.js z.js",
        "NODE_OPTIONS=--require=./y.js node z.js",
        "NODE_OPTIONS='--require ./y.js' npm test",
        "node -e 'require(\"./y\")'",
        "echo 'import \"./y.js\"' >z.mjs; node z.mjs",
        "bun y.js",
        "bun run y.js",
        "deno run -A y.js",
        "cp y.js index.js; node .",
        "mv y.js d/; echo 'require(\"./y\")' >d/z.js; node d/z.js",
    ] {
        check(&format!("echo 'require(\"child_process\").execSync(\"rm x\")' >y.js; {run}"), &["rm", "x"]);
    }
    for run in [
        "perl -w y.pl",
        "perl -e 'do \"./y.pl\"'",
        "perl -e 'require \"./y.pl\"'",
        "mv y.pl Y.pm; perl -I. -MY -e 1",
        "mv y.pl Y.pm; PERL5OPT='-I. -MY' perl z.pl",
        "mv y.pl Y.pm; perl -e 'use Y; 1'",
        "mv y.pl y.rb; ruby -r./y -e 1",
        "mv y.pl y.rb; RUBYOPT=-r./y ruby -e 1",
        "mv y.pl y.rb; ruby -e 'load \"y.rb\"'",
    ] {
        check(&format!("echo 'system(\"rm x\")' >y.pl; {run}"), &["rm", "x"]);
    }
}

#[test]
fn programs_read_files_they_are_told_to() {
    runs(&[
        "echo 'BEGIN{system(\"rm x\")}' >y.awk; awk -f y.awk f",
        "echo 'BEGIN{system(\"rm x\")}' >y.awk; awk -F: -fy.awk f",
        "echo '1e rm x' >y.sed; sed -f y.sed f",
        "printf '#!/usr/bin/sed -f\\n1e rm x\\n' >y; ./y f",
        "echo rm x >d/y; run-parts d",
        "echo rm x >y; at -f y now",
        "echo '@daily rm x' >y; crontab y",
        "printf 'Host *\\n ProxyCommand rm x\\n' >y; ssh -F y h",
        "printf 'Match exec \"rm x\"\\n' >y; scp -Fy a h:",
    ]);
    runs_not(&[
        "printf 'import os\\nos.system(\"rm x\")' >y.py; python -c 'import z'",
        "printf 'import os\\nos.system(\"rm x\")' >y.py; python z.py y.py",
        "printf 'import os\\nos.system(\"rm x\")' >y.py; ls y.py; wc -l y.py",
        "echo 'import z' >y.py; echo 'import y' >z.py; python y.py",
        "gen \"$a\" >y.py; python -c 'import y'",
        "echo 'print(1)' >y.py; python -m y",
        "echo 'console.log(1)' >y.js; NODE_OPTIONS=--require=./y.js npm test",
        "echo 'BEGIN{system(\"rm x\")}' >y.awk; awk '{print}' y.awk",
        "printf 'import base64, subprocess\\ndef f(a): subprocess.run(a)' >y.py; python -c 'import y'",
        "printf 'Host *\\n User rm\\n' >y; ssh -F y h",
    ]);
}

/// A module that may lie in an unpacked folder was not seen to come from there.
#[test]
fn guesses_were_not_unpacked() {
    use toolgate_shell::EffectKind;
    let runs = |source: &str| {
        let found = read(source, &ReadContext { pwd: Some("/p".to_string()), ..ReadContext::default() });
        let mut effects = found.commands.iter().flat_map(|command| &command.effects);
        effects.any(|effect| effect.kind == EffectKind::RunsDownload)
    };
    assert!(!runs("curl https://a.org/b.tgz | tar xz; cd b; python -c 'import json'"));
    assert!(!runs("curl https://a.org/b.tgz | tar xz; cd b; npm install"));
    assert!(runs("curl https://a.org/b.tgz | tar xz; python b/c.py"));
    assert!(runs("curl -o c.py https://a.org/c.py; python -c 'import c'"));
}

/// Many modules that know one another cost no more than reading each.
#[test]
fn modules_that_know_one_another_are_read_once() {
    let mut source = String::new();
    let all: String = (0..24).map(|at| format!("import m{at}\n")).collect();
    for at in 0..24 {
        source.push_str(&format!("cat >m{at}.py <<'E'\n{all}print(1)\nE\n"));
    }
    source.push_str("python m0.py");
    runs_not(&[source.as_str()]);
}

#[test]
fn git_runs_what_a_file_of_settings_names() {
    runs(&[
        "printf '[alias]\\n y = !rm x\\n' >c; GIT_CONFIG_GLOBAL=c git y",
        "printf '[core]\\n pager = rm x\\n' >c; git -c include.path=c log",
        "printf '[core]\\n pager = rm x\\n' >c; printf '[include]\\n path = c\\n' >d; GIT_CONFIG_GLOBAL=d git log",
        "printf '[filter \"y\"]\\n clean = rm x\\n' >c; GIT_CONFIG_SYSTEM=c git add .",
        "git config --file c alias.y '!rm x'; GIT_CONFIG_GLOBAL=c git y",
        "git -c filter.y.smudge='rm x' checkout .",
        "git -c diff.y.textconv='rm x' diff",
        "git config merge.y.driver 'rm x'",
    ]);
    runs_not(&[
        "printf '[user]\\n name = rm\\n' >c; GIT_CONFIG_GLOBAL=c git log",
        "printf '[alias]\\n y = !rm x\\n' >c; GIT_CONFIG_GLOBAL=c git log",
        "printf '[core]\\n pager = rm x\\n' >c; git log",
        "git config diff.y.binary true; git config pager.log false",
    ]);
}

#[test]
fn a_name_put_together_out_of_constants_is_that_name() {
    runs(&[
        "awk 'BEGIN{system(\"r\" \"m x\")}'",
        "awk 'BEGIN{a=\"r\"; b=\"m x\"; system(a b)}'",
        "awk 'BEGIN{\"r\" \"m x\" | getline}'",
        "awk 'BEGIN{system(sprintf(\"%s%s\", \"r\", \"m x\"))}'",
        "python -c 'import os; getattr(os, \"sys\" + \"tem\")(\"rm x\")'",
        "python -c 'import os; os.__dict__[\"sys\"\"tem\"](\"rm x\")'",
        "python -c '__import__(\"o\"+\"s\").system(\"rm x\")'",
        "python -c 'import os; s = os.system; s(\"rm x\")'",
        "python -c 'import os; os.system(\"\".join([\"r\", \"m x\"]))'",
        "python -c 'import os; os.system(\"r%s x\" % \"m\")'",
        "python -c 'import os; os.system(\"{}m x\".format(\"r\"))'",
        "python -c 'import os; os.system(\"x mr\"[::-1])'",
        "python -c 'import os; os.system(chr(114) + \"m x\")'",
        "python -c 'import os; os.system(\"rQm x\".replace(\"Q\", \"\"))'",
        "perl -e '$a = \"r\"; system($a . \"m x\")'",
        "perl -e 'system(\"r\" . \"m x\")'",
        "perl -e 'system(join(\"\", \"r\", \"m x\"))'",
        "node -e 'require(\"child_process\")[\"exec\" + \"Sync\"](\"rm x\")'",
        "node -e 'require(\"child_\" + \"process\").execSync(\"rm x\")'",
        "node -e 'const e = require(\"child_process\").execSync; e(\"rm x\")'",
        "ruby -e 'send(\"sys\" + \"tem\", \"rm x\")'",
    ]);
    runs_not(&[
        "awk '{print \"r\" \"m x\"}' f",
        "python -c 'print(\"r\" + \"m x\")'",
        "python -c 'import os; print(getattr(os, \"sep\"))'",
        "python -c 'd = {}; d[\"rm\"] = 1; print(d[\"rm\"])'",
        "python -c 'import os; os.system(\"l%s\" % \"s\")'",
        "node -e 'console.log(\"r\" + \"m x\")'",
        "ruby -e 'puts \"rm\" + \" x\"'",
    ]);
}
