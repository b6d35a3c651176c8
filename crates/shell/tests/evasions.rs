//! Ways around a gate: the same kind quoted, wrapped, renamed, encoded, moved
//! – and harmless commands that only talk about it.

use toolgate_shell::{Command, EffectKind, ReadContext, Reading, read};

/// All of these let git run without its hooks.
const SKIPS_HOOKS: &[&str] = &[
    "git commit --no-verify -m wip",
    "git commit -anm wip",
    "git -c user.name=x commit --no-verify -m wip",
    "git commit --no-veri -m wip",
    "env -u GIT_DIR git commit -n -m wip",
    "timeout 30 nohup git commit -nm wip",
    "bash -c 'git commit --no-verify -m wip'",
    "eval \"git commit --no-verify -m wip\"",
    "x=`git commit -n -m wip`",
    "find . -maxdepth 0 -exec git commit --no-verify -m wip \\;",
    "echo Z2l0IGNvbW1pdCAtLW5vLXZlcmlmeSAtbSB3aXA= | base64 -d | sh",
    "git add -A\ngit commit -m wip --no-verify",
    "python3 -c \"import os; os.system('git commit --no-verify -m wip')\"",
    "git -c alias.ci='commit --no-verify' ci -m wip",
    "git -c core.hooksPath=/dev/null commit -m wip",
    "HUSKY=0 git commit -m wip",
    "git commit --no-{verify,status} -m wip",
    "git commit --no-v\"erif\"y -m wip",
    "git $'\\x63ommit' --no-verify -m wip",
    "node -e \"require('child_process').execSync('git commit -n -m wip')\"",
    "git commit -qnm x",
    "cmd=(git commit); cmd+=(--no-verify); \"${cmd[@]}\"",
    "args=--no-verify; args+=' -m x'; git commit $args",
    "git commit -m x --verify --no-verify",
    "git push --no-verify",
    "git merge --no-verify x",
    "git rebase --no-verify main",
    "git am -n x.patch",
    "SKIP=flake8 git commit -m x",
    "HUSKY=0 timeout 5 git commit -m x",
    "HUSKY=0 bash -c 'git commit -m x'",
    "export HUSKY=0; git commit -m x",
    "X=--no-verify; git commit $X -m a",
    "[ -n \"$CI\" ] && X=--no-verify; git commit $X -m a",
    "git config alias.ci 'commit -n'; git ci -m x",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null git commit -m x",
    "git config core.hooksPath /dev/null",
    "git config --unset core.hooksPath",
    "git commit-tree HEAD^{tree} -m x",
    "rm .git/hooks/pre-commit",
    "chmod -x .git/hooks/pre-commit",
    "pre-commit uninstall",
    "git -C sub commit -n -m x",
    "g() { git commit \"$@\"; }; g -n -m x",
    "alias gc='git commit'; gc -n",
    "git commit -m \"$(git commit -n)\"",
];

