//! Work that is not saved, in real repositories and through the hook: it is asked about before it goes, and what is
//! saved, ignored or made by the session itself goes without a question.

use crate::answer::Answer;
use crate::house::{House, TICKET};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

fn git(house: &House, args: &[&str]) {
    let mut command = house.command("git", &["-c", "user.name=a", "-c", "user.email=a@b.c"]);
    let done = command.args(args).output().expect("git");
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A repository with a commit of some files, and a `.gitignore` for build output.
fn repository() -> House {
    let house = House::with_policy(TICKET);
    std::fs::remove_dir_all(house.project().join(".git")).expect("no repository yet");
    git(&house, &["init", "-q"]);
    for name in ["src/a.js", "src/b.js", "src/lib/c.js", "docs/intro.md"] {
        house.write(name, "committed\n");
        // What changes in the very second of a commit git looks at again and again.
        let file = std::fs::File::options().write(true).open(house.project().join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    }
    house.write(".gitignore", "dist/\n*.log\n.toolgate/\n");
    commit(&house);
    house.write("dist/o.js", "built");
    house.write("debug.log", "a log");
    house
}

fn commit(house: &House) {
    git(house, &["add", "-A"]);
    git(house, &["commit", "-qm", "x"]);
}

/// The agent does something, and it is done: asked about, run, told.
fn does(house: &House, tool: &str, input: &Value, act: impl FnOnce()) {
    let mut event = house.call("true");
    (event["tool_name"], event["tool_input"]) = (json!(tool), input.clone());
    let answer = house.ask_event(&event);
    assert!(matches!(answer, Answer::Silent | Answer::Told(_)), "{input}: {answer:?}");
    act();
    event["hook_event_name"] = json!("PostToolUse");
    event["tool_response"] = json!({ "stdout": "" });
    house.hook(event.to_string().as_bytes()).ended(0);
}

fn ran(house: &House, command: &str) {
    does(house, "Bash", &json!({ "command": command }), || {
        let done = house.command("/bin/bash", &["-c", command]).status().expect("bash");
        assert!(done.success(), "{command}");
    });
}

fn wrote(house: &House, name: &str, text: &str) {
    let path = house.project().join(name);
    does(house, "Write", &json!({ "file_path": path, "content": text }), || house.write(name, text));
}

#[track_caller]
fn asks(house: &House, command: &str, says: &str) {
    match house.ask(command) {
        Answer::No(text) => assert!(text.contains(says), "{command}: {text}"),
        other => panic!("{command}: {other:?}"),
    }
}

#[track_caller]
fn runs(house: &House, command: &str) {
    let answer = house.ask(command);
    assert!(matches!(answer, Answer::Silent | Answer::Told(_)), "{command}: {answer:?}");
}

#[test]
fn deleting_a_folder_asks_while_its_work_is_in_no_commit() {
    let house = repository();
    runs(&house, "rm -rf src");
    house.write("src/a.js", "changed\n");
    house.write("src/b.js", "changed\n");
    asks(&house, "rm -rf src", "`rm -rf src` deletes 2 files with uncommitted changes: src/a.js, src/b.js");
    asks(&house, "rm -rf src", "Commit or stash them first");
    for free in [
        "rm -rf dist",
        "rm -f *.log debug.log",
        "rm -rf src/lib",
        "rm src/lib/c.js",
        "rm -rf docs",
        "rm -rf gone",
    ] {
        runs(&house, free);
    }
    for saved in [
        "git stash && rm -rf src",
        "git commit -qam wip && rm -rf src",
        "git add . && git commit -qm wip && rm -rf src",
    ] {
        runs(&house, saved);
    }
    commit(&house);
    runs(&house, "rm -rf src");
}

/// What loses the changes of `src/a.js` or `src/new.js`.
const LOSE: &[&str] = &[
    "rm src/a.js",
    "rm -f src/a.js",
    "rm -rf ./src/",
    "rm -rf src/*",
    "rm src/*.js",
    "cd src && rm -rf .././src/a.js",
    "git rm -rf src",
    "find src -delete",
    "find . -name '*.js' -delete",
    "find src -name 'a.*' -exec rm {} +",
    "cp docs/intro.md src/a.js",
    "mv docs/intro.md src/a.js",
    "echo x > src/a.js",
    "cat docs/intro.md | tee src/a.js",
    "python3 -c \"import shutil; shutil.rmtree('src')\"",
    "node -e \"require('fs').rmSync('src', {recursive: true})\"",
    "sudo rm -rf src",
    "bash -c 'rm -rf src'",
    "rm src/new.js",
    "git checkout -- src/a.js",
    "git restore src/a.js",
    "curl -so src/a.js http://localhost/x",
    "ln -sf ../docs/intro.md src/a.js",
    "sort docs/intro.md -o src/a.js",
    "dd if=/dev/zero of=src/a.js count=1",
    "git mv -f docs/intro.md src/a.js",
    "python3 -c \"open('src/a.js', 'w').write('x')\"",
    "node -e \"require('fs').writeFileSync('src/a.js', '')\"",
    "git ls-files -m | xargs rm -f",
    "git ls-files -o --exclude-standard | xargs rm",
    "git show HEAD:src/a.js > src/a.js",
    "cat src/a.js > src/a.js",
    "mv src/a.js /dev/null",
    "pwsh -Command 'Remove-Item -Recurse src'",
    "cp src/a.js /tmp/kept.js && rm -rf /tmp/kept.js src/a.js",
];

/// What keeps them.
const KEEP: &[&str] = &[
    "mv src/a.js src/z.js",
    "git mv src/a.js src/z.js",
    "sort src/a.js -o src/a.js",
    "sed s/a/b/ src/a.js > src/a.tmp && mv src/a.tmp src/a.js",
    "cat src/a.js | sort > /tmp/sorted.js && mv /tmp/sorted.js src/a.js",
    "cp src/a.js src/a.bak && rm src/a.js",
    "python3 -c \"t = open('src/a.js').read(); open('src/a.js', 'w').write(t.upper())\"",
    "python3 -c \"open('src/a.js', 'a').write('x')\"",
    "curl -so src/fresh.js http://localhost/x",
    "git rm src/a.js",
    "echo x >> src/a.js",
    "sed -i s/a/b/ src/a.js",
    "find . -name '*.orig' -delete",
    "cp src/a.js /tmp/a.js",
    "rm --help",
];

#[test]
fn every_way_to_delete_or_replace_is_one() {
    let house = repository();
    house.write("src/a.js", "changed\n");
    house.write("src/new.js", "new\n");
    for command in LOSE {
        asks(&house, command, "src/");
    }
    for command in KEEP {
        runs(&house, command);
    }
    let path = house.project().join("src/a.js");
    let mut event = house.call("true");
    (event["tool_name"], event["tool_input"]) =
        (json!("Write"), json!({ "file_path": path, "content": "x" }));
    assert!(
        matches!(house.ask_event(&event), Answer::Silent),
        "edits by the host's own tools are the work itself"
    );
    (event["tool_name"], event["tool_input"]) = (json!("mcp__files__delete_file"), json!({ "path": path }));
    assert!(matches!(house.ask_event(&event), Answer::No(text) if text.contains("src/a.js")));
}

#[test]
fn what_the_session_made_goes_without_a_question() {
    let house = repository();
    house.write("notes/old.md", "a person's\n");
    wrote(&house, "src/new.js", "new\n");
    ran(&house, "mkdir -p gen/deep && echo x > gen/deep/a.txt");
    ran(&house, "mkdir coverage2 && for i in 1 2 3; do echo $i > coverage2/$i.html; done");
    for free in ["rm src/new.js", "rm -rf gen", "rm -rf coverage2", "rm -rf src", "echo y > src/new.js"] {
        runs(&house, free);
    }
    // A file that was clean when the session found it holds only the session's own changes.
    wrote(&house, "src/a.js", "changed by the session\n");
    wrote(&house, "src/a.js", "and again\n");
    for free in ["rm src/a.js", "git checkout -- src/a.js", "echo y > src/a.js"] {
        runs(&house, free);
    }
    // One that was not holds a person's as well.
    house.write("src/b.js", "changed by a person\n");
    wrote(&house, "src/b.js", "changed by the session\n");
    asks(&house, "rm src/b.js", "src/b.js");
    wrote(&house, "notes/old.md", "changed by the session\n");
    asks(&house, "rm -rf notes", "notes/old.md");
    // Another session made nothing here.
    let mut event = house.call("rm -rf gen src/new.js");
    event["session_id"] = json!("another");
    assert!(matches!(house.ask_event(&event), Answer::No(text) if text.contains("gen/deep/a.txt")));
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn a_file_with_another_name_is_no_new_one() {
    let house = repository();
    house.write("draft.md", "a person's\n");
    std::thread::sleep(Duration::from_millis(60));
    ran(&house, "mv draft.md moved.md");
    asks(&house, "rm moved.md", "moved.md");
}

#[test]
fn a_repository_in_the_project_goes_with_its_commits() {
    let house = repository();
    git(&house, &["init", "-q", "inner"]);
    house.write("inner/a.txt", "x\n");
    git(&house, &["-C", "inner", "add", "-A"]);
    git(&house, &["-C", "inner", "commit", "-qm", "x"]);
    asks(&house, "rm -rf inner", "the only copy of the commits in inner");
    git(&house, &["-C", "inner", "remote", "add", "origin", "https://a.example/inner.git"]);
    runs(&house, "rm -rf inner");
}

#[test]
fn the_ignore_file_and_line_ends_a_repository_names_count() {
    let house = repository();
    house.write("own-ignore", "*.glob\n");
    let file = house.project().join("own-ignore");
    git(&house, &["config", "core.excludesFile", &file.to_string_lossy()]);
    house.write("docs/crlf.txt", "a\r\nb\r\n");
    git(&house, &["-c", "core.autocrlf=true", "-c", "core.safecrlf=false", "add", "-A"]);
    git(&house, &["commit", "-qm", "x"]);
    house.write("docs/a.glob", "x");
    let crlf = std::fs::File::options().write(true).open(house.project().join("docs/crlf.txt")).unwrap();
    crlf.set_modified(SystemTime::now() + Duration::from_secs(5)).unwrap();
    runs(&house, "rm -rf docs");
    house.write("docs/crlf.txt", "a\r\nc\r\n");
    asks(&house, "rm -rf docs", "docs/crlf.txt");
}

#[test]
fn staged_work_is_in_no_commit_either() {
    let house = repository();
    std::thread::sleep(Duration::from_millis(20));
    house.write("src/a.js", "changed\n");
    house.write("src/new.js", "new\n");
    git(&house, &["add", "-A"]);
    asks(&house, "rm -rf src", "2 files with uncommitted changes: src/a.js, src/new.js");
    git(&house, &["commit", "-qm", "x"]);
    runs(&house, "rm -rf src");
}

#[test]
fn git_decides_what_is_changed_by_content_and_not_by_time_alone() {
    let house = repository();
    let path = house.project().join("src/a.js");
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(5)).unwrap();
    runs(&house, "rm -rf src");
    // The same size, and in the same second as the commit.
    house.write("src/a.js", "comnitted\n");
    asks(&house, "rm -rf src", "src/a.js");
    git(&house, &["checkout", "--", "src/a.js"]);
    runs(&house, "rm -rf src");
}

#[test]
fn every_rule_of_what_is_ignored_counts() {
    let house = repository();
    house.write("src/.gitignore", "*.tmp\n!keep.tmp\n/only\n");
    house.write(".git/info/exclude", "private/\n");
    commit(&house);
    house.write("src/x.tmp", "x");
    house.write("src/only", "x");
    house.write("src/private/x", "x");
    runs(&house, "rm -rf src");
    house.write("src/keep.tmp", "x");
    asks(&house, "rm -rf src", "1 file that git does not track: src/keep.tmp");
    std::fs::remove_file(house.project().join("src/keep.tmp")).unwrap();
    house.write("src/lib/only", "x");
    asks(&house, "rm -rf src", "src/lib/only");
}

#[test]
fn every_form_of_a_repository_is_read() {
    for version in ["2", "3", "4"] {
        let house = repository();
        git(&house, &["update-index", "--index-version", version]);
        runs(&house, "rm -rf src");
        house.write("src/a.js", "changed\n");
        asks(&house, "rm -rf src", "src/a.js");
    }
    // A linked working tree inside the project has its own index.
    let house = repository();
    git(&house, &["worktree", "add", "-q", "trees/topic"]);
    runs(&house, "rm -rf trees/topic/src");
    house.write("trees/topic/src/a.js", "changed\n");
    asks(&house, "rm -rf trees", "trees/topic/src/a.js");
    // What a split index tracks is not told by it alone.
    let house = repository();
    git(&house, &["update-index", "--split-index"]);
    asks(&house, "rm -rf src", "git index");
    let house = repository();
    house.write(".git/index", "DIRC\0\0\0\x02\0\0\0\x09 cut");
    asks(&house, "rm -rf src", "git index");
}

#[test]
fn without_a_repository_whole_folders_are_asked_about() {
    let house = House::with_policy(TICKET);
    std::fs::remove_dir_all(house.project().join(".git")).unwrap();
    house.write("src/a.js", "x");
    house.write("old.txt", "x");
    house.write("node_modules/x/index.js", "x");
    house.write("target/debug/x", "x");
    asks(&house, "rm -rf src", "`rm -rf src` deletes 1 file that no git repository holds: src/a.js");
    for free in ["rm -rf node_modules", "rm -rf target", "rm old.txt", "echo x > old.txt"] {
        runs(&house, free);
    }
    ran(&house, "mkdir made && echo x > made/a");
    runs(&house, "rm -rf made");
}

#[test]
fn a_tree_that_is_too_large_is_asked_about_and_takes_no_longer() {
    let house = repository();
    for folder in 0..60 {
        let folder = house.project().join(format!("big/{folder}"));
        std::fs::create_dir_all(&folder).unwrap();
        for file in 0..1_000 {
            std::fs::write(folder.join(file.to_string()), "").unwrap();
        }
    }
    let started = std::time::Instant::now();
    asks(&house, "rm -rf big", "more files than Toolgate checks");
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    runs(&house, "rm -rf src");
}
