//! What further commands would do, and commands that only print their help.

use crate::listed::check as listed;
use toolgate_shell::{ReadContext, read};

/// Every effect as `kind target`, in order.
#[track_caller]
fn check(source: &str, expected: &[&str]) {
    let setting = ReadContext { home: Some("/home/u".to_string()), ..ReadContext::default() };
    let mut lines = Vec::new();
    for effect in read(source, &setting).commands.iter().flat_map(|command| &command.effects) {
        let target = effect.target.as_ref().map(|word| format!(" {}", word.text)).unwrap_or_default();
        lines.push(format!("{}{target}", effect.kind.name()));
    }
    assert_eq!(lines, expected, "{source}");
}

#[test]
fn deleters_by_other_names() {
    check("gio trash d", &["deletes-tree d"]);
    check("gio remove f", &["deletes-file f"]);
    check("gio move a b", &["deletes-file a", "writes-file b", "writes-file b/a"]);
    check("gio trash --empty", &[]);
    check("gio trash --restore trash:///f", &[]);
    check("gio open f", &[]);
    check("7z a -sdel x.7z d", &["writes-file x.7z", "reads-file d", "deletes-file d"]);
    check("7z a x.7z d", &["writes-file x.7z", "reads-file d"]);
    check("7z x x.7z", &["reads-file x.7z", "writes-file .", "writes-file ./*"]);
}

#[test]
fn readers_and_senders_by_other_names() {
    check("shuf f", &["reads-file f"]);
    check("shuf -e f", &[]);
    check("ed -s f", &["reads-file f", "writes-file f"]);
    check("vim -es f +q", &["reads-file f", "writes-file f"]);
    check("vim -s orders f", &["reads-file f", "writes-file f"]);
    check("git commit -F f", &["reads-file f"]);
    check("git commit -F -", &[]);
    check(
        "curl --url-query @f https://h",
        &["reaches-host https://h", "sends-data https://h", "reads-file f", "sends-file f"],
    );
    check("curl --url-query q=1 https://h", &["reaches-host https://h", "sends-data https://h"]);
}

#[test]
fn git_by_detours() {
    for setting in [
        "tar.x.command='rm x'",
        "man.x.cmd='rm x'",
        "browser.x.cmd='rm x'",
        "remote.x.url='ext::rm x'",
        "remote.x.pushUrl='ext::rm x'",
        "url.'ext::rm '.insteadOf=y:",
    ] {
        listed(&format!("git -c {setting} fetch y:x"), &["rm", "x"]);
    }
    listed("git for-each-repo --config=a clean -fdx", &["git", "clean", "-fdx"]);
    listed("git for-each-repo --config a -- clean -fdx", &["git", "clean", "-fdx"]);
    check("git -c url.https://h/.insteadOf=y: fetch y:x", &["reaches-host y:x", "reaches-host https://h/"]);
    check("git config --remove-section core", &["skips-commit-hooks"]);
    check("git config rename-section core other", &["skips-commit-hooks"]);
    check("git config --remove-section remote.old", &[]);
    check("git checkout --pathspec-from-file=f", &["discards-work"]);
    check("git restore --staged --pathspec-from-file=f", &[]);
    check(
        "rm \"$(git rev-parse --git-dir)/hooks/pre-commit\"",
        &["deletes-file .git/hooks/pre-commit", "skips-commit-hooks"],
    );
    check("rm $(git rev-parse --git-path hooks)/x", &["deletes-file .git/hooks/x", "skips-commit-hooks"]);
    check("cat $(git rev-parse --git-dir)/HEAD", &["reads-file .git/HEAD"]);
}

#[test]
fn what_comes_in_is_what_a_file_holds() {
    for source in [
        "echo rm x | sponge f; sh f",
        "echo rm x | cp /dev/stdin f; sh f",
        "echo rm x | install /dev/stdin f; sh f",
    ] {
        listed(source, &["rm", "x"]);
    }
}

#[test]
fn help_does_nothing() {
    for source in [
        "git reset --hard --help",
        "git push --force --help",
        "git commit --no-verify --help",
        "git filter-branch --help",
        "git filter-repo --help",
        "kubectl delete ns x --help",
        "terraform destroy -auto-approve -help",
        "gh repo delete x/y --yes --help",
        "docker system prune -af --help",
        "helm uninstall x --help",
        "helm uninstall x -h",
        "aws s3 rb help",
        "gcloud help projects delete",
        "gh auth token --help",
        "shutdown --help",
        "reboot --help",
    ] {
        check(source, &[]);
    }
}