/// All of these delete everything.
const DELETES_ROOT: &[&str] = &[
    "rm -rf /",
    "rm -r -f /",
    "/bin/rm -rf /*",
    "\\rm -rf /",
    "nohup timeout 60 rm -rf / &",
    "bash -c 'rm -rf /'",
    "eval \"rm -rf /\"",
    ": `rm -rf /`",
    "find / -maxdepth 1 -exec rm -rf {} +",
    "sh <<EOF\nrm -rf /\nEOF",
    "X=rm; $X -rf /",
    "ls -la\nrm -rf /",
    "python3 -c \"import os; os.system('rm -rf /')\"",
    "perl -e 'system(\"rm -rf /\")'",
    "rm -rf \\\n/",
    "{rm,-rf,/}",
    "cd / && rm -rf *",
    "busybox rm -rf /",
    "printf '%s' 'rm -rf /' | sh",
    "d() { rm -rf \"$1\"; }; d /",
    "${UNSET:-rm} -rf /",
    "rm${IFS}-rf${IFS}/",
    "$(echo rm) -rf /",
    "$(printf '\\x72m') -rf /",
    "a=(rm -rf /); \"${a[@]}\"",
    "set -- rm -rf /; \"$@\"",
    "alias x='rm -rf'; x /",
    "trap 'rm -rf /' EXIT",
    "echo 'rm -rf /' | while read x; do $x; done",
    "if true; then X=rm; else X=ls; fi; $X -rf /",
    "for d in a /; do rm -rf $d; done",
    "echo / | xargs rm -rf",
    "echo 'rm -rf /' > x.sh; sh x.sh",
    "echo 'rm -rf /' > x.sh; cat x.sh | sh",
    "bash -c 'rm -rf $0' /",
    "bash -c 'rm -rf \"$1\"' _ /",
    "find / -exec sh -c 'rm -rf \"$1\"' _ {} \\;",
    "env -S 'rm -rf /'",
    "su -c 'rm -rf /' root",
    "sudo -u root env A=1 rm -rf /",
    "ssh host 'rm -rf /'",
    "docker exec -it web rm -rf /",
    "kubectl exec pod -- rm -rf /",
    "npx rimraf /",
    "uv run python -c 'import shutil; shutil.rmtree(\"/\")'",
    "awk 'BEGIN{system(\"rm -rf /\")}'",
    "echo 726d202d7266202f | xxd -r -p | sh",
    "rev <<< '/ fr- mr' | sh",
    "parallel rm -rf ::: /",
    "watch 'rm -rf /'",
    "rm --rec --fo /",
    "f() { echo rm; }; $(f) -rf /",
    "xargs -I % sh -c '%' <<< 'rm -rf /'",
    "IFS=,; X=rm,-rf,/; $X",
    "declare X=rm; $X -rf /",
    "printf -v X rm; $X -rf /",
    "read X <<< rm; $X -rf /",
    "export X='rm -rf /'; bash -c '$X'",
    "env --chdir=/ rm -rf *",
    "tar xf a --to-command='rm -rf /'",
    "vim -c ':!rm -rf /' x",
    "psql -c '\\! rm -rf /'",
    "sed '1e rm -rf /' f",
    "if false; then sudo() { :; }; fi; sudo rm -rf /",
    "echo 'rm -rf /' >> x.sh; sh x.sh",
    "tee x.sh <<< 'rm -rf /'; sh x.sh",
    "echo 'rm -rf /' > a; cp a b; sh $PWD/b",
    "echo 'import os; os.system(\"rm -rf /\")' > x.py; python3 x.py",
    "/usr/*/rm -rf /",
    "$X/bin/rm -rf /",
    "rm -rf /{,*}",
    "cd /; for f in *; do rm -rf \"$f\"; done",
    "eval 'X=rm'; $X -rf /",
    "rm / -rf",
    "rm -rf -- /",
    "X=xxrm; ${X#xx} -rf /",
    "X=RM; ${X,,} -rf /",
    "X=Y; Y=rm; ${!X} -rf /",
    "while :; do $X -rf /; X=rm; done",
    "git rebase -x 'rm -rf /' main",
    "git bisect run rm -rf /",
    "GIT_SSH_COMMAND='rm -rf /' git fetch",
    "git -c core.sshCommand='rm -rf /' fetch",
    "python3 <<'E'\nimport os\nos.system(\"rm -rf /\")\nE",
    "python3 -c 'import subprocess; subprocess.run([\"rm\",\"-rf\",\"/\"])'",
    "cd /tmp/..; rm -rf *",
    "pushd / && rm -rf ./*",
    "(cd / && rm -rf *)",
    "{ cd /; }; rm -rf *",
    "echo 'rm -rf /' | tr a-z a-z | bash",
    "printf 'rm -rf %s' / | bash",
    "eval $(echo 'rm -rf /')",
    "source <(echo 'rm -rf /')",
    "bash <(echo 'rm -rf /')",
    ". /dev/stdin <<< 'rm -rf /'",
    "X='rm -rf /'; eval \"$X\"",
    "X='rm -rf /'; bash -c \"$X\"",
    "X='rm -rf /'; $X",
    "false || rm -rf /",
    "echo `echo \\`rm -rf /\\``",
];

