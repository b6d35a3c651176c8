//! Words made of text that stands here: followed where that is plain, said to be
//! in disguise where it is not. Words from outside stay what they are: not known.

mod listed;

use listed::check;
use toolgate_shell::{ReadContext, read};

#[test]
fn what_a_branch_prints_is_one_of_two_texts() {
    check(
        "git commit $(if [ a ]; then echo -m; else echo --no-verify; fi)",
        &["git", "commit", "--no-verify"],
    );
    check("git commit $(if [ -f x ]; then echo --no-verify; fi)", &["git", "commit", "--no-verify"]);
    check("if [ -f a ]; then echo 'ls'; else echo 'rm x'; fi | sh", &["rm", "x"]);
    check("if [ -f a ]; then echo b; else echo x; fi | xargs rm", &["rm", "x"]);
    check("if [ -f a ]; then echo b; else echo x; fi | while read f; do rm $f; done", &["rm", "x"]);
    check("case $1 in a) echo x;; esac | cat | xargs rm", &["rm", "x"]);
    check("$(if [ a ]; then :; fi; echo rm) x", &["rm", "x"]);
}

#[test]
fn a_file_with_one_of_two_texts_is_asked_about() {
    let found = read("if [ -f a ]; then echo ls; else echo 'rm x'; fi > f; sh f", &ReadContext::default());
    assert!(!found.opaque.is_empty(), "{found:?}");
}

#[test]
fn items_come_from_a_file_and_end_where_it_is_said() {
    check("echo x > o; xargs -a o rm", &["rm", "x"]);
    check("printf '%s\\n' 'rm x' | xargs -d '\\n' sh -c", &["rm", "x"]);
    check("printf 'rm x\\0' | xargs -0 sh -c", &["rm", "x"]);
    check("echo 'a b' | xargs -0 rm", &["rm", "a b\n"]);
    check("echo x > o; parallel -a o rm", &["rm", "x"]);
}

#[test]
fn text_that_comes_in_is_given_arguments() {
    check("bash -s -- x <<< 'rm \"$1\"'", &["rm", "x"]);
    check("echo 'rm $2' | sh -s a x", &["rm", "x"]);
    check("echo 'rm \"$@\"' | sh -es x", &["rm", "x"]);
}

#[test]
fn values_are_read_changed_and_carried_as_in_bash() {
    check("shopt -s lastpipe; echo x | read v; rm $v", &["rm", "x"]);
    check("read -d '' v <<< x; rm $v", &["rm", "x"]);
    check("v=x; rm ${v/#/a}", &["rm", "ax"]);
    check("v=a; rm ${v/%/x}", &["rm", "ax"]);
    check("declare -l v; v=X; rm $v", &["rm", "x"]);
    check("declare -u v; v=x; rm $v", &["rm", "X"]);
}

/// Known text made into something nobody computes, as an argument of a program
/// that loses work by one word more.
#[test]
fn a_disguised_argument_is_said() {
    for source in [
        "git commit $(echo --no-verify | sort)",
        "git commit $(echo yfirev-on-- | awk 1)",
        "git commit $(for x in *; do echo --no-verify; done)",
        "git commit $(while a; do echo --no-verify; done)",
        "x=$(echo --xo-verify | dd); git commit $x",
        "git push `echo --force | sort`",
        "rm -rf $(echo / | sort)",
        "read -n 11 v <<< --no-verify; git commit $v",
        "v=--no-verify; git commit ${v@L}",
        "git commit $(echo yn | tr \"$a\" '\\055')",
        "git commit $(echo x-n | tail -c 3)",
        "IFS=x; git commit $(echo x-n | sort)",
        "declare -A m=([--no-verify]=1); git commit ${!m[@]}",
        "[[ x--no-verify =~ x(.*) ]]; git commit \"${BASH_REMATCH[1]}\"",
        "[[ 'git push --force' =~ .* ]]; $BASH_REMATCH",
    ] {
        assert!(!read(source, &ReadContext::default()).opaque.is_empty(), "{source}");
    }
}