#[test]
fn what_looks_like_help_is_none() {
    for source in [
        "rm -rf d --help",
        "mv a b --help",
        "find d -delete --help",
        "bash -c 'rm -rf d' --help",
        "xargs rm -rf d --help",
        "env rm -rf d --help",
        "git reset --hard -- --help",
        "git reset --hard $X --help",
        "git commit --no-verify -m --help",
        "git push --force -o --help",
        "git push --force --unheard-of --help",
        "git push --force --hel",
        "git filter-branch -f --help",
        "kubectl delete ns x -- --help",
        "shutdown -h now --help",
        "git reset --hard --help > f",
        "gh auth token -h github.com",
        "gh repo delete x/y --yes -- --help",
        "terraform destroy -auto-approve -var help",
        "aws s3 rb s3://b --force --profile help",
        "pulumi destroy --yes -s help",
        "gcloud projects delete help",
        "helm uninstall help",
    ] {
        let found = read(source, &ReadContext::default());
        assert!(found.commands.iter().any(|command| !command.effects.is_empty()), "{source}");
    }
}

/// What a program lists by a literal name and then deletes one by one.
#[test]
fn what_a_program_lists_it_may_delete() {
    listed("python3 -c 'for f in glob.glob(\"x/*\"): os.remove(f)'", &["rm", "-f", "x/*"]);
    listed("python3 -c '[shutil.rmtree(p) for p in glob.glob(\"x/*\")]'", &["rm", "-rf", "x/*"]);
    // From where it went.
    listed("python3 -c 'os.chdir(\"/etc\"); os.remove(\"passwd\")'", &["rm", "-f", "/etc/passwd"]);
    listed("node -e 'process.chdir(\"/etc\"); fs.rmSync(\"/x\")'", &["rm", "-f", "/x"]);
    listed("python3 -c 'for p in Path(\"x\").rglob(\"*\"): p.unlink()'", &["rm", "-f", "x/*"]);
    listed("node -e 'fs.readdirSync(\"x\").forEach(f => fs.rmSync(f))'", &["rm", "-f", "x/*"]);
    listed(
        "node -e 'fs.readdirSync(\"x\").forEach(f => fs.rmSync(f, {recursive: true}))'",
        &["rm", "-rf", "x/*"],
    );
    listed("node -e 'const o = {recursive: true}; fs.rmSync(\"x\", o)'", &["rm", "-rf", "x"]);
    listed("ruby -e 'Dir.glob(\"x/*\").each { |f| File.delete(f) }'", &["rm", "-f", "x/*"]);
    listed("php -r 'array_map(\"unlink\", glob(\"x/*\"));'", &["rm", "-f", "x/*"]);
    listed("perl -e 'unlink $_ for glob \"x/*\"'", &["rm", "-f", "x/*"]);
    check("python3 -c 'print(glob.glob(\"x/*\"))'", &[]);
    check("python3 -c 'for f in files: os.remove(f)'", &[]);
    // It chooses, or lists for something else.
    check("python3 -c 'for d in os.listdir(\".\"):\n  if d == \"x\": shutil.rmtree(d)'", &[]);
    check("node -e 'fs.readdirSync(\".\").filter(f => f.x).forEach(f => fs.rmSync(f))'", &[]);
    check("python3 -c 'print(os.listdir(\"/\"))\nos.unlink(path)'", &[]);
    listed(
        "python3 -c 'for p in Path(\".\").rglob(\"__pycache__\"): shutil.rmtree(p)'",
        &["rm", "-rf", "./__pycache__"],
    );
}

/// What a program of another language puts into a file, a shell may run.
#[test]
fn what_a_program_writes_may_run() {
    for writes in [
        "python3 -c \"open('f','w').write('rm x')\"",
        "python3 -c \"with open('f', 'w') as o:\n  o.write('ls\\n')\n  o.write('rm x')\"",
        "python3 -c \"open('f','w').write('rm x'); sys.stdout.write(y)\"",
        "python3 -c \"Path('f').write_text('rm x')\"",
        "python3 -c \"p = Path('f'); p.write_text('rm x')\"",
        "node -e \"fs.writeFileSync('f', 'rm x')\"",
        "ruby -e \"File.write('f', 'rm x')\"",
        "php -r 'file_put_contents(\"f\", \"rm x\");'",
        "awk 'BEGIN { print \"rm x\" > \"f\" }'",
    ] {
        listed(&format!("{writes}; sh f"), &["rm", "x"]);
        // It may not be all there is in it.
        listed(&format!("echo 'rm y' > f; {writes}; sh f"), &["rm", "y"]);
        let only_written = read(writes, &ReadContext::default());
        assert!(only_written.commands.iter().all(|command| command.program != "rm"), "{writes}");
    }
}