/// None of these does either.
const HARMLESS: &[&str] = &[
    "git commit -m \"docs: explain why --no-verify is banned\"",
    "grep -rn \"rm -rf /\" docs/",
    "cat > docs/safety.md <<'EOF'\nNever run rm -rf / here.\nNever use git commit --no-verify.\nEOF",
    "git log --oneline -n 5 && git commit -m wip",
    "rm -rf node_modules",
    "git commit --amend --no-edit",
    "rg -- '--no-verify' .husky/",
    "printf '%s\\n' 'rm -rf /' >> BLOCKLIST.txt",
    "cargo package --no-verify",
    "git commit -F - <<'EOF'\nmention: git commit --no-verify\nEOF",
    "find . -name '*.pyc' -delete",
    "jq -n '{cmd:\"rm -rf /\"}'",
    "git commit -m wip -- -n",
    "git log --grep='--no-verify'",
    "git cherry-pick -n abc",
    "git revert -n abc",
    "git push -n",
    "git merge -n x",
    "git fetch -n",
    "git config core.hooksPath .githooks",
    "git config --get core.hooksPath",
    "git commit --no-verify --verify -m x",
    "git commit -m -n",
    "sed -i 's/rm -rf \\///' notes.txt",
    "echo 'rm -rf /'",
    "rg 'git commit --no-verify' -n",
    "npm run build -- --no-verify",
    "cargo publish --no-verify",
    "python3 -c 'print(\"rm -rf / and os.system are bad\")'",
    "node -e 'console.log(/rm/.exec(\"rm -rf /\"))'",
    "awk '{print \"rm -rf /\"}' f",
    "git grep -n 'rm -rf /'",
    "cat <<'EOF'\n$(rm -rf /)\nEOF",
    "f() { ls; }; f",
    "make -n",
    "git commit -m \"$(cat <<'EOF'\nwhy `git commit -n` is bad\n\nrm -rf /\nEOF\n)\"",
    "git tag -n",
    "git stash push -m 'rm -rf /'",
    "if [ -f x ]; then ls; fi",
    "for i in 1 2 3; do echo $i; done",
    "cd build && rm -rf *",
    "test -d x || mkdir x",
    "git commit -F notes.txt -- -n",
    "rm -rf ./build /tmp/cache-1",
    "HUSKY=1 git commit -m x",
    "gh pr create --body 'use --no-verify'",
];

fn setting() -> ReadContext {
    ReadContext {
        home: Some("/home/u".to_string()),
        pwd: Some("/work".to_string()),
        ..ReadContext::default()
    }
}

fn skips_hooks(reading: &Reading) -> bool {
    reading
        .commands
        .iter()
        .flat_map(|command| &command.effects)
        .any(|effect| effect.kind == EffectKind::SkipsCommitHooks)
}

/// The path an effect names, seen from where its command runs.
fn path(command: &Command, target: &str) -> String {
    let target = target.trim_start_matches("./");
    match &command.dir {
        Some(dir) if !target.starts_with('/') => format!("{}/{target}", dir.text.trim_end_matches('/')),
        _ => target.to_string(),
    }
}

fn deletes_root(reading: &Reading) -> bool {
    reading.commands.iter().any(|command| {
        command.effects.iter().any(|effect| {
            let target = effect.target.as_ref().map(|word| path(command, &word.text)).unwrap_or_default();
            effect.kind == EffectKind::DeletesTree && matches!(target.as_str(), "/" | "/*")
        })
    })
}

#[test]
fn hooks_cannot_be_skipped_unseen() {
    for source in SKIPS_HOOKS {
        assert!(skips_hooks(&read(source, &setting())), "{source}");
    }
}

#[test]
fn everything_cannot_be_deleted_unseen() {
    for source in DELETES_ROOT {
        let reading = read(source, &setting());
        assert!(deletes_root(&reading), "{source}\n{reading:#?}");
    }
}

#[test]
fn harmless_commands_stay_harmless() {
    for source in HARMLESS {
        let reading = read(source, &setting());
        assert!(!skips_hooks(&reading), "{source}");
        assert!(!deletes_root(&reading), "{source}");
        assert_eq!(reading.opaque, [], "{source}");
        assert_eq!(reading.fault, None, "{source}");
    }
}
