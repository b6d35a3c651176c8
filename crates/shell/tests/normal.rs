//! One line per command, the same for every spelling; and where commands run.

use toolgate_shell::{ReadContext, canonical_flag, canonical_sub, read};

#[track_caller]
fn check(source: &str, expected: &[&str]) {
    let reading =
        read(source, &ReadContext { home: None, pwd: Some("/w".to_string()), ..ReadContext::default() });
    let lines: Vec<String> = reading.commands.iter().map(|command| command.normal()).collect();
    assert_eq!(lines, expected, "{source}");
}

#[test]
fn one_line_for_every_spelling() {
    check("git commit -anm 'a b'", &["git commit --all --no-verify --message '…'"]);
    check("git commit --mess=x --no-veri", &["git commit --message '…' --no-verify"]);
    check("git -c a.b=c  commit -n", &["git -c a.b=c commit --no-verify"]);
    check("/bin/rm -r -f \"a b\"", &["rm --recursive --force 'a b'"]);
    check("grep -rn 'rm -rf /' docs", &["grep --recursive --line-number '…' docs"]);
    check("echo 'rm -rf /'", &["echo '…'"]);
    check("rm -- -x", &["rm -- -x"]);
    check("sudo rm -r x", &["sudo rm -r x", "rm --recursive x"]);
    check("bash -lc 'ls -l'", &["bash --login -c '…'", "ls -l"]);
    check("$X \"a $Y\"", &["'$X' \"a $Y\""]);
    check("frob --a=b -xy c", &["frob --a=b -x -y c"]);
}

#[test]
fn a_policy_may_name_a_flag_in_any_spelling() {
    let sub = |name: &str| vec![name.into()];
    assert_eq!(canonical_flag("git", &sub("commit"), "-n"), "--no-verify");
    assert_eq!(canonical_sub("npm", "i"), "install");
    assert_eq!(canonical_sub("cargo", "t"), "test");
    assert_eq!(canonical_sub("git", "ci"), "ci");
    assert_eq!(canonical_flag("git", &sub("commit"), "--no-veri"), "--no-verify");
    assert_eq!(canonical_flag("git", &sub("push"), "-n"), "--dry-run");
    assert_eq!(canonical_flag("git", &sub("cherry-pick"), "-n"), "--no-commit");
    assert_eq!(canonical_flag("/bin/rm", &[], "-R"), "--recursive");
    assert_eq!(canonical_flag("frob", &[], "-z"), "-z");
}

#[track_caller]
fn check_dirs(source: &str, expected: &[(&str, &str)]) {
    let reading = read(source, &ReadContext::default());
    let found: Vec<(&str, &str)> = reading
        .commands
        .iter()
        .filter(|command| command.program != "cd")
        .map(|command| (command.program.as_str(), command.dir.as_ref().map_or("", |dir| dir.text.as_str())))
        .collect();
    assert_eq!(found, expected, "{source}");
}

#[test]
fn folders_are_followed() {
    check_dirs("cd a && ls; id", &[("ls", "a"), ("id", "a")]);
    check_dirs("cd a; cd ../b; ls", &[("ls", "b")]);
    check_dirs("(cd a; ls); id", &[("ls", "a"), ("id", "")]);
    check_dirs("cd a | ls", &[("ls", "")]);
    check_dirs("cd \"$X\" && ls", &[("ls", "$X")]);
    check_dirs("test -d a && cd a; ls", &[("test", ""), ("ls", ""), ("ls", "a")]);
    check_dirs("test -d a && cd a && ls", &[("test", ""), ("ls", "a")]);
    check_dirs("bash -c 'cd a; ls'; id", &[("bash", ""), ("ls", "a"), ("id", "")]);
    check_dirs("env -C a ls", &[("env", ""), ("ls", "a")]);
    check_dirs("f() { cd a; }; f; ls", &[("f", ""), ("ls", "a")]);
}

#[test]
fn wrappers_and_pipes_are_named() {
    let reading = read("a | sudo timeout 5 b", &ReadContext::default());
    let inner = reading.commands.last().unwrap();
    assert_eq!((inner.program.as_str(), inner.via.join(" ").as_str()), ("b", "sudo timeout"));
    assert_eq!(inner.piped_from, Some(0));
    assert!(inner.in_place);
    let nested = read("bash -c 'b c'", &ReadContext::default());
    let inner = nested.commands.last().unwrap();
    assert!(!inner.in_place);
    assert_eq!((inner.span.start, inner.span.end), (8, 13));
}

#[track_caller]
fn is_told(text: &str, within: Option<&str>, wanted: &str, expected: bool) {
    let reading = read(text, &ReadContext::default());
    let told = |command: &std::sync::Arc<toolgate_shell::Command>| {
        toolgate_shell::is_subcommand(command, within, wanted)
    };
    assert_eq!(reading.commands.last().is_some_and(told), expected, "{text}: {wanted}");
}

#[test]
fn a_subcommand_is_found_behind_options_of_every_program() {
    is_told("aws --profile x s3 rb s3://b", None, "s3 rb", true);
    is_told("aws --profile s3 rb ls", None, "s3 rb", false);
    is_told("frob --unknown x go", None, "go", true);
    is_told("frob --unknown go x", None, "go", true);
    is_told("frob x go", None, "go", false);
    is_told("frob go", None, "", false);
    is_told("make -C d a b", None, "b", true);
    is_told("gradle :app:publish", None, "publish", true);
    is_told("redis-cli FlushAll", None, "flushall", true);
    is_told("docker image push x", None, "push", true);
    is_told("docker push x", None, "image push", true);
    is_told("docker push x", None, "compose push", false);
    is_told("docker compose down", Some("compose"), "down", true);
    is_told("aws ec2 terminate-instances", None, "ec2 terminate-*", true);
    is_told("aws ec2 describe-instances", None, "ec2 terminate-*", false);
    is_told("npm i x", None, "install", true);
    is_told("git stash drop", None, "stash drop", true);
    is_told("git stash", None, "stash drop", false);
}

#[test]
fn the_value_of_an_option_is_found_in_every_spelling() {
    let given = |text: &str, option: &str| {
        let reading = read(text, &ReadContext::default());
        toolgate_shell::find_flag(&reading.commands[0], option, &|wanted, given| wanted == given).is_some()
    };
    for text in ["curl -X POST a", "curl -XPOST a", "curl --request POST a", "curl --request=POST a"] {
        for option in ["--request=POST", "-X POST", "-XPOST", "--request", "-X"] {
            assert!(given(text, option), "{text}: {option}");
        }
        assert!(!given(text, "--request=GET"), "{text}");
    }
    assert!(given("frob --env prod", "--env=prod"));
    assert!(given("frob -e prod", "-e prod"));
    assert!(!given("frob -e dev prod", "-e prod"));
    assert!(given("rm -r -f x", "-rf"));
    assert!(!given("rm -r x", "-rf"));
    assert!(given("terraform apply --auto-approve", "-auto-approve"));
}