#[test]
fn a_word_from_outside_is_no_disguise() {
    for source in [
        "git push $REMOTE",
        "git checkout $(git branch --show-current || echo main)",
        "git add $(git diff --name-only | sort)",
        "B=$(echo \"$BRANCH\" | sed 's/x*/y/'); git checkout $B",
        "git commit -m \"$(echo foo | sort)\"",
        "git add -- $(echo a b | sort)",
        "git tag v$(echo 1.2 | sort)",
        "ls $(echo a | sort)",
        "rm -f $(find . -name '*.tmp' | sort)",
        "v=a; echo ${v@Q}",
        "[[ $branch =~ ^(.*)$ ]] && git push origin \"${BASH_REMATCH[1]}\"",
        "for k in \"${!m[@]}\"; do git checkout \"$k\"; done",
        "ref=refs/tags/v1.2-rc; [[ $ref =~ ^refs/tags/(.*)$ ]]; git checkout \"${BASH_REMATCH[1]}\"",
        "declare -A m=([a-b.txt]=docs); for f in \"${!m[@]}\"; do git mv \"$f\" \"${m[$f]}/\"; done",
        "files=$(printf '%s\\n' src/a-b.ts src/b.ts | sort -u); git add $files",
        "for c in $(echo abc def | tr ' ' '\\n' | tac); do git cherry-pick $c; done",
    ] {
        assert!(read(source, &ReadContext::default()).opaque.is_empty(), "{source}");
    }
}

/// Text in the words of a program that prints it, read at a venture where it is run.
#[test]
fn what_a_program_prints_of_its_own_words_may_run() {
    for source in [
        "awk 'BEGIN {print \"rm x\"}' | sh",
        "ls | sed 's/.*/rm x/' | bash",
        "ls | awk '{print \"rm\", \"x\"}' | sort | sh",
        "jq -nr '\"rm x\"' | sh",
        "eval \"$(python3 -c 'print(\"rm x\")')\"",
        "bash -c \"$(perl -e 'print \"rm x\"')\"",
        "find . -maxdepth 0 -printf 'rm x\\n' | sh",
        "yes 'rm x' | head -1 | sh",
        "awk 'BEGIN {print \"rm x\"}' > f; sh f",
        "rm $(awk 'BEGIN {print \"x\"}')",
        "ls | awk '{print \"x\"}' | xargs rm",
    ] {
        check(source, &["rm", "x"]);
    }
}

/// Where nothing runs it, it is text.
#[test]
fn what_is_only_printed_is_text() {
    for source in ["awk '{print \"rm x\"}' f", "ls | sed 's/.*/rm x/' > f", "echo $(jq -nr '\"rm x\"')"] {
        let found = read(source, &ReadContext::default());
        assert!(found.commands.iter().all(|command| command.program != "rm"), "{source}: {found:?}");
    }
    // A value between is a value, and no name is made of it.
    let found = read("ls | awk '{print $1 \" x\"}' | sh", &ReadContext::default());
    assert!(found.commands.iter().all(|command| command.program != "x"), "{found:?}");
}

/// What is guessed takes nothing back, and what is in quotes is one word.
#[test]
fn a_guess_hides_nothing_and_splits_no_quotes() {
    check(
        "git commit -m $(awk 'BEGIN {print \"x --no-verify\"}')",
        &["git", "commit", "-m", "x", "--no-verify"],
    );
    for source in [
        "if [ a ]; then echo 'rm x'; else echo ls; fi | tee f; sh f",
        "echo 'rm x' > f; echo ls | tee $(awk '0 {print \"f\"}'); sh f",
        "if date; then echo 'rm x'; fi | sh",
    ] {
        assert!(!read(source, &ReadContext::default()).opaque.is_empty(), "{source}");
    }
    check("echo 'rm x' > f; echo ls | tee -a f; sh f", &["rm", "x"]);
    check("bash -o posix -s -- x <<< 'rm \"$1\"'", &["rm", "x"]);
    let many = "print \"a\";".repeat(100);
    let found = read(&format!("awk 'BEGIN {{{many}}}' | sh"), &ReadContext::default());
    assert!(found.opaque.iter().any(|one| one.kind == toolgate_shell::Unknown::Limit), "{found:?}");
    for source in [
        "git commit -m \"$(python3 -c 'print(\"about --no-verify\")')\"",
        "m=$(awk '{print \"use -n\"}' f); git commit -m \"$m\"",
        "git add \"$(jq -nr '\"a -n b\"')\"",
    ] {
        let found = read(source, &ReadContext::default());
        let splits = |word: &toolgate_shell::Word| matches!(word.text.as_str(), "-n" | "--no-verify");
        assert!(
            !found.commands.iter().any(|one| one.program == "git" && one.words.iter().any(splits)),
            "{source}"
        );
    }
}
